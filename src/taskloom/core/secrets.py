"""The one place that knows secrets: it turns them into references before anything is written or printed.

A value that is named like a key, a token or a password is a secret in every place: an option, an option inside
another, a header in a list, a word of the command line, the credentials of an address, what looks drawn at random in
the path of an endpoint. So is a text that looks like the
key of a well-known service, under any name. Its value is remembered for the life of the process, so that it is
recognised in texts that others wrote (a server that repeats the header it was sent).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

_NAME = re.compile(
    r"(?:.*_)?(?:api_?key|access_?key|secret_?key|private_?key|auth_?key|subscription_?key|access_?key_id|"
    r"(?:access|api|auth|bearer|refresh|id|session|security|hf|hub|personal)_?token|"
    r"pass(?:word|wd|phrase|code)?|pwd|secrets?|credentials?|(?:proxy_)?authori[sz]ation|auth|bearer|"
    r"(?:set_)?cookies?)|(?:x_)?key|token"
)
_LOOSE_NAME = re.compile(r"(?:.*_)?(?:key|token|jwt|sig|signature|sas|otp|hmac)(?:_id)?")
"""Names that often hold secrets and often do not (`cache_key`, `pad_token`): the value decides."""
_HEADER_NAMES = ("name", "key", "header")
"""The fields that name a header where each is an object: `{name: Authorization, value: …}`."""
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|rk|pk)[-_][\w-]{20,}|gh[opusr]_\w{30,}|github_pat_\w{20,}|glpat-[\w-]{20,}|hf_\w{30,}|"
    r"xox[abeoprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{35}|(?:gsk|r8|tgp|npm)_\w{20,}|"
    r"(?:nvapi|pplx|xai|dop_v1)[-_][\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)"
)
"""What keys of well-known services look like."""
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|digest)\s+", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*://)(?P<user>[^/?#\s@\"'<>]*)@")
_ENDPOINTS = ("base_url", "api_base", "endpoint")
"""Options with the address of a service, whose path may hold a key; elsewhere random-looking paths name data."""
_NAMING = ("o", "output", "name", "title", "runs", "model", "suite")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value, or a plain word, is only recognised beside its name: it may well be an ordinary part of a text."""
_PLAIN_WORD = 12

known_secrets: dict[str, str] = {}


def _normal(name: str) -> str:
    last = name.rpartition(".")[2].strip().lstrip("-").strip()
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)  # openaiApiKey
    return words.lower().replace("-", "_").replace(" ", "_")


def is_secret_name(name: str) -> bool:
    """Whether an option, field or header of this name holds a secret: `api-key`, `extra.password`, `X-Api-Key`."""
    return _NAME.fullmatch(_normal(name)) is not None


def is_secret(name: str, value: Any) -> bool:
    """Whether this value under this name is a secret: by the name alone, or because both look like it."""
    if is_secret_name(name):
        return True
    return isinstance(value, str) and _LOOSE_NAME.fullmatch(_normal(name)) is not None and _looks_random(value)


def _looks_random(value: str) -> bool:
    kinds = any(sign.isdigit() for sign in value), any(sign.isalpha() for sign in value)
    return len(value) >= 16 and not re.search(r"\s", value) and all(kinds) and len(set(value)) >= 8


def learn(value: str, name: str = "secret") -> None:
    """Remember a secret; from now on `scrub` puts `[name]` in its place. `Bearer K` is remembered as such and as K."""
    whole = value.strip()
    for text in {whole, _SCHEME.sub("", whole, count=1) if _SCHEME.match(whole) else whole}:
        if text and text not in known_secrets:
            known_secrets[text] = _normal(name) or "secret"


def learn_options(options: Mapping[str, Any]) -> None:
    """Remember every secret among options, however deep, and the credentials of every address."""
    for name, value in (*options.items(), *_headers(options)):
        if is_secret(str(name), value):
            for text in _leaves(value):
                learn(text, str(name))
        elif isinstance(value, Mapping):
            learn_options(value)
        elif isinstance(value, (list, tuple)):
            if len(value) == 2 and isinstance(value[0], str) and is_secret(*value):
                learn_options({value[0]: value[1]})  # [Authorization, Bearer K]
            learn_options({f"{index}_": item for index, item in enumerate(value)})
        elif isinstance(value, str):
            _learn_address(value)
            _learn_shapes(value)
            if _normal(str(name)) in _ENDPOINTS:
                _learn_path(value)


def _headers(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """`{name: Authorization, value: …}` read as the header it stands for."""
    if "value" in options:
        for field in _HEADER_NAMES:
            if isinstance(options.get(field), str):
                yield options[field], options["value"]


def _learn_shapes(text: str) -> None:
    for found in _SHAPE.finditer(text):
        learn(found[0], "secret")


def learn_words(words: Sequence[str]) -> None:
    """Remember the secrets on a command line, before anything of it can fail and be printed."""
    for before, word in pairwise(("", *words)):
        _learn_address(word)
        _learn_shapes(word)
        for name, value in _assignments(word):
            if is_secret(name, value):
                for text in re.split(r"[\[\]{},\s\"']+", value):
                    learn(text, name)
            elif _normal(name) in _ENDPOINTS:
                for text in re.split(r"[\[\]{},\s\"']+", value):
                    _learn_path(text)
        # `--api-key K`, as two words.
        if before.startswith("--") and "=" not in before and is_secret_name(before):
            learn(word, before)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _assignments(word: str) -> Iterator[tuple[str, str]]:
    """Every reading of a word as name and value: `-M=api_key=K` is `-M` = `api_key=K` and `api_key` = `K`."""
    for found in re.finditer(r"[=:]", word):
        name = re.search(r"([\w.\- ]+?)[\"'\s]*$", word[: found.start()])
        if name:
            # `-Mapi_key=K`: the letter of a short option is no part of the name behind it.
            glued = re.fullmatch(r"-[A-Za-z](.+)", name[1])
            yield (glued or name)[1], word[found.end() :].strip()


def _learn_address(text: str) -> None:
    if "://" not in text:
        return
    from urllib.parse import parse_qsl, unquote

    for found in _CREDENTIALS.finditer(text):
        for form in (found["user"], unquote(found["user"])):
            _, colon, password = form.partition(":")
            learn(form, "credentials")
            if colon:
                learn(password, "password")
    if "?" in text:
        for name, value in parse_qsl(text.partition("?")[2]):
            if is_secret(name, value):
                learn(value, name)


def _learn_path(url: str) -> None:
    """Remember the parts of an address's path that look like keys, each under a name of its own.

    Two such addresses are two services, so what stands for a part carries a trace of it that leads nowhere.
    """
    from hashlib import sha256
    from urllib.parse import unquote

    _, found, rest = url.partition("://")
    for part in re.split(r"[?#]", rest)[0].split("/")[1:] if found else ():
        for text in {part, unquote(part)}:
            # The names of models are long and have digits too, but in short words: gpt-4o-mini-2024-07-18.
            if any(map(_looks_random, re.split(r"[-_.~]", text))) or _UUID.fullmatch(text):
                learn(text, f"path_{sha256(text.encode()).hexdigest()[:8]}")


def _spellings(value: str) -> Iterator[str]:
    """A secret as it may stand in a text with its own signs: as it is, inside JSON, an address, or a page."""
    import json
    from base64 import b64encode
    from html import escape
    from urllib.parse import quote, quote_plus

    yield value
    yield value.replace("/", "\\/")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="")
    yield quote_plus(value)
    yield escape(value)
    yield b64encode(value.encode()).decode().rstrip("=")


def _telling(value: str) -> bool:
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _PLAIN_WORD)


@lru_cache(maxsize=1)
def _compiled(secrets: tuple[str, ...]) -> re.Pattern[str]:
    everywhere = {text for value in secrets if _telling(value) for text in _spellings(value)}
    named = "|".join(sorted(map(re.escape, secrets), key=len, reverse=True))
    names = r"api[\s_-]?key|token|password|secret|authori[sz]ation|credentials?|bearer|basic"
    parts = [re.escape(text) for text in sorted(everywhere, key=len, reverse=True)]
    label = rf"(?P<label>(?:{names})[\"']?\s*[:=]?\s*[\"']?(?:bearer\s+)?)"
    return re.compile("|".join([*parts, rf"{label}(?:{named})(?![\w-])"]), re.IGNORECASE)


def scrub(text: str) -> str:
    """A text with a reference in place of each secret.

    Scrub first and cut afterwards: half a key is still half a key.
    """
    learn_environment()
    if "://" in text:
        text = _CREDENTIALS.sub(lambda found: f"{found['scheme']}[credentials]@", text)
    if not known_secrets:
        return text

    def reference(found: re.Match[str]) -> str:
        names = {spelling.lower(): name for value, name in known_secrets.items() for spelling in _spellings(value)}
        label = found["label"] or ""
        return f"{label}[{names.get(found[0][len(label) :].lower(), 'secret')}]"

    return _undisguised(_compiled(tuple(known_secrets)).sub(reference, text))


def _undisguised(text: str) -> str:
    """A text without the secrets that are spaced out, split, escaped or encoded in it."""
    from taskloom.core.disguise import find

    for start, end, name in reversed(
        find(text, {value: name for value, name in known_secrets.items() if _telling(value)})
    ):
        text = f"{text[:start]}[{name}]{text[end:]}"
    return text


@cache
def learn_environment() -> None:
    """Remember the secrets of the environment: keys by their names, credentials of proxies, keys of known shapes."""
    import os

    for name, value in os.environ.items():
        # PWD is a folder and no password, and a variable may name the file that holds a key: paths are no secrets.
        if is_secret(name, value) and not os.path.exists(value):  # noqa: PTH110 - a value may be no path at all
            learn(value, name)
        _learn_address(value)
        _learn_shapes(value)


def refuse_in_names(words: Sequence[str]) -> None:
    """Refuse a key in what names files, folders, models or titles: names are written down, listed and shared.

    Raises:
        UserError: A word is a name that holds a secret.
    """
    from taskloom.core.errors import UserError

    for before, word in pairwise(("", *words)):
        name, equals, value = word.partition("=")
        if equals and (name.lstrip("-") not in _NAMING or not name.startswith("-")):
            continue  # an option with a value of its own: secrets have their places there
        if "://" in word or (before.startswith("-") and is_secret_name(before)) or before in ("-M", "-S", "-A", "-T"):
            continue
        if scrub(value if equals else word) != (value if equals else word):
            raise UserError("a key must not stand in a name", where=scrub(word), hint="-M api_key=…, or OPENAI_API_KEY")


def public_address(url: str) -> str:
    """The address of a service without the name, password, query and key-like path it may carry."""
    from urllib.parse import urlsplit, urlunsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        return "[address]"
    _learn_path(url)
    return scrub(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")))


def public(value: Any) -> Any:
    """Plain data as it may be written down: references in place of secrets, at any depth."""
    if isinstance(value, Mapping):
        return {
            name: f"[{_normal(str(name))}]" if item and is_secret(str(name), item) else public(item)
            for name, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [public(item) for item in value]
    return scrub(value) if isinstance(value, str) else value


def public_repr(value: Any) -> str:
    """The `repr` of a struct with references in place of secrets: options turn up in tracebacks and notebooks."""
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    shown = {
        name: public({name: item})[name] if isinstance(item, (str, dict)) else item for name, item in fields.items()
    }
    return f"{type(value).__name__}({', '.join(f'{name}={item!r}' for name, item in shown.items())})"


def public_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as part of what something is: without its secrets, since a job with another key is the same job."""
    kept: dict[str, Any] = {}
    for name, value in options.items():
        if is_secret(name, value):
            continue
        if isinstance(value, Mapping):
            kept[name] = public_options(value)
        elif _normal(name) == "base_url":
            kept[name] = public_address(str(value))
        else:
            kept[name] = public(value)
    return kept


def public_command(words: Sequence[str]) -> str:
    """A command line as it may stand in a log."""
    import shlex

    learn_words(words)
    shown: list[str] = []
    for before, word in pairwise(("", *words)):
        if before.startswith("--") and "=" not in before and is_secret_name(before):
            shown.append(f"[{_normal(before)}]")
            continue
        named = next(((name, value) for name, value in _assignments(word) if is_secret(name, value)), None)
        if named is None:
            shown.append(scrub(word))
        else:
            # All of the rest goes: where one value of a list ends is for the parser to say, not for us.
            start = len(word) - len(named[1])
            shown.append(f"{scrub(word[:start])}[{_normal(named[0])}]")
    return shlex.join(shown)

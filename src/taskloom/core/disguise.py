"""Secrets in disguise: spaced out, split, escaped, or encoded, as servers and proxies repeat them.

A text is looked through in two ways. Without its separators, and with its escapes undone, the letters and digits of a
secret stand side by side, without what was put between them. What looks encoded (hex, base 32, base 64) is decoded, and
looked through in turn.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

_FRAGMENT = 10
"""Letters and digits of a secret that give it away, side by side: half a key is still half a key."""
_DEPTH = 3
_ESCAPES = re.compile(
    r"\\u\{?0{0,4}([0-9a-fA-F]{2,6})\}?|\\x([0-9a-fA-F]{2})|%(?:25)*([0-9a-fA-F]{2})|&(?:amp;)*#x0*([0-9a-fA-F]{2,6});|"
    r"=([0-9A-F]{2})(?![0-9a-zA-Z]{3})|&(?:amp;)*#0*([0-9]{2,7});|\\([0-7]{3})"
)
_BASES = (16, 16, 16, 16, 16, 10, 8)
_GAP = r"(?:[\s:,;_|.\-]|\\[nrt]|0x|\\x)*"
_Decoder = Callable[[str], bytes]


def _base64(text: str) -> bytes:
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "=" * (-len(plain) % 4), validate=True)


def _base32(text: str) -> bytes:
    plain = text.rstrip("=").upper()
    return base64.b32decode(plain[: len(plain) // 8 * 8])


def _hex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"0x|\\[nrtx]|[^0-9a-fA-F]", "", text))


def _mail(text: str) -> bytes:
    return _base64(re.sub(r"\\[rn]|\s", "", text))


_LINE = r"[A-Za-z0-9+/_\-]"
_ENCODED: tuple[tuple[re.Pattern[str], _Decoder], ...] = (
    (re.compile(rf"(?:[0-9a-fA-F]{{2}}{_GAP}){{8,}}"), _hex),
    (re.compile(rf"{_LINE}{{14,}}={{0,2}}"), _base64),
    # Lines of mail are 76 signs long; a bound keeps the search from trying every length.
    (re.compile(rf"(?<!{_LINE})(?:{_LINE}{{56,80}}(?:\s{{1,4}}|(?:\\[rn]){{1,2}}))+{_LINE}+={{0,2}}"), _mail),
    (re.compile(r"[A-Za-z2-7]{16,}={0,6}"), _base32),
)  # fmt: skip
"""What looks encoded, and how it is decoded."""


def skeleton(text: str) -> str:
    """The letters and digits of a text, in small letters."""
    return re.sub(r"[\W_]+", "", text.lower())


@lru_cache(maxsize=8)
def _looked_for(secrets: tuple[str, ...]) -> tuple[str, re.Pattern[str]] | None:
    """The first of those that are long enough, and any piece of any, in its order, backwards or turned by thirteen."""
    known = [secret for secret in secrets if len(skeleton(secret)) >= _FRAGMENT]
    pieces: set[str] = set()
    for secret in known:
        for form in (secret, secret[::-1], codecs.encode(secret, "rot13")):
            bare = skeleton(form)
            # A passphrase of words is looked for as a whole: its words stand in other texts too.
            size = _FRAGMENT if any(sign.isdigit() for sign in bare) and len(set(bare)) >= 8 else len(bare)
            pieces |= {bare[at : at + size] for at in range(len(bare) - size + 1)}
    return (known[0], re.compile("|".join(map(re.escape, sorted(pieces))))) if known else None


def find(text: str, secrets: Mapping[str, str], depth: int = 0) -> list[tuple[int, int, str]]:
    """Where secrets stand in disguise: from, to, and the name to put there.

    Args:
        text: The text.
        secrets: The name of each secret; those with fewer than ten letters and digits are left out.
        depth: How many encodings have been undone already.
    """
    looked_for = _looked_for(tuple(secrets))
    if looked_for is None or len(text) < _FRAGMENT:
        return []
    name, pattern = secrets[looked_for[0]], looked_for[1]
    spans = [(start, end, name) for start, end in _bare_spans(text, pattern)]
    if depth < _DEPTH:
        for form, decode in _ENCODED:
            for found in form.finditer(text):
                if any(find(inner, secrets, depth + 1) for inner in _decoded(found[0], decode)):
                    spans.append((found.start(), found.start() + len(found[0].rstrip(" \n\r\t,;:.-|")), name))
    return _merged(spans)


def _decoded(text: str, decode: _Decoder) -> Iterator[str]:
    """What an encoded text may say: read from each of its first places, since it may be part of something longer."""
    for skip in range(4):
        try:
            data = decode(text[skip:])
        except ValueError:
            continue
        yield data.decode("latin-1")
        if b"\0" in data:
            yield data.replace(b"\0", b"").decode("latin-1")  # UTF-16, with either half first


def _bare_spans(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where a text without separators and escapes holds a piece of a secret."""
    if not pattern.search(skeleton(text)) and not _ESCAPES.search(text):
        return
    signs: list[str] = []
    places: list[tuple[int, int]] = []
    for sign, start, end in _units(text):
        for part in sign.lower():
            if part.isalnum():
                signs.append(part)
                places.append((start, end))
    bare = "".join(signs)
    at = 0
    while found := pattern.search(bare, at):
        yield places[found.start()][0], places[found.end() - 1][1]
        at = found.start() + 1


def _units(text: str) -> Iterator[tuple[str, int, int]]:
    """The signs of a text with their places, escapes undone."""
    at = 0
    for found in _ESCAPES.finditer(text):
        yield from ((text[place], place, place + 1) for place in range(at, found.start()))
        at = found.end()
        digits, base = next((group, base) for group, base in zip(found.groups(), _BASES, strict=True) if group)
        code = int(digits, base)
        yield chr(code) if code < 0x110000 else "?", found.start(), at
    yield from ((text[place], place, place + 1) for place in range(at, len(text)))


def _merged(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for start, end, name in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, name))
    return merged

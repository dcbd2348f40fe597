"""What was probably meant by a word that no command, option or key has: one of like meaning, beginning or spelling.

Everything a command takes is looked at: its options, the keys that `-M`, `-T` … set for the very model and suite of the
command line, and what other commands have. `core.meaning` ranks them by words of one meaning and by what `--help` says.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

import msgspec

from taskloom.core.errors import UserError, nearest, unknown_name
from taskloom.core.folders import other_kind
from taskloom.core.meaning import alike, by_meaning, meant_by, plain, with_help
from taskloom.core.model import provided

if TYPE_CHECKING:
    from taskloom.cli.options import Argument

_COMMANDS = "taskloom --help lists them all"
_SERVERS, _CHECKPOINTS = "api/NAME", "hf/NAME"


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that need no option; words for commands."""

    instead: dict[str, str]
    commands: dict[str, str]


@cache
def _words() -> Words:
    from taskloom.cli.options import COMMANDS
    from taskloom.core.decode import read_toml

    return read_toml(COMMANDS / "words.toml", type=Words)


def _told(table: dict[str, str], word: str, *, nearly: bool = True) -> str | None:
    """The sentence of a table whose words contain this one, or nearly."""
    known = {each: sentence for words, sentence in reversed(table.items()) for each in words.split()}
    close = nearest(word, known, 1, cutoff=0.85) if nearly and len(word) > 3 else []
    return next((known[each] for each in (word, *close) if each in known), None)


def unknown_command(word: str, rest: Sequence[str] = ()) -> UserError:
    """An error that names the command for what a word asks, with the words after it where it takes them."""
    from taskloom.cli.main import ALIASES, VERBS

    first, _, second = word.replace("_", "-").partition("-")
    if first in (*VERBS, *ALIASES) and second:
        hint = f"taskloom {first} {shlex.join([second, *rest])}\n  {_COMMANDS}"
        return UserError(f"unknown command {word!r}; did you mean {first} {second}?", hint=hint)

    if word.startswith("-") and not nearest(word, ["--help", "--version"]):
        meant = word.lstrip("-") if word.lstrip("-") in VERBS else "COMMAND"
        return UserError(f"a command comes first, then its options: taskloom {meant} …", hint=_COMMANDS)
    told = _told(_words().commands, word.lower())
    if told and not nearest(word, VERBS, cutoff=0.8):
        return UserError(f"unknown command {word!r}", hint=_with_words(told, rest))
    known = {**VERBS, **{alias: VERBS[verbs[0]] for alias, verbs in ALIASES.items()}, "--help": "", "--version": ""}
    return unknown_name("command", word, known, hint=told or _COMMANDS)


def _with_words(told: str, rest: Sequence[str]) -> str:
    """A command with the words that were typed in the places of SUITE, DIR …, where it takes them."""
    from taskloom.cli.options import takes_words

    _, verb, *words = told.split()
    placed = [*takewhile(str.islower, (word for word in words if word[0] != "-"))]
    kept = [part for pair in pairwise(words) if pair[0][0] == "-" and pair[1].islower() for part in pair]
    open_places = told.startswith("taskloom ") and any(map(str.isupper, words))
    for given in ([*placed, *rest, *kept], [*rest, *kept]) if rest and open_places else ():
        if takes_words(verb, given):
            return f"taskloom {verb} {shlex.join(given)}"
    return told


def _values(words: Sequence[str]) -> dict[str, str]:
    """What stands after each option of a command line; nothing where another option follows."""
    apart = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    stand = pairwise([*apart, ""])
    return {option: "" if value[:1] == "-" else value for option, value in stand if option.startswith("-")}


class Offer(msgspec.Struct, frozen=True):
    """How something is typed, and what is said of it."""

    how: str
    about: str


def offers(verb: str, words: Sequence[str]) -> dict[str, Offer]:
    """What a command can be told, by name; an option comes before a key of its name."""
    from taskloom.cli.options import arguments_of, read_command

    given, found = _values(words), {}
    arguments = arguments_of(read_command(verb))
    for argument in arguments:
        for name in argument.names:
            shown = f"taskloom {verb} {_place_of(argument, arguments)}"
            if name.startswith("-"):
                shown = name if argument.kind == "flag" else f"{name} …"
            found[plain(name)] = Offer(shown, argument.help)
    owners = {
        "generation": ["generation"], "search_settings": ["probe"], "cure_settings": ["cure"],
        "model_options": [provided(given.get("--model", "")) or _SERVERS],
        "adapt_options": [given.get("--adapt", "finetune")],
        "encoding_options": [given.get("--encoding", "")], "scorer_options": [given.get("--scorer", "")],
        "settings": [verb, *(word for word in words if "/" in word and not word.startswith("-"))],
    }  # fmt: skip
    for argument in arguments:
        for owner in owners.get(argument.dest or "", []) if argument.kind == "pairs" else ():
            for name, offer in keys_of(owner).items():
                if offer.how.startswith(argument.names[0]):
                    asks = argument.dest == "adapt_options" and "--adapt" not in given
                    found.setdefault(name, Offer(f"--adapt {owner} {offer.how}", offer.about) if asks else offer)
    return found


def _place_of(argument: Argument, arguments: Iterable[Argument]) -> str:
    """The arguments by their places, with a gap for one of them."""
    placed = [each for each in arguments if not each.names[0].startswith("-")]
    return " ".join("…" if each is argument else each.metavar or each.names[0].upper() for each in placed)


def keys_of(owner: str) -> dict[str, Offer]:
    """The keys of what has options, and how they are typed; none where nothing has that name."""
    from taskloom.cli.keys import find_recipe
    from taskloom.core import options_of

    try:
        letter, recipe = find_recipe(owner)
    except UserError:
        return {}
    return {plain(key.name): Offer(f"{letter} {key.name}=…", key.about) for key in options_of(recipe)}


def same_meaning(typed: Mapping[str, Offer], name: str) -> list[Offer]:
    """What a word of another tool, or of another place, means here; options before keys."""
    found = [typed[word] for word in alike(name) if word in typed]
    return sorted(found, key=lambda offer: "=" in offer.how)


def asked(found: Iterable[Offer], value: str, most: int = 3) -> tuple[str, str]:
    """The question whether something was meant, with the value that was typed, and a line of help for each."""
    offered = list(dict.fromkeys(found))[:most]
    about = {offer.how.replace("…", value or "…"): offer.about for offer in offered}
    return f"; did you mean {' or '.join(about)}?" if about else "", with_help(about, about)


def _misspelt(name: str, own: str) -> bool:
    """Whether a name is another with a letter more or less, or with letters exchanged; `header` is no `reader`."""
    from difflib import SequenceMatcher

    return sorted(name) == sorted(own) or SequenceMatcher(None, name, own).ratio() > 0.84


def _spelt(name: str, word: str, typed: Mapping[str, Offer], words: Sequence[str]) -> list[Offer]:
    """What begins with a name or is it but for a letter; `-t key=value` is `-T`."""
    given = _values(words)
    if word.swapcase() in typed and "=" in given[word]:
        return [typed[word.swapcase()]]
    trained = "--adapt" in given
    long = {own: offer for own, offer in typed.items() if len(own) > 1 and (trained or "-A " not in offer.how)}
    begun = [offer for own, offer in long.items() if own.startswith(name)]
    return [*begun, *(long[own] for own in nearest(name, long, 1, cutoff=0.7) if _misspelt(name, own))]


def _of_models(name: str, typed: Mapping[str, Offer]) -> str | None:
    """The key of models of another kind that a word means."""
    for model, what in ((_SERVERS, "models on servers"), (_CHECKPOINTS, "checkpoints")) if "-M" in typed else ():
        if found := [offer for offer in same_meaning(keys_of(model), name) if offer not in typed.values()]:
            return f"{found[0].how} is a key of {what}: {found[0].about}"
    return None


def _elsewhere(verb: str, name: str) -> str | None:
    """The command of that name, or those that have such an option."""
    from taskloom.cli.main import VERBS

    if name in VERBS:
        return f"taskloom {name} is a command of its own: {VERBS[name]}"
    others = {other: offers(other, ()) for other in VERBS if other != verb}
    if has := [other for other, theirs in others.items() if name in theirs]:
        said = others[has[0]][name].about
        return f"taskloom {' and '.join(has[:3])} {'has' if len(has) == 1 else 'have'} it: {said}"
    return None


def unknown_option(verb: str, words: Sequence[str], word: str) -> UserError:
    """An error that names the option, the key or the command that was probably meant."""
    from taskloom.cli.options import examples_of

    name, typed, given = plain(word), offers(verb, words), _values(words)
    key, equals, value = given.get(word, "").partition("=")
    takes_pairs = equals and any(re.fullmatch("-[A-Z] …", offer.how) for offer in same_meaning(typed, name))
    inner = ([typed[plain(key)]] if plain(key) in typed else same_meaning(typed, key)) if takes_pairs else []
    if inner and inner[0].how.startswith("--model "):
        value = f"{given.get('--model', '')}/{value}".lstrip("/")  # other tools name provider and model apart
    value = value.partition(",")[0] if inner else given.get(word, "")
    found, told = next(filter(any, _answers(verb, words, name, value, typed, inner)), ([], None))
    if found:
        told = _of_models(name, typed)
    question, lines = asked(found, _of_option(found, value), 1 if len(name) == 1 else 3)
    if value and not found and (wrong := other_kind(value, "")):
        told = f"{wrong.message.partition(',')[0]}: {wrong.hint}"
    rest = [told] if told else []
    rest += [] if found else [f"for example: {shown}" for shown in examples_of(verb)[:1]]
    hint = "\n  ".join([*rest, f"taskloom {verb} --help shows all options with examples"])
    return UserError(f"unknown option {word}{question}", hint=f"{lines}\n  {hint}".strip())


def _of_option(found: Sequence[Offer], value: str) -> str:
    """The value that was typed, or the name that it means where the option takes names."""
    from taskloom.cli.options import OPTION_OF
    from taskloom.core.catalog import REGISTRIES

    kind = next((kind for kind, option in OPTION_OF.items() if found and found[0].how == f"{option} …"), "model")
    if kind == "model" or not value or value in REGISTRIES[kind]:
        return value
    return next(iter(meant_by(value, REGISTRIES[kind].described(), 1)), "…")


def loose_setting(verb: str, words: Sequence[str], key: str, value: str) -> UserError:
    """An error for KEY=VALUE without its option."""
    typed = offers(verb, words)
    found = [typed[plain(key)]] if plain(key) in typed else same_meaning(typed, key)
    question, lines = asked(found, value, 1)
    if "grid" in typed and "," in value and found:
        grid = f"{'adapt.' * found[0].how.startswith('-A')}{key}=[{value}]"
        question, lines = f"; several values are tried with -G: -G {shlex.quote(grid)}", ""
    return UserError(f"unexpected {key}={value}{question}", hint=f"{lines}\n  taskloom {verb} --help".strip())


def unexpected_number(verb: str, words: Sequence[str], number: str) -> UserError:
    """An error for a number without its option."""
    question, lines = asked(same_meaning(offers(verb, words), "n"), number, 1)
    return UserError(f"unexpected {number}{question}", hint=f"{lines}\n  taskloom {verb} --help".strip())


def _answers(
    verb: str, words: Sequence[str], name: str, value: str, typed: Mapping[str, Offer], inner: list[Offer]
) -> Iterator[tuple[list[Offer], str | None]]:
    """What may have been meant, and what is said instead, from the likeliest on."""
    from taskloom.cli.main import VERBS

    yield inner, None
    adapts = "--adapt" in words
    found, told = same_meaning(typed, name), _told(_words().instead, name, nearly=False)
    if told and value and "=" not in value:
        found = [each for each in found if not re.fullmatch("-[A-Z] …", each.how)]  # which take KEY=VALUE
    found = [each for each in found if adapts or "-A " not in each.how] or found
    yield found, told
    yield _spelt(name, name if len(name) > 1 else f"-{name}", typed, words), None
    yield [], _told(_words().instead, name) or _of_models(name, typed) or _elsewhere(verb, name)
    yield [typed[own] for own in by_meaning(name, {own: each.about for own, each in typed.items()})], None
    yield [], " or ".join(f"taskloom {other} --help ({VERBS[other]})" for other in by_meaning(name, VERBS, 2)) or None

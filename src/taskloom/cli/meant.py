"""What was probably meant by a word that no command, option or key has: one of like meaning, beginning or spelling.

`commands/words.toml` says which words mean the same. Everything a command takes is looked at: its options, the keys
that `-M`, `-T` … set for the very model and suite of the command line, and what other commands have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import msgspec

from taskloom.core.errors import UserError, nearest, unknown_name


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of one meaning; words that need no option; words for commands."""

    same: list[str]
    instead: dict[str, str]
    commands: dict[str, str]


@cache
def _words() -> Words:
    from taskloom.cli.options import COMMANDS
    from taskloom.core.decode import read_toml

    return read_toml(COMMANDS / "words.toml", type=Words)


def _told(table: dict[str, str], word: str) -> str | None:
    """The sentence of a table whose words contain this one, or nearly."""
    known = {each: sentence for words, sentence in reversed(table.items()) for each in words.split()}
    close = [word] if word in known else nearest(word, known, 1, cutoff=0.85)
    return known[close[0]] if (close and len(word) > 3) or word in known else None


def _plain(name: str) -> str:
    """A name as it is looked up; `-M` and its like keep their letters."""
    return name if re.fullmatch("-[A-Z]", name) else name.lstrip("-").replace("_", "-").lower()


def unknown_command(word: str) -> UserError:
    """An error that names the command for what a word asks."""
    from taskloom.cli.main import ALIASES, VERBS

    told = _told(_words().commands, word.lower())
    about = [verb for verb, line in VERBS.items() if re.search(rf"\b{re.escape(word.lower())}", line.lower())]
    hint = told or f"taskloom {about[0]} --help: {VERBS[about[0]]}" if told or about else None
    if told and not nearest(word, VERBS, cutoff=0.8):
        return UserError(f"unknown command {word!r}", hint=told)
    known = [*VERBS, *ALIASES, "--help", "--version"]
    return unknown_name("command", word, known, hint=hint or "taskloom --help lists them all")


def _values(words: Sequence[str]) -> dict[str, str]:
    """What stands after each option of a command line."""
    apart = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return {option: value for option, value in pairwise([*apart, ""]) if option.startswith("-")}


def offers(verb: str, words: Sequence[str]) -> dict[str, str]:
    """What a command can be told: names, and how they are typed; an option comes before a key of its name."""
    from taskloom.cli.options import arguments_of, read_command

    given, typed = _values(words), {}
    arguments = arguments_of(read_command(verb))
    for argument in arguments:
        for name in argument.names:
            if name.startswith("-"):
                typed[_plain(name)] = name
    owners = {
        "generation": ["generation"], "search_settings": ["probe"], "cure_settings": ["cure"],
        "model_options": [_provided(given.get("--model", ""))], "adapt_options": [given.get("--adapt", "finetune")],
        "encoding_options": [given.get("--encoding", "")], "scorer_options": [given.get("--scorer", "")],
        "settings": [verb, *(word for word in words if "/" in word and not word.startswith("-"))],
    }  # fmt: skip
    for argument in arguments:
        for owner in owners.get(argument.dest or "", []) if argument.kind == "pairs" else ():
            for name, how in typed_keys(owner).items():
                if how.startswith(argument.names[0]):
                    typed.setdefault(name, how)
    return typed


def typed_keys(owner: str) -> dict[str, str]:
    """The keys of what has options, and how they are typed; none where nothing has that name."""
    from taskloom.cli.keys import find_recipe

    try:
        letter, recipe = find_recipe(owner)
    except UserError:
        return {}
    return {_plain(key): f"{letter} {key}=…" for key in recipe.__struct_fields__}


def _provided(model: str) -> str:
    from taskloom.core.model import full_model_name

    try:
        return full_model_name(model)
    except UserError:
        return "api/NAME"


def same_meaning(verb: str, words: Sequence[str], name: str) -> list[str]:
    """How a command is told what a word of another tool, or of another place, means."""
    typed = offers(verb, words)
    found = [typed[word] for word in _alike(name) if word in typed]
    return sorted(found, key=lambda how: " " in how)  # options before keys


def _alike(name: str) -> list[str]:
    """The names of options and keys that mean the same as a word, itself first."""
    alike, known = [name], {_plain(word) for line in _words().same for word in line.split()}
    meant = nearest(name, known, 1, cutoff=0.85) if name not in known and len(name) > 3 else [name]
    for line in _words().same:
        own, _, others = ([*map(_plain, part.split())] for part in line.partition("<"))
        alike += own if {*meant} & {*own, *others} else []
    return list(dict.fromkeys(alike))


def _misspelt(name: str, own: str) -> bool:
    """Whether a name is another with a letter more or less, or with letters exchanged; `header` is no `reader`."""
    from difflib import SequenceMatcher

    return sorted(name) == sorted(own) or SequenceMatcher(None, name, own).ratio() > 0.84


def _parts(name: str) -> list[str]:
    """A name, then its words from the last to the first: `--eval-split` is about a split."""
    words = [part for part in reversed(name.split("-")) if len(part) > 2]
    return [name, *(each for part in words for each in dict.fromkeys((part, part.removesuffix("s"))))]


def _placed(verb: str, name: str) -> str | None:
    """The argument by its place that a word names, as `--runs` names DIR."""
    from taskloom.cli.options import arguments_of, read_command

    for argument in arguments_of(read_command(verb)):
        shown = argument.metavar or argument.names[0]
        if not argument.names[0].startswith("-") and name.rstrip("s") in (argument.names[0].rstrip("s"), shown.lower()):
            return shown
    return None


def unknown_option(verb: str, words: Sequence[str], word: str) -> UserError:
    """An error that names the option, the key or the command that was probably meant."""
    from taskloom.cli.main import VERBS

    name, typed = _plain(word), offers(verb, words)
    trained = "--adapt" in _values(words)
    long = {own: how for own, how in typed.items() if how[:2] == "--" or (" " in how and (trained or how[:2] != "-A"))}
    found: list[str] = []
    told: str | None = None
    for part in _parts(name):
        if not found and not told:
            found, told = same_meaning(verb, words, part), _told(_words().instead, part)
        if part == name and not found and not told:
            begun = [how for own, how in long.items() if own.startswith(name)]
            spelt = [own for own in nearest(name, long, 1, cutoff=0.7) if _misspelt(name, own)]
            found = [*begun, *(long[own] for own in spelt)]
            found = [typed[word.swapcase()]] if word.swapcase() in typed and "=" in _values(words)[word] else found
            told = f"taskloom {name} is a command of its own" if name in VERBS else None
        if part == name and not found and not told and (place := _placed(verb, name)):
            told = f"{place} needs no option: taskloom {verb} {place} …"
        if part == name and not found and not told:
            has = [other for other in VERBS if other != verb and name in offers(other, ())][:3]
            told = f"taskloom {' and '.join(has)} {'has' if len(has) == 1 else 'have'} it" if has else None
            for model, what in (("api/NAME", "models on servers"), ("hf/NAME", "checkpoints")) if "-M" in typed else ():
                keys = typed_keys(model)
                if hows := [keys[own] for own in _alike(name) if own in keys]:
                    told = f"{hows[0]} is a key of {what}"
    if not found and not told:
        told = f"it takes {' '.join(how for how in typed.values() if how.startswith('--'))}"
    value = _values(words).get(word, "")
    meant = [how.replace("…", value or "…") for how in dict.fromkeys(found)][: 1 if len(name) == 1 else 2]
    tail = f"; did you mean {' or '.join(meant)}?" if meant else ""
    hint = f"taskloom {verb} --help shows all options with examples"
    return UserError(f"unknown option {word}{tail}", hint=f"{told}\n  {hint}" if told else hint)

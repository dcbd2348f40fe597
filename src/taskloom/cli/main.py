"""The front door: finds the verb, loads only what it needs, and prints errors a person can use.

`taskloom --help` must not cost more than a few bare starts of Python, so little is
imported before a verb is known, and argparse only when it is needed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from taskloom.core.decode import read_toml

_INDEX = read_toml(Path(__file__).parent / "commands" / "index.toml")
GROUPS: dict[str, dict[str, str]] = _INDEX["groups"]
"""The commands, by what a person wants to do."""
VERBS = {name: line for verbs in GROUPS.values() for name, line in verbs.items()}
ALIASES: dict[str, list[str]] = _INDEX["aliases"]


def _help() -> str:
    width = max(map(len, VERBS))
    lines = ["usage: taskloom COMMAND [options]", "", _INDEX["about"]]
    for group, verbs in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<{width}}  {line}" for name, line in verbs.items())]
    return "\n".join([*lines, "", _INDEX["examples"]])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 if everything asked for was done, 1 if some instances failed or a check found errors, 2 for a usage error,
        70 for a defect of Taskloom, 130 if it was stopped.
    """
    from taskloom.cli.guard import guarded

    given = list(sys.argv[1:] if argv is None else argv)
    return guarded(given, lambda: run_command(given), program=argv is None)


def run_command(given: list[str]) -> int:
    """Run a command without the last resort: errors are raised."""
    if given[:1] == ["help"] and given[1:]:
        given = [*given[1:], "--help"]
    if not given or given[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if given else 2
    if given[0] in ("--version", "-V", "-v"):
        from taskloom import __version__

        print(f"taskloom {__version__}")
        return 0
    verb = _meant(given[0], given[1:])
    if verb not in VERBS:
        from taskloom.cli.meant import unknown_command

        raise unknown_command(given[0], given[1:])
    return _run(verb, given[1:])


def _meant(verb: str, rest: list[str]) -> str:
    """The verb behind an alias."""
    if verb != "view":
        return ALIASES.get(verb, [verb])[0]
    from taskloom.core.catalog import OPENERS

    show, report = ALIASES[verb]
    folders = [Path(word) for word in rest if Path(word).is_dir()]
    suites = [folder for folder in folders if any(opener.opens(folder) for _, opener in OPENERS.items())]
    return report if folders and not suites else show


def _run(verb: str, rest: list[str]) -> int:
    from taskloom.cli.options import run_verb
    from taskloom.core.secrets import learn_words, refuse_in_names

    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    learn_words(rest)  # before anything of the command can fail and be printed
    refuse_in_names(rest)
    return run_verb(verb, rest)

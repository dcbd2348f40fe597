"""Options as people type them: kebab or snake, from the command line or TASKLOOM_* variables."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
)
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from taskloom.core.errors import UserError, nearest

if TYPE_CHECKING:
    from taskloom.core import Suite


ELSEWHERE = {
    "n": ("--limit", "--rows"),
    "count": ("--limit", "--n", "--rows"),
    "limit": ("--n", "--rows"),
    "num-samples": ("--limit", "--n", "--rows"),
    "max-samples": ("--limit", "--n", "--rows"),
    "num-fewshot": ("--examples",),
    "model-args": ("-M",),
    "gen-kwargs": ("-D",),
    "device": ("-M",),
    "temperature": ("-D",),
    "max-tokens": ("-D",),
    "output-dir": ("--output",),
    "output-path": ("--output",),
    "log-dir": ("--output",),
}
"""What other harnesses call an option, and what it is called here: the first that a command has is suggested."""

_NOT_A_NUMBER = re.compile(r"argument (\S+): invalid (\w+) value: (.*)", re.DOTALL)
_NUMBERS = {"int": "a whole number", "float": "a number"}
_TOO_MUCH = "unrecognized arguments: "


class OptionParser(argparse.ArgumentParser):
    """An argument parser whose errors are `UserError`s with the nearest option."""

    examples: Sequence[str] = ()
    """Commands that work, for those who left out an argument."""

    def error(self, message: str) -> NoReturn:
        if rejected := _NOT_A_NUMBER.fullmatch(message):
            name, kind, value = rejected.groups()
            message = f"{name} takes {_NUMBERS.get(kind, kind)}, not {value}"
        elif message.startswith(_TOO_MUCH):
            self._refuse(message.removeprefix(_TOO_MUCH).split()[0])
        example = f"for example: {self.examples[0]}\n  " if self.examples and "required" in message else ""
        raise UserError(message, hint=f"{example}{self.prog} --help shows all options with examples")

    def _refuse(self, word: str) -> NoReturn:
        """Name the option that was probably meant: one of like meaning, beginning or spelling."""
        options = [name for action in self._actions for name in action.option_strings]
        if not word.startswith("-"):
            task = "; a task of a suite is written SUITE/TASK" if "SUITE" in self._positional() else ""
            self.error(f"unexpected {word!r}: {self.prog} takes {self._positional()}{task}")
        meant = [name for name in ELSEWHERE.get(word.lstrip("-"), ()) if name in options]
        if not word.startswith("--"):
            meant += [name for name in options if name.startswith(f"-{word}")]
        meant += nearest(word, [option for option in options if option.startswith("--")], 1, cutoff=0.7)
        self.error(f"unknown option {word}" + (f"; did you mean {meant[0]}?" if meant else ""))

    def _positional(self) -> str:
        names = [str(action.metavar or action.dest) for action in self._actions if not action.option_strings]
        return " ".join(names) or "options only"

    def refuse_unknown(self, words: list[str]) -> None:
        """Name a misspelt option before anything else, because it is usually why something else is missing."""
        options = [name for action in self._actions for name in action.option_strings]
        for word in words:
            name = word.partition("=")[0]
            if name == "--":
                return
            if name.startswith("--") and name not in options:
                self._refuse(name)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=min(110, _terminal_width()))


def _terminal_width() -> int:
    try:
        return max(60, os.get_terminal_size().columns)
    except OSError:
        return 100


def add_engine(
    parser: argparse.ArgumentParser,
    *,
    jobs: int | None,
    meaning: str,
    names: tuple[str, ...] = ("--jobs", "--replicas"),
    shipped: bool = False,
) -> None:
    """Declare where work is done: the same options for every verb that can use more than one process.

    Args:
        parser: The verb's parser.
        jobs: The default number of workers.
        meaning: What the number counts.
        names: What the number is called.
        shipped: Whether files that workers of a cluster write may have to be sent back.
    """
    add_option(parser, "--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster")
    add_option(parser, *names, type=int, default=jobs, metavar="N", help=meaning)
    add_option(
        parser, "--address", default=None, help="address of a Ray cluster (default: RAY_ADDRESS, else one started here)"
    )
    add_option(parser, "--gpus", type=float, default=0, help="GPUs on this machine (local) or per worker (ray)")
    if shipped:
        add_option(
            parser,
            "--no-shared-disk",
            action="store_true",
            help="for Ray workers without access to this disk: send logs back",
        )


def add_askers(parser: argparse.ArgumentParser) -> None:
    """Declare where a model is asked."""
    add_engine(
        parser, jobs=0, names=("--replicas",),
        meaning="copies of the model, each in a process or an actor (default: one per GPU or node; here, this process)",
    )  # fmt: skip


def add_costs(parser: argparse.ArgumentParser) -> None:
    """Declare what asking may cost."""
    add_option(
        parser, "--max-cost", type=float, default=None, metavar="DOLLARS",
        help="stop before asking has cost more, also over several tries of the same command",
    )  # fmt: skip
    add_option(parser, "--dry-run", action="store_true", help="only say how many questions, tokens and dollars")


@contextmanager
def askers(args: argparse.Namespace) -> Iterator[None]:
    """Where `args` say that models are asked, and for how much."""
    from taskloom.ask import spending

    with spending(getattr(args, "max_cost", None)), _elsewhere(args):
        yield


def _elsewhere(args: argparse.Namespace) -> AbstractContextManager[None]:
    replicas = getattr(args, "replicas", None) or getattr(args, "jobs", None) or 0
    if args.engine == "local" and not replicas and not args.gpus:
        return nullcontext()
    from taskloom.ask import asking_elsewhere

    return asking_elsewhere(engine=args.engine, address=args.address, gpus=args.gpus, replicas=replicas)


def run_verb(verb: str, rest: list[str]) -> int:
    """Parse the arguments of a verb and run it. Its module has SUMMARY?, EXAMPLES, add_arguments and run."""
    from taskloom.cli.main import MODULES, VERBS

    module = import_module(f"taskloom.cli.{MODULES.get(verb, verb).replace('-', '_')}")
    examples = getattr(module, "EXAMPLES", "").strip("\n")
    parser = OptionParser(
        prog=f"taskloom {verb}",
        description=VERBS[verb][:1].upper() + VERBS[verb][1:] + ".",
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    lines = [line.strip() for line in examples.splitlines()]
    parser.examples = [line.partition("   ")[0] for line in lines if line.startswith(parser.prog)]
    module.add_arguments(parser)
    add_option(
        parser, "--with", dest="extensions", action="append", default=[], metavar="FILE.py",
        help="run this file first: it registers atoms, operators, kinds of answers … of your own; may be repeated",
    )  # fmt: skip
    words = [_kebab(word) for word in rest]
    if any(action.metavar == "SUITE" and not action.option_strings for action in parser._actions):
        words = _suite_first(words)
    parser.refuse_unknown(words)
    args = parser.parse_args(words)
    with _extended(args.extensions), _on_this_disk(args):
        return int(module.run(args))


@contextmanager
def _on_this_disk(args: argparse.Namespace) -> Iterator[None]:
    """Put copies in place of folders on object storage; what the verb changed in them is published at the end."""
    given = [value for each in vars(args).values() for value in (each if isinstance(each, list) else [each])]
    if not any(isinstance(value, str) and "://" in value for value in given):
        yield
        return
    from taskloom.store.remote import is_address, stored

    with ExitStack() as stack:
        copies = {place: str(stack.enter_context(stored(place))) for place in given if is_address(place)}
        for key, value in vars(args).items():
            if isinstance(value, list):
                setattr(args, key, [copies.get(each, each) if isinstance(each, str) else each for each in value])
            elif isinstance(value, str):
                setattr(args, key, copies.get(value, value))
        with redirect_stdout(_Shown(sys.stdout)), redirect_stderr(_Shown(sys.stderr)):
            yield


class _Shown:
    """A stream whose readers see addresses, not the copies at work."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        from taskloom.store.remote import shown

        return int(self._stream.write(shown(text)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _extended(files: list[str]) -> Iterator[None]:
    """Run some files first, here and in every process that the verb starts."""
    from taskloom.core.execute import EXTENSIONS, load_extensions

    before = os.environ.get(EXTENSIONS)
    if files:
        os.environ[EXTENSIONS] = ",".join(str(Path(file).resolve()) for file in files)
        load_extensions()
    try:
        yield
    finally:
        os.environ.pop(EXTENSIONS, None)
        if before is not None:
            os.environ[EXTENSIONS] = before


def _kebab(word: str) -> str:
    """--num_fewshot=3 -> --num-fewshot=3; values stay as they are."""
    if not word.startswith("--"):
        return word
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value


def _suite_first(words: list[str]) -> list[str]:
    """`--tasks NAME`, as other harnesses have it, is the suite."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name != "--tasks":
            continue
        rest = words[place + 1 :]
        if not equals:
            value, rest = (rest[0], rest[1:]) if rest else ("", rest)
        if not value or "," in value:
            raise UserError("a command takes one suite", where="--tasks", hint="taskloom list suites")
        return [value, *words[:place], *rest]
    return words


def add_limit(parser: argparse.ArgumentParser) -> None:
    """How much is asked: a number of instances, or a share."""
    add_option(
        parser, "--limit", type=_limit, default=None, metavar="N",
        help="at most N instances per task, or this share of the split (between 0 and 1)",
    )  # fmt: skip


def _limit(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if 0 < number < 1:
        return number
    if not number.is_integer() or number < 1:
        raise argparse.ArgumentTypeError(f"a limit must be 1 or more, or a share between 0 and 1, not {text}")
    return int(number)


def whole_limit(limit: int | float | None, suite: Suite, split: str | None) -> int | None:
    """A limit as instances of each task: a share of the split is spread evenly over the tasks that it asks."""
    if limit is None or isinstance(limit, int):
        return limit
    asked = Counter(row.task for row in suite.rows(split or suite.default_split()))
    return max(1, ceil(limit * asked.total() / len(asked))) if asked else 1


def add_option(parser: argparse.ArgumentParser, *names: str, help: str, **settings: Any) -> None:
    """An option whose default can be set as a TASKLOOM_* variable named after its long form."""
    long = next(name for name in names if name.startswith("--"))
    variable = "TASKLOOM_" + long.lstrip("-").replace("-", "_").upper()
    value = os.environ.get(variable)
    if value is not None:
        settings["default"] = _from_environment(variable, value, settings)
        settings.pop("required", None)
    parser.add_argument(*names, help=f"{help} [{variable}]", **settings)


def _from_environment(variable: str, value: str, settings: dict[str, Any]) -> Any:
    if settings.get("action") == "store_true":
        if value.lower() not in ("", "0", "false", "no", "1", "true", "yes"):
            raise UserError(f"{value!r} is neither yes nor no", where=variable)
        return value.lower() in ("1", "true", "yes")
    if settings.get("action") == "append":
        return [part for part in value.split(",") if part]
    convert = settings.get("type")
    if convert is None:
        return value
    try:
        return convert(value)
    except (ValueError, argparse.ArgumentTypeError):
        raise UserError(f"{value!r} is not valid", where=variable) from None


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option for machines."""
    add_option(parser, "--json", action="store_true", help="print JSON to stdout")


def add_suite_arguments(parser: argparse.ArgumentParser, *, what: str = "suite") -> None:
    """The suite, its seed and its recipe keys."""
    parser.add_argument(
        what,
        metavar="SUITE",
        help="family/suite (taskloom list suites), a bundle's folder, a recipe (.yaml) or a file of tasks (.py)",
    )
    add_option(parser, "--seed", type=int, default=None, help="seed of the data (default 0, or the recipe file's)")
    parser.add_argument(
        "-T", "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE",
        help="set a recipe key; may be repeated (taskloom list options SUITE)",
    )  # fmt: skip


def add_scorer_options(parser: argparse.ArgumentParser) -> None:
    """Declare `-S`, the options of scorers."""
    parser.add_argument(
        "-S",
        dest="scorer_settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the scorer (taskloom list options SCORER)",
    )


def add_form_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare in which form answers are asked for."""
    add_option(
        parser, "--examples", type=int, default=None, help="solved examples in prompts of chat and base (default 2)"
    )
    add_option(
        parser, "--form", default=None,
        help="form of answers under chat and base: line (a last line Answer: …), schema (JSON), none",
    )  # fmt: skip

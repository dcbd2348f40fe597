"""Commands as data: `commands/*.toml` says what each takes, and this turns it into a parser and runs the command.

People type options in kebab or snake case; every long option can also be set as a TASKLOOM_* variable.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
)
from functools import cache
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import msgspec

from taskloom.core.decode import decode_json, read_toml
from taskloom.core.errors import UnknownKeyError, UserError, unknown_name
from taskloom.core.recipe import parse_assignments

if TYPE_CHECKING:
    from taskloom.core import Suite


_SUITE = ("--tasks", "--task", "--suite", "--benchmark", "--dataset")
"""What other harnesses call the argument SUITE."""

_ONE_SUITE = "several suites: taskloom sweep A B --model M -o DIR; a task of a suite is written SUITE/TASK"
_SPLITS = ("train", "dev", "test")
OPTION_OF = {"model": "--model", "adaptation": "--adapt", "encoding": "--encoding", "scorer": "--scorer"}
"""The option that takes the names of each kind."""
_NOT_A_NUMBER = re.compile(r"argument (\S+): invalid (\w+) value: (.*)", re.DOTALL)
_NUMBERS = {"int": "a whole number", "_number": "a number", "_seed": "a whole number, or secret"}
_NOT_A_CHOICE = re.compile(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
_NO_VALUE = re.compile(r"argument (\S+): expected one argument")
_TOO_MUCH = "unrecognized arguments: "
COMMANDS = Path(__file__).parent / "commands"


class Argument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An argument or option of a command.

    Attributes:
        names: What it is called; one name without dashes is an argument by its place.
        help: What it means.
        kind: What is typed: text, a number, nothing (a flag), several values, or several KEY=VALUE pairs.
        default: Its value where nothing is typed.
        dest: Where commands find it, unless that is its long name.
        metavar: How `--help` names the value.
        nargs: How many values an argument by its place has, as argparse writes it.
        choices: The only values it may have.
        required: Whether it must be typed.
        environment: Whether a TASKLOOM_* variable sets its default.
        heading: Above which options `--help` lists it.
    """

    names: list[str]
    help: str
    kind: Literal["text", "int", "float", "flag", "list", "pairs", "limit", "count", "seed"] = "text"
    default: str | int | float | None = None
    dest: str | None = None
    metavar: str | None = None
    nargs: str | None = None
    choices: list[str] | None = None
    required: bool = False
    environment: bool = True
    heading: str = ""

    def settings(self) -> dict[str, Any]:
        """What argparse is told."""
        given = {name: getattr(self, name) for name in ("default", "dest", "metavar", "nargs", "choices")}
        if self.required and self.names[0].startswith("-"):
            given["required"] = True
        if self.kind == "flag":
            return {"action": "store_true", **({"dest": self.dest} if self.dest else {})}
        if self.kind in ("list", "pairs"):
            given |= {"action": "append", "default": []}
        if self.kind == "pairs":
            given["metavar"] = self.metavar or "KEY=VALUE"
        given["type"] = _TYPES.get(self.kind)
        return {name: value for name, value in given.items() if value is not None}

    def variable(self) -> str | None:
        """The variable that sets its default."""
        long = [name for name in self.names if name.startswith("--")]
        if not long or self.kind == "pairs" or not self.environment:
            return None
        return "TASKLOOM_" + long[0].lstrip("-").replace("-", "_").upper()


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command: examples for `--help`, its arguments, and what runs it.

    A name among the arguments stands for a set of `shared.toml`; `# words` is the heading of the next ones in its set.
    """

    examples: str
    arguments: list[Argument | str]
    run: str = ""


@cache
def _shared() -> dict[str, list[Argument | str]]:
    return read_toml(COMMANDS / "shared.toml", type=dict[str, list[Argument | str]])


def read_command(verb: str) -> Command:
    """The declaration of a command."""
    return read_toml(COMMANDS / f"{verb}.toml", type=Command)


def arguments_of(command: Command) -> list[Argument]:
    """The arguments of a command, those of shared sets included."""

    def spread(arguments: list[Argument | str], heading: str = "") -> Iterator[Argument]:
        for each in arguments:
            if isinstance(each, Argument):
                yield msgspec.structs.replace(each, heading=heading)
            elif each.startswith("# "):
                heading = each[2:]
            else:
                yield from spread(_shared()[each], heading)

    return [*spread(command.arguments), *spread(["extensions"])]


class OptionParser(argparse.ArgumentParser):
    """An argument parser whose errors are `UserError`s with the nearest option."""

    examples: Sequence[str] = ()
    """Commands that work, for those who left out an argument."""
    words: Sequence[str] = ()
    """The command line."""

    def error(self, message: str, hint: str = "") -> NoReturn:
        if rejected := _NOT_A_NUMBER.fullmatch(message):
            name, kind, value = rejected.groups()
            message = f"{name} takes {_NUMBERS.get(kind, kind)}, not {value}"
        elif rejected := _NOT_A_CHOICE.fullmatch(message):
            name, value, known = rejected.groups()
            wrong = unknown_name(name.rpartition("/")[2], value, re.findall("'(.*?)'", known))
            message, hint = wrong.message, f"for example: {self.examples[0]}\n  " if name[0] != "-" else ""
        elif message.startswith(_TOO_MUCH):
            self._refuse(message.removeprefix(_TOO_MUCH).split()[0])
        elif lacking := _NO_VALUE.fullmatch(message):
            name = lacking[1].rpartition("/")[2]
            about = next((each.help for each in self._actions if name in each.option_strings), "")
            message, hint = f"{name} takes a value", f"{name}: {about}\n  for example: {self.examples[0]}\n  "
        if self.examples and not hint and "required" in message:
            message, hint = self._misplaced() or message, f"for example: {self.examples[0]}\n  "
        raise UserError(message, hint=f"{hint}{self.prog} --help shows all options with examples")

    def _refuse(self, word: str) -> NoReturn:
        from taskloom.cli.meant import loose_setting, unexpected_number, unknown_option

        if word.isdecimal():
            raise unexpected_number(self.prog.split()[-1], self.words, word)
        if not word.startswith("-"):
            if close := self._one_word(word):
                self.error(f"unexpected {word!r}; did you mean {close}?")
            if re.match(r"\w+=", word):
                raise loose_setting(self.prog.split()[-1], self.words, *word.split("=", 1))
            self.error(f"unexpected {word!r}: {self.prog} takes {self._positional()}", f"{self._placed(word)}\n  ")
        raise unknown_option(self.prog.split()[-1], self.words, word)

    def _misplaced(self) -> str:
        """What is said of a suite that stands where something else comes first."""
        first, _, second = f"{self._positional()} ".partition(" ")
        word = next((word for word in self.words if word[0] != "-"), "")
        from taskloom.core.folders import kind_of

        if second.startswith("SUITE") and kind_of(word) in ("suite", "bundle"):
            return f"{first} comes first, then the suite: {self.prog} {first} {word}"
        return ""

    def _placed(self, word: str) -> str:
        """Where a word that stands alone belongs, by what it is the name of."""
        from taskloom.core.catalog import MODELS
        from taskloom.core.folders import kind_of

        kind = "model" if word.partition("/")[0] in MODELS else kind_of(word)
        option = "--split" if word in _SPLITS else OPTION_OF.get(kind or "")
        if option in self._option_string_actions:
            return f"it comes after {option}: {option} {word}"
        return _ONE_SUITE if kind and "SUITE" in self._positional() else f"for example: {self.examples[0]}"

    def _one_word(self, word: str) -> str:
        """What was probably meant to be one word: FAMILY/SUITE, or a value that blanks have torn apart."""
        from taskloom.core.catalog import list_suites

        words = list(self.words)
        place = words.index(word) if word in words else 0
        if place > 1 and words[place - 2] in ("-o", "--output") and re.search(r"\.[a-z]+$", word):
            return f"{words[place - 2]} {shlex.quote(f'{words[place - 1]} {word}')}"
        whole = f"{words[place - 1]}/{word}" if place else ""
        torn = next((at for at in range(place, -1, -1) if re.search(r"[\[{][^\]}]*$", words[at])), None)
        ends = [at for at in range(place, len(words)) if re.search(r"[\]}]$", words[at])]
        if torn is not None and ends:
            return shlex.quote(" ".join(words[torn : ends[0] + 1]))
        return whole if whole in list_suites() else ""

    def _positional(self) -> str:
        names = [str(action.metavar or action.dest) for action in self._actions if not action.option_strings]
        return " ".join(names) or "options only"

    def refuse_unknown(self, words: list[str]) -> None:
        """Name a misspelt option before anything else, because it is usually why something else is missing."""
        self.words = words
        options = [name for action in self._actions for name in action.option_strings]
        pairs = [name for action in self._actions if action.metavar == "KEY=VALUE" for name in action.option_strings]
        stored = [action for action in self._actions if action.nargs is None and not isinstance(action.default, list)]
        single = {name for action in stored for name in action.option_strings}
        for place, word in enumerate(words):
            name = word.partition("=")[0]
            if name == "--":
                return
            if name.startswith("--") and name not in options:
                self._refuse(name)
            if name in single and any(other.partition("=")[0] == name for other in words[:place]):
                about = next(action.help or "" for action in stored if name in action.option_strings)
                self.error(f"{name} is given twice", f"{name}: {about}\n  ")
            if word in pairs and "=" not in (given := "".join(words[place + 1 : place + 2])):
                self.error(f"{word} takes KEY=VALUE{_as_pairs(word, given, words[place + 2 :])}")


def _as_pairs(option: str, given: str, rest: Sequence[str]) -> str:
    """Settings that were written as in JSON or YAML, or with a blank, as they are typed here."""
    if not given:
        return ""
    try:
        found = decode_json(given.encode(), where=option, type=dict[str, msgspec.Raw])
        pairs = [shlex.quote(f"{key}={str(value, 'utf-8')}") for key, value in found.items()]
    except UserError:
        key, _, value = given.partition(":")
        key, value = (key, value) if key.replace(".", "_").isidentifier() else ("KEY", given)
        pairs = [f"{key}={value.strip() or next((word for word in rest[:1] if word[0] != '-'), '…')}"]
    return f", such as {' '.join(f'{option} {pair}' for pair in pairs)}, not {given!r}"


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=min(110, _terminal_width()))


def _terminal_width() -> int:
    try:
        return max(60, os.get_terminal_size().columns)
    except OSError:
        return 100


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[Argument]) -> None:
    """Declare arguments, below their headings; the default of an option may stand in the environment."""
    groups: dict[str, Any] = {"": parser}
    for argument in arguments:
        settings, variable = argument.settings(), argument.variable()
        if variable and (value := os.environ.get(variable)) is not None:
            settings["default"] = _from_environment(variable, value, settings)
            settings.pop("required", None)
        if argument.heading not in groups:
            groups[argument.heading] = parser.add_argument_group(argument.heading)
        groups[argument.heading].add_argument(*argument.names, help=argument.help, **settings)
    given = {each.metavar or each.names[0].upper(): each.nargs for each in arguments if each.names[0][0] != "-"}
    placed = [
        {"?": f"[{name}]", "+": f"{name} …", "*": f"[{name} …]"}.get(nargs or "", name) for name, nargs in given.items()
    ]
    needed = [
        f"{each.names[0]} {each.metavar or each.names[-1].strip('-').upper()}"
        for each in arguments
        if each.required and each.names[0][0] == "-"
    ]
    variable, name = next((each.variable(), each.names[-1]) for each in arguments if each.variable())
    parser.epilog = f"Long options can also be set in the environment: {name} as {variable}.\n\n{parser.epilog}"
    parser.usage = " ".join([parser.prog, *placed, *needed, "[options]"])


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


def examples_of(verb: str) -> list[str]:
    """Command lines of a verb that work."""
    lines = [line.strip().partition("   ")[0] for line in read_command(verb).examples.splitlines()]
    return [line for line in lines if line.startswith(f"taskloom {verb} ")]


def takes_words(verb: str, rest: Sequence[str]) -> bool:
    """Whether a command takes these words."""
    try:
        _read_words(read_command(verb), verb, rest)
    except (OSError, SystemExit, UserError):
        return False
    return True


def _read_words(command: Command, verb: str, rest: Sequence[str]) -> tuple[list[str], argparse.Namespace]:
    """The words of a command line as they are meant, and their values."""
    from taskloom.cli.main import VERBS

    arguments = arguments_of(command)
    parser = OptionParser(
        prog=f"taskloom {verb}",
        description=VERBS[verb][:1].upper() + VERBS[verb][1:] + ".",
        epilog="examples:\n" + command.examples.strip("\n"),
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    parser.examples = examples_of(verb)
    add_arguments(parser, arguments)
    words = [_kebab(word) for word in rest]
    if any(argument.metavar == "SUITE" and argument.names[0][0] != "-" for argument in arguments):
        words = _suite_first(words, [name for argument in arguments for name in argument.names])
    parser.refuse_unknown(words)
    args = parser.parse_args(words)
    for argument in arguments:
        if argument.kind == "pairs":
            place = argument.dest or argument.names[-1].strip("-")
            setattr(args, place, parse_assignments(getattr(args, place), argument.names[0]))
    return words, args


def run_verb(verb: str, rest: list[str]) -> int:
    """Parse the arguments of a command and run it."""
    command = read_command(verb)
    words, args = _read_words(command, verb, rest)
    module, _, action = (command.run or f"{verb}:run").partition(":")
    with _extended(args.extensions), _on_this_disk(args):
        try:
            return int(getattr(import_module(f"taskloom.cli.{module}"), action)(args))
        except UserError as error:
            error.hint = error.hint or f"taskloom {verb} --help shows all options with examples"
            if not isinstance(error, UnknownKeyError):
                raise
            from taskloom.cli.meant import asked, offers, same_meaning

            typed = offers(verb, words)
            if "did you mean" in error.message and error.key.replace("_", "-") not in typed:
                raise
            given = {f"{word} …" for word in words}
            meant = [offer for offer in same_meaning(typed, error.key) if offer.how not in given]
            question, said = asked(meant, "")
            if not question:
                raise
            told = f"{said}\n  {(error.hint or '').rpartition(chr(10))[2].strip()}".strip()
            raise UserError(f"unknown key {error.key!r}{question}", where=error.where, hint=told) from None


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


def _suite_first(words: list[str], own: list[str]) -> list[str]:
    """`--tasks NAME`, as other harnesses have it, is the suite, unless it is an option of the command's own."""
    if words and re.fullmatch(r"[\w-]+/[\w.-]+(,[\w-]+/[\w.-]+)+", words[0]):
        raise UserError("a command takes one suite", where=words[0], hint=_ONE_SUITE)
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name not in _SUITE or name in own:
            continue
        rest = words[place + 1 :]
        if not equals:
            value, rest = (rest[0], rest[1:]) if rest else ("", rest)
        if place and not words[0].startswith("-"):
            hint = f"the suite comes first and the model after --model; one task of a suite is written {words[0]}/TASK"
            raise UserError(f"the suite is named twice: {words[0]} and {value}", where=name, hint=hint)
        if not value or "," in value:
            raise UserError("a command takes one suite", where=name, hint=_ONE_SUITE)
        return [value, *words[:place], *rest]
    return words


def _limit(text: str) -> int | float:
    try:
        number = _number(text)
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


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"takes a whole number, 1 or more, not {text}")
    return int(text)


def _seed(text: str) -> int:
    if text == "secret":
        from taskloom.views.library import SECRET_SEED

        return SECRET_SEED + secrets.randbits(62)
    return int(text)


def _number(text: str) -> float:
    """A number; `80%` is 0.8."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


_TYPES: dict[str, Callable[[str], Any]] = {
    "int": int, "float": _number, "limit": _limit, "count": _count, "seed": _seed,
}  # fmt: skip


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

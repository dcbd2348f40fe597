"""The one error a user sees: what is wrong, where, the nearest valid name, and what helps."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from itertools import chain
from numbers import Integral, Real
from os import PathLike
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K")

_LONGEST_VALUE = 200
_LISTED = 16
"""The most names that a sentence lists."""


class UserError(Exception):
    """A mistake the user can correct. The command line prints it without a traceback.

    Args:
        message: What is wrong, in one sentence.
        where: Where it is wrong: a file, a key, a line, an option.
        hint: The command or change that helps; `pip install …` becomes the command for this environment.
    """

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = _without_long_values(message)
        self.where = where
        self.hint = hint.replace("pip install", pip_install(), 1) if hint and hint.startswith("pip install") else hint

    def __str__(self) -> str:
        from taskloom.core.secrets import scrub

        text = self.message if self.where is None else f"{self.where}: {self.message}"
        return scrub(text if self.hint is None else f"{text}\n  {self.hint}")


def _without_long_values(message: str) -> str:
    """The message with the middle of long quoted values left out: a value from outside may have any length."""
    if len(message) <= _LONGEST_VALUE:
        return message
    return re.sub(
        rf"(['\"])(?:(?!\1).){{{_LONGEST_VALUE},}}\1|\S{{{2 * _LONGEST_VALUE},}}",
        lambda match: f"{match[0][: _LONGEST_VALUE // 2]}…{match[0][-_LONGEST_VALUE // 4 :]}",
        message,
        flags=re.DOTALL,
    )


class UnknownKeyError(UserError):
    """A key that what is being set does not have."""

    key: str


class EmptySuiteError(UserError):
    """A suite whose name is right, but for which the data at hand give no task."""


class UnknownNameError(UserError, KeyError):
    """A name that a mapping does not have."""


class CallError(UserError, TypeError):
    """A call with arguments that a function does not take."""


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Let a public function answer a wrong call with the nearest argument and with how it is called."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        _check_call(function, args, options)
        return function(*args, **options)

    return call


def explained_methods(kind: type[R]) -> type[R]:
    """Let the public methods of a class answer wrong calls; right ones are not looked at."""

    def explained_late(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            try:
                return method(*args, **options)
            except TypeError:
                _check_call(method, args, options)
                raise

        return call

    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(kind, name, explained_late(method))
    return kind


_TYPES: dict[str, tuple[type, str]] = {
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "str": (str, "text"),
    "bool": (bool, "True or False"),
    "Path": (PathLike, "a path"),
    "os.PathLike[str]": (PathLike, "a path"),
    "None": (type(None), "None"),
    "Mapping[str, Any]": (Mapping, "a mapping such as {'train': 100}"),
}
"""The annotations that are checked: a number that came as text would fail far from here, or never."""


def _check_call(function: Callable[..., Any], args: Iterable[Any], options: dict[str, Any]) -> None:
    import inspect

    parameters = inspect.signature(function).parameters
    bare = [each.replace(annotation=each.empty) for name, each in parameters.items() if name != "self"]
    hint = f"it is called as {function.__name__}{inspect.Signature(bare)}; help({function.__name__}) says more"
    if shown := re.search(rf">>> (.*\b{function.__name__}\(.+?)(?:  #.*)?$", function.__doc__ or "", re.MULTILINE):
        hint += f"\n  for example: {shown[1]}"
    try:
        given = inspect.signature(function).bind(*args, **options).arguments
    except TypeError as error:
        from taskloom.core.meaning import meant_by

        about = {name: "" for name, each in parameters.items() if each.kind is not each.VAR_KEYWORD}
        close = [f"{match}=…" for name in options if name not in parameters for match in meant_by(name, about, 1)]
        unknown = [name for name in options if name not in parameters]
        if not close and unknown and "options" in parameters:
            close = [f"options={{{unknown[0]!r}: …}}"]  # a key of a recipe, most likely
        tail = f"; did you mean {close[0]}?" if close else ""
        raise CallError(f"{error}{tail}", where=function.__name__, hint=hint) from None
    for name, value in given.items():
        if parameters[name].annotation == "Suite" and isinstance(value, str | PathLike):
            raise CallError(f"{name} is a suite: open_suite({value!r})", where=function.__name__, hint=hint)
        kinds = [_TYPES.get(kind) for kind in str(parameters[name].annotation).split(" | ")]
        if all(kinds) and not any(kind and isinstance(value, kind[0]) for kind in kinds):
            wanted = " or ".join(dict.fromkeys(kind[1] for kind in kinds if kind))
            raise CallError(f"{name} is {wanted}, not {value!r}", where=function.__name__, hint=hint)


class Explained:
    """What says, when asked for an attribute or an item that it does not have, which attributes it has."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take it for leave to ask for anything

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)

        def __getitem__(self, name: Any) -> Any:
            return missing_item(self, name)


def _one(owner: object) -> str:
    kind = type(owner).__name__
    return f"{'an' if kind[0] in 'AEIO' else 'a'} {kind}"


class OneByOne(chain[R]):
    """Values as they are drawn or read, once and in order."""

    def __getitem__(self, index: object) -> R:
        hint = f"list(…)[{index!r}] reads them all; suite['test'][{index!r}] is a row, run[{index!r}] a record"
        raise CallError(f"these come one after the other, so there is no [{index!r}]", hint=hint)

    def __len__(self) -> int:
        hint = "len(list(…)) counts them; len(suite['test']) counts rows, len(run) records"
        raise CallError("these come one after the other, so they have no length", hint=hint)

    def __bool__(self) -> bool:
        return True


def explain_tuple(kind: type[tuple[Any, ...]]) -> None:
    """Let a named tuple answer as `Explained` does. Not in its class: type checkers would allow any attribute."""

    def item(self: tuple[Any, ...], index: Any) -> Any:
        return missing_item(self, index) if isinstance(index, str) else tuple.__getitem__(self, index)

    for name, method in (("__getattr__", missing_attribute), ("__getitem__", item)):
        setattr(kind, name, method)


def missing_item(owner: object, name: object) -> Any:
    """What `__getitem__` does in a class that has attributes only."""
    kind = type(owner).__name__.lower()
    told = str(name) if hasattr(type(owner), str(name)) else ""
    try:
        told = told or missing_attribute(owner, str(name))
    except AttributeError as error:
        raise CallError(f"{error}", where=f"{kind}[{name!r}]", hint=f"attributes are read as {kind}.NAME") from None
    raise CallError(f"{_one(owner)} has attributes, not items", where=f"{kind}[{name!r}]", hint=f"{kind}.{told}")


def missing_attribute(owner: object, name: str) -> Any:
    """What `__getattr__` does in a class that says which attributes it has."""
    if name.startswith("_") or hasattr(type(owner), name):
        return object.__getattribute__(owner, name)
    items = getattr(type(owner), "_ipython_key_completions_", None)  # what notebooks offer after a bracket
    if items and name in items(owner):
        item = f"{type(owner).__name__.lower()}[{name!r}]"
        raise AttributeError(f"{_one(owner)} has no attribute {name!r}; did you mean {item}?")
    public = [each for each in dir(owner) if not each.startswith("_")]
    raise no_attribute(_one(owner), name, {each: _first_line(owner, each) for each in public})


def _first_line(owner: object, name: str) -> str:
    """The first line of what is said of a method or property."""
    from inspect import getdoc, isdatadescriptor, isroutine

    found = getattr(type(owner), name, None)
    return (getdoc(found) or "").partition("\n")[0] if isroutine(found) or isdatadescriptor(found) else ""


def no_attribute(owner: str, name: str, known: Mapping[str, str]) -> AttributeError:
    """An error for an attribute that is not there, with those that were probably meant, of which something is said."""
    from taskloom.core.meaning import meant_by, with_help

    close = meant_by(name, known)
    some = ", ".join([*known][:_LISTED]) + f" and {len(known) - _LISTED} more (dir)" * (len(known) > _LISTED)
    tail = f"did you mean {' or '.join(close)}?{with_help(close, known)}" if close else f"it has {some}"
    return AttributeError(f"{owner} has no attribute {name!r}; {tail}")


def nearest(name: str, options: Iterable[str], count: int = 3, *, cutoff: float = 0.6) -> list[str]:
    """The options closest in spelling to `name`, best first; empty where nothing is close.

    One that differs in signs alone is the only one (`task1`: `task-1`). Otherwise an option whose words begin with the
    letters of the name comes first (`lr`: `learning_rate`), then those that have the name as one of their parts
    (`task-1`: `babi/task-1`), and those that have it as a word (`run`: `run_suite`). Names below one family are
    compared by what follows it.
    """
    from difflib import get_close_matches

    known = {str(option).lower(): str(option) for option in options}
    asked = name.lower()
    family = asked[: asked.rfind("/") + 1]
    if below := {option[len(family) :]: own for option, own in known.items() if option.startswith(family)}:
        known, asked = below, asked[len(family) :]
    bare = {re.sub(r"[\W_]", "", option): own for option, own in known.items()}
    if only := bare.get(re.sub(r"[\W_]", "", asked) or name):
        return [only][:count]
    short = [option for option in known if "".join(word[:1] for word in _words(option)) == asked and len(asked) > 1]
    whole = [option for option in known if asked and option.endswith("/" + asked)]
    close = get_close_matches(asked, list(known), n=count, cutoff=cutoff)
    near = get_close_matches(asked, close, n=count, cutoff=0.8)
    holding = [option for option in known if len(asked) > 2 and asked in _words(option)]
    return [known[match] for match in dict.fromkeys([*short, *whole, *near, *holding, *close])][:count]


def _words(option: str) -> list[str]:
    return option.replace("_", "-").strip("-").split("-")


def unknown_name(
    kind: str,
    name: str,
    options: Mapping[str, Any] | Iterable[str],
    *,
    where: str | None = None,
    hint: str | None = None,
) -> UserError:
    """An error for a name that is not known, with those that were probably meant; a mapping says what each is about."""
    from taskloom.core.meaning import meant_by, with_help

    said = options if isinstance(options, Mapping) else {}
    about = {known: text if isinstance(text := said.get(known), str) else "" for known in sorted(map(str, options))}
    close = meant_by(name := str(name), about) or (nearest(name, about, 1, cutoff=0.5) if len(name) <= 3 else [])
    listed = f"known: {', '.join(about) or 'none'}"
    tail = f"did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
    if len(listed) < 80 or (not close and len(about) <= (40 if hint is None else _LISTED)):
        # A spelling is near by chance where little is known; then all of it says more.
        tail = f"{tail} {listed}".strip()
    elif not close:
        tail = f"{len(about)} are known, such as {', '.join([*about][:3])}"
    told = with_help(close, about)
    message = f"unknown {kind} {name!r}; {tail}"
    return UserError(message, where=where, hint=f"{told}\n  {hint or ''}".strip() or None)


def ensure_known(
    kind: str, name: Any, options: Collection[Any], *, where: str | None = None, hint: str | None = None
) -> None:
    """Refuse a name that is not among the known ones."""
    if name not in options:
        raise unknown_name(kind, name, options, where=where, hint=hint)


class NamedValues(dict[K, R]):
    """Values by name, or by several names, that answer an unknown one with a sentence."""

    def __init__(self, kind: str, values: Mapping[K, R]) -> None:
        super().__init__(values)
        self._kind = kind

    def __missing__(self, name: K) -> R:
        known = {" × ".join(key) if isinstance(key, tuple) else str(key): value for key, value in self.items()}
        if isinstance(name, str) and name in known:
            return known[name]
        error = unknown_name(self._kind, " × ".join(map(str, name)) if isinstance(name, tuple) else str(name), known)
        raise UnknownNameError(error.message, hint=error.hint)


def missing_extra(package: str, extra: str, purpose: str) -> UserError:
    """An error for an optional dependency that is not installed, ending in the install command."""
    return UserError(
        f"{purpose} needs the package {package!r}, which is not installed",
        hint=install_command(extra),
    )


def install_command(extra: str) -> str:
    """The command that adds an extra to this very installation: one of an index, a checkout or a file."""
    option, origin = _installed_from()
    return f"{pip_install()} {option}'{origin or 'taskloom'}[{extra}]'"


def sibling_command(name: str) -> str:
    """The command that adds another package of Taskloom's own, from where this installation came from."""
    option, origin = _installed_from()
    if origin and origin.is_dir():
        return f"{pip_install()} {option}'{origin / 'packages' / name}'"
    beside = f"--find-links '{origin.parent}' " if origin else ""
    return f"{pip_install()} {beside}{name}"


def pip_install() -> str:
    """`pip install` for this very environment: it may be pipx's, or without pip, or another pip may come first."""
    import sys
    from importlib.util import find_spec
    from pathlib import Path
    from shlex import quote
    from shutil import which

    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return "pipx runpip taskloom install"
    if find_spec("pip") is None:
        return f"uv pip install --python {quote(sys.executable)}"
    ours = which("pip") == str(Path(sys.executable).with_name("pip"))
    return "pip install" if ours else f"{quote(sys.executable)} -m pip install"


def _installed_from() -> tuple[str, Path | None]:
    """The folder or file that Taskloom was installed from, with pip's option for it; None if that was an index."""
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    from taskloom.core.decode import read_json

    try:
        installed = distribution("taskloom")
    except PackageNotFoundError:
        return "", None
    told = Path(str(installed.locate_file(f"taskloom-{installed.version}.dist-info/direct_url.json")))
    origin = read_json(told, type=dict[str, Any]) if told.is_file() else {}
    url = urlsplit(str(origin.get("url", "")))
    path = Path(unquote(url.path))
    if url.scheme != "file" or not path.exists():
        return "", None
    return "-e " if origin.get("dir_info", {}).get("editable") else "", path


class QuarantineWarning(UserWarning):
    """Damaged files or rows were left out, as asked; the message counts and names them."""

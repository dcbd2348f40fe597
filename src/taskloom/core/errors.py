"""The one error a user sees: what is wrong, where, the nearest valid name, and what helps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_VALUE = 200


class UserError(Exception):
    """A mistake the user can correct. The command line prints it without a traceback.

    Args:
        message: What is wrong, in one sentence.
        where: Where it is wrong: a file, a key, a line, an option.
        hint: The command or change that helps.
    """

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = _without_long_values(message)
        self.where = where
        self.hint = hint

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
}
"""The annotations that are checked: a number that came as text would fail far from here, or never."""


def _check_call(function: Callable[..., Any], args: Iterable[Any], options: dict[str, Any]) -> None:
    import inspect

    parameters = inspect.signature(function).parameters
    bare = [each.replace(annotation=each.empty) for name, each in parameters.items() if name != "self"]
    hint = f"it is called as {function.__name__}{inspect.Signature(bare)}; help({function.__name__}) says more"
    if shown := re.search(rf">>> (.*\b{function.__name__}\(.+)", function.__doc__ or ""):
        hint += f"\n  for example: {shown[1]}"
    try:
        given = inspect.signature(function).bind(*args, **options).arguments
    except TypeError as error:
        from taskloom.core.meaning import meant_by

        about = {name: "" for name, each in parameters.items() if each.kind is not each.VAR_KEYWORD}
        close = [f"{match}=…" for name in options if name not in parameters for match in meant_by(name, about, 1)]
        tail = f"; did you mean {close[0]}?" if close else ""
        raise CallError(f"{error}{tail}", where=function.__name__, hint=hint) from None
    for name, value in given.items():
        kinds = [_TYPES.get(kind) for kind in str(parameters[name].annotation).split(" | ")]
        if all(kinds) and not any(kind and isinstance(value, kind[0]) for kind in kinds):
            wanted = " or ".join(dict.fromkeys(kind[1] for kind in kinds if kind))
            raise CallError(f"{name} is {wanted}, not {value!r}", where=function.__name__, hint=hint)


class Explained:
    """What says, when asked for an attribute that it does not have, which ones it has."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take it for leave to ask for anything

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)


def missing_attribute(owner: object, name: str) -> Any:
    """What `__getattr__` does in a class that says which attributes it has."""
    if name.startswith("_") or hasattr(type(owner), name):
        return object.__getattribute__(owner, name)
    public = [each for each in dir(owner) if not each.startswith("_")]
    raise no_attribute(f"a {type(owner).__name__}", name, {each: _first_line(owner, each) for each in public})


def _first_line(owner: object, name: str) -> str:
    """The first line of what is said of a method or property."""
    from inspect import getdoc, isdatadescriptor, isroutine

    found = getattr(type(owner), name, None)
    return (getdoc(found) or "").partition("\n")[0] if isroutine(found) or isdatadescriptor(found) else ""


def no_attribute(owner: str, name: str, known: Mapping[str, str]) -> AttributeError:
    """An error for an attribute that is not there, with those that were probably meant, of which something is said."""
    from taskloom.core.meaning import meant_by, with_help

    close = meant_by(name, known)
    tail = f"did you mean {' or '.join(close)}?{with_help(close, known)}" if close else f"it has {', '.join(known)}"
    return AttributeError(f"{owner} has no attribute {name!r}; {tail}")


def nearest(name: str, options: Iterable[str], count: int = 3, *, cutoff: float = 0.5) -> list[str]:
    """The options closest in spelling to `name`, best first; empty where nothing is close.

    An option whose words begin with the letters of the name comes first (`lr`: `learning_rate`), then those that have
    the name as one of their parts (`task-1`: `babi/task-1`), and those that have it as a word (`run`: `run_suite`).
    """
    from difflib import get_close_matches

    known = {str(option).lower(): str(option) for option in options}
    asked = name.lower()
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
    close = meant_by(name, about)
    listed = f"known: {', '.join(about) or 'none'}"
    tail = f"did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
    if len(listed) < 80 or (not close and len(about) <= 40):
        # A spelling is near by chance where little is known; then all of it says more.
        tail = f"{tail} {listed}".strip()
    told = with_help(close, about)
    message = f"unknown {kind} {name!r}; {tail or f'{len(about)} are known'}"
    return UserError(message, where=where, hint=f"{told}\n  {hint or ''}".strip() or None)


class NamedValues(dict[str, R]):
    """Values by name that answer an unknown one with a sentence."""

    def __init__(self, kind: str, values: Mapping[str, R]) -> None:
        super().__init__(values)
        self._kind = kind

    def __missing__(self, name: str) -> R:
        error = unknown_name(self._kind, str(name), self)
        raise UnknownNameError(error.message, hint=error.hint)


def missing_extra(package: str, extra: str, purpose: str) -> UserError:
    """An error for an optional dependency that is not installed, ending in the install command."""
    return UserError(
        f"{purpose} needs the package {package!r}, which is not installed",
        hint=install_command(extra),
    )


def install_command(extra: str) -> str:
    """The command that adds an extra to this very installation.

    An installation comes from an index, a checkout or a file, and was made by pip, uv or pipx.

    Example:
        >>> from taskloom.core.errors import install_command
        >>> install_command("train").endswith("[train]'")
        True
    """
    import sys
    from importlib.util import find_spec
    from pathlib import Path

    what = f"{_installed_from()}[{extra}]'"
    if (Path(sys.prefix) / "uv-receipt.toml").is_file():
        return f"uv tool install --force {what}"
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return f"pipx install --force {what}"
    return f"{'pip' if find_spec('pip') else 'uv pip'} install {what}"


def _installed_from() -> str:
    """What to install again, with an opening quotation mark: the package, or the folder or file it came from."""
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    from taskloom.core.decode import read_json

    try:
        installed = distribution("taskloom")
    except PackageNotFoundError:
        return "'taskloom"
    told = Path(str(installed.locate_file(f"taskloom-{installed.version}.dist-info/direct_url.json")))
    if not told.is_file():
        return "'taskloom"
    origin = read_json(told, type=dict)
    url = urlsplit(str(origin.get("url", "")))
    path = Path(unquote(url.path))
    if url.scheme != "file" or not path.exists():
        return "'taskloom"
    return f"-e '{path}" if origin.get("dir_info", {}).get("editable") else f"'{path}"


class QuarantineWarning(UserWarning):
    """Damaged files or rows were left out, as asked; the message counts and names them."""

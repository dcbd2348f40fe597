"""The one error a user sees: what is wrong, where, the nearest valid name, and what helps."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            some = next(iter(self), None)
            if name.startswith("_") or some is None:
                raise AttributeError(name)
            raise AttributeError(f"these are several by name, such as [{some!r}], so there is no .{name}", name=name)

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

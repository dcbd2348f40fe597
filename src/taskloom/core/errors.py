"""The one error a user sees: what is wrong, where, the nearest valid name, and what helps."""

from __future__ import annotations

from collections.abc import Iterable

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
    import re

    if len(message) <= _LONGEST_VALUE:
        return message
    return re.sub(
        rf"(['\"])(?:(?!\1).){{{_LONGEST_VALUE},}}\1|\S{{{2 * _LONGEST_VALUE},}}",
        lambda match: f"{match[0][: _LONGEST_VALUE // 2]}…{match[0][-_LONGEST_VALUE // 4 :]}",
        message,
        flags=re.DOTALL,
    )


class EmptySuiteError(UserError):
    """A suite whose name is right, but for which the data at hand give no task."""


def nearest(name: str, options: Iterable[str], count: int = 3, *, cutoff: float = 0.5) -> list[str]:
    """The options closest in spelling to `name`, best first; empty where nothing is close.

    An option whose words begin with the letters of the name comes first (`lr`: `learning_rate`), then those that have
    the name as one of their parts (`task-1`: `babi/task-1`).
    """
    from difflib import get_close_matches

    known = {str(option).lower(): str(option) for option in options}
    asked = name.lower()
    short = [option for option in known if "".join(word[:1] for word in _words(option)) == asked and len(asked) > 1]
    whole = [option for option in known if asked and option.endswith("/" + asked)]
    close = get_close_matches(asked, list(known), n=count, cutoff=cutoff)
    return [known[match] for match in dict.fromkeys([*short, *whole, *close])][:count]


def _words(option: str) -> list[str]:
    return option.replace("_", "-").strip("-").split("-")


def unknown_name(
    kind: str, name: str, options: Iterable[str], *, where: str | None = None, hint: str | None = None
) -> UserError:
    """An error for a name that is not known, with the nearest known ones."""
    known = sorted(str(option) for option in options)
    close = nearest(name, known)
    if close:
        tail = f"did you mean {' or '.join(repr(match) for match in close)}?"
    elif len(known) <= 40:
        tail = f"known: {', '.join(known) or 'none'}"
    else:
        tail = f"{len(known)} are known"
    return UserError(f"unknown {kind} {name!r}; {tail}", where=where, hint=hint)


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

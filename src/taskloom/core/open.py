"""Opening whatever a person may mean by a suite: a name, a recipe file, a bundle's folder, a file of tasks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core.errors import UserError
from taskloom.core.family import open_named
from taskloom.core.suite import Origin, Suite

_LONGEST_NAME = 200


class Opener(ABC):
    """Opens suites from one kind of file or folder. Registered as `opener.NAME`."""

    what: ClassVar[str]
    """What it opens, for messages: "a bundle", "a recipe file"."""

    @abstractmethod
    def opens(self, path: Path) -> bool:
        """Whether this path is of its kind. Looks at names and folders, reads no more than it must."""

    @abstractmethod
    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        """The suite of that path.

        Args:
            path: The file or folder.
            seed: The seed the caller named, None if none; a file may bring its own.
            options: Recipe keys to replace.
        """


def open_suite(
    name: str | os.PathLike[str], *, seed: int | None = None, options: Mapping[str, Any] | None = None
) -> Suite:
    """Open a suite.

    Args:
        name: A registered name (`babi/mix-t12`), a TaskBench expression (`father(mother)`, `map{antonyms[eng]}`), a
            recipe file, a bundle's folder, a folder of Super-NI tasks, or a Python file with tasks. A registered name
            wins over a path; if both exist, write the path as `./name`.
        seed: The seed of the data.
        options: Recipe keys to replace.

    Example:
        >>> suite = open_suite("babi/task-1", seed=7)
        >>> task, instance = next(suite.rows("test"))
        >>> task
        'task-1'
    """
    origin = Origin(os.fspath(name), seed, dict(options or {}))
    return _open(*origin).opened_as(origin)


def open_recorded(name: str, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Suite:
    """Open a suite that a file names (a run, a log, a recipe), not a person: anything but Python code.

    Raises:
        UserError: It is a Python file, which runs only when a person names it.
    """
    if Path(name.strip()).suffix.lower() == ".py":
        raise UserError(f"a file names {name}, but code runs only when you name it yourself", where=name)
    return open_suite(name, seed=seed, options=options)


def _open(text: str, seed: int | None, options: Mapping[str, Any]) -> Suite:
    from taskloom.core.catalog import FAMILIES, OPENERS

    if _named(text, FAMILIES):
        suite = open_named(text, seed=seed or 0, options=options)
        # An expression may be longer than any path.
        path = Path(text) if len(text) <= _LONGEST_NAME else None
        if path is not None and path.exists() and any(opener.opens(path) for _, opener in OPENERS.items()):
            raise UserError(
                f"{text!r} is both a registered suite and a path", hint=f"write ./{text} for the path, or rename it"
            )
        return suite
    path = _path(text)
    for _, opener in OPENERS.items():
        if opener.opens(path):
            return opener.open(path, seed, options)
    if path.exists():
        kinds = ", ".join(opener.what for _, opener in OPENERS.items())
        hint = f"taskloom generate SUITE -o {text}" if path.is_dir() else None
        raise UserError(f"this {'folder' if path.is_dir() else 'file'} is not one of: {kinds}", where=text, hint=hint)
    if text.startswith((".", "/", "~")) or path.suffix in (".yaml", ".yml", ".py"):
        raise UserError("no such file or folder", where=text, hint="taskloom list suites")
    return open_named(_with_family(text, FAMILIES), seed=seed or 0, options=options)


def _path(text: str) -> Path:
    """The text as a path; one that no file can have (too long, unprintable) is a name that nobody has either."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        shown = text if len(text) <= 80 else text[:79] + "…"
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"neither a suite nor a path: {reason}", where=repr(shown)) from None
    return path


def _with_family(text: str, families: Any) -> str:
    """An expression with its family in front; any other name as it is."""
    family = text.partition("/")[0]
    if family not in families and any(mark in family for mark in "([{"):
        for name, known in families.items():
            if known.expressions:
                return f"{name}/{text}"
    return text


def _named(text: str, families: Any) -> bool:
    """Whether the text is `family/suite` with a family that is known and a suite that it offers."""
    family, slash, suite = text.partition("/")
    if not slash:
        return False
    try:
        families.get(family).spec(suite)
    except UserError:
        return False
    return True

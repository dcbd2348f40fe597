"""Taskloom's own packages beside the core: what each brings, and the command that installs one that is absent.

`siblings.toml` lists them. A name that only an absent one registers, or a module of it that a command needs, is
answered with the package it is in.
"""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from taskloom.core.decode import read_toml
from taskloom.core.errors import UserError, sibling_command

_TABLE = Path(__file__).with_name("siblings.toml")


@cache
def siblings() -> dict[str, dict[str, Any]]:
    """What `siblings.toml` says of each package."""
    return read_toml(_TABLE)  # type: ignore[no-any-return]


def absent_names(kind: str, known: Container[str] = ()) -> dict[str, str]:
    """Names of a kind that packages would bring, beyond those known: name -> package."""
    return {name: package for package, said in siblings().items() for name in said.get(kind, ()) if name not in known}


def absent_lines(kind: str, known: Container[str] = ()) -> list[str]:
    """A sentence for each package that would bring more names of a kind, with the command that installs it."""
    absent = list(absent_names(kind, known).values())
    return [
        f"{absent.count(package)} more in the package {package} ({siblings()[package]['holds']}), "
        f"which is not installed:\n  {sibling_command(package)}"
        for package in dict.fromkeys(absent)
    ]


def not_installed(package: str, what: str = "") -> UserError:
    """The error for what is in a package that is absent; what it holds, where nothing is named."""
    named = what or siblings()[package]["holds"]
    return UserError(f"{named}: in the package {package}, which is not installed", hint=sibling_command(package))


def sibling(path: str, what: str = "") -> Any:
    """A module of a package beside the core: `sibling("taskloom_open.suite")`.

    Raises:
        UserError: The package is not installed.
    """
    module = path.partition(".")[0]
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module:
            raise
    raise not_installed(next(name for name, said in siblings().items() if said["module"] == module), what)

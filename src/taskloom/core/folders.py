"""Where Taskloom keeps what it can make again."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path

from taskloom.core.errors import UserError, nearest

_KINDS = {"frontier.json": "probe", "run.json": "run", "study.json": "study", "manifest.json": "bundle"}
"""What a folder is, by a file in it."""
_SUITE_FILES = (".yaml", ".yml", ".py")
_LOOKED_AT = 2000
"""Files that are looked at for one of nearly that name."""
_ABOUT = ("readme", "licen", "copying", "notice", "citation", "changelog", "authors", ".")
"""How files begin that say something about the others."""


def cache_folder(*parts: str) -> Path:
    """`TASKLOOM_CACHE`, else the system's place for caches. Everything in it may be deleted at any time.

    Args:
        *parts: Folders below it.
    """
    given = os.environ.get("TASKLOOM_CACHE")
    if given:
        return Path(given).expanduser().joinpath(*parts)
    from platformdirs import user_cache_path

    return user_cache_path("taskloom", appauthor=False).joinpath(*parts)


def not_here(path: str | Path, wanted: str, hint: str | None = None) -> UserError:
    """An error for a path that is no `wanted`: it says what is there instead, or what has nearly that name.

    Args:
        path: What was named.
        wanted: What it should be: run, probe, bundle, study, suite, file, folder.
        hint: The command that makes one.
    """
    place = Path(path)
    marks = [file for file, kind in _KINDS.items() if kind == {"suite": "bundle"}.get(wanted, wanted)]
    return UserError(
        _of_a_folder(place, wanted, marks) if place.is_dir() else _of_a_name(place, wanted, marks),
        where=str(path),
        hint=hint,
    )


def warn_unread(folder: Path, read: AbstractSet[Path], known: Iterable[str], hint: str) -> None:
    """Name the files below a folder that are not read, each with the nearest of the names that would be.

    Args:
        folder: A folder of the user's.
        read: The files and folders that are read.
        known: Names that would be read.
        hint: What is read.
    """
    named = [*known]
    left = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and read.isdisjoint((path, *path.parents)) and not path.name.lower().startswith(_ABOUT)
    ]
    if left:
        meant = [(str(path.relative_to(folder)), {*nearest(path.name, named, 1)} - {path.name}) for path in left[:10]]
        said = [name + "".join(f" (did you mean {one}?)" for one in close) for name, close in meant]
        more = f" and {len(left) - 10} more" if len(left) > 10 else ""
        warnings.warn(f"not read in {folder}: {', '.join(said)}{more}; {hint}", stacklevel=3)


def _of_a_folder(place: Path, wanted: str, marks: list[str]) -> str:
    """What a folder is, or what it lacks."""
    if wanted == "file":
        return "this is a folder, not a file"
    if kind := _kind(place):
        return f"this folder is a {kind}, not a {wanted}"
    if inside := sorted(each.parent for mark in marks for each in place.glob(f"*/{mark}")):
        return f"no {wanted} here, but inside it: {', '.join(map(str, inside[:5]))}"
    held = sorted(each.name for each in islice(place.iterdir(), _LOOKED_AT))
    lacking = f", but no {' or '.join(marks)}" if marks else ""
    return (
        f"no {wanted} here: the folder holds {', '.join(held[:3])}{' …' * (len(held) > 3)}{lacking}"
        if held
        else (f"no {wanted} here: the folder is empty")
    )


def _of_a_name(place: Path, wanted: str, marks: list[str]) -> str:
    """What a path that is no folder may have been meant for: of the same kind, at most two folders from its own."""
    if place.is_file() and _kind(place.parent) == wanted:
        return f"this is a file of the {wanted} {place.parent}; name the folder"
    if place.is_file():
        return f"this is a file, not {'a folder' if wanted == 'folder' else f'the folder of a {wanted}'}"
    said = {"file": "no such file", "folder": "no such folder"}.get(wanted, f"no {wanted} here: no such file or folder")
    if "," in place.name:
        return f"{said}; several are separated by blanks"
    root = next((each for each in place.parents if each.is_dir()), Path())
    if root.is_absolute() and root == Path(root.anchor):  # the whole machine lies below it
        return said
    found = [each.parent for mark in marks for deep in ("*/", "*/*/") for each in _some(root, deep + mark)]
    beside = [each for deep in ("", "*/") for each in _some(root, f"{deep}*") if not _kind(each.parent)]
    if marks:  # files are no folders of any kind; a suite may be a file
        beside = [each for each in beside if each.is_dir() or (wanted == "suite" and each.suffix in _SUITE_FILES)]
    told = {each: f"{each} (a {kind})" if (kind := _kind(each)) not in (None, wanted) else str(each) for each in beside}
    for places in (found, beside):
        known = {str(each): each for each in places}
        names = nearest(place.name, {each.name for each in places}, 2, cutoff=0.6)
        close = nearest(str(place), known, 2, cutoff=0.8) or [each for each in known if known[each].name in names][:2]
        if close:
            return f"{said}; did you mean {' or '.join(told.get(known[each], each) for each in close)}?"
    others = [told[each] for each in beside if place.suffix and each.suffix == place.suffix]
    others = others or [*map(str, found)] or [told[each] for each in beside if marks and _kind(each)]
    verb = "are" if len(others) > 1 else "is"
    return f"{said}; there {verb} {', '.join(others[:3])}{' …' * (len(others) > 3)}" if others else said


def _kind(place: Path) -> str | None:
    """What a folder is; None if it is none of ours."""
    return next((kind for file, kind in _KINDS.items() if (place / file).is_file()), None)


def _some(root: Path, pattern: str) -> list[Path]:
    return sorted(each for each in islice(root.glob(pattern), _LOOKED_AT) if not each.name.startswith("."))

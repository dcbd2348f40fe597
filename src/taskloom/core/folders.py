"""Where Taskloom keeps what it can make again."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from taskloom.core.calls import a
from taskloom.core.errors import UserError, nearest

_KINDS = {"frontier.json": "probe", "run.json": "run", "study.json": "study's output", "manifest.json": "bundle"}
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


@cache
def _uses() -> dict[str, str]:
    """What each kind of thing is for."""
    from taskloom.core.decode import read_toml

    return read_toml(Path(__file__).with_name("words.toml"))["uses"]  # type: ignore[no-any-return]


def kind_of(name: str) -> str | None:
    """What a name means: a folder of ours, or what is registered; None where it is nothing of the kind."""
    from taskloom.core.catalog import REGISTRIES, list_models, list_suites
    from taskloom.core.family import LONGEST_NAME

    if len(name) <= LONGEST_NAME and (kind := _kind(Path(name))):
        return kind
    head, _, rest = name.partition("/")
    if name in list_suites():
        return "suite"
    if name in list_models() or (rest and head in REGISTRIES["model"]):
        return "model"
    return next((kind for kind in _uses() if kind in REGISTRIES and name in REGISTRIES[kind]), None)


def other_kind(name: str, wanted: str) -> UserError | None:
    """An error for the name of something else than what is wanted, with what it is for."""
    kind = kind_of(name)
    if kind is None or kind == wanted:
        return None
    return UserError(f"{name!r} is {a(kind)}, not {a(wanted)}", hint=_filled(_uses().get(kind, ""), name) or None)


def _filled(hint: str, name: str) -> str:
    """A command with what was named, and with its suite and model, in the places of NAME, SUITE and M."""
    from taskloom.core.decode import read_json

    kind = kind_of(name)
    suite, model = name if kind in ("suite", "bundle") else "SUITE", name if kind == "model" else "M"
    file = next((file for file, marked in _KINDS.items() if marked == kind and marked in ("run", "probe")), None)
    with suppress(UserError, KeyError):  # a damaged one tells nothing
        told: dict[str, Any] = read_json(Path(name, file)) if file else {"suite": suite, "model": model}
        suite, model = told["suite"], told["model"]
        if "adaptation" in told:  # of a run, which may have changed its model
            model = told["model"]["name"] if told["adaptation"]["name"] == "none" else f"run/{name}"
    return hint.replace("NAME", name).replace("SUITE", suite).replace(" M ", f" {model} ")


def not_here(path: str | Path, wanted: str, hint: str | None = None) -> UserError:
    """An error for a path that is no `wanted`: it says what is there instead, or what has nearly that name.

    Args:
        path: What was named.
        wanted: What it should be: run, probe, bundle, study, suite, file, folder.
        hint: The command that makes one; SUITE and M are filled in where the path tells them.
    """
    place = Path(path)
    marks = [file for file, kind in _KINDS.items() if kind == {"suite": "bundle"}.get(wanted, wanted)]
    hint = _filled(hint or _uses().get(kind_of(str(path)) or "", ""), str(path)) or None
    if wanted == "run" and place.is_file():
        kind = "inspect" if place.suffix == ".eval" else "outputs"
        reads = f"taskloom import {kind} {path}{' --suite SUITE' if kind == 'outputs' else ''} -o DIR"
        hint = f"{hint} makes one; {reads} reads answers of another tool"
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
    number = re.fullmatch(r"[-\d.,]+%?", str(place))
    kind = "number" if number else kind_of(str(place)) if not str(place).startswith(f"{wanted}/") else None
    if marks and kind:
        return f"this is {a(kind)}, not the folder of {a(wanted)}"
    others = [told[each] for each in beside if place.suffix and each.suffix == place.suffix]
    others = others or [*map(str, found)] or [told[each] for each in beside if marks and _kind(each)]
    verb = "are" if len(others) > 1 else "is"
    return f"{said}; there {verb} {', '.join(others[:3])}{' …' * (len(others) > 3)}" if others else said


def _kind(place: Path) -> str | None:
    """What a folder is; None if it is none of ours."""
    return next((kind for file, kind in _KINDS.items() if (place / file).is_file()), None)


def _some(root: Path, pattern: str) -> list[Path]:
    return sorted(each for each in islice(root.glob(pattern), _LOOKED_AT) if not each.name.startswith("."))

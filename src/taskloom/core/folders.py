"""Where Taskloom keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path

from taskloom.core.errors import UserError, nearest

_KINDS = {"frontier.json": "probe", "run.json": "run", "study.json": "study", "manifest.json": "bundle"}
"""What a folder is, by a file in it."""


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
        wanted: What it should be: run, probe, bundle, suite.
        hint: The command that makes one.
    """
    place = Path(path)
    kinds = [kind for file, kind in _KINDS.items() if (place / file).is_file()]
    said = f"this folder is a {kinds[0]}, not a {wanted}" if kinds else None
    marks = [file for file, kind in _KINDS.items() if kind == wanted]
    beside = sorted(each.name for each in place.parent.iterdir()) if place.parent.is_dir() else []
    inside = sorted(each.parent for mark in marks for each in place.glob(f"*/{mark}")) if place.is_dir() else []
    if said is None and place.is_file():
        said = f"this is a file, not the folder of a {wanted}"
    if said is None and not place.exists():
        close = [str(place.with_name(name)) for name in nearest(place.name, beside, 2)]
        apart = "; several are separated by blanks" if "," in place.name else ""
        tail = f"; did you mean {' or '.join(close)}?" if close and not apart else apart
        said = f"no {wanted} here: no such file or folder{tail}"
    if said is None and inside:
        said = f"no {wanted} here, but inside it: {', '.join(map(str, inside[:5]))}"
    return UserError(said or f"no {wanted} here", where=str(path), hint=hint)

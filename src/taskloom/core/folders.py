"""Where Taskloom keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


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

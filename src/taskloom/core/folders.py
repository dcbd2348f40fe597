"""Where Taskloom keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """`TASKLOOM_CACHE`, else `~/.cache/taskloom`. Everything in it may be deleted at any time."""
    given = os.environ.get("TASKLOOM_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "taskloom"

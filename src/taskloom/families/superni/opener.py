"""Opening a folder of Super-NaturalInstructions task files by its path alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import Opener, Suite
from taskloom.families.superni.family import FAMILY

_LOOKED_AT = 3
_HEAD_BYTES = 100_000


class TaskFolderOpener(Opener):
    """A folder of task files, or one with such a folder `tasks` in it: the suite `superni/files`."""

    what: ClassVar[str] = "a folder of Super-NI tasks"

    def opens(self, path: Path) -> bool:
        return any(_has_tasks(folder) for folder in (path, path / "tasks"))

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        return FAMILY.open("files", seed or 0, {"path": str(path), **options})


def _has_tasks(folder: Path) -> bool:
    """Whether any of the first files has the keys of a task."""
    if not folder.is_dir():
        return False
    for file in islice(sorted(folder.glob("*.json")), _LOOKED_AT):
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
        if b'"Definition"' in head or b'"Instances"' in head:
            return True
    return False


FOLDER = TaskFolderOpener()

"""What lies below the served folders: runs, probes, studies and bundles, each under a name that addresses use.

Pages and requests name runs by these names only; one that is not listed does not exist, so no request can reach
a file outside. Symbolic links to folders are not followed, and a run with a file that leads outside is refused.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.run.columns import Columns
from taskloom.run.log import LogPart, log_files, open_columns
from taskloom.run.plan import PLAN, Plan, load_plan
from taskloom.run.results import Run
from taskloom.run.sealed import latest_seal, seal_names
from taskloom.store.atomic import is_held
from taskloom.studies.findings import STUDY
from taskloom.studies.frontier.claims import FILE as FRONTIER

__all__ = ["Library", "Place", "RunState", "Signature"]

Kind: TypeAlias = Literal["run", "study", "bundle"]
RunState: TypeAlias = Literal["finished", "running", "stopped"]
Signature: TypeAlias = tuple[tuple[str, int, int], ...]

_MARKS: dict[str, Kind] = {PLAN: "run", STUDY: "study", "manifest.json": "bundle"}
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "scores", "log", "adaptation"}
_DEEPEST = 8
_MOST_PLACES = 20_000
_RESCAN_SECONDS = 3.0
_KEPT_RUNS = 24


class Place(msgspec.Struct, frozen=True):
    """Something found below a served folder."""

    id: str
    kind: Kind
    folder: Path
    root: Path


class Library:
    """The served folders.

    Args:
        roots: The folders.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = [Path(os.path.realpath(root)) for root in roots]
        for root, given in zip(self.roots, roots, strict=True):
            if not root.is_dir():
                raise UserError("no such folder", where=str(given))
        self._lock = threading.RLock()
        self._places: dict[str, Place] = {}
        self._scanned = float("-inf")
        self._runs: dict[str, tuple[Signature, Run]] = {}
        self._logs: dict[Path, LogPart] = {}

    def places(self, *, fresh: bool = False) -> dict[str, Place]:
        """Everything there is, by name; looked for again every few seconds."""
        with self._lock:
            if fresh or time.monotonic() - self._scanned > _RESCAN_SECONDS:
                found = [place for number, root in enumerate(self.roots) for place in self._scan(number, root)]
                self._places = {place.id: place for place in sorted(found, key=lambda place: place.id)}
                self._scanned = time.monotonic()
            return self._places

    def _scan(self, number: int, root: Path) -> Iterator[Place]:
        prefix = "" if len(self.roots) == 1 else f"{number + 1}:"
        count = 0
        for folder, names, files in os.walk(root):
            path = Path(folder)
            depth = len(path.relative_to(root).parts)
            kind = next((kind for file, kind in _MARKS.items() if file in files), None)
            if kind is not None:
                name = path.relative_to(root).as_posix()
                yield Place(prefix + (path.name if name == "." else name), kind, path, root)
                count += 1
            if count >= _MOST_PLACES or depth >= _DEEPEST:
                names.clear()
            names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED)

    def runs(self, *, fresh: bool = False) -> list[Place]:
        """The runs, probes among them."""
        return [place for place in self.places(fresh=fresh).values() if place.kind == "run"]

    def place(self, name: str) -> Place:
        """A run or probe by its name.

        Raises:
            UserError: There is none (with the nearest names).
        """
        found = self.places().get(name) or self.places(fresh=True).get(name)
        if found is None or found.kind != "run":
            raise unknown_name("run", name, [place.id for place in self.runs()], hint="the page Runs lists them all")
        return found

    def signature(self, place: Place) -> Signature:
        """What tells one state of a run from the next: its manifests and logs with their sizes and times."""
        names = [PLAN, FRONTIER, *seal_names(place.folder)[-1:]]
        paths = [place.folder / name for name in names] + log_files(place.folder)
        found = []
        for path in paths:
            try:
                stat = path.stat()
            except FileNotFoundError:
                continue
            found.append((path.name, stat.st_size, stat.st_mtime_ns))
        return tuple(found)

    def run(self, name: str) -> Run:
        """A run, read anew when it has changed.

        Raises:
            UserError: There is none, it cannot be read, or its files lead out of the served folder.
        """
        place = self.place(name)
        with self._lock:
            signature = self.signature(place)
            kept = self._runs.pop(name, None)
            if kept is None or kept[0] != signature:
                _refuse_outside(place)
                kept = (signature, Run(place.folder, columns=self._columns(place.folder)))
            self._runs[name] = kept
            while len(self._runs) > _KEPT_RUNS:
                self._runs.pop(next(iter(self._runs)))
            return kept[1]

    def _columns(self, folder: Path) -> Columns:
        """The columns of a run; of a log that grows only what is new is read."""
        seal = latest_seal(folder)
        logs = log_files(folder, seal)
        columns = open_columns(folder, {path: part for path in logs if (part := self._logs.get(path)) is not None})
        for path in [path for path in self._logs if path.is_relative_to(folder)]:
            del self._logs[path]
        self._logs |= {part.path: part for part in columns.parts if isinstance(part, LogPart)}
        return columns

    def plan(self, name: str) -> Plan:
        """The plan of a run."""
        place = self.place(name)
        _refuse_outside(place)
        return load_plan(place.folder)

    def state(self, place: Place) -> RunState:
        """Whether a run is sealed, written to by a living process, or broken off."""
        seal = latest_seal(place.folder)
        logs = log_files(place.folder, seal)
        if any(is_held(path) for path in logs):
            return "running"
        return "finished" if seal is not None and not logs else "stopped"


def _refuse_outside(place: Place) -> None:
    """Refuse a run with a file that is a link to somewhere outside the served folder."""
    for folder in (place.folder, place.folder / "log"):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(place.root):
                raise UserError("a file of this run leads out of the served folder", where=place.id)

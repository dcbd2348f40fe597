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
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import UserError, content_hash, unknown_name
from taskloom.core.decode import read_json
from taskloom.core.folders import not_here
from taskloom.run.columns import Columns
from taskloom.run.log import LogPart, log_files, open_columns
from taskloom.run.plan import PLAN, RESULTS, Plan, load_plan
from taskloom.run.results import Run, group_results, proof_of
from taskloom.run.sealed import latest_seal, seal_names
from taskloom.store.atomic import is_held
from taskloom.studies.findings import STUDY
from taskloom.studies.frontier.claims import FILE as FRONTIER

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
    """The served folders."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = [Path(os.path.realpath(root)) for root in roots]
        for root, given in zip(self.roots, roots, strict=True):
            if not root.is_dir():
                raise not_here(given, "folder", "taskloom serve DIR shows the runs below a folder")
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

    def studies(self) -> list[Place]:
        """The finished studies."""
        return [place for place in self.places().values() if place.kind == "study"]

    def place(self, name: str, kind: Kind = "run") -> Place:
        """A run or probe by its name, or something else; the error for an unknown one has the nearest names."""
        found = self.places().get(name) or self.places(fresh=True).get(name)
        if found is None or found.kind != kind:
            known = [place.id for place in self.places().values() if place.kind == kind]
            raise unknown_name(kind, name, known, hint="the page Runs lists them all")
        refuse_outside(found)
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
        """A run, read anew when it has changed."""
        place = self.place(name)
        with self._lock:
            signature = self.signature(place)
            kept = self._runs.pop(name, None)
            if kept is None or kept[0] != signature:
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

    def state(self, place: Place) -> RunState:
        """Whether a run is sealed, written to by a living process, or broken off."""
        seal = latest_seal(place.folder)
        logs = log_files(place.folder, seal)
        if any(is_held(path) for path in logs):
            return "running"
        return "finished" if seal is not None and not logs else "stopped"


def refuse_outside(place: Place) -> None:
    """Refuse a run with a file that is a link to somewhere outside the served folder."""
    for folder in (place.folder, place.folder / "log"):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(place.root):
                raise UserError("a file of this run leads out of the served folder", where=place.id)


_ASIDE = ("reader", "reason", "search")
"""Parts of a protocol that do not say how a question was put: the reader is compared by itself."""
SECRET_SEED = 1 << 48
"""Seeds from here on cannot be found by trying: what is drawn with one can be published by its hash."""


def committed(suite: str, recipe: dict[str, Any], seed: int) -> str:
    """The hash that promises a suite with its recipe and seed before the seed is revealed."""
    return content_hash([suite, recipe, str(seed)])


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        run: Its name in addresses.
        alike: What must be equal for two runs to be ranked: rows, split, protocol, reader, number of answers.
        total: How many answers there will be, where that is known; for a probe, at most.
        proof: Hashes of plan, rows, records and seed, and the version.
        withheld: Whether the seed is secret, so that nothing but numbers and hashes is shown.
        problem: Why there are no numbers.
    """

    run: str
    model: str = ""
    suite: str = ""
    split: str = ""
    probe: bool = False
    state: RunState = "finished"
    protocol: str = ""
    n: int = 0
    total: int | None = None
    value: float | None = None
    low: float = 0.0
    high: float = 1.0
    truncated: int = 0
    errored: int = 0
    unparsed: int = 0
    estimand: str = ""
    seed: int | None = None
    recipe: dict[str, Any] = {}
    withheld: bool = False
    alike: dict[str, str] = {}
    proof: dict[str, str] = {}
    problem: str = ""
    best: int | None = None
    worst: int | None = None


class BoardSection(msgspec.Struct, frozen=True):
    """Runs of one suite that may be ranked against each other, best first; and why they stand apart from others."""

    suite: str
    rows: tuple[BoardRow, ...]
    apart: str = ""


class Board:
    """The rows of all runs of a library, each computed once for every state of its run; secret seeds if `reveal`."""

    def __init__(self, library: Library, *, reveal: bool = True) -> None:
        self.library = library
        self._reveal = reveal
        self._rows: dict[str, tuple[Signature, RunState, BoardRow]] = {}

    def rows(self, *, fresh: bool = False) -> list[BoardRow]:
        """Every run as a row."""
        found = {}
        for place in self.library.runs(fresh=fresh):
            try:
                signature, state = self.library.signature(place), self.library.state(place)
                kept = self._rows.get(place.id)
                row = kept[2] if kept is not None and kept[:2] == (signature, state) else self._row(place, state)
            except UserError as error:
                signature, state, row = (), "stopped", BoardRow(run=place.id, state="stopped", problem=error.message)
            except OSError as error:  # sealed or removed while it was looked at
                signature, state, row = (), "stopped", BoardRow(run=place.id, state="stopped", problem=str(error))
            found[place.id] = (signature, state, row)
        self._rows = found
        return [row for _, _, row in found.values()]

    def _row(self, place: Place, state: RunState) -> BoardRow:
        plan = load_plan(place.folder)
        results = _results(place, plan) if state == "finished" else None
        if results is None:
            run = self.library.run(place.id)
            overall = group_results(run.overall())
            results = {"model": run.name, "estimand": run.estimand, "proof": proof_of(run), "overall": overall}
        overall = results["overall"]
        probe = bool(plan.streams)
        budget = plan.protocol.get("search", {}).get("budget") if probe else None
        withheld = plan.data_seed >= SECRET_SEED and not self._reveal
        proof = {key: str(value) for key, value in results.get("proof", {}).items()}
        return BoardRow(
            run=place.id,
            model=str(results["model"]),
            suite=plan.suite,
            split=plan.split,
            probe=probe,
            state=state,
            protocol=str(plan.protocol.get("name", "")),
            n=int(overall["n"]),
            total=budget if budget is not None else plan.limit,
            value=None if probe else overall["value"],
            low=overall["interval"][0],
            high=overall["interval"][1],
            truncated=overall["truncated"],
            errored=overall["errored"],
            unparsed=overall["unparsed"],
            estimand=str(results["estimand"]),
            seed=None if withheld else plan.data_seed,
            recipe={} if withheld else plan.recipe,
            withheld=withheld,
            alike=_alike(plan, int(overall["n"])),
            proof={**proof, "seed": committed(plan.suite, plan.recipe, plan.data_seed)},
        )

    def listed(self) -> dict[str, Any]:
        """Every run as a row, and which may be ranked together: `/api/runs`."""
        rows = self.rows()
        return {"runs": rows, "sections": self.sections(rows)}

    def sections(self, rows: Sequence[BoardRow] | None = None) -> list[BoardSection]:
        """The runs by suite, ranked where that is fair."""
        by_suite: dict[str, dict[str, list[BoardRow]]] = {}
        for row in self.rows() if rows is None else rows:
            if row.value is not None:
                by_suite.setdefault(row.suite, {}).setdefault(content_hash(row.alike), []).append(row)
        found = []
        for suite, groups in sorted(by_suite.items()):
            ordered = sorted(groups.values(), key=len, reverse=True)
            for group in ordered:
                apart = "" if group is ordered[0] else _difference(ordered[0][0], group[0])
                found.append(BoardSection(suite, tuple(_ranked(group)), apart))
        return found


def _results(place: Place, plan: Plan) -> dict[str, Any] | None:
    """What the run wrote when it ended, where it is still about these records."""
    path = place.folder / RESULTS
    if not path.is_file() or path.is_symlink():
        return None
    found: dict[str, Any] = read_json(path)
    seal = latest_seal(place.folder)
    told = found.get("proof", {})
    return found if seal is not None and told.get("records") == seal.chain and told.get("plan") == plan.hash() else None


def _alike(plan: Plan, n: int) -> dict[str, str]:
    """What two runs must have in common to be ranked, in words that say what differs."""
    protocol = {key: value for key, value in plan.protocol.items() if key not in _ASIDE}
    return {
        "questions": plan.identity or f"{plan.suite}, {committed(plan.suite, plan.recipe, plan.data_seed)[:8]}",
        "split": plan.split,
        "protocol": f"{plan.protocol.get('name', '')} ({content_hash(protocol)[:8]})",
        "reader": str(plan.strict_reader or "the tasks' own"),
        "scorer": str(plan.scorer or "the tasks' own"),
        "samples": str(plan.samples),
        "answers": f"{n:,}",
    }


def _difference(one: BoardRow, two: BoardRow) -> str:
    """Why two groups of runs are not ranked together."""
    short = {key: (value, two.alike.get(key, "")) for key, value in one.alike.items() if two.alike.get(key) != value}
    listed = "; ".join(f"{key}: {theirs[:16]} here, {ours[:16]} there" for key, (ours, theirs) in short.items())
    return f"Not ranked with the runs above, because what was asked differs ({listed})."


def _ranked(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Rows by score, each with the best and the worst rank that the intervals allow."""
    ordered = sorted(rows, key=lambda row: (-(row.value or 0.0), row.run))
    return [
        msgspec.structs.replace(
            row,
            best=1 + sum(other.low > row.high for other in ordered),
            worst=sum(other.high >= row.low for other in ordered),
        )
        for row in ordered
    ]

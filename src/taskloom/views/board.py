"""Runs beside each other: a row per run, ranked only against runs that were asked the same in the same way.

A rank is a range: a run may stand anywhere that its interval allows among those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import read_json
from taskloom.run.plan import RESULTS, Plan, load_plan
from taskloom.run.results import Run
from taskloom.run.sealed import latest_seal
from taskloom.views.library import Library, Place, RunState, Signature

__all__ = ["Board", "BoardRow", "BoardSection"]

_ASIDE = ("reader", "reason", "search")
"""Parts of a protocol that do not say how a question was put: the reader is compared by itself."""


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        run: Its name in addresses.
        alike: What must be equal for two runs to be ranked: rows, split, protocol, reader, number of answers.
        total: How many answers there will be, where that is known; for a probe, at most.
        proof: Hashes of plan, rows and records, and the version.
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
    alike: dict[str, str] = {}
    proof: dict[str, str] = {}
    problem: str = ""
    best: int | None = None
    worst: int | None = None


class BoardSection(msgspec.Struct, frozen=True):
    """The runs of one suite that may be ranked against each other, best first; and why they stand apart from others."""

    suite: str
    rows: tuple[BoardRow, ...]
    apart: str = ""


class Board:
    """The rows of all runs of a library, each computed once for every state of its run."""

    def __init__(self, library: Library) -> None:
        self.library = library
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
            results = _live_results(self.library.run(place.id))
        overall: dict[str, Any] = results["overall"]
        probe = bool(plan.streams)
        budget = plan.protocol.get("search", {}).get("budget") if probe else None
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
            alike=_alike(plan, int(overall["n"])),
            proof={key: str(value) for key, value in results.get("proof", {}).items()},
        )

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


def _live_results(run: Run) -> dict[str, Any]:
    from taskloom.run.results import proof_of

    group = run.overall()
    value = group.estimate.value
    return {
        "model": run.name,
        "estimand": run.estimand,
        "proof": proof_of(run),
        "overall": {
            "value": None if isnan(value) else value, "interval": (group.estimate.low, group.estimate.high),
            "n": group.estimate.n, "truncated": group.truncated, "errored": group.errored, "unparsed": group.unparsed,
        },
    }  # fmt: skip


def _alike(plan: Plan, n: int) -> dict[str, str]:
    """What two runs must have in common to be ranked, in words that say what differs."""
    protocol = {key: value for key, value in plan.protocol.items() if key not in _ASIDE}
    return {
        "questions": plan.identity or f"{plan.suite}, seed {plan.data_seed}",
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
    listed = "; ".join(f"{key}: {theirs[:40]} here, {ours[:40]} there" for key, (ours, theirs) in short.items())
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

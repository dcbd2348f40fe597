"""`taskloom probe` against planted truth: recall, precision, false claims and questions, beside those of a prototype.

    python -m benchmarks.frontier                         every kind of model, 10 runs each
    python -m benchmarks.frontier --runs 30 --kinds "3 patterns" "8 patterns"
    python -m benchmarks.frontier --no-items              the same search and answers, without drawing stories

Simulated models (`benchmarks.frontier_models`) answer real items of babi/mix-t12, cell by cell, through the search that
`taskloom probe` runs. Items are drawn once per cell and kept; what varies between runs is the model and its answers.
The answers of these models depend on the cell alone, so `--no-items` gives the same numbers at a tenth of the time.
"covered" is the share of runs in which the intervals of all cells hold the truth at the search's own stopping times.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from random import Random
from statistics import mean
from time import process_time
from typing import NamedTuple

from benchmarks.frontier_models import Planted, plant, true_frontier
from taskloom import open_suite
from taskloom.core import AnyOf, Instance, Row, Task
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell, ItemPair, Lattice
from taskloom.core.study import Table
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.search import CellOrder, Phase, Search, SearchSettings

__all__ = ["PROTOTYPE", "KeptLattice", "Outcome", "outcome_of", "probe_planted"]

PROTOTYPE = {
    "compositional": (3_468, 238),
    "1 pattern, one question": (3_379, 410),
    "3 patterns": (2_733, 1_290),
    "8 patterns": (2_749, 1_139),
    "3 mild": (3_013, 1_752),
    "3, noisy parts": (4_293, 1_764),
    "shortcut by depth": (3_779, 3_908),
    "non-monotone": (2_726, 1_058),
    "eroding": (3_838, 4_830),
}
"""Questions of the prototype, exact and quick, on a lattice of 229 cells."""

PROTOTYPE_CELLS = 229


class KeptLattice(Lattice):
    """A lattice whose items are drawn once and kept, so that many searches cost little."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self._items: dict[tuple[Cell, int | None], tuple[list[Row], Iterator[Row]]] = {}

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return self._lattice.cells

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        key = (cell, size)
        if key not in self._items:
            self._items[key] = ([], self._lattice.stream(cell, 0, size=size))
        kept, more = self._items[key]
        place = 0
        while True:
            if place == len(kept):
                row = next(more, None)
                if row is None:
                    return
                kept.append(row)
            yield kept[place]
            place += 1

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return self._lattice.cell_of(task, instance)

    def size_of(self, instance: Instance) -> int | None:
        return self._lattice.size_of(instance)

    def parts(self, cell: Cell) -> tuple[Cell, ...]:
        return self._lattice.parts(cell)

    def bound(self, row: Row) -> Cell | None:
        return self._lattice.bound(row)

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        return self._lattice.pair(cell, part, 0)


class BareLattice(KeptLattice):
    """A lattice whose items are empty but for their number."""

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        return (Row("none", Instance(f"{number:06d}", "", AnyOf(("yes",)))) for number in count())

    def size_of(self, instance: Instance) -> int | None:
        return None

    def bound(self, row: Row) -> Cell | None:
        return None

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        return ItemPair(next(self.stream(part, seed)), next(self.stream(cell, seed)))


class Outcome(NamedTuple):
    """One search: how much of the frontier it found, how many claims were wrong, and what it cost."""

    must: int
    found: int
    claims: int
    wrong: int
    asked: int
    covered: bool
    seconds: float


def probe_planted(lattice: Lattice, model: Planted, seed: int, phases: tuple[Phase, ...]) -> Probe:
    """Search the frontier of a simulated model with real items."""

    def answer(items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, bool]:
        right = {}
        for place, row in items:
            cell = Cell.parse(cells[place].partition(" @ ")[0])
            chance = Random(f"{seed} {cells[place]} {row.instance.id}").random()
            right[place] = chance < model.rate(cell, row.instance.facets)
        return right

    probe = Probe(lattice, SearchSettings(phases=phases), 0, answer)
    probe.run(f"{model.kind} {seed}")
    return probe


def outcome_of(search: Search, model: Planted, seconds: float = 0.0) -> Outcome:
    """A finished search against the truth."""
    must, may = true_frontier(search.order, lambda cell: model.rate(cell, {}))
    claimed = set(search.claims())
    held = (search.interval(place) for place in range(len(search.order)))
    covered = all(
        low <= model.rate(cell, {}) <= high for cell, (low, high) in zip(search.order.cells, held, strict=True)
    )
    return Outcome(len(must), len(must & claimed), len(claimed), len(claimed - may), search.asked, covered, seconds)


def _row(kind: str, outcomes: Sequence[Outcome], prototype: int, cells: int) -> tuple[str | int | float | None, ...]:
    must, found = sum(each.must for each in outcomes), sum(each.found for each in outcomes)
    claims, wrong = sum(each.claims for each in outcomes), sum(each.wrong for each in outcomes)
    asked = mean(each.asked for each in outcomes)
    return (
        kind,
        len(outcomes),
        found / must if must else None,
        1 - wrong / claims if claims else None,
        sum(each.wrong > 0 for each in outcomes) / len(outcomes),
        sum(each.covered for each in outcomes) / len(outcomes),
        round(asked),
        prototype,
        asked / cells / (prototype / PROTOTYPE_CELLS),
        mean(each.seconds for each in outcomes),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="babi/mix-t12")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed, of items, models and answers")
    parser.add_argument("--kinds", nargs="*", default=list(PROTOTYPE), choices=list(PROTOTYPE))
    parser.add_argument("--phases", nargs="*", default=["exact", "quick"], choices=["exact", "quick"])
    parser.add_argument("--no-items", action="store_true")
    args = parser.parse_args(arguments)
    lattice = (BareLattice if args.no_items else KeptLattice)(lattice_of(open_suite(args.suite, seed=args.first)))
    order = CellOrder.of(lattice)
    columns = (
        "model",
        "runs",
        "recall",
        "precision",
        "runs with a false claim",
        "covered",
        "questions",
        "prototype",
        "per cell, times",
        "CPU s",
    )
    for last in args.phases:
        phases: tuple[Phase, ...] = ("quick", "exact") if last == "exact" else ("quick",)
        rows = []
        for kind in args.kinds:
            outcomes = []
            for seed in range(args.first, args.first + args.runs):
                model = plant(kind, order, seed)
                start = process_time()
                probe = probe_planted(lattice, model, seed, phases)
                outcomes.append(outcome_of(probe.search, model, process_time() - start))
            rows.append(_row(kind, outcomes, PROTOTYPE[kind][last == "quick"], len(order)))
            print(rows[-1], file=sys.stderr, flush=True)
        title = f"{last} on {args.suite}, {len(order)} cells (prototype: {PROTOTYPE_CELLS} cells)"
        note = "per cell: questions per cell, as a multiple of the prototype's; false: share of runs with a false claim"
        print(Table(title, columns, tuple(rows), note).markdown(2) + "\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

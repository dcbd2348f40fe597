"""How often the pooled intervals of finished runs hold the truth, and how many suggestions are right.

    python -m benchmarks.frontier_static                       every kind of model, 3 logs each
    python -m benchmarks.frontier_static --first 50            on seeds of one's choice
    python -m benchmarks.frontier_static --answers 1500 --kinds "last 12 sentences"

Logs have the real counts of babi/mix-t12: its test split is drawn once, and simulated models answer it. The truth of a
cell is the model's rate; for readers that look at more of an item than its cell, the mean rate over all items drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from benchmarks.frontier_models import KINDS, Planted, plant, true_frontier
from taskloom import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.study import Table
from taskloom.studies.frontier.search import CellOrder
from taskloom.studies.frontier.static import CellTable, StaticFrontier, StaticSettings, standardised, study_cells

BANDS = ((0, 0), (1, 5), (6, 20), (21, 10**9))


class Drawn(NamedTuple):
    """Items of a split: their cells by number, and the facets that readers may look at."""

    order: CellOrder
    cell: np.ndarray[Any, np.dtype[np.int64]]
    facets: list[dict[str, int]]


def draw(suite: str, count: int, seed: int = 0) -> Drawn:
    """The first items of a suite's test split."""
    own = open_suite(suite, seed=seed)
    lattice = lattice_of(own)
    order = CellOrder.of(lattice)
    number = {cell: place for place, cell in enumerate(order.cells)}
    cells, facets = [], []
    for row in islice(own.rows("test"), count):
        cell = lattice.cell_of(own.tasks[row.task], row.instance)
        assert cell is not None
        cells.append(number[cell])
        facets.append({name: int(row.instance.facets[name]) for name in ("support_size", "support_age")})  # type: ignore[arg-type]
    return Drawn(order, np.array(cells), facets)


class Score(NamedTuple):
    """One log: (n, width, held) by cell, and suggestions made, right, existing, found."""

    held: list[tuple[int, float, bool]]
    made: int
    right: int
    exist: int
    found: int


def study(drawn: Drawn, model: Planted, seed: int, answers: int) -> Score:
    """A log of simulated answers, pooled, against the truth."""
    rng = np.random.default_rng(seed)
    order = drawn.order
    rates = np.array([model.rate(order.cells[c], f) for c, f in zip(drawn.cell.tolist(), drawn.facets, strict=True)])
    asked = rng.choice(len(rates), min(answers, len(rates)), replace=False)
    right = (rng.random(len(rates)) < rates).astype(float)
    terms = np.stack([standardised([f[name] for f in drawn.facets]) for name in drawn.facets[0]], axis=1)
    table = CellTable(order, drawn.cell[asked], right[asked], np.ones(len(asked)), terms[asked])
    found = study_cells(table, StaticSettings())
    return _score(drawn, model, rates, found)


def _score(drawn: Drawn, model: Planted, rates: Any, found: StaticFrontier) -> Score:
    order = drawn.order
    sums, n = np.zeros(len(order)), np.zeros(len(order))
    np.add.at(sums, drawn.cell, rates)
    np.add.at(n, drawn.cell, 1.0)
    truth = {
        cell: float(sums[k] / n[k]) if model.by_item and n[k] else model.rate(cell, {"support_age": 0})
        for k, cell in enumerate(order.cells)
    }
    held = [
        (state.share.n, state.share.high - state.share.low, state.share.low <= truth[cell] <= state.share.high)
        for cell, state in zip(order.cells, found.cells, strict=True)
        if n[order.cells.index(cell)] or not model.by_item
    ]
    must, may = true_frontier(order, truth.__getitem__)
    claimed = {claim.whole.cell for claim in found.claims}
    enough = {str(order.cells[c]) for c in must if found.cells[c].share.n >= found.settings.fewest}
    right = sum(str(order.cells[c]) in claimed for c in may)
    return Score(held, len(claimed), right, len(enough), len(enough & claimed))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where coverage for n = 1 to 20 falls below 0.93."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="babi/mix-t12")
    parser.add_argument("--items", type=int, default=6_000)
    parser.add_argument("--answers", type=int, default=6_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed, of items, models and answers")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    args = parser.parse_args(arguments)
    drawn = draw(args.suite, args.items, args.first)
    seeds = range(args.first, args.first + args.runs)
    rows, low = [], []
    for kind in args.kinds:
        scores = [study(drawn, plant(kind, drawn.order, seed), seed, args.answers) for seed in seeds]
        cells = [each for score in scores for each in score.held]
        shares = []
        for first, last in BANDS:
            own = [(width, held) for n, width, held in cells if first <= n <= last]
            shares += (
                [sum(held for _, held in own) / len(own), sum(w for w, _ in own) / len(own)] if own else [None] * 2
            )
        few = [held for n, _, held in cells if 1 <= n <= 20]
        low.append(sum(few) / len(few))
        rows.append((kind, *shares, low[-1], *(sum(s[k] for s in scores) for k in range(1, 5))))  # type: ignore[misc]
        print(rows[-1], file=sys.stderr, flush=True)
    names = [
        f"{what} n={a}" if a == b else f"{what} {a}-{b if b < 10**9 else ''}"
        for a, b in BANDS
        for what in ("held", "width")
    ]
    columns = ("model", *names, "held 1-20", "made", "right", "exist", "found")
    title = f"pooled intervals of {args.answers:,} answers on {args.suite}, {args.runs} logs each"
    print(Table(title, columns, tuple(rows)).markdown(2))
    return int(min(low) < 0.93)


if __name__ == "__main__":
    sys.exit(main())

"""Models that do A and do B but not both together, over a loopback server: does `taskloom probe` find the six pairs?

    python -m benchmarks.weave_planted                    20 seeds, 84 cells, 1,400 questions (`make woven-planted`)
    python -m benchmarks.weave_planted --seeds 2 --parts 0.93 --whole 0.5
    python -m benchmarks.weave_planted --no-server        the same search and the same answers without a server

Each seed plants six compositions, each of tasks of two or more families: they, and whatever holds them, are right at
the rate `--whole`, everything else at the rate `--parts`. The server sees definition and input alone, as any model
does, and answers by the key of the items that the lattice draws. A claim is right where the whole is one of the six.

The plain grid asks every cell equally often with the same budget, and claims by exact binomial tests at the same levels
and the same error rate over all cells; a further column gives what it finds with 40 questions per cell.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

from scipy.stats import binom

from benchmarks.loopback import answering
from taskloom import open_suite
from taskloom.core import Instance, Row, Suite, Task
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell, Lattice
from taskloom.core.study import Table
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import CellOrder, SearchSettings

FURTHER = (
    "both(babi/task-2,taskbench/antonyms)", "both(seti/task1-trivial,superni/count_vowels)",
    "both(zest/bridges.material,babi/task-1)", "both(taskbench/is-noun,superni/table_oldest)",
    "both(babi/task-6,superni/longest_word)", "both(zest/bridges.material,taskbench/antonyms)",
    "both(seti/task1-trivial,zest/bridges.material)", "both(taskbench/antonyms,superni/tallest_person)",
    "both(babi/task-1,superni/odd_one_out)", "both(babi/task-2,superni/count_vowels)",
    "both(seti/task1-trivial,superni/table_oldest)",
    "if(taskbench/is-noun,then=babi/task-2,else=superni/tallest_person)",
    "upper(superni/resolve_pronoun)",
)  # fmt: skip
"""Compositions beside the core of the atlas, 84 cells with all parts."""
PAIRS = 6
_CHECKED = 40
"""Questions to each cell with which a grid decides at these rates."""


class PlantedPairs(NamedTuple):
    """The model: its rates, and the cells that fail."""

    seed: int
    parts: float
    whole: float
    planted: frozenset[int]
    failing: frozenset[int]

    def rate(self, cell: int) -> float:
        return self.whole if cell in self.failing else self.parts

    def right(self, cell: int, row: Row) -> bool:
        return Random(f"{self.seed} {row.task} {row.instance.input}").random() < self.rate(cell)


def atlas(seed: int) -> Suite:
    """The core of the atlas and further compositions."""
    core = open_suite("weave/atlas").tasks
    return open_suite("weave/atlas", seed=seed, options={"expressions": [*core, *FURTHER]})


def plant(order: CellOrder, seed: int, parts: float, whole: float) -> PlantedPairs:
    """Six cells over tasks of at least two families fail, and all that hold them."""
    families = [{atom.partition("/")[0] for atom in cell.atoms if "/" in atom} for cell in order.cells]
    crossing = [place for place, own in enumerate(families) if len(own) > 1]
    planted = frozenset(Random(f"planted {seed}").sample(crossing, PAIRS))
    above = frozenset(place for place in range(len(order)) for each in planted if order.below[place, each])
    return PlantedPairs(seed, parts, whole, planted, planted | above)


class AnswerKey(Lattice):
    """The lattice of a suite, which remembers every item that it gives: from definition and input to cell and item."""

    def __init__(self, suite: Suite) -> None:
        self._suite, self._own = suite, lattice_of(suite)
        self._known: dict[str, list[tuple[int, Row]]] = {}

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._own.cells)

    def parts(self, cell: Cell) -> tuple[Cell, ...]:
        return self._own.parts(cell)

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return self._own.cell_of(task, instance)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        place = self.cells.index(cell)
        for row in self._own.stream(cell, seed, size=size):
            self._known.setdefault(row.instance.input, []).append((place, row))
            yield row

    def find(self, told: str, text: str) -> tuple[int, Row]:
        """The cell and the item of a prompt."""
        fitting = [
            (len(definition), place, row) for place, row in self._known[text] for definition in self._said(row.task)
            if told.startswith(definition)
        ]  # fmt: skip
        _, place, row = max(fitting, key=lambda each: each[0])
        return place, row

    def _said(self, task: str) -> tuple[str, str]:
        """A definition as it is, and without the question that prompts leave out where the input repeats it."""
        definition = self._suite.tasks[task].instruction.definition
        return definition, re.sub(r"(?<=about it): [A-Z][^?]*\?", ".", definition)


def served(model: PlantedPairs, key: AnswerKey) -> AbstractContextManager[str]:
    """The address of a server that answers as the model does."""
    lock = threading.Lock()

    def answer(body: dict[str, Any]) -> str:
        told, *_, asked = body["messages"]
        with lock:
            cell, row = key.find(told["content"], asked["content"])
        return row.instance.targets.canonical() if model.right(cell, row) else "I do not know"

    return answering(answer)


def probed(suite: Suite, order: CellOrder, key: AnswerKey, model: PlantedPairs, budget: int) -> tuple[set[int], int]:
    """The cells that a probe claims, and how many questions it asked."""
    with served(model, key) as address, tempfile.TemporaryDirectory() as folder:
        options = {"base_url": address, "api_key": "none"}
        settings = RunSettings(model="openai/planted", model_options=options, cache=False)
        search = SearchSettings(budget=budget, phases=("quick", "exact"))
        found = probe_model(replace(suite, lattice=lambda _: key), Path(folder) / "probe", settings, search)
    number = {str(cell): place for place, cell in enumerate(order.cells)}
    return {number[claim.whole.cell] for claim in found.claims}, found.asked


def searched(suite: Suite, key: AnswerKey, model: PlantedPairs, budget: int) -> tuple[set[int], int]:
    """The same search and the same answers, without a server."""

    def answer(items: list[tuple[int, Row]], cells: dict[int, str]) -> dict[int, bool]:
        named = {str(cell): place for place, cell in enumerate(key.cells)}
        return {place: model.right(named[cells[place].partition(" @ ")[0]], row) for place, row in items}

    probe = Probe(key, SearchSettings(budget=budget, phases=("quick", "exact")), suite.seed, answer)
    probe.run(f"seed {model.seed}")
    return set(probe.search.claims()), probe.search.asked


def gridded(order: CellOrder, model: PlantedPairs, each: int) -> set[int]:
    """The cells that a grid of so many questions per cell claims, with the levels and the error rate of the search."""
    settings = SearchSettings()
    level = settings.alpha / len(order)
    rng = Random(f"grid {model.seed} {each}")
    right = [sum(rng.random() < model.rate(cell) for _ in range(each)) for cell in range(len(order))]
    mastered = [binom.sf(number - 1, each, settings.low) <= level for number in right]
    fails = [binom.cdf(number, each, settings.high) <= level for number in right]
    claimed = (cell for cell, parts in enumerate(order.parts) if parts and all(mastered[part] for part in parts))
    return {cell for cell in claimed if fails[cell]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where a planted pair is missed or more seeds have a false claim than their error rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--budget", type=int, default=1_400)
    parser.add_argument("--parts", type=float, default=0.97)
    parser.add_argument("--whole", type=float, default=0.15)
    parser.add_argument("--no-server", action="store_true", help="the same search and answers, in this process")
    args = parser.parse_args(arguments)
    rows: list[tuple[str | int | float | None, ...]] = []
    false = missed = 0
    for seed in range(args.first, args.first + args.seeds):
        start = process_time()
        suite = atlas(seed)
        key = AnswerKey(suite)
        order = CellOrder.of(key)
        model = plant(order, seed, args.parts, args.whole)
        if args.no_server:
            claimed, asked = searched(suite, key, model, args.budget)
        else:
            claimed, asked = probed(suite, order, key, model, args.budget)
        grid, larger = (gridded(order, model, each) for each in (args.budget // len(order), _CHECKED))
        wrong = len(claimed - model.planted)
        false, missed = false + (wrong > 0), missed + len(model.planted - claimed)
        rows.append(
            (seed, len(order), asked, len(claimed & model.planted), wrong, len(grid & model.planted),
             len(grid - model.planted), len(larger & model.planted), round(process_time() - start, 1))
        )  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    columns = ("seed", "cells", "questions", "found of 6", "false", "grid, same budget", "false (grid)",
               f"grid, {_CHECKED} per cell", "CPU s")  # fmt: skip
    title = f"planted pairs: parts {args.parts}, wholes {args.whole}, at most {args.budget:,} questions"
    print(Table(title, columns, tuple(rows)).markdown(2))
    most = max(asked for _, _, asked, *_ in rows)  # type: ignore[type-var]
    print(f"\n{PAIRS * len(rows) - missed} of {PAIRS * len(rows)} pairs found, at most {most:,} questions; "
          f"{false} of {len(rows)} searches with a false claim")  # fmt: skip
    allowed = int(binom.ppf(0.999, len(rows), SearchSettings().alpha))
    return int(missed > 0 or false > allowed)


if __name__ == "__main__":
    sys.exit(main())

"""A lattice and simulated models with known truth, for tests of the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, count
from pathlib import Path
from random import Random
from typing import Any

from taskloom.adapt.make import make_adaptation
from taskloom.ask import Judge
from taskloom.core import AnyOf, Family, Instance, Instruction, Recipe, Row, Suite, SuiteSpec, Task
from taskloom.core.catalog import ENCODINGS
from taskloom.core.cells import Cell, GuessingLevel, Lattice
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Request
from taskloom.run.log import RunLog
from taskloom.run.session import RunSettings, Session
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.frontier.probe import Probe, Prober
from taskloom.studies.frontier.run import frontier_of
from taskloom.studies.frontier.search import SearchSettings

ATOMS = ("coref", "drop", "give", "grab", "move", "negate")
TASK = Task("t", Instruction("Say right."))
Rate = Callable[[Cell, int], float]


class SmallLattice(Lattice):
    """Every combination of up to three atoms under two questions."""

    @cached_property
    def cells(self) -> Sequence[Cell]:
        sets = [atoms for size in (1, 2, 3) for atoms in combinations(ATOMS, size)]
        return sorted(Cell(question, atoms) for question in ("where", "who") for atoms in sets)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        for number in count():
            length = size if size is not None else len(cell.atoms) * 2
            text = f"{cell} {seed} {number} {size}"
            yield Row("t", Instance(text, text, AnyOf(("right",)), {"size": length}, {}, {"cell": str(cell)}))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return Cell.parse(instance.details["cell"])

    def guessing(self, rows: Sequence[Row]) -> GuessingLevel | None:
        return GuessingLevel(0.1, 0.1)  # the one right word of this world is no answer that could be guessed

    def size_of(self, instance: Instance) -> int | None:
        return int(instance.facets["size"])  # type: ignore[arg-type]


def suite() -> Suite:
    return Suite("planted/world", {}, 0, {"t": TASK}, {"test": 0}, lambda split: iter(()), {"size": int}).identified(
        "world"
    )


class SimulatedModel(Model):
    """Answers right at the rate of the item's cell and size, drawn by the item."""

    def __init__(self, rate: Rate, seed: int = 0) -> None:
        self.identity = Identity("simulated")
        self.limits = Limits(batch=64)
        self.rate = rate
        self.seed = seed
        self.asked = 0

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        self.asked += len(requests)
        outputs = []
        for request in requests:
            instance = request.instance
            rate = self.rate(Cell.parse(instance.details["cell"]), int(instance.facets["size"]))
            outputs.append(Output("right" if Random(f"{self.seed} {instance.id}").random() < rate else "wrong"))
        return outputs


def failing(*patterns: tuple[str, ...], bad: float = 0.15, good: float = 0.98) -> Rate:
    """A model that fails where all atoms of a pattern meet."""
    return lambda cell, size: bad if any(set(pattern) <= set(cell.atoms) for pattern in patterns) else good


def probed(
    folder: Path,
    rate: Rate,
    seed: int = 0,
    model: SimulatedModel | None = None,
    targets: Sequence[Cell] = (),
    **settings: Any,
) -> tuple[Frontier, SimulatedModel]:
    """The frontier of a simulated model, through the real loop, log included."""
    own, model = suite(), model or SimulatedModel(rate, seed)
    with RunLog(folder) as log:
        encoding, judge = ENCODINGS.get("plain"), Judge(own.tasks.values())
        unfitted = make_adaptation("none", {})
        session = Session(own, RunSettings(model="simulated"), model, encoding, unfitted, judge, Generation())
        prober = Prober(session, encoding, log)
        probe = Probe(SmallLattice(), SearchSettings(**settings), seed, prober.answer, targets=targets)
        probe.run("test")
        found = frontier_of(probe, suite=own.name, model="simulated", seed=seed)
        log.finish()
    found.save(folder)
    return found, model


class PlantedFamily(Family):
    """A family with nothing but a lattice, for verbs that look it up by name."""

    name = "planted"
    title = "a small lattice"
    citation = "none"

    def suites(self):
        return {"world": SuiteSpec("a world", Recipe(), lambda name, recipe, seed: suite())}

    def lattice(self, suite: Suite) -> Lattice:
        return SmallLattice()


FAMILY = PlantedFamily()

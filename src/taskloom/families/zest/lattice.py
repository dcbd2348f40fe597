"""The lattice of ZEST: base tasks, and how the other tasks are made of them.

A cell is a set of base tasks of one domain and the form that joins them: "ships: armed+length.45+and". Its parts are
the base tasks themselves and records of fewer values. A base task alone is a cell without a form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from taskloom.core import Cell, Instance, Lattice, PlainWords, Row, Suite, Task, UserError
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.generate import Generator
from taskloom.families.zest.recipe import FictionalRecipe

_LEAST_FACTS, _MOST_FACTS = 3, 11


def _cell(domain: str, name: str, derives_from: Sequence[str], form: str) -> Cell:
    atoms = [base.removeprefix(f"{domain}.") for base in derives_from or (name,)]
    return Cell(domain, tuple(sorted([*atoms, *([form] if form != "base" else [])])))


class ZestLattice(Lattice):
    """The cells of a generated suite.

    Args:
        suite: The suite; its recipe and seed decide the tasks.
    """

    sized_by = "facts"

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._name = suite.name
        self._generator = Generator(msgspec.convert(dict(suite.recipe), FictionalRecipe), suite.seed)

    @cached_property
    def _tasks(self) -> dict[Cell, list[PlannedTask]]:
        found: dict[Cell, list[PlannedTask]] = {}
        for task in self._generator.planned.values():
            found.setdefault(_cell(task.domain, task.name, task.derives_from, task.form), []).append(task)
        return found

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return tuple(sorted(self._tasks))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        facets = task.facets
        form, domain, derives = facets.get("form"), facets.get("domain"), facets.get("derives_from")
        if not isinstance(form, str) or not isinstance(domain, str) or not isinstance(derives, tuple | list):
            return None
        return _cell(domain, task.name, [str(name) for name in derives], form)

    def explain(self, name: str) -> PlainWords:
        """A base task by the question that it asks."""
        if name in self.glossary or name not in self._named:
            return super().explain(name)
        definition = self._suite.tasks[self._named[name]].instruction.definition
        asked = definition.partition(": ")[2].partition("? ")[0] + "?"
        return PlainWords(name.replace(".", " ").replace("-", " "), "A question about one value of the passage.", asked)

    @cached_property
    def _named(self) -> dict[str, str]:
        """The base task of each atom."""
        planned = self._generator.planned.values()
        own = {task.name.removeprefix(f"{task.domain}."): task.name for task in planned if task.form == "base"}
        return {atom: name for atom, name in own.items() if name in self._suite.tasks}

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        tasks = self._tasks.get(cell)
        if tasks is None:
            raise UserError(f"no task of {self._name} is made of {cell}")
        if size is not None and not _LEAST_FACTS <= size <= _MOST_FACTS:
            raise UserError(f"a passage states {_LEAST_FACTS} to {_MOST_FACTS} facts, not {size}")
        return self._rows(tasks, seed, size)

    def _rows(self, tasks: list[PlannedTask], seed: int, size: int | None) -> Iterator[Row]:
        """Wordings of one question by turns; the generator says when its names run out."""
        index = 0
        while True:
            for task in tasks:
                yield self._generator.fresh(task, f"stream-{seed}-{size or 0}-{task.name}", index, size)
            index += 1

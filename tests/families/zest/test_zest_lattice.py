"""Cells of base tasks and the forms that join them, with endless fresh items."""

from __future__ import annotations

from itertools import islice

import pytest

from taskloom.core import Cell, UserError, open_suite
from taskloom.core.catalog import FAMILIES

SMALL = {"train": 60, "dev": 20, "test": 60, "passages": 3, "surplus": 0}


def _open():
    suite = open_suite("zest/fictional", seed=3, options=SMALL)
    return suite, FAMILIES.get("zest").lattice(suite)


def test_every_task_has_a_cell_and_parts_are_base_tasks() -> None:
    suite, lattice = _open()
    for split in suite.splits:
        for row in suite.rows(split):
            cell = lattice.cell_of(suite.tasks[row.task], row.instance)
            assert cell in lattice.cells and Cell.parse(str(cell)) == cell
            assert lattice.size_of(row.instance) == row.instance.facets["facts"]
    joined = [cell for cell in lattice.cells if len(cell.atoms) > 2]
    assert joined
    for cell in joined:
        assert all(part.question == cell.question and set(part.atoms) < set(cell.atoms) for part in lattice.parts(cell))
        assert len(lattice.parts(cell)) >= 2


def test_streams_are_fresh_items_of_exactly_one_cell() -> None:
    suite, lattice = _open()
    texts = {row.instance.parts["passage"] for split in suite.splits for row in suite.rows(split)}
    texts |= {e.input.partition("\n\n")[0] for task in suite.tasks.values() for e in task.instruction.positive}
    for cell in lattice.cells[::12]:
        first = list(islice(lattice.stream(cell, 7), 12))
        assert list(islice(lattice.stream(cell, 7), 12)) == first
        found = {row.instance.parts["passage"] for row in first}
        assert len(found) == 12 and not found & texts
        assert not found & {row.instance.parts["passage"] for row in islice(lattice.stream(cell, 8), 12)}
        assert all(lattice.cell_of(suite.tasks[row.task], row.instance) == cell for row in first)


def test_the_number_of_facts_can_be_held_fixed() -> None:
    _, lattice = _open()
    sizes = {row.instance.facets["facts"] for row in islice(lattice.stream(lattice.cells[0], 1, size=5), 30)}
    assert max(sizes) <= 6


def test_cells_that_cannot_be_drawn_say_so() -> None:
    _, lattice = _open()
    with pytest.raises(UserError, match="no task"):
        lattice.stream(Cell("ships", ("sails",)), 1)
    with pytest.raises(UserError, match="facts"):
        lattice.stream(lattice.cells[0], 1, size=40)

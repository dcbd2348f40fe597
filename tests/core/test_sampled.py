"""Suites whose generators take no requests have the cells of their rows, and fresh items from other seeds."""

from __future__ import annotations

from itertools import islice

import pytest

from taskloom import UserError, open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell

SMALL = {"train": 200, "dev": 20, "test": 60}


@pytest.mark.parametrize(("number", "cells"), [(7, 3), (15, 1)])
def test_an_original_task_can_be_probed(number, cells):
    suite = open_suite(f"babi/task-{number}", options=SMALL)
    lattice = lattice_of(suite)
    assert len(lattice.cells) >= cells
    known = {row.instance.input for split in suite.splits for row in suite.rows(split)}
    for cell in lattice.cells[:3]:
        rows = list(islice(lattice.stream(cell, 1), 12))
        assert {lattice.cell_of(suite.tasks[row.task], row.instance) for row in rows} == {cell}
        assert not known & {row.instance.input for row in rows}
        assert len({row.instance.id for row in rows}) == 12
        assert rows == list(islice(lattice.stream(cell, 1), 12)) != list(islice(lattice.stream(cell, 2), 12))


def test_what_a_task_does_not_ask_is_refused():
    with pytest.raises(UserError, match="needs exactly"):
        lattice_of(open_suite("babi/task-15", options=SMALL)).stream(Cell("deduction", ("x",)), 0)

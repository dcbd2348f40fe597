"""The sampler of what is next to learn."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

from planted import SmallLattice
from taskloom.core import UserError, resolve
from taskloom.core.cells import Cell
from taskloom.studies.frontier.next import NextCells, NextSettings, missing_cells
from taskloom.studies.frontier.order import CellOrder

ORDER = CellOrder.of(SmallLattice())


def taught(seed, rounds=4_000):
    """A learner that gains on what it sees as soon as it knows the parts."""
    chooser, rng = NextCells(ORDER, seed=seed), Random(seed)
    skill = {cell: 0.7 if len(cell.atoms) == 1 else 0.05 for cell in ORDER.cells}
    seen = Counter()
    for _ in range(rounds):
        (cell,) = chooser.draw(1)
        seen[cell] += 1
        parts = [ORDER.cells[part] for part in ORDER.parts[ORDER.cells.index(cell)]]
        if all(skill[part] > 0.6 for part in parts):
            skill[cell] = min(0.98, skill[cell] + 0.04)
        chooser.observe(cell, float(rng.random() < skill[cell]))
    return skill, seen, chooser


def test_it_is_the_same_for_the_same_answers():
    assert taught(1, 300)[1] == taught(1, 300)[1]
    assert taught(1, 300)[1] != taught(2, 300)[1]


def test_a_learner_climbs_faster_than_by_chance():
    skill, seen, chooser = taught(0)
    assert sum(value > 0.9 for value in skill.values()) > 0.9 * len(skill)
    assert min(seen.values()) > 0
    assert sum(chooser.weights()) == pytest.approx(1.0)


def test_rows_come_from_the_cells_that_were_drawn():
    lattice = SmallLattice()
    found = list(islice(NextCells(ORDER, seed=5).rows(lattice, 5), 30))
    assert all(row.instance.details["cell"] == str(cell) for cell, row in found)
    assert len({row.instance.id for _, row in found}) == 30


def test_only_smallest_failing_cells_with_mastered_parts_are_missing():
    failing = [Cell("who", ("coref", "move")), Cell("who", ("coref", "drop", "move"))]
    mastered = [cell for cell in ORDER.cells if cell not in failing]
    assert missing_cells(ORDER, failing, mastered) == [failing[0]]
    assert missing_cells(ORDER, failing, []) == []


@pytest.mark.parametrize("wrong", [{"target": 1.0}, {"explore": 2.0}, {"memory": 0.5}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UserError):
        resolve(NextSettings(), wrong, where="next")

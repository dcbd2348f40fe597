"""Novel or trained is told against the rows that a model was fitted to."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.run.runner import RunSettings, launch
from taskloom.studies.frontier.claims import Claim, Share
from taskloom.studies.frontier.result import CellState, Frontier
from taskloom.studies.frontier.training import against_training

WORLD = {"events": ["move", "grab"], "constructs": ["coref"], "questions": ["where-person"], "support": [1, 2]}


def cell(atoms):
    share = Share(f"where-person: {atoms}", 1.0, 0.5, 1.0, 9)
    return CellState("where-person", tuple(atoms.split("+")), "mastered", share, True)


@pytest.mark.parametrize(
    ("name", "options", "trained"),
    [
        ("babi/custom", {**WORLD, "coref": {"move": 1.0}, "train": 60}, [True, True, False]),
        ("babi/task-1", {"train": 20}, [True, False, False]),
    ],
)
def test_a_combination_that_training_lacks_is_novel(tmp_path, name, options, trained):
    launch(open_suite(name, seed=1, options=options), tmp_path / "fitted", RunSettings(model="mock/oracle", limit=2))
    lattice = lattice_of(open_suite("babi/custom", seed=1, options={**WORLD, "coref": {"move": 1.0, "grab": 1.0}}))
    cells = (cell("move"), cell("coref+move"), cell("coref+grab+move"))
    claim = Claim(cells[2].share, (cells[1].share,), trained=True)
    found = Frontier(suite="babi/custom", model="m", cells=cells, claims=(claim,))
    told = against_training(found, f"run/{tmp_path / 'fitted'}", lattice)
    assert [each.trained for each in told.cells] == trained
    assert told.claims[0].trained is False
    assert against_training(found, "mock/oracle", lattice) == found


def test_a_suite_without_training_rows_changes_nothing(tmp_path):
    launch(open_suite("babi/mix-t2", seed=1), tmp_path, RunSettings(model="mock/oracle", limit=2))
    suite = open_suite("babi/custom", seed=1, options=WORLD)
    found = Frontier(suite="babi/custom", model="m", cells=(cell("move"),))
    assert against_training(found, f"run/{tmp_path}", lattice_of(suite)) == found

"""Novel or trained is told against the suite that a model was fitted to."""

from __future__ import annotations

from taskloom.core import open_suite
from taskloom.run.runner import RunSettings, launch
from taskloom.studies.frontier.claims import Claim, Share
from taskloom.studies.frontier.result import CellState, Frontier
from taskloom.studies.frontier.training import against_training

WORLD = {"events": ["move", "grab"], "constructs": ["coref"], "questions": ["where-person"], "support": [1, 2]}
SIZES = {"train": 4, "dev": 4, "test": 4}


def cell(atoms):
    return CellState(
        "where-person", tuple(atoms.split("+")), "mastered", Share(f"where-person: {atoms}", 1, 0, 1, 9), True
    )


def test_a_combination_that_the_fitted_suite_lacks_is_novel(tmp_path):
    fitted = open_suite("babi/custom", seed=1, options={**WORLD, **SIZES, "coref": {"move": 1.0}})
    launch(fitted, tmp_path / "fitted", RunSettings(model="mock/oracle"))
    cells = (cell("move"), cell("coref+move"), cell("coref+grab+move"))
    claim = Claim(cells[2].share, (cells[1].share,), trained=True)
    found = Frontier(suite="babi/custom", model="m", cells=cells, claims=(claim,))
    told = against_training(found, f"run/{tmp_path / 'fitted'}")
    assert [each.trained for each in told.cells] == [True, True, False]
    assert told.claims[0].trained is False
    assert against_training(found, "mock/oracle") == found


def test_a_suite_without_combinations_changes_nothing(tmp_path):
    launch(open_suite("babi/task-1", seed=1), tmp_path, RunSettings(model="mock/oracle", limit=2))
    found = Frontier(suite="babi/custom", model="m", cells=(cell("move"),))
    assert against_training(found, f"run/{tmp_path}") == found

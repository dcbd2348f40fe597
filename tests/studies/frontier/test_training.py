"""Novel or trained is told against the rows that a model was fitted to."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.claims import CellState, Claim, Frontier, Share
from taskloom.studies.frontier.run import against_training, probe

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
@pytest.mark.slow
def test_a_combination_that_training_lacks_is_novel(tmp_path, name, options, trained):
    one_step = {"updates": 1, "epochs": 1, "dev": "none", "test": "none"}
    settings = RunSettings(model="tiny/entnet", adapt="finetune", adapt_options=one_step, limit=2)
    launch(open_suite(name, seed=1, options={**options, "test": 2}), tmp_path / "fitted", settings)
    lattice = lattice_of(open_suite("babi/custom", seed=1, options={**WORLD, "coref": {"move": 1.0, "grab": 1.0}}))
    cells = (cell("move"), cell("coref+move"), cell("coref+grab+move"))
    claim = Claim(cells[2].share, (cells[1].share,), trained=True)
    found = Frontier(suite="babi/custom", model="m", cells=cells, claims=(claim,))
    told = against_training(found, f"run/{tmp_path / 'fitted'}", lattice)
    assert [each.trained for each in told.cells] == trained
    assert told.claims[0].trained is False
    for other in ("mock/oracle", "hf/gpt2", "openai/gpt-4o", "outputs/answers.jsonl", "packaged/smollm2"):
        assert against_training(found, other, lattice) == found


def test_an_adapted_model_is_not_called_by_the_name_of_the_one_it_comes_from(tmp_path):
    one_step = {"updates": 1, "epochs": 1, "dev": "none", "test": "none"}
    settings = RunSettings(model="tiny/entnet", adapt="finetune", adapt_options=one_step, limit=2)
    launch(open_suite("babi/task-1", options={"train": 20, "test": 2}), tmp_path / "fitted", settings)
    found = probe("babi/mix-t2", model=f"run/{tmp_path / 'fitted'}", folder=tmp_path / "probe", budget=8)
    assert found.model == load_run(tmp_path / "probe").name == "tiny/entnet + finetune"


def test_a_run_that_fitted_nothing_changes_nothing(tmp_path):
    launch(open_suite("babi/mix-t2", seed=1), tmp_path, RunSettings(model="mock/oracle", limit=2))
    suite = open_suite("babi/custom", seed=1, options=WORLD)
    found = Frontier(suite="babi/custom", model="m", cells=(cell("move"),))
    assert against_training(found, f"run/{tmp_path}", lattice_of(suite)) == found

"""The notebook of one figure of each paper: settings resolve, runs can be planned, and a step of each is taken."""

from __future__ import annotations

import msgspec
import pytest
from scripts.build_figures import FIGURES, PAGE, notebook

from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import paper_of, recipe_for
from taskloom.studies.grid import InProcess, RunStore

SMALL = {
    "taskbench/memorise": {"train": 20, "dev": 0},
    "superni/scaling": {"instances": 2, "dev_instances": 1, "tasks": 4, "languages": ["English"], "families": False},
    "seti/systematicity": {"size": "small"},
    "zest/competence": {"train": 4, "dev": 4, "test": 4, "passages": 2, "surplus": 0},
    "babi/inoculate": {"train": 40, "dev": 10, "test": 10, "mix": 0},
}
"""Data of the same kind that a step is soon taken on."""


def test_the_notebook_is_the_one_that_is_kept():
    assert PAGE.read_text(encoding="utf-8") == notebook()
    assert {paper_of(one.study).citation for one in FIGURES} == {paper_of(name).citation for name in SMALL}
    assert len({paper_of(one.study).citation for one in FIGURES}) == 5


@pytest.mark.parametrize("cell", FIGURES, ids=lambda cell: cell.study)
def test_every_figure_is_a_training_of_the_paper_on_one_gpu(cell):
    study = STUDIES.get(cell.study)
    recipe = recipe_for(study, "paper", cell.settings)
    bases = [next(arm.line()) for arm in study.grid(recipe, 0)]
    trained = [arm for arm in bases if arm.trains]
    assert trained
    assert {arm.run.model.partition("/")[0] for arm in trained} == {"hf"}
    # Nothing of them is larger than what fits on one GPU.
    assert all("11b" not in arm.run.model and "xxl" not in arm.run.model for arm in trained)
    assert all(arm.run.adapt_options.get("recipe") for arm in trained)


@pytest.mark.proof
@pytest.mark.parametrize("cell", FIGURES, ids=lambda cell: cell.study)
def test_one_step_of_every_figure_is_taken(cell, tmp_path):
    pytest.importorskip("torch")
    study = STUDIES.get(cell.study)
    recipe = recipe_for(study, "paper", cell.settings)
    arm = next(one for arm in study.grid(recipe, 0) for one in arm.line() if one.trains)
    model = "tiny/bert-1m" if "roberta" in arm.run.model else "tiny/t5-1m"
    step = {"updates": 1, "batch": 2, "evaluate_updates": 1, "evaluate_limit": 2, "precision": "fp32", "max_output": 16}
    fitted = {**arm.run.adapt_options, **step, "patience": None}
    run = msgspec.structs.replace(arm.run, model=model, model_options={}, adapt_options=fitted, limit=1)
    run = msgspec.structs.replace(run, generation={**run.generation, "max_tokens": 4, "beams": 1})
    small = msgspec.structs.replace(arm, run=run, options={**arm.options, **SMALL[cell.study]})
    assert RunStore(tmp_path).fill([small], InProcess())["done"] == 1

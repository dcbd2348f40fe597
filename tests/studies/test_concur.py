"""Concurrence with a data set of one's own: every model is fitted to it, asked it, and ranked by both."""

from __future__ import annotations

import pytest

from taskloom import open_suite
from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.hosts.squad import write_squad
from taskloom.studies.experiment import recipe_for, run_study
from taskloom.studies.grid import RunStore

MOCKS = ("mock/oracle", "mock/majority", "mock/random", "mock/constant")


@pytest.fixture
def files(tmp_path):
    suite = open_suite("babi/task-1", seed=1, options={"train": 60, "dev": 0, "test": 40})
    found = {split: str(tmp_path / f"{split}-v1.1.json") for split in ("train", "test")}
    for split, path in found.items():
        write_squad(suite.rows(split), path, suite.tasks)
    return found


def test_models_are_ranked_by_files_in_the_format_of_squad(files, tmp_path):
    study = STUDIES.get("concur")
    recipe = recipe_for(study, "smoke", {"squad": files}, MOCKS)
    result = run_study(study, recipe, shelf=RunStore(tmp_path / "shelf"))
    scores, *_ = result.findings.tables
    named = [dict(zip(scores.columns, row, strict=True)) for row in scores.rows]
    by_model = {row["model"]: row["test-v1.1.json"] for row in named}
    assert by_model["mock/oracle"] == 1.0
    # The majority is of the file's own training answers, and a constant is none of them.
    assert 0.0 < by_model["mock/majority"] < 1.0
    assert by_model["mock/constant"] == 0.0
    assert 0.0 < named[0]["chance of test-v1.1.json"] < named[0]["majority of test-v1.1.json"] < 1.0
    assert "test-v1.1.json" in result.findings.checks[0].claim


def test_a_model_that_learns_is_fitted_to_each_benchmark_by_itself(files):
    study = STUDIES.get("concur")
    recipe = recipe_for(study, "tiny", {"squad": files}, ["tiny/bidaf"])
    lines = {arm.factors["benchmark"]: [one.suite for one in arm.line()] for arm in study.grid(recipe, 0)}
    assert lines == {"first": ["babi/concat-t7", "babi/mix-t7"], "second": ["zest/squad"]}
    assert {arm.trains for arm in study.grid(recipe, 0) if arm.suite == "zest/squad"} == {True}


@pytest.mark.parametrize("given", [{"squad": {"train": "a"}}, {"squad": {"test": "a"}, "outside": "b"}])
def test_a_benchmark_is_given_once(given):
    with pytest.raises(UserError, match="squad"):
        recipe_for(STUDIES.get("concur"), "smoke", given)

"""The tables of ZEST at a small size."""

from __future__ import annotations

import pytest

from taskloom.core import resolve
from taskloom.core.catalog import STUDIES
from taskloom.core.metric import Estimate
from taskloom.score.metrics import CompetenceRow
from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.grid import RunStore
from taskloom.studies.zest import over_runs

SMALL = {"train": 60, "dev": 20, "test": 60, "passages": 6, "surplus": 0}
FEW = {"train": 12, "dev": 12, "test": 30, "passages": 5, "surplus": 0}


def test_statistics_have_their_published_counterparts():
    study = STUDIES.get("zest/tables")
    (table,) = study.run(resolve(study.recipe, {"options": SMALL}, where="test"), 5, None)
    statistics = {row[0]: row for row in table.rows}
    assert statistics["tasks"][1:] == (60, 20, 60, 538, 114, 599)
    assert statistics["(task, passage) pairs"][1:4] == (360, 120, 360)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    study = STUDIES.get("zest/competence")
    assert isinstance(study, Experiment)
    models = ["mock/oracle", "reading/na", "reading/yes", "reading/longest-overlap"]
    recipe = recipe_for(study, "tiny", {"options": FEW, "seeds": 1, "inputs": ["both", "question", "passage"]}, models)
    result = run_study(study, recipe, seed=5, shelf=RunStore(tmp_path_factory.mktemp("shelf")))
    return result.findings


@pytest.mark.slow
def test_competence_has_its_published_counterparts(tables):
    competence = {(row[0], row[2], row[3]): row[4:] for row in tables.tables[0].rows}
    oracle = competence["mock/oracle", "test", "overall"]
    assert (oracle[0], oracle[3], oracle[6]) == (1.0, 1.0, 1.0)
    # Saying n/a does the tasks whose passages are all silent, and no others.
    silent = competence["reading/na", "test", "overall"]
    assert 0 < silent[0] < 0.4
    assert silent[0] == silent[3] == silent[6]
    assert competence["reading/yes", "test", "overall"][11:] == ("T5-11B", 0.55, 0.28, 0.11)
    assert competence["reading/yes", "dev", "flip"][11:] == ("T5-11B", 0.56, 0.27, 0.09)


@pytest.mark.slow
def test_ablations(tables):
    ablations = {row[:2]: row for row in tables.tables[1].rows}
    assert ("question only", "mock/oracle") not in ablations
    assert ablations["context only", "reading/longest-overlap"][2] < 0.3
    # Without a passage the baseline says yes, or n/a where the question is open: right where every passage is silent.
    assert ablations["question only", "reading/longest-overlap"][2] >= ablations["full data", "reading/yes"][2]


@pytest.mark.slow
def test_errors_are_sorted(tables):
    errors = {row[0]: row for row in tables.tables[2].rows}
    assert errors["mock/oracle"][2] == 0
    assert errors["reading/na"][3:] == (1.0, 0.0, 0.0, 0.0)
    assert sum(errors["reading/longest-overlap"][3:]) > 0.999


@pytest.mark.slow
def test_structures_are_looked_at(tables):
    structures = {row[0]: row for row in tables.tables[3].rows}
    assert structures["mock/oracle"][2] == 0
    assert structures["reading/yes"][2] == structures["reading/yes"][1] > 0
    assert all(row[4] == 0 for row in tables.tables[3].rows)


def test_seeds_that_agree_by_chance_still_have_an_interval_over_tasks():
    fifth = Estimate(0.2, 0.0, 0.5, 5)
    rows = [CompetenceRow("flip", fifth, {0.75: fifth, 0.9: fifth}, 5) for _ in range(3)]
    for found in over_runs(rows):
        assert found.low < 0.1 < 0.2 < 0.3 < found.high


@pytest.mark.slow
def test_the_papers_model_stands_beside_ours(tables):
    (figure,) = tables.figures
    published = {point.name: point.value for point in figure.points if point.published}
    assert published["overall"] == 0.11

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.report.comparison import Side, compare_sides
from taskloom.run.pool import compare_runs, group_replicates, pooled
from taskloom.run.results import Run, load_run
from taskloom.run.runner import RunSettings, launch
from toy import FAMILY


def run(tmp_path, name: str, data: int = 1, seed: int = 0, weigh: str = "tasks", **options) -> Run:
    folder = tmp_path / f"{name}-{data}-{seed}"
    if not folder.exists():
        settings = RunSettings(model=f"mock/{name}", model_options=options, run_seed=seed, cache=False)
        launch(FAMILY.open("all", data, {"test": 20}), folder, settings)
    return load_run(folder, weigh=weigh)


def test_runs_that_differ_in_seeds_alone_are_replicates(tmp_path):
    runs = [run(tmp_path, "oracle", data) for data in (1, 2, 3)] + [run(tmp_path, "copy-input")]
    groups = group_replicates(runs)
    assert [len(group) for group in groups] == [3, 1]
    assert len({score.seed for one in groups[0] for score in one.scored(one.records)}) == 3
    row = pooled(groups[0], "oracle")
    assert (row.estimate.value, row.estimate.n) == (1.0, sum(one.overall().estimate.n for one in groups[0]))
    assert group_replicates([runs[0], runs[0]]) == [[runs[0]]]


@pytest.mark.parametrize("weigh", ["tasks", "instances"])
def test_the_difference_agrees_with_the_table(tmp_path, weigh):
    one, two = run(tmp_path, "copy-input", weigh=weigh), run(tmp_path, "oracle", weigh=weigh)
    outcome = compare_runs([one], [two])
    expected = two.overall().estimate.value - one.overall().estimate.value
    assert outcome.difference == pytest.approx(expected)
    assert weigh[:-1] in one.estimand


def test_a_report_says_which_differences_hold(tmp_path):
    sides = [Side(name, [run(tmp_path, name)]) for name in ("oracle", "copy-input", "majority")]
    holm, power = compare_sides(sides).sentences()
    assert "Holm's correction" in holm
    assert "80 % power" in power


def test_a_metric_that_cannot_weigh_instances_says_so(tmp_path, monkeypatch):
    from taskloom.score.competence import COMPETENCE

    one = run(tmp_path, "oracle", weigh="instances")
    monkeypatch.setattr("taskloom.run.results.METRICS", {"mean": COMPETENCE})
    with pytest.raises(UserError, match="every task once"):
        one.metric()

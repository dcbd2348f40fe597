from __future__ import annotations

from types import SimpleNamespace

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from taskloom.core import UserError
from taskloom.core.metric import ItemScore
from taskloom.report.comparison import Side, compare_sides
from taskloom.run.plan import Plan
from taskloom.run.pool import _differences, _what, compare_runs, group_replicates, pooled
from taskloom.run.results import Run, load_run
from taskloom.run.runner import RunSettings, launch
from taskloom.score.compare import compare_paired
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


def fake(seed="1", scores=(), metric="mean", samples=1, errors="leave-out", weigh="tasks", values=None):
    """As much of a run as comparing looks at: scores of (task, instance), several for several samples."""
    items = [ItemScore(task, name, value) for task, name, value in scores]
    held = [value for *_, value in scores] if values is None else values
    columns = {
        "task": pa.chunked_array([pa.array([task for task, *_ in scores])]),
        "id": pa.chunked_array([pa.array([name for _, name, _ in scores])]),
    }
    return SimpleNamespace(
        replicate=seed, errors=errors, weigh=weigh, records=items, plan=SimpleNamespace(samples=samples),
        metric=lambda: SimpleNamespace(name=metric, number=lambda found: max(one.value for one in found)),
        scored=list, values=lambda: np.array(held, dtype=float),
        columns=SimpleNamespace(column=columns.__getitem__),
    )  # fmt: skip


ONE = [("t", "2", 0.0), ("t", "1", 0.5), ("u", "1", 1.0), ("u", "3", 0.0)]
TWO = [("t", "1", 1.0), ("t", "2", 0.25), ("u", "1", 0.5), ("u", "4", 1.0)]


def test_differences_by_task_and_replicate_over_shared_instances():
    found = _differences([fake("1", ONE), fake("2", ONE)], [fake("1", TWO), fake("3", TWO)])
    assert {key: deltas.tolist() for key, deltas in found.items()} == {("t", "1"): [0.5, 0.25], ("u", "1"): [-0.5]}
    same = _differences([fake("1", ONE)], [fake("1", [(task, name, 1.0) for task, name, _ in ONE])])
    assert {key: deltas.tolist() for key, deltas in same.items()} == {("t", "1"): [0.5, 1.0], ("u", "1"): [0.0, 1.0]}


def test_failures_are_left_out_or_wrong():
    nan = float("nan")
    values = [nan, 0.5, 1.0, nan]
    left = _differences([fake("1", ONE, values=values)], [fake("1", ONE)])
    assert {key: deltas.tolist() for key, deltas in left.items()} == {("t", "1"): [0.0], ("u", "1"): [0.0]}
    wrong = _differences([fake("1", ONE, values=values, errors="wrong")], [fake("1", TWO)])
    assert {key: deltas.tolist() for key, deltas in wrong.items()} == {("t", "1"): [0.5, 0.25], ("u", "1"): [-0.5]}


@pytest.mark.parametrize("samples", [(1, 1), (2, 1), (1, 2)])
def test_samples_of_an_instance_are_averaged_before_they_are_compared(samples):
    twice = [*ONE, ("t", "1", 0.0)]
    first = fake("1", twice if samples[0] > 1 else ONE, samples=samples[0])
    second = fake("1", TWO, samples=samples[1])
    expected = compare_paired(
        {("t", "1", "1"): 0.25 if samples[0] > 1 else 0.5, ("t", "2", "1"): 0.0, ("u", "1", "1"): 1.0},
        {("t", "1", "1"): 1.0, ("t", "2", "1"): 0.25, ("u", "1", "1"): 0.5},
    )
    found = compare_runs([first], [second])
    assert found[:4] == pytest.approx(expected[:4]) and found[4:9] == expected[4:9] and found.n == 3


def test_another_metric_is_compared_by_its_number_of_each_task():
    found = compare_runs([fake("1", ONE, "best")], [fake("1", TWO, "best")])
    # The best of both instances of t rises from 0.5 to 1, that of the one shared instance of u falls from 1 to 0.5.
    expected = compare_paired({("t", "", "1"): 0.5, ("u", "", "1"): 1.0}, {("t", "", "1"): 1.0, ("u", "", "1"): 0.5})
    assert found == expected._replace(n=3)
    alone = compare_runs([fake("1", ONE[:2], "best")], [fake("1", TWO[:2], "best")])
    assert alone.n == 2 and alone.difference == pytest.approx(0.375), "one task: its instances"
    unlike = compare_runs([fake("1", ONE, "best")], [fake("1", TWO, "mean")])
    assert unlike.n == 3 and unlike.difference == pytest.approx((0.375 - 0.5) / 2), "no common number of a task"


def test_a_row_for_several_replicates(tmp_path):
    runs = [run(tmp_path, "majority", data) for data in (1, 2)]
    row = pooled(runs, "both")
    groups = [one.overall() for one in runs]
    assert (row.name, row.scored) == ("both", sum(group.scored for group in groups))
    cells = {(task, one.replicate): values for one in runs for task, values in one.cells().items()}
    assert row.estimate == runs[0].metric().from_values(cells, None)
    own = SimpleNamespace(
        from_values=lambda cells, facets: None, suite=lambda scores, facets: (len(scores), sorted(facets))
    )
    runs[0].metric = lambda: own
    assert pooled(runs, "x").estimate == (40, sorted(runs[0].tasks))


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        ({"data_seed": 9}, True), ({"run_seed": 9}, True), ({"command": "x"}, True), ({"notes": {"a": 1}}, True),
        ({"generation": {"seed": 3}}, True), ({"generation": {"seed": 3, "max_tokens": 9}}, False),
        ({"adaptation": {"name": "none", "draw": 4}}, True), ({"adaptation": {"name": "lora"}}, False),
        ({"model": {"name": "m", "weights": "w", "revision": "r"}}, True), ({"model": {"name": "n"}}, False),
        ({"limit": 3}, False), ({"split": "dev"}, False),
    ],
)  # fmt: skip
def test_what_replicates_may_differ_in(change, alike):
    plan = Plan(
        suite="x/y", data_seed=1, recipe={}, tasks_hash="", split="test", limit=None, model={"name": "m"},
        encoding={"name": "plain"}, generation={}, adaptation={"name": "none"}, run_seed=0, scorer=None,
    )  # fmt: skip
    one, two = (SimpleNamespace(plan=each) for each in (plan, msgspec.structs.replace(plan, **change)))
    assert (_what(one) == _what(two)) == alike

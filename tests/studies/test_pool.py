from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from records import made_run
from taskloom.core import UserError
from taskloom.report.sections import Side, compare_sides
from taskloom.run.plan import Plan
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import compare_paired
from taskloom.studies.contrasts import compare_runs, group_replicates, pooled, varied_fields
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
    from taskloom.score.metrics import COMPETENCE

    one = run(tmp_path, "oracle", weigh="instances")
    monkeypatch.setattr("taskloom.run.results.METRICS", {"mean": COMPETENCE})
    with pytest.raises(UserError, match="every task once"):
        one.metric()


ONE = [("t", "b", 0.0), ("t", "a", 0.5), ("u", "a", 1.0), ("u", "c", 0.0)]
TWO = [("t", "a", 1.0), ("t", "b", 0.25), ("u", "a", 0.5), ("u", "d", 1.0)]


def test_shared_questions_are_compared_wherever_they_stand(tmp_path):
    found = compare_runs([made_run(tmp_path / "1", ONE)], [made_run(tmp_path / "2", TWO)])
    expected = compare_paired(
        {("t", "a"): 0.5, ("t", "b"): 0.0, ("u", "a"): 1.0}, {("t", "a"): 1.0, ("t", "b"): 0.25, ("u", "a"): 0.5}
    )
    assert found == expected._replace(unpaired=1)
    apart = compare_runs([made_run(tmp_path / "3", ONE[:2])], [made_run(tmp_path / "4", TWO[2:])])
    assert (apart.n, apart.unpaired) == (0, 2)


def test_replicates_are_compared_with_their_own(tmp_path):
    first = [made_run(tmp_path / f"a{seed}", ONE, run_seed=seed) for seed in (0, 1)]
    second = [made_run(tmp_path / f"b{seed}", TWO, run_seed=seed) for seed in (0, 2)]
    assert compare_runs(first, second).n == 3, "seed 1 has no partner, nor has seed 2"


def test_failures_are_left_out_or_wrong(tmp_path):
    failed = [("t", "b", None), ("t", "a", 0.5), ("u", "a", 1.0), ("u", "c", None)]
    left = compare_runs([made_run(tmp_path / "1", failed)], [made_run(tmp_path / "2", TWO)])
    assert (left.n, left.better, left.worse) == (2, 1, 1)
    wrong = [made_run(tmp_path / f"w{n}", rows, errors="wrong") for n, rows in enumerate((failed, TWO))]
    assert compare_runs(wrong[:1], wrong[1:]).n == 3


@pytest.mark.parametrize("samples", [(1, 1), (2, 1), (1, 2)])
def test_samples_of_a_question_are_averaged_before_they_are_compared(tmp_path, samples):
    runs = []
    for name, rows, count in (("a", ONE, samples[0]), ("b", TWO, samples[1])):
        drawn = [(task, asked, score * part) for task, asked, score in rows for part in (1.0, 0.5)[:count]]
        runs.append(made_run(tmp_path / name, drawn, count))
    one, two = ((1.0, 0.75)[count - 1] for count in samples)
    expected = compare_paired(
        {("t", "a"): 0.5 * one, ("t", "b"): 0.0, ("u", "a"): 1.0 * one},
        {("t", "a"): 1.0 * two, ("t", "b"): 0.25 * two, ("u", "a"): 0.5 * two},
    )
    found = compare_runs(runs[:1], runs[1:])
    assert found[:4] == pytest.approx(expected[:4]) and found[4:9] == expected[4:9] and found.n == 3


def test_another_metric_is_compared_by_its_number_of_each_task(tmp_path, monkeypatch):
    best = SimpleNamespace(name="best", number=lambda found: max(one.value for one in found))
    one, two = made_run(tmp_path / "1", ONE), made_run(tmp_path / "2", TWO)
    alone = [made_run(tmp_path / f"3{n}", rows[:2]) for n, rows in enumerate((ONE, TWO))]
    for each in (one, two, *alone):
        each.metric = lambda: best
    # The best of both instances of t rises from 0.5 to 1, that of the one shared instance of u falls from 1 to 0.5.
    expected = compare_paired({("t", "", "1"): 0.5, ("u", "", "1"): 1.0}, {("t", "", "1"): 1.0, ("u", "", "1"): 0.5})
    assert compare_runs([one], [two]) == expected._replace(n=3, unpaired=1)
    single = compare_runs(alone[:1], alone[1:])
    assert single.n == 2 and single.difference == pytest.approx(0.375), "one task: its instances"
    del two.metric
    unlike = compare_runs([one], [two])
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
    assert (varied_fields(one) == varied_fields(two)) == alike

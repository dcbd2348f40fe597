from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import coverage
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from taskloom.core.metric import Estimate, ItemScore
from taskloom.score import stats
from taskloom.score.metrics import MEAN
from taskloom.score.stats import (
    clustered_mean,
    few_tasks,
    interaction_variance,
    mean_estimate,
    replicate_levels,
    seed_label,
    spread_of,
    wilson,
)


@given(
    st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95, 0.99])
)
def test_wilson_equals_scipy(case, level):
    successes, n = case
    low, high = wilson(successes, n, level)
    expected = scipy_stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_intervals_have_width_and_stay_inside(values):
    estimate = mean_estimate(values)
    assert 0 <= estimate.low < estimate.high <= 1
    assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9


def test_no_data_is_said_honestly():
    estimate = mean_estimate([])
    assert math.isnan(estimate.value)
    assert (estimate.low, estimate.high, estimate.n) == (0, 1, 0)
    assert math.isnan(clustered_mean({}).value)


cells = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("01")),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=8),
    max_size=6,
)


@given(cells)
def test_hierarchical_intervals_have_width_and_stay_inside(cells):
    estimate = clustered_mean(cells)
    assert 0 <= estimate.low < estimate.high <= 1
    if estimate.n:
        assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9


def test_tasks_count_once_and_seeds_within_them():
    estimate = clustered_mean({("a", "0"): [1.0] * 90, ("b", "0"): [0.0], ("b", "1"): [1.0] * 3})
    assert estimate.value == pytest.approx((1 + 0.5) / 2)
    assert estimate.tasks == 2


def test_few_tasks_make_wide_intervals():
    """A thousand instances of four tasks know less about tasks than Wilson thinks."""
    cells = {(task, ""): [float(value)] * 250 for task, value in zip("abcd", (0, 1, 0, 1), strict=True)}
    estimate = clustered_mean(cells)
    assert estimate.high - estimate.low > 0.7


@pytest.mark.parametrize("tasks", [2, 3, 5, 20])
@pytest.mark.parametrize("population", coverage.POPULATIONS)
def test_intervals_cover_the_truth_as_often_as_they_say(tasks, population):
    """Of 150 data sets; `make coverage` has 2,000 of each. The bounds leave three standard deviations."""
    assert coverage.coverage_of_means(150, tasks, coverage.POPULATIONS[population]) >= 0.88


@pytest.mark.parametrize("tasks", [5, 10, 30])
@pytest.mark.parametrize("population", coverage.LOW)
def test_low_fractional_scores_are_covered_as_often_as_they_say(tasks, population):
    """A few tasks far above the others make the variance of tasks a poor guess, which Student's quantile knows not."""
    assert coverage.coverage_of_fractions(200, tasks, coverage.LOW[population]) >= 0.905


def test_seeds_are_crossed_with_tasks():
    """A seed that moves every task alike must widen the interval; nested in tasks it would average out."""
    assert coverage.crossed(200, 10, 3) >= 0.88


@pytest.mark.parametrize("setting", coverage.CROSSED)
@pytest.mark.parametrize(("tasks", "seeds"), [(3, 3), (3, 10), (5, 3), (10, 3)])
def test_few_tasks_with_seeds_are_covered_as_often_as_they_say(tasks, seeds, setting):
    """Of 150 data sets; `make coverage` has 2,000 of each. The bounds leave three standard deviations."""
    assert 0.87 <= coverage.crossed(150, tasks, seeds, **coverage.CROSSED[setting]) <= 0.995


def test_degrees_of_freedom_of_three_tasks_and_ten_seeds_are_not_those_of_the_seeds():
    """Three tasks that happen to agree must not lend the interval the certainty of ten seeds."""
    cells = {
        (str(t), seed_label(run=s)): [float((s + t + n) % 2) for n in range(9)] for t in range(3) for s in range(10)
    }
    assert 2 <= _freedom_of(clustered_mean(cells)) <= 9
    steady = {key: [float(n < 3 + 3 * int(key[0])) for n in range(9)] for key in cells}
    assert _freedom_of(clustered_mean(steady)) == 2


def test_odd_tasks_are_feared_more_than_odd_seeds(monkeypatch):
    cells = {
        (str(t), seed_label(run=s)): [float((3 * s + 5 * t + n) % 7 < 4) for n in range(9)]
        for t in range(3)
        for s in range(10)
    }
    usual = _freedom_of(clustered_mean(cells))
    monkeypatch.setattr(stats, "DOUBT", stats.DOUBT._replace(odd_tasks=1e6))
    assert _freedom_of(clustered_mean(cells)) == 2.0 < usual


def _freedom_of(estimate) -> float:
    return float(estimate.method.split(" with ")[1].split()[0])


def test_several_seeds_of_one_task_are_a_sample_of_seeds():
    cells = {("t", seed_label(run=seed)): [float(seed % 2)] * 200 for seed in range(4)}
    estimate = clustered_mean(cells)
    assert estimate.value == 0.5
    assert estimate.high - estimate.low > 0.7


def test_the_other_estimand_weighs_instances():
    cells = {("a", ""): [1.0] * 90, ("b", ""): [0.0] * 10, ("c", ""): [1.0, 0.0] * 5}
    assert clustered_mean(cells).value == pytest.approx(0.5)
    assert clustered_mean(cells, weigh="instances").value == pytest.approx(95 / 110)


def test_equal_weights_are_the_ordinary_variance_of_a_mean():
    """Against Student's interval as scipy has it, where the mean is far from the ends."""
    values = [0.45, 0.5, 0.52, 0.47, 0.55]
    cells = {(str(i), ""): [value] * 400 for i, value in enumerate(values)}
    spread = spread_of(
        {key: v[0] for key, v in cells.items()}, dict.fromkeys(cells, 400), dict.fromkeys(cells, 0.0), "tasks"
    )
    assert spread.variance == pytest.approx(np.var(values, ddof=1) / 5)
    assert spread.freedom == pytest.approx(4)
    expected = scipy_stats.t.interval(0.95, 4, np.mean(values), scipy_stats.sem(values))
    estimate = clustered_mean(cells)
    assert (estimate.low, estimate.high) == pytest.approx(expected, abs=0.01)


def test_many_distinct_scores_are_resampled_too():
    values = np.linspace(0, 1, 101).tolist()
    estimate = clustered_mean({("a", ""): values, ("b", ""): values})
    assert estimate.value == pytest.approx(0.5)
    assert estimate.low < 0.5 < estimate.high


def test_the_mean_metric():
    scores = [ItemScore("a", "1", 1.0), ItemScore("a", "2", 0.0), ItemScore("b", "1", 1.0)]
    assert MEAN.task(scores[:2]).value == 0.5
    assert MEAN.suite(scores).value == 0.75


def test_what_tasks_and_seeds_cause_together_by_hand():
    means = {("a", "1"): 0.9, ("a", "2"): 0.5, ("b", "1"): 0.4, ("b", "2"): 0.2}
    shares = dict.fromkeys(means, 0.25)
    # In a table of two by two every residual is (a - b - c + d) / 4, and there is one degree of freedom.
    residual = (0.9 - 0.5 - 0.4 + 0.2) / 4
    assert interaction_variance(means, shares, 0.5) == pytest.approx(4 * residual**2 * 4 / 16)
    counts, within = dict.fromkeys(means, 50), dict.fromkeys(means, 1e-9)
    spread = spread_of(means, counts, within, "tasks")
    of_tasks, of_seeds = (0.7 - 0.3) ** 2 / 4, (0.65 - 0.35) ** 2 / 4
    assert spread.mean == pytest.approx(0.5)
    assert spread.variance == pytest.approx(of_tasks + of_seeds - residual**2)
    del means["b", "2"]
    part = spread_of(means, counts, within, "tasks")
    assert part.mean == pytest.approx((0.7 + 0.4) / 2)
    tasks = ((0.7 - 0.55) ** 2 + (0.4 - 0.55) ** 2) / 2
    first, second = (0.25 * 0.9 + 0.5 * 0.4) / 0.75, 0.5
    seeds = 0.75**2 / 0.25 * (first - 0.55) ** 2 + 0.25**2 / 0.75 * (second - 0.55) ** 2
    assert part.variance == pytest.approx(tasks + seeds), "nothing is taken out where a cell is missing"


def test_weights_of_instances_by_hand():
    means = {("a", ""): 0.8, ("b", ""): 0.2, ("c", ""): 0.5}
    counts = {("a", ""): 10, ("b", ""): 30, ("c", ""): 60}
    spread = spread_of(means, counts, dict.fromkeys(means, 1e-9), "instances")
    mean = 0.1 * 0.8 + 0.3 * 0.2 + 0.6 * 0.5
    variance = sum(w * w / (1 - w) * (x - mean) ** 2 for w, x in ((0.1, 0.8), (0.3, 0.2), (0.6, 0.5)))
    assert (spread.mean, spread.variance) == pytest.approx((mean, variance))
    tasks = spread_of(means, counts, dict.fromkeys(means, 1e-9), "tasks")
    assert tasks.mean == pytest.approx(0.5) and tasks.variance == pytest.approx(0.09 / 3)
    assert tasks.freedom == pytest.approx(2)
    with pytest.raises(ValueError, match="two cells"):
        spread_of({("a", ""): 0.5}, {("a", ""): 3}, {("a", ""): 0.1}, "tasks")


def test_equal_means_are_as_sure_as_their_instances_alone():
    means = dict.fromkeys([("a", ""), ("b", "")], 0.5)
    within = dict.fromkeys(means, 0.01)
    assert spread_of(means, dict.fromkeys(means, 9), within, "tasks").variance == pytest.approx(2 * 0.25 * 0.01)


def test_labels_of_replicates():
    assert replicate_levels("") == {} and replicate_levels("7") == {"seed": "7"}
    assert replicate_levels("data=0;run=3") == {"data": "0", "run": "3"} and seed_label(data=0, run=3) == "data=0;run=3"


def test_tasks_that_are_right_or_wrong_as_a_whole_are_a_sample_of_tasks():
    whole = clustered_mean({("a", ""): [1.0], ("b", ""): [0.0], ("c", ""): [1.0]})
    assert (whole.low, whole.high) == wilson(2, 3) and (whole.n, whole.tasks, whole.method) == (3, 3, "wilson")
    part = clustered_mean({("a", ""): [1.0], ("b", ""): [0.5], ("c", ""): [1.0]})
    assert part.method.startswith("tasks weighed")
    seeds = clustered_mean({("a", "1"): [1.0], ("a", "2"): [0.0], ("b", "1"): [1.0]})
    assert seeds.method.startswith("tasks weighed"), "two seeds of a task are no two tasks"
    two = clustered_mean({("a", ""): [1.0, 1.0], ("b", ""): [0.0]})
    assert two.method.startswith("tasks weighed")


def test_intervals_over_few_tasks_say_what_may_be_missing():
    five, fifty, one = (Estimate(0.5, 0.4, 0.6, 100, tasks) for tasks in (5, 50, 1))
    assert few_tasks([fifty, one]) == ""
    assert "of 5 tasks: a kind that makes up less than 45 % of all" in few_tasks([fifty, five])
    assert "less than 7 % of all" in few_tasks([fifty._replace(tasks=40)])
    assert "close to 0 or 1" not in few_tasks([five])
    assert "close to 0 or 1" in few_tasks([five._replace(value=0.04)])

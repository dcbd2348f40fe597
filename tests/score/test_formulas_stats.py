"""Means, variances and degrees of freedom against formulas written down a second time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from taskloom.core.metric import Estimate
from taskloom.score.stats import (
    cluster_robust,
    clustered_mean,
    degrees_of_freedom,
    estimand,
    mean_estimate,
    spread_of,
    student_quantile,
    wilson,
)


@pytest.mark.parametrize(("successes", "n"), [(-0.1, 5), (5.1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes, n):
    with pytest.raises(ValueError, match=f"successes of {n}"):
        wilson(successes, n)


def test_no_trials_say_nothing_and_the_ends_are_exact():
    assert wilson(0, 0) == wilson(0, -1) == (0.0, 1.0)
    assert wilson(0, 1)[0] == 0.0 and wilson(1, 1)[1] == 1.0
    assert wilson(1, 1)[0] == pytest.approx(1 / (1 + scipy_stats.norm.ppf(0.975) ** 2))
    assert wilson(7, 20) == wilson(7, 20, 0.95)


def test_sums_just_outside_are_brought_back():
    assert mean_estimate([-1e-12])[:3] == (0.0, *wilson(0, 1))
    assert mean_estimate([1 + 1e-12, 1.0])[:3] == (1.0, *wilson(2, 2))
    assert mean_estimate([0.2, 0.4], 0.8) == Estimate(pytest.approx(0.3), *map(pytest.approx, wilson(0.6, 2, 0.8)), 2)


@pytest.mark.parametrize(("value", "end"), [(1 + 1e-12, 1.0), (-1e-12, 0.0)])
def test_means_of_tasks_just_outside_are_brought_back(value, end):
    found = clustered_mean({("a", ""): [value, end], ("b", ""): [end, end]})
    assert found.value == end and (found.high if end else found.low) == end


def student(values):
    """Mean, variance of the mean and degrees of freedom of equal clusters."""
    return np.mean(values), np.var(values, ddof=1) / len(values), len(values) - 1


def test_the_interval_is_wilsons_with_as_many_instances_as_the_variance_is_worth():
    cells = {("a", ""): [1.0, 0.0, 1.0, 1.0], ("b", ""): [0.0, 0.0, 1.0, 0.0], ("c", ""): [1.0, 1.0, 1.0, 0.0]}
    mean, variance, freedom = student([0.75, 0.25, 0.75])
    share = (mean * 12 + 1) / 14
    effective = share * (1 - share) / variance
    t = scipy_stats.t.ppf(0.95, freedom)
    centre = (mean + t * t / (2 * effective)) / (1 + t * t / effective)
    half = t / (1 + t * t / effective) * (mean * (1 - mean) / effective + t * t / (4 * effective**2)) ** 0.5
    found = clustered_mean(cells, 0.9)
    assert (found.value, found.low, found.high) == pytest.approx((mean, centre - half, centre + half))
    assert (found.n, found.tasks, found.method) == (12, 3, "tasks weighed, t with 2.0 degrees of freedom")


def test_tasks_that_are_all_right_or_all_wrong_touch_the_ends():
    right = clustered_mean({("a", ""): [1.0] * 5, ("b", ""): [1.0] * 3})
    wrong = clustered_mean({("a", ""): [0.0] * 5, ("b", ""): [0.0] * 3})
    assert (right.value, right.high, wrong.value, wrong.low) == (1.0, 1.0, 0.0, 0.0)
    assert right.low == pytest.approx(1 - wrong.high) and 0 < right.low < 1


def test_empty_cells_do_not_count():
    cells = {("a", ""): [1.0, 0.0], ("b", ""): [1.0, 1.0], ("c", ""): []}
    assert clustered_mean(cells) == clustered_mean({key: held for key, held in cells.items() if held})
    empty = clustered_mean({("a", ""): []})
    assert (empty.low, empty.high, empty.n, empty.tasks) == (0.0, 1.0, 0, 0)
    one = clustered_mean({("a", ""): [1.0, 0.0], ("b", ""): []}, 0.9)
    assert one == mean_estimate([1.0, 0.0], 0.9)._replace(tasks=1)


def test_tasks_that_agree_keep_a_share_of_the_variance_of_their_instances():
    """A fifth of the standard error that instances alone would cause, where tasks differ less than that."""
    means = {("a", ""): 0.5, ("b", ""): 0.5 + 1e-6}
    spread = spread_of(means, dict.fromkeys(means, 9), dict.fromkeys(means, 0.02), "tasks")
    assert spread.variance == pytest.approx(0.2**2 * 2 * 0.25 * 0.02)


def satterthwaite(parts, common, tasks):
    """The documented rule, in its own words: shares divided by their degrees of freedom, then the usual formula."""
    doubts = []
    for place, (variance, freedom) in enumerate(parts):
        odd = 2.0 if tasks and place == 0 else 1 + 2.0 / freedom**3
        doubts.append(max(variance - common, 0.05 * variance) / freedom * odd)
    shares = [doubt / sum(doubts) for doubt in doubts]
    return 1 / sum(share**2 / freedom for share, (_, freedom) in zip(shares, parts, strict=True))


@pytest.mark.parametrize("tasks", [True, False])
@pytest.mark.parametrize(
    ("parts", "common"),
    [
        ([(0.04, 2.0), (0.01, 9.0)], 0.0),
        ([(0.04, 2.0), (0.01, 9.0)], 0.005),
        ([(0.04, 3.0), (0.01, 1.0)], 0.0098),
        ([(0.02, 4.0), (0.01, 2.0), (0.03, 6.0)], 0.0),
    ],
)
def test_degrees_of_freedom_by_the_documented_rule(parts, common, tasks):
    assert degrees_of_freedom(parts, common, tasks=tasks) == pytest.approx(satterthwaite(parts, common, tasks))


def test_degrees_of_freedom_at_their_ends():
    assert degrees_of_freedom([(0.0, 5.0), (0.0, 3.0)], 0.0, tasks=True) == 3.0, "nothing varies: the fewest there are"
    assert (
        degrees_of_freedom([(0.0, 0.5)], 0.0, tasks=True) == 1.0 == degrees_of_freedom([(1.0, 0.5)], 0.0, tasks=False)
    )
    assert degrees_of_freedom([(1.0, 7.0)], 0.0, tasks=True) == pytest.approx(7.0)


def test_clusters_of_unlike_weights_have_bell_and_mccaffreys_degrees_of_freedom():
    """By simulation: the variance estimate of clusters with equal true variances is scaled chi-squared."""
    weights = np.array([0.5, 0.3, 0.2])
    values = np.random.default_rng(3).normal(size=(40_000, 3))
    drawn = np.array([cluster_robust(row, weights, float(weights @ row))[0] for row in values[:4_000]])
    many = ((values - (values @ weights)[:, None]) ** 2) @ (weights**2 / (1 - weights))
    assert drawn == pytest.approx(many[:4_000])
    _, freedom = cluster_robust(values[0], weights, 0.0)
    assert freedom == pytest.approx(2 * many.mean() ** 2 / many.var(), rel=0.05)
    assert cluster_robust(np.array([1.0, 3.0]), np.array([0.5, 0.5]), 2.0) == pytest.approx((1.0, 1.0))


def test_two_factors_of_seeds_add_up():
    """Without a task's interaction taken out: more than one factor of seeds."""
    means = {
        ("a", "data=0;run=0"): 0.2, ("a", "data=0;run=1"): 0.4, ("a", "data=1;run=0"): 0.5, ("a", "data=1;run=1"): 0.9,
        ("b", "data=0;run=0"): 0.3, ("b", "data=0;run=1"): 0.5, ("b", "data=1;run=0"): 0.4, ("b", "data=1;run=1"): 0.8,
    }  # fmt: skip
    found = spread_of(means, dict.fromkeys(means, 50), dict.fromkeys(means, 1e-9), "tasks")

    def variance(one, two):
        return (np.mean(one) - np.mean(two)) ** 2 / 4

    tasks = variance([0.2, 0.4, 0.5, 0.9], [0.3, 0.5, 0.4, 0.8])
    data = variance([0.2, 0.4, 0.3, 0.5], [0.5, 0.9, 0.4, 0.8])
    run = variance([0.2, 0.5, 0.3, 0.4], [0.4, 0.9, 0.5, 0.8])
    assert found.mean == pytest.approx(0.5) and found.variance == pytest.approx(tasks + data + run)
    fixed = {key: value for key, value in means.items() if "run=1" in key[1]}
    alone = spread_of(fixed, dict.fromkeys(fixed, 50), dict.fromkeys(fixed, 1e-9), "tasks")
    residual = (0.4 - 0.9 - 0.5 + 0.8) / 4
    expected = variance([0.4, 0.9], [0.5, 0.8]) + variance([0.4, 0.5], [0.9, 0.8]) - residual**2
    assert alone.variance == pytest.approx(max(expected, variance([0.4, 0.5], [0.9, 0.8])))


def test_what_a_number_is_called():
    assert estimand() == "mean, every task counts once"
    assert student_quantile(0.975, 4) == pytest.approx(scipy_stats.t.ppf(0.975, 4))

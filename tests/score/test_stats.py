from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from taskloom.score.metrics import MEAN, Scored
from taskloom.score.stats import (
    compare_paired,
    hierarchical_mean,
    mean_estimate,
    minimum_detectable_effect,
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
    assert math.isnan(hierarchical_mean({}).value)


cells = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("01")),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=8),
    max_size=6,
)


@given(cells)
def test_hierarchical_intervals_have_width_and_stay_inside(cells):
    estimate = hierarchical_mean(cells, draws=200)
    assert 0 <= estimate.low < estimate.high <= 1
    if estimate.n:
        assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9


def test_tasks_count_once_and_seeds_within_them():
    estimate = hierarchical_mean({("a", "0"): [1.0] * 90, ("b", "0"): [0.0], ("b", "1"): [1.0] * 3})
    assert estimate.value == pytest.approx((1 + 0.5) / 2)
    assert estimate.tasks == 2


def test_few_tasks_make_wide_intervals():
    """A thousand instances of four tasks know less about tasks than Wilson thinks."""
    cells = {(task, ""): [float(value)] * 250 for task, value in zip("abcd", (0, 1, 0, 1), strict=True)}
    estimate = hierarchical_mean(cells)
    assert estimate.high - estimate.low > 0.7


def test_the_bootstrap_covers_the_truth():
    """Nominal 95 % intervals over drawn tasks cover the population mean nearly as often as they say."""
    rng = np.random.default_rng(0)
    hits = 0
    for trial in range(200):
        shares = rng.beta(2, 2, size=20)
        cells = {(str(i), ""): (rng.random(30) < p).astype(float).tolist() for i, p in enumerate(shares)}
        estimate = hierarchical_mean(cells, draws=400, seed=trial)
        hits += estimate.low <= 0.5 <= estimate.high
    assert hits >= 180


def test_many_distinct_scores_are_resampled_too():
    values = np.linspace(0, 1, 101).tolist()
    estimate = hierarchical_mean({("a", ""): values, ("b", ""): values})
    assert estimate.value == pytest.approx(0.5)
    assert estimate.low < 0.5 < estimate.high


def test_paired_comparison_is_mcnemar_for_right_or_wrong():
    first = {("t", str(i)): float(i % 2) for i in range(40)}
    second = {("t", str(i)): 1.0 if i < 30 else first["t", str(i)] for i in range(40)}
    outcome = compare_paired(first, second)
    assert (outcome.better, outcome.worse, outcome.n) == (15, 0, 40)
    assert outcome.difference == pytest.approx(15 / 40)
    assert outcome.p_value == pytest.approx(scipy_stats.binomtest(15, 15, 0.5).pvalue)
    assert -1 <= outcome.low < outcome.difference < outcome.high <= 1


def test_equal_runs_do_not_differ():
    scores = {("t", str(i)): 0.25 for i in range(10)}
    outcome = compare_paired(scores, scores)
    assert (outcome.difference, outcome.p_value) == (0, 1)
    assert outcome.low < 0 < outcome.high


def test_runs_without_shared_instances_cannot_be_compared():
    outcome = compare_paired({("t", "1"): 1.0}, {("t", "2"): 1.0})
    assert outcome.n == 0
    assert math.isnan(outcome.difference)


def test_fractional_scores_use_sign_flips():
    rng = np.random.default_rng(1)
    first = {("t", str(i)): float(value) for i, value in enumerate(rng.random(60))}
    second = {key: min(1.0, value + 0.3) for key, value in first.items()}
    assert compare_paired(first, second).p_value < 0.01


def test_minimum_detectable_effect_is_the_closed_form():
    z = scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8)
    assert minimum_detectable_effect(1000) == pytest.approx(z * 0.5 / math.sqrt(1000))
    assert minimum_detectable_effect(1000, paired=False) == pytest.approx(z * 0.5 * math.sqrt(2 / 1000))
    assert minimum_detectable_effect(0) == 1


def test_the_mean_metric():
    scores = [Scored("a", "1", 1.0), Scored("a", "2", 0.0), Scored("b", "1", 1.0)]
    assert MEAN.task(scores[:2]).value == 0.5
    assert MEAN.suite(scores).value == 0.75

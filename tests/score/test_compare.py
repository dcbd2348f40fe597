from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import coverage
from scipy import stats as scipy_stats

from taskloom.score.compare import (
    Comparison,
    compare_apart,
    compare_cells,
    compare_paired,
    detectable_difference,
    holm,
    holm_sentence,
)
from taskloom.score.stats import clustered_mean


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


@pytest.mark.parametrize("weigh", ["tasks", "instances"])
def test_the_difference_of_two_runs_is_the_difference_of_their_numbers(weigh):
    """Tasks of unlike sizes: A leads by task, B by instance, and each table says its own."""
    rng = np.random.default_rng(3)
    sizes = {"a": 400, "b": 20, "c": 20, "d": 20}
    shares = {"a": (0.5, 0.6), "b": (0.9, 0.5), "c": (0.9, 0.5), "d": (0.9, 0.5)}
    runs = [
        {(task, str(i)): float(rng.random() < shares[task][side]) for task, n in sizes.items() for i in range(n)}
        for side in (0, 1)
    ]
    means = []
    for run in runs:
        cells: dict[tuple[str, str], list[float]] = {}
        for (task, _), score in run.items():
            cells.setdefault((task, ""), []).append(score)
        means.append(clustered_mean(cells, weigh=weigh).value)
    outcome = compare_paired(*runs, weigh=weigh)
    assert outcome.difference == pytest.approx(means[1] - means[0])
    assert (outcome.difference > 0) == (weigh == "instances")
    assert (outcome.p_value < 0.05) == (not outcome.low <= 0 <= outcome.high)


@pytest.mark.parametrize("tasks", [3, 10])
def test_runs_that_do_not_differ_are_seldom_told_apart(tasks):
    """Nominal 5 %; the bound leaves three standard deviations of 200 data sets."""
    wrong, covered = coverage.error_rate(200, tasks)
    assert wrong <= 0.1
    assert covered >= 0.9


def test_the_interval_and_the_test_agree():
    rng = np.random.default_rng(5)
    for tasks in (1, 2, 5, 12):
        for effect in (0.0, 0.1, 0.2):
            outcome = compare_paired(*coverage.two_runs(tasks, rng, effect=effect, n=30))
            if outcome.p_value > 0.05:
                assert outcome.low <= 0 <= outcome.high
            elif tasks > 1:
                assert not outcome.low <= 0 <= outcome.high


def test_power_comes_from_how_much_runs_disagree():
    rng = np.random.default_rng(6)
    alike = compare_paired(*coverage.two_runs(10, rng, apart=0.0))
    apart = compare_paired(*coverage.two_runs(10, rng, apart=0.3))
    assert 0 < alike.detectable < apart.detectable <= 1


def test_the_detectable_difference_has_the_power_it_says():
    assert 0.7 <= coverage.power(150, 10, apart=0.05, n=60) <= 0.9


def test_a_known_error_needs_the_textbook_difference():
    z = scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8)
    assert detectable_difference(0.01, 1e6) == pytest.approx(0.01 * z, rel=0.01)
    assert detectable_difference(0.5, 2) == 1.0


def test_holm_equals_its_definition():
    values = [0.01, 0.04, 0.03, 0.005]
    assert holm(values) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7]) == [0.7]


def test_the_sentence_names_what_survives():
    rng = np.random.default_rng(1)
    large = compare_paired(*coverage.two_runs(12, rng, effect=0.28, apart=0.02, n=60))
    none = compare_paired(*coverage.two_runs(12, rng, effect=0.0, apart=0.1, n=60))
    text = holm_sentence([("A", "B", large), ("A", "C", none), ("B", "C", none)])
    assert text == "1 of the 3 differences survive Holm's correction at 5%: B over A."
    assert holm_sentence([("A", "C", none), ("B", "C", none)]).startswith("None of the 2 differences survives")
    assert "share instances" in holm_sentence([("A", "B", compare_paired({}, {}))])


def test_few_runs_named_wrongly():
    assert coverage.family_error(60, 3, 8) <= 0.15


def test_nothing_shared_has_no_power():
    assert math.isnan(compare_paired({}, {}).detectable)


def compared(difference, p_value, n=10):
    return Comparison(difference, -1.0, 1.0, p_value, n, 0, 0, 1, "tasks")


def test_one_sentence_about_many_differences():
    assert holm_sentence([("a", "b", compared(0.1, 0.01, 0))]).startswith("No two runs share instances")
    assert holm_sentence([("a", "b", compared(0.1, 0.2))]) == "The one difference does not reach significance at 5%."
    assert holm_sentence([("a", "b", compared(-0.1, 0.01))]) == "The difference is significant at 5%: a over b."
    pairs = [("a", "b", compared(0.1, 0.01)), ("a", "c", compared(-0.1, 0.02)), ("b", "c", compared(0.1, 0.5))]
    assert holm_sentence(pairs) == "2 of the 3 differences survive Holm's correction at 5%: b over a; a over c."
    assert holm_sentence(pairs, level=0.99).startswith("None of the 3 differences survives")
    assert holm_sentence(pairs, most=2).endswith("a over c."), "two of two are named"
    assert holm_sentence(pairs, most=1).endswith("b over a; ….")
    assert holm_sentence([*pairs, ("x", "y", compared(0.1, 0.0001, 0))]).startswith("2 of the 3")
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0] and holm([]) == []


def test_nothing_to_compare():
    found = compare_cells({})
    assert found.n == 0 and found.difference != found.difference and (found.low, found.high) == (-1.0, 1.0)
    assert found.p_value == 1.0


def test_means_of_other_instances_are_compared_by_newcombe():
    """Newcombe (1998), method 10, examples of table II: 56/70 against 48/80, and 5/56 against 0/29."""
    from taskloom.core.metric import Estimate
    from taskloom.score.stats import wilson

    for (a, m), (b, n), low, high in (((56, 70), (48, 80), 0.0524, 0.3339), ((5, 56), (0, 29), -0.0381, 0.1926)):
        first, second = Estimate(a / m, *wilson(a, m), m), Estimate(b / n, *wilson(b, n), n)
        fall = compare_apart(first, second)
        assert (round(fall.low, 4), round(fall.high, 4), fall.told) == (low, high, low > 0)
        back = compare_apart(second, first)
        assert (back.value, back.low, back.high) == (-fall.value, -fall.high, -fall.low)
        assert compare_apart(first, second, 3).low < fall.low


def test_a_fall_that_is_none_is_told_in_one_of_twenty_comparisons():
    """Coverage over all pairs of counts, by their exact chances, at several rates and sizes."""
    from taskloom.core.metric import Estimate
    from taskloom.score.stats import wilson

    for rate, (m, n) in ((0.15, (24, 24)), (0.5, (24, 100)), (0.95, (40, 400))):
        chances = [scipy_stats.binom.pmf(np.arange(size + 1), size, rate) for size in (m, n)]
        kept = [np.flatnonzero(each > 1e-7).tolist() for each in chances]
        told = sum(
            chances[0][a] * chances[1][b]
            for a in kept[0]
            for b in kept[1]
            if compare_apart(Estimate(a / m, *wilson(a, m), m), Estimate(b / n, *wilson(b, n), n)).told
        )
        assert told <= 0.06

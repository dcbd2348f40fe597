from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import coverage
from scipy import stats as scipy_stats
from scipy.optimize import brentq
from scipy.special import nctdtr

from taskloom.core.metric import Estimate
from taskloom.score.stats import (
    Comparison,
    Fall,
    binomial_p,
    clustered_mean,
    compare_apart,
    compare_cells,
    compare_paired,
    detectable_difference,
    holm,
    holm_sentence,
    sign_flip_p,
    smoothed_change,
    standard_errors,
    wilson,
)


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
    for (a, m), (b, n), low, high in (((56, 70), (48, 80), 0.0524, 0.3339), ((5, 56), (0, 29), -0.0381, 0.1926)):
        first, second = Estimate(a / m, *wilson(a, m), m), Estimate(b / n, *wilson(b, n), n)
        fall = compare_apart(first, second)
        assert (round(fall.low, 4), round(fall.high, 4), fall.told) == (low, high, low > 0)
        back = compare_apart(second, first)
        assert (back.value, back.low, back.high) == (-fall.value, -fall.high, -fall.low)
        assert compare_apart(first, second, 3).low < fall.low


def test_a_fall_that_is_none_is_told_in_one_of_twenty_comparisons():
    """Coverage over all pairs of counts, by their exact chances, at several rates and sizes."""
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


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(0.1, 0.2, True), (0.0, 0.2, False), (-0.2, 0.0, False), (-0.2, -0.1, True), (-1, 1, False)],
)
def test_a_fall_is_told_where_its_interval_leaves_out_zero(low, high, told):
    assert Fall(0.1, low, high).told is told


def test_a_fall_stays_between_minus_one_and_one():
    top, bottom = Estimate(0.9, 0.1, 1.0, 3), Estimate(0.1, 0.0, 0.9, 3)
    down = (0.8**2 + 0.8**2) ** 0.5
    assert compare_apart(top, bottom) == pytest.approx((0.8, 0.8 - down, 0.8 + 0.02**0.5))
    assert compare_apart(top, bottom, 10**9).high == 1.0 and compare_apart(bottom, top, 10**9).low == -1.0
    wide = compare_apart(top, bottom, 4)
    times = scipy_stats.norm.ppf(1 - 0.025 / 4) / scipy_stats.norm.ppf(0.975)
    assert wide.low == pytest.approx(max(-1.0, 0.8 - times * down))
    assert compare_apart(top, bottom, 0) == compare_apart(top, bottom)


def test_seeds_are_cells_of_their_own():
    first = {("t", str(i), seed): 0.0 for i in range(4) for seed in "ab"}
    second = {key: 1.0 if key[2] == "a" else 0.0 for key in first}
    found = compare_paired(first, second)
    deltas = {("t", "a"): np.ones(4), ("t", "b"): np.zeros(4)}
    assert found == compare_cells(deltas) and (found.n, found.better, found.worse, found.tasks) == (8, 4, 0, 1)
    plain = {key[:2]: value for key, value in second.items() if key[2] == "a"}
    assert compare_paired(dict.fromkeys(plain, 0.0), plain) == compare_cells({("t", ""): np.ones(4)})


def test_nothing_shared_is_nothing_in_every_field():
    found = compare_cells({}, weigh="instances")
    assert found[1:9] == (-1.0, 1.0, 1.0, 0, 0, 0, 0, "instances") and math.isnan(found.detectable)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_several_tasks_are_compared_by_students_test(level):
    """Tasks of one size whose differences vary more than their instances: the paired t-test of their means."""
    means = [0.5, -0.25, 0.75, 0.25]
    cells = {(name, ""): np.array([mean] * 4) for name, mean in zip("abcd", means, strict=True)}
    found = compare_cells(cells, level)
    test = scipy_stats.ttest_1samp(means, 0.0)
    low, high = test.confidence_interval(level)
    assert (found.difference, found.p_value) == pytest.approx((np.mean(means), test.pvalue))
    assert (found.low, found.high) == pytest.approx((max(low, -1.0), min(high, 1.0)))
    assert (found.n, found.better, found.worse, found.tasks, found.weigh) == (16, 12, 4, 4, "tasks")
    assert found.detectable == detectable_difference(scipy_stats.sem(means), 3.0, level=level)


def test_differences_stay_between_minus_one_and_one():
    cells = {("a", ""): np.ones(3), ("b", ""): np.ones(3) * 0.5}
    assert compare_cells(cells).high == 1.0 and compare_cells({key: -held for key, held in cells.items()}).low == -1.0


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("moved", [0, 1])
def test_instances_alone_never_cause_nothing(n, moved):
    deltas = np.array([0.5] * moved + [0.0] * (n - moved))
    assert smoothed_change(deltas) == pytest.approx((moved + 1) / (n + 2) / n)


def test_one_task_has_bonett_and_prices_interval():
    deltas = np.array([1.0] * 12 + [-1.0] * 2 + [0.0] * 16)
    found = compare_cells({("t", ""): deltas}, 0.9)
    n, centre, squares = 30, 10 / 32, 16 / 32
    reach = scipy_stats.norm.ppf(0.95) * ((squares - centre**2) / (n + 2)) ** 0.5
    assert (found.low, found.high) == pytest.approx((centre - reach, centre + reach))
    assert found.p_value == pytest.approx(scipy_stats.binomtest(2, 14, 0.5).pvalue)
    assert (found.difference, found.n, found.better, found.worse) == (pytest.approx(1 / 3), 30, 12, 2)
    squares = (14 + 1) / 32
    assert found.detectable == detectable_difference((squares / 30) ** 0.5, 29.0)
    single = compare_cells({("t", ""): np.array([1.0])})
    assert single.detectable == 1.0 and single.p_value == 1.0


def test_the_interval_of_one_task_says_no_more_than_its_test():
    five = compare_cells({("t", ""): np.array([1.0] * 5)})
    assert five.p_value == pytest.approx(0.0625) and five.low == 0.0 and five.high == 1.0
    other = compare_cells({("t", ""): np.array([-1.0] * 5)})
    assert (other.low, other.high) == (-1.0, 0.0)
    six = compare_cells({("t", ""): np.array([1.0] * 6)})
    assert six.p_value < 0.05 and six.low > 0.0
    assert compare_cells({("t", ""): np.array([1.0] * 5)}, 0.9).low > 0.0, "at another level it does"


def test_sign_flips_against_every_flip():
    deltas = np.array([0.5, 0.25, -0.25, 0.75, 0.5, 0.0, 0.125, 0.5])
    moved = deltas[deltas != 0]
    flips = np.array(np.meshgrid(*[[-1, 1]] * len(moved))).reshape(len(moved), -1)
    exact = np.mean(np.abs(moved @ flips) >= abs(moved.sum()) - 1e-12)
    found = sign_flip_p(deltas, 6, 1)
    assert found == pytest.approx(exact, abs=0.02) and 0 < found < 1
    assert found == sign_flip_p(deltas, 6, 1), "the same flips every time"
    assert (found * 4_001) == pytest.approx(round(found * 4_001)), "four thousand flips and the one that was seen"
    assert sign_flip_p(np.zeros(4), 0, 0) == 1.0


def test_flips_in_parts_are_all_counted(monkeypatch):
    deltas = np.array([0.5, -0.5] * 10)
    monkeypatch.setattr("taskloom.score.stats.CHUNK", 20 * 300)
    assert sign_flip_p(deltas, 10, 10) == 1.0, "any flip is at least as far from zero as none"
    assert sign_flip_p(np.full(40, 0.5), 40, 0) == 1 / 4_001, "none of them is"


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (1, 0), (5, 5), (3, 9), (9, 3), (0, 12)])
def test_the_exact_test_is_scipys(better, worse):
    expected = scipy_stats.binomtest(better, better + worse, 0.5).pvalue if better + worse else 1.0
    assert binomial_p(better, worse) == pytest.approx(expected)


@pytest.mark.parametrize("freedom", [3.0, 12.0, 60.0])
def test_the_reach_has_its_power_by_simulation(freedom):
    """A true difference of so many standard errors as estimated, with the error drawn anew, is found 4 times of 5."""
    rng, reach = np.random.default_rng(2), standard_errors(freedom, 0.95, 0.8)
    true_error = 1 / np.sqrt(rng.chisquare(freedom, 200_000) / freedom)
    seen_error = true_error * np.sqrt(rng.chisquare(freedom, 200_000) / freedom)
    found = np.abs(rng.normal(reach, true_error)) / seen_error > scipy_stats.t.ppf(0.975, freedom)
    assert found.mean() == pytest.approx(0.8, abs=0.01)


def test_the_detectable_difference_grows_with_error_level_and_power():
    assert detectable_difference(0.02, 10) == pytest.approx(2 * detectable_difference(0.01, 10))
    assert detectable_difference(0.01, 10, level=0.99) > detectable_difference(0.01, 10) > detectable_difference(
        0.01, 10, power=0.5
    )  # fmt: skip
    assert detectable_difference(0.01, 1e9) == detectable_difference(0.01, 200.0) < detectable_difference(0.01, 199.0)
    assert detectable_difference(0.01, 5.04) == detectable_difference(0.01, 5.0)


def test_the_reach_is_an_average_over_a_hundred_errors():
    """Written down a second time: a hundred quantiles of the true error, the power of each, and their mean."""
    for freedom, level, power in ((3.0, 0.95, 0.8), (12.5, 0.9, 0.5), (60.0, 0.95, 0.8)):
        ratios = np.sqrt(scipy_stats.chi2.ppf(np.linspace(0.005, 0.995, 100), freedom) / freedom)
        critical = scipy_stats.t.ppf(0.5 + level / 2, freedom)

        def missed(reach, freedom=freedom, ratios=ratios, critical=critical, power=power):
            return np.mean(nctdtr(freedom, reach * ratios, critical)) - (1 - power)

        assert standard_errors(freedom, level, power) == pytest.approx(brentq(missed, 0.0, 20.0), abs=1e-4)


def test_a_difference_at_the_very_level_is_not_below_it():
    assert "does not reach" in holm_sentence([("a", "b", compared(0.1, 1 - 0.95))])
    assert "is significant" in holm_sentence([("a", "b", compared(0.1, 0.0499))])
    assert "a over b" in holm_sentence([("a", "b", compared(0.0, 0.01))]), "no gain is none of the second's"
    six = [("a", str(place), compared(0.1, 0.001)) for place in range(6)]
    assert "…" not in holm_sentence(six) and "…" in holm_sentence([*six, ("a", "6", compared(0.1, 0.001))])


def test_what_is_not_known_of_a_comparison():
    bare = Comparison(0.1, 0.0, 0.2, 0.5, 9, 1, 2)
    assert (bare.tasks, bare.weigh) == (0, "tasks") and math.isnan(bare.detectable)

"""Competence for tasks of any family, with and without partners."""

from __future__ import annotations

import numpy as np
import pytest

from taskloom.core.catalog import METRICS
from taskloom.core.metric import ItemScore
from taskloom.score.metrics import Competence, CompetenceRow, breakdown, macro_estimate, task_numbers
from taskloom.score.stats import wilson


def scored(task: str, *values: float, seed: str = "") -> list[ItemScore]:
    return [ItemScore(task, str(index), value, seed=seed) for index, value in enumerate(values)]


def test_any_family_can_be_judged_by_competence() -> None:
    scores = [*scored("a", 1, 1, 1, 0), *scored("b", 1, 1, 1, 1), *scored("c", 0, 0)]
    estimate = Competence(threshold=0.75).suite(scores)
    assert estimate.value == pytest.approx(2 / 3)
    assert estimate.low < estimate.value < estimate.high
    assert Competence(threshold=0.9).suite(scores).value == pytest.approx(1 / 3)
    assert METRICS.get("competence").suite(scores).value == pytest.approx(1 / 3)


def test_a_paraphrase_counts_only_with_its_base() -> None:
    tasks = {"p": {"consistent_with": "b"}, "q": {"consistent_with": "gone"}, "b": {}}
    scores = [*scored("b", 1, 0), *scored("p", 1, 1), *scored("q", 1, 1)]
    numbers = {number.task: number.counted for number in task_numbers(scores, tasks)}
    assert numbers == {"b": 0.5, "p": 0.5, "q": None}
    assert Competence(threshold=0.9).suite(scores, tasks).value == 0.0
    assert Competence(threshold=0.9).suite(scores).value == pytest.approx(2 / 3)


def test_seeds_are_kept_apart() -> None:
    tasks = {"p": {"consistent_with": "b"}}
    scores = [
        *scored("b", 1, seed="1"),
        *scored("p", 1, seed="1"),
        *scored("b", 0, seed="2"),
        *scored("p", 1, seed="2"),
    ]
    assert [number.counted for number in task_numbers(scores, tasks)] == [1, 1, 0, 0]


def test_breakdown_counts_each_group_once() -> None:
    tasks = {"a": {"domain": "x"}, "b": {"domain": "x"}, "c": {"domain": "y"}}
    rows = breakdown([*scored("a", 1), *scored("b", 0), *scored("c", 1)], tasks, by="domain", thresholds=(0.5,))
    assert [(row.group, row.mean.value, row.tasks) for row in rows] == [
        ("x", 0.5, 2),
        ("y", 1.0, 1),
        ("overall", 0.75, 3),
    ]
    assert rows[-1].at[0.5].value == 0.75
    assert rows[-1].mean.low < 0.75 < rows[-1].mean.high


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_a_threshold_outside_the_unit_interval_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        Competence(threshold=threshold)


def test_breakdown_counts_what_is_left_out() -> None:
    tasks = {"p": {"consistent_with": "gone", "domain": "x"}, "a": {"domain": "x"}, "b": {"domain": "y"}, "c": {}}
    rows = breakdown([*scored("p", 1), *scored("a", 0), *scored("b", 1)], tasks, by="domain", thresholds=(0.5, 1.0))
    assert [(row.group, row.tasks, row.left_out) for row in rows] == [("x", 1, 1), ("y", 1, 0), ("overall", 2, 1)]
    assert rows[0].at == {level: rows[0].at[level] for level in (0.5, 1.0)}
    assert rows[0].mean.value == 0.0 and rows[-1].mean.value == 0.5
    alone = breakdown(scored("c", 1, 0), tasks, by="domain")
    assert [(row.group, row.mean.value) for row in alone] == [("-", 0.5)], "one group needs no overall line"


def test_the_mean_of_group_means() -> None:
    found = macro_estimate([[1.0, 0.0], [1.0], []])
    assert (found.value, found.n, found.tasks) == (0.75, 3, 3)
    assert 0 <= found.low < 0.75 < found.high <= 1
    same = macro_estimate([[1.0, 1.0], [1.0]])
    assert same.value == same.high == 1.0 and same.low == pytest.approx(wilson(3, 3)[0]), "no narrower than Wilson's"
    even = macro_estimate([[1.0, 0.0] * 100, [1.0] * 200])
    assert even.value == 0.75 and 0.69 < even.low < even.high < 0.81, "groups vary within, not between"
    assert macro_estimate([[]]).n == 0
    assert macro_estimate([[1.0, 0.0, 0.5]]) == macro_estimate([[1.0, 0.0, 0.5]]), "the same draws each time"


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_the_ends_of_the_unit_interval_are_thresholds(threshold: float) -> None:
    scores = [*scored("a", 1, 1), *scored("b", 0, 0)]
    assert Competence(threshold=threshold).suite(scores).value == (1.0 if threshold == 0.0 else 0.5)


def test_a_task_is_done_or_not() -> None:
    half = Competence(threshold=0.5)
    done, missed = half.task(scored("a", 1, 0)), half.task(scored("a", 1, 0, 0))
    assert (done.value, done.n) == (1.0, 2), "reaching it is enough"
    assert (missed.value, missed.n) == (0.0, 3)
    assert (done.low, done.high) == wilson(1, 1) and (missed.low, missed.high) == wilson(0, 1)


def test_another_metric_makes_the_number_of_a_task() -> None:
    strict = Competence(threshold=0.6, of="competence")
    assert strict.task(scored("a", 1, 1, 1, 0)).value == 0.0, "three quarters are no 0.9"
    assert Competence(threshold=0.6).task(scored("a", 1, 1, 1, 0)).value == 1.0
    assert (Competence().threshold, Competence().of) == (0.9, "mean")


def test_numbers_carry_how_many_scores_they_rest_on() -> None:
    (first, second) = task_numbers([*scored("a", 1, 0, 1), *scored("b", 1)])
    assert first == ("a", "", pytest.approx(2 / 3), pytest.approx(2 / 3), 3) and second == ("b", "", 1.0, 1.0, 1)
    doubled = task_numbers([*scored("a", 1, 0), *scored("b", 1)], number=lambda scores: len(scores) / 10)
    assert [(one.own, one.counted) for one in doubled] == [(0.2, 0.2), (0.1, 0.1)]


def test_the_overall_line_counts_groups_that_have_a_number() -> None:
    tasks = {"p": {"consistent_with": "gone", "domain": "x"}, "a": {"domain": "y"}, "b": {"domain": "z"}}
    rows = breakdown([*scored("p", 1), *scored("a", 1), *scored("b", 0)], tasks, by="domain")
    assert [(row.group, row.tasks, row.left_out) for row in rows[:1]] == [("x", 0, 1)]
    assert (rows[-1].group, rows[-1].mean.value, rows[-1].tasks, rows[-1].left_out) == ("overall", 0.5, 2, 1)
    assert set(rows[-1].at) == {0.75, 0.9}, "what zest reports"
    one = breakdown([*scored("p", 1), *scored("a", 1)], tasks, by="domain")
    assert [row.group for row in one] == ["x", "y"], "one group with a number needs no overall line"


def test_the_interval_of_group_means_is_that_of_a_bootstrap() -> None:
    """Two thousand draws from a fixed seed, one group after the other."""
    groups = [[0.0, 0.2, 0.9, 1.0], [0.5, 0.4, 0.7] * 40]
    rng = np.random.default_rng(0)
    drawn = [[np.mean(np.take(group, picks)) for picks in rng.integers(len(group), size=(2_000, len(group)))]
             for group in groups]  # fmt: skip
    low, high = np.quantile(np.mean(drawn, axis=0), [0.025, 0.975])
    found = macro_estimate(groups)
    assert found.value == pytest.approx((np.mean(groups[0]) + np.mean(groups[1])) / 2)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.n, found.tasks, found.method) == (124, 124, "bootstrap over tasks")


def test_nothing_to_average_is_said_honestly() -> None:
    nothing = macro_estimate([])
    assert (nothing.low, nothing.high, nothing.n, nothing.tasks) == (0.0, 1.0, 0, 0) and nothing.value != nothing.value


@pytest.mark.parametrize(("value", "end"), [(1 + 1e-12, 1.0), (-1e-12, 0.0)])
def test_means_just_outside_are_brought_back(value: float, end: float) -> None:
    found = macro_estimate([[value]])
    assert (found.high if end else found.low) == end and 0.0 <= found.low < found.high <= 1.0


def test_nothing_is_left_out_unless_it_is_said() -> None:
    assert CompetenceRow("g", macro_estimate([[1.0]]), {}, 1).left_out == 0

"""Metrics: the number of a task, of a suite, and task competence: the share of tasks that a model can do.

A task has a number of its own: what the metric of its scorer makes of its scores (the mean unless a caller names
another). A model is competent at a task if that number reaches a threshold T; C@T is the share of such tasks. A task
whose facets name another in `consistent_with` (paraphrases, semantic flips) counts the smaller number of the two, so
it is done only if both are done, and is left out where the other was not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from taskloom.core.metric import Estimate, ItemScore, Metric, make_metric
from taskloom.score.stats import DRAWS, Weigh, clustered_mean, mean_estimate, wilson

if TYPE_CHECKING:
    from taskloom.core.metric import Values


class MeanScore(Metric, frozen=True, kw_only=True):
    """The mean score of a task; over several tasks, the mean of their means or of all instances.

    Attributes:
        weigh: "tasks" counts every task once, "instances" every instance.
    """

    name: ClassVar[str] = "mean"

    weigh: Weigh = "tasks"

    def number(self, scores: Sequence[ItemScore]) -> float:
        return fsum(score.value for score in scores) / len(scores) if scores else float("nan")

    def task(self, scores: Sequence[ItemScore]) -> Estimate:
        return mean_estimate([score.value for score in scores])

    def suite(self, scores: Iterable[ItemScore], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        cells: dict[tuple[str, str], list[float]] = {}
        for score in scores:
            cells.setdefault((score.task, score.seed), []).append(score.value)
        return clustered_mean(cells, weigh=self.weigh)

    def from_values(
        self, cells: Mapping[tuple[str, str], Values], tasks: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Estimate | None:
        return clustered_mean(cells, weigh=self.weigh)


MEAN: Metric = MeanScore()


CONSISTENT_WITH = "consistent_with"
_THRESHOLDS = (0.75, 0.9)

NumberOf: TypeAlias = Callable[[Sequence[ItemScore]], float]
"""From the scores of one task to its number; `Metric.number` is one."""


class TaskNumber(NamedTuple):
    """The number of one task in one run, and the one that counts (None: its partner was not asked)."""

    task: str
    seed: str
    own: float
    counted: float | None
    n: int


class CompetenceRow(msgspec.Struct, frozen=True):
    """One line of a breakdown: mean task number and C@T with intervals by bootstrap over tasks."""

    group: str
    mean: Estimate
    at: dict[float, Estimate]
    tasks: int
    left_out: int = 0


def task_numbers(
    scores: Iterable[ItemScore],
    tasks: Mapping[str, Mapping[str, Any]] | None = None,
    number: NumberOf = MEAN.number,
) -> list[TaskNumber]:
    """The numbers of all tasks, in order of first appearance, paired where their facets say so."""
    cells: dict[tuple[str, str], list[ItemScore]] = {}
    for score in scores:
        cells.setdefault((score.task, score.seed), []).append(score)
    own = {cell: number(members) for cell, members in cells.items()}
    numbers = []
    for (task, seed), value in own.items():
        partner = (tasks or {}).get(task, {}).get(CONSISTENT_WITH)
        counted = value if not partner else min(value, own[partner, seed]) if (partner, seed) in own else None
        numbers.append(TaskNumber(task, seed, value, counted, len(cells[task, seed])))
    return numbers


def breakdown(
    scores: Iterable[ItemScore],
    tasks: Mapping[str, Mapping[str, Any]],
    by: str = "generalisation",
    thresholds: Sequence[float] = _THRESHOLDS,
    number: NumberOf = MEAN.number,
) -> list[CompetenceRow]:
    """Mean and C@T per value of a task facet, and an overall line in which each group counts once.

    Args:
        scores: The scored instances of one run, or of several seeds.
        tasks: The facets of the tasks by name.
        by: The task facet to group by; tasks without it form the group "-".
        thresholds: The levels T of C@T, in [0, 1].
        number: What makes the number of a task from its scores.
    """
    groups: dict[str, list[TaskNumber]] = {}
    for one in task_numbers(scores, tasks, number):
        groups.setdefault(str(tasks.get(one.task, {}).get(by, "-")), []).append(one)
    rows = [_row(name, members, thresholds) for name, members in groups.items()]
    counted = {name: [m for m in members if m.counted is not None] for name, members in groups.items()}
    filled = [members for members in counted.values() if members]
    if len(filled) > 1:
        means = [[_value(m) for m in members] for members in filled]
        at = {t: macro_estimate([[float(v >= t) for v in values] for values in means]) for t in thresholds}
        left = sum(row.left_out for row in rows)
        rows.append(CompetenceRow("overall", macro_estimate(means), at, sum(map(len, filled)), left))
    return rows


def _value(number: TaskNumber) -> float:
    assert number.counted is not None
    return number.counted


def _row(name: str, members: list[TaskNumber], thresholds: Sequence[float]) -> CompetenceRow:
    counted = [member for member in members if member.counted is not None]
    at = {level: mean_over_tasks(counted, level) for level in thresholds}
    return CompetenceRow(name, mean_over_tasks(counted, None), at, len(counted), len(members) - len(counted))


def mean_over_tasks(numbers: Iterable[TaskNumber], threshold: float | None = None) -> Estimate:
    """The mean over tasks of their number (or of reaching the threshold), with an interval for unseen tasks."""
    cells: dict[tuple[str, str], list[float]] = {}
    for number in numbers:
        value = _value(number)
        cells[number.task, number.seed] = [value if threshold is None else float(value >= threshold)]
    return clustered_mean(cells)


def macro_estimate(groups: Sequence[Sequence[float]]) -> Estimate:
    """The mean of group means, with an interval from resampling the members of each group."""
    import numpy as np

    rng = np.random.default_rng(0)
    arrays = [np.asarray(group, dtype=float) for group in groups if len(group)]
    if not arrays:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    value = float(np.mean([array.mean() for array in arrays]))
    resampled = np.mean([a[rng.integers(len(a), size=(DRAWS, len(a)))].mean(axis=1) for a in arrays], axis=0)
    low, high = (float(bound) for bound in np.quantile(resampled, [0.025, 0.975]))
    n = sum(map(len, arrays))
    floor, ceiling = wilson(min(max(value, 0.0), 1.0) * n, n)
    return Estimate(value, max(0.0, min(low, floor)), min(1.0, max(high, ceiling)), n, n, "bootstrap over tasks")


class Competence(Metric, frozen=True, kw_only=True):
    """C@T: the share of tasks whose number reaches the threshold.

    Attributes:
        threshold: T, between 0 and 1.
        of: The metric that makes the number of a task: mean, zest-f1 ...
    """

    name: ClassVar[str] = "competence"

    threshold: float = 0.9
    of: str = "mean"

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"a threshold of competence must be in [0, 1], not {self.threshold}")

    def task(self, scores: Sequence[ItemScore]) -> Estimate:
        done = float(make_metric(self.of).number(scores) >= self.threshold)
        return mean_estimate([done])._replace(n=len(scores))

    def suite(self, scores: Iterable[ItemScore], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        numbers = task_numbers(scores, tasks, make_metric(self.of).number)
        return mean_over_tasks((n for n in numbers if n.counted is not None), self.threshold)


COMPETENCE: Metric = Competence()

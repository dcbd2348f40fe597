"""Task competence: the share of tasks a model can *do*, for tasks of any family.

A task has a number of its own (the F1 of ZEST's buckets where a scorer keeps them, the mean score otherwise). A
model is competent at a task if that number reaches a threshold T; C@T is the share of such tasks. A task whose
facets name another in `consistent_with` (paraphrases, semantic flips) counts the smaller number of the two, so it
is done only if both are done, and is left out where the other was not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from taskloom.score.metrics import Metric, Scored
from taskloom.score.stats import DRAWS, Estimate, hierarchical_mean, mean_estimate, wilson
from taskloom.score.zest_buckets import BUCKETS, entries_from, f1_of_entries

__all__ = [
    "COMPETENCE",
    "ZEST_F1",
    "Competence",
    "CompetenceRow",
    "TaskNumber",
    "ZestF1",
    "breakdown",
    "task_number",
    "task_numbers",
]

CONSISTENT_WITH = "consistent_with"
_THRESHOLDS = (0.75, 0.9)


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


def task_number(scores: Sequence[Scored]) -> float:
    """The number of one task: the F1 of its bucket entries, or the mean score where the scorer keeps none."""
    if any(bucket in score.details for score in scores for bucket in BUCKETS):
        return f1_of_entries(entry for score in scores for entry in entries_from(score.details))
    return sum(score.value for score in scores) / len(scores) if scores else float("nan")


def task_numbers(scores: Iterable[Scored], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> list[TaskNumber]:
    """The numbers of all tasks, in order of first appearance, paired where their facets say so."""
    cells: dict[tuple[str, str], list[Scored]] = {}
    for score in scores:
        cells.setdefault((score.task, score.seed), []).append(score)
    own = {cell: task_number(members) for cell, members in cells.items()}
    numbers = []
    for (task, seed), value in own.items():
        partner = (tasks or {}).get(task, {}).get(CONSISTENT_WITH)
        counted = value if not partner else min(value, own[partner, seed]) if (partner, seed) in own else None
        numbers.append(TaskNumber(task, seed, value, counted, len(cells[task, seed])))
    return numbers


def breakdown(
    scores: Iterable[Scored],
    tasks: Mapping[str, Mapping[str, Any]],
    by: str = "generalisation",
    thresholds: Sequence[float] = _THRESHOLDS,
) -> list[CompetenceRow]:
    """Mean and C@T per value of a task facet, and an overall line in which each group counts once.

    Args:
        scores: The scored instances of one run, or of several seeds.
        tasks: The facets of the tasks by name.
        by: The task facet to group by; tasks without it form the group "-".
        thresholds: The levels T of C@T, in [0, 1].
    """
    groups: dict[str, list[TaskNumber]] = {}
    for number in task_numbers(scores, tasks):
        groups.setdefault(str(tasks.get(number.task, {}).get(by, "-")), []).append(number)
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
    at = {level: _over_tasks(counted, level) for level in thresholds}
    return CompetenceRow(name, _over_tasks(counted, None), at, len(counted), len(members) - len(counted))


def _over_tasks(numbers: list[TaskNumber], threshold: float | None) -> Estimate:
    """The mean over tasks of their number (or of reaching the threshold), resampling tasks."""
    cells: dict[tuple[str, str], list[float]] = {}
    for number in numbers:
        value = _value(number)
        cells[number.task, number.seed] = [value if threshold is None else float(value >= threshold)]
    return hierarchical_mean(cells)


def macro_estimate(groups: Sequence[Sequence[float]], draws: int = DRAWS, seed: int = 0) -> Estimate:
    """The mean of group means, with an interval from resampling the members of each group."""
    import numpy as np

    rng = np.random.default_rng(seed)
    arrays = [np.asarray(group, dtype=float) for group in groups if len(group)]
    if not arrays:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    value = float(np.mean([array.mean() for array in arrays]))
    resampled = np.mean([a[rng.integers(len(a), size=(draws, len(a)))].mean(axis=1) for a in arrays], axis=0)
    low, high = (float(bound) for bound in np.quantile(resampled, [0.025, 0.975]))
    n = sum(map(len, arrays))
    floor, ceiling = wilson(min(max(value, 0.0), 1.0) * n, n)
    return Estimate(value, max(0.0, min(low, floor)), min(1.0, max(high, ceiling)), n, n, "bootstrap over tasks")


class Competence(Metric):
    """C@T: the share of tasks whose number reaches the threshold."""

    name: ClassVar[str] = "competence"

    def __init__(self, threshold: float = 0.9) -> None:
        if not 0 <= threshold <= 1:
            raise ValueError(f"a threshold of competence lies in [0, 1], not at {threshold}")
        self.threshold = threshold

    def task(self, scores: Sequence[Scored]) -> Estimate:
        done = float(task_number(scores) >= self.threshold)
        return mean_estimate([done])._replace(n=len(scores))

    def suite(self, scores: Iterable[Scored], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        return _over_tasks([n for n in task_numbers(scores, tasks) if n.counted is not None], self.threshold)


class ZestF1(Metric):
    """The F1 of a task with NA as the negative class; over tasks, the mean."""

    name: ClassVar[str] = "zest-f1"

    def task(self, scores: Sequence[Scored]) -> Estimate:
        value, n = task_number(scores), len(scores)
        if not n:
            return Estimate(value, 0.0, 1.0, 0)
        return self._bootstrap(scores, value)

    def _bootstrap(self, scores: Sequence[Scored], value: float) -> Estimate:
        """Resample instances; never narrower than Wilson's interval for as many of them."""
        import numpy as np

        rng = np.random.default_rng(0)
        credit, hits, fps, fns = (np.zeros(len(scores)) for _ in range(4))
        for index, score in enumerate(scores):
            for bucket, one in entries_from(score.details):
                hits[index] += bucket == "tp"
                credit[index] += one if bucket == "tp" else 0.0
                fps[index] += bucket == "fp"
                fns[index] += bucket == "fn"
        picks = rng.integers(len(scores), size=(DRAWS // 4, len(scores)))
        total, hit = credit[picks].sum(axis=1), hits[picks].sum(axis=1)
        claimed, wanted = hit + fps[picks].sum(axis=1), hit + fns[picks].sum(axis=1)
        precision = np.divide(total, claimed, out=np.ones_like(total), where=claimed > 0)
        recall = np.divide(total, wanted, out=np.ones_like(total), where=wanted > 0)
        both = precision + recall
        f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(total), where=both > 0)
        low, high = (float(bound) for bound in np.quantile(f1, [0.025, 0.975]))
        floor, ceiling = wilson(value * len(scores), len(scores))
        return Estimate(value, min(low, floor), max(high, ceiling), len(scores), 1, "bootstrap over instances")

    def suite(self, scores: Iterable[Scored], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        """The mean F1 of tasks, each on its own: pairing is a matter of competence, and of `breakdown`."""
        return _over_tasks(task_numbers(scores), None)


COMPETENCE: Metric = Competence()
ZEST_F1: Metric = ZestF1()

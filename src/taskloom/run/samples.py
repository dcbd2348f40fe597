"""Several answers to the same question: their mean, the best of k, the vote, and how much they agree.

Every number is first made per instance and then averaged as scores are, so intervals are over instances and tasks;
more samples make an instance's number steadier, not the number of instances larger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb, fsum, isnan
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.ask.judge import ScoredReading
from taskloom.core.metric import Estimate, ItemScore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from taskloom.run.results import Run

_RIGHT = 1.0 - 1e-9
"""A score that counts as solved, for pass@k."""


def pass_at(scores: Sequence[float], k: int) -> float:
    """The chance that one of k answers drawn from these is right (the unbiased estimate of Chen et al., 2021)."""
    right = sum(score >= _RIGHT for score in scores)
    wrong = len(scores) - right
    return 1.0 if wrong < k else 1.0 - comb(wrong, k) / comb(len(scores), k)


def majority(records: Sequence[ScoredReading]) -> float:
    """The score of the commonest answer; of equally common ones, of the first that was given."""
    votes = Counter(record.answer for record in records if record.answer is not None)
    if not votes:
        return 0.0
    most = max(votes.values())
    chosen = next(record for record in records if record.answer is not None and votes[record.answer] == most)
    return chosen.score or 0.0


def agreement(records: Sequence[ScoredReading]) -> float | None:
    """The share of pairs of answers that are the same; None with fewer than two answers."""
    pairs = comb(len(records), 2)
    if not pairs:
        return None
    return sum(comb(count, 2) for count in Counter(record.answer for record in records).values()) / pairs


def averaged(scores: Iterable[ItemScore]) -> list[ItemScore]:
    """One score per instance: the mean of its samples, with the details of the first."""
    groups: dict[tuple[str, str], list[ItemScore]] = {}
    for score in scores:
        groups.setdefault((score.task, score.id), []).append(score)
    return [
        msgspec.structs.replace(group[0], value=fsum(score.value for score in group) / len(group))
        for group in groups.values()
    ]


def mean_of_samples(
    tasks: NDArray[Any], instances: NDArray[Any], values: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """One number per instance from codes of task and instance and a number each; instances by their first sample."""
    import numpy as np

    if not len(values):
        return tasks, values
    keys = tasks.astype(np.int64) * (int(instances.max()) + 1) + instances
    order = np.argsort(keys, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
    groups.sort(key=lambda rows: int(rows[0]))
    means = [fsum(values[rows].tolist()) / len(rows) for rows in groups]
    return tasks[[int(rows[0]) for rows in groups]], np.asarray(means)


def sample_estimates(run: Run) -> dict[str, Estimate]:
    """Mean, pass@k for k = 1 and all, majority vote and agreement of a run with several samples; else nothing."""
    if run.plan.samples < 2:
        return {}
    groups: dict[tuple[str, str], list[ScoredReading]] = {}
    columns = (run.columns.column(name).to_pylist() for name in ("task", "id", "answer"))
    for task, instance, answer, score in zip(*columns, run.columns.floats("score").tolist(), strict=True):
        if not isnan(score):
            groups.setdefault((task, instance), []).append(ScoredReading(answer, score))
    values: dict[str, list[ItemScore]] = {}

    def add(name: str, key: tuple[str, str], value: float) -> None:
        values.setdefault(name, []).append(ItemScore(*key, value, seed=run.replicate))

    for key, records in groups.items():
        scores = [record.score or 0.0 for record in records]
        add("mean", key, fsum(scores) / len(scores))
        for k in dict.fromkeys((1, run.plan.samples)):
            if len(scores) >= k:
                add(f"pass@{k}", key, pass_at(scores, k))
        add("majority", key, majority(records))
        if (shared := agreement(records)) is not None:
            add("agreement", key, shared)
    facets = {name: run.tasks[name].facets for name in dict.fromkeys(task for task, _ in groups)}
    metric = run.mean_metric()
    return {
        name: metric.task(found) if len(facets) == 1 else metric.suite(found, facets) for name, found in values.items()
    }

"""The F1 of a task with NA as the negative class, and competence by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from taskloom.core.metric import Estimate, ItemScore, Metric
from taskloom.families.zest.score.buckets import BUCKETS, entries_from, f1_of_entries
from taskloom.score.competence import Competence, mean_over_tasks, task_numbers
from taskloom.score.stats import DRAWS, wilson


def task_f1(scores: Sequence[ItemScore]) -> float:
    """The F1 of a task's bucket entries, or the mean score where the scorer keeps none."""
    if any(bucket in score.details for score in scores for bucket in BUCKETS):
        return f1_of_entries(entry for score in scores for entry in entries_from(score.details))
    return sum(score.value for score in scores) / len(scores) if scores else float("nan")


class ZestF1(Metric, frozen=True, kw_only=True):
    """The F1 of a task with NA as the negative class; over tasks, the mean."""

    name: ClassVar[str] = "zest-f1"

    def number(self, scores: Sequence[ItemScore]) -> float:
        return task_f1(scores)

    def task(self, scores: Sequence[ItemScore]) -> Estimate:
        value, n = task_f1(scores), len(scores)
        if not n:
            return Estimate(value, 0.0, 1.0, 0)
        return self._bootstrap(scores, value)

    def _bootstrap(self, scores: Sequence[ItemScore], value: float) -> Estimate:
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

    def suite(self, scores: Iterable[ItemScore], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        """The mean F1 of tasks, each on its own: pairing is a matter of competence, and of `breakdown`."""
        return mean_over_tasks(task_numbers(scores, number=task_f1))


class ZestCompetence(Competence, frozen=True, kw_only=True):
    """C@T where the number of a task is its F1."""

    name: ClassVar[str] = "zest-competence"

    of: str = "zest-f1"


ZEST_F1: Metric = ZestF1()
ZEST_COMPETENCE: Metric = ZestCompetence()

"""Metrics: from the scores of instances to the number of a task, and from tasks to the number of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

from taskloom.core.metric import Estimate, ItemScore, Metric
from taskloom.score.stats import Weigh, clustered_mean, mean_estimate

if TYPE_CHECKING:
    from taskloom.core.metric import Values

__all__ = ["MEAN", "MeanScore"]


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

"""Metrics: from the scores of instances to the number of a task, and from tasks to the number of a suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from taskloom.score.stats import Estimate, hierarchical_mean, mean_estimate

__all__ = ["MEAN", "MeanScore", "Metric", "Scored"]


class Scored(msgspec.Struct, frozen=True):
    """One scored instance as a metric sees it. `seed` tells repeated runs apart ("" for one run)."""

    task: str
    id: str
    value: float
    details: dict[str, Any] = {}
    facets: dict[str, Any] = {}
    seed: str = ""


class Metric(ABC):
    """Aggregates scores with an interval. Registered under `metric.NAME`."""

    name: ClassVar[str]

    @abstractmethod
    def task(self, scores: Sequence[Scored]) -> Estimate:
        """The number of one task."""

    @abstractmethod
    def suite(self, scores: Iterable[Scored], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        """The number of a whole suite. `tasks` carries the facets of tasks (derives_from and the like)."""


class MeanScore(Metric):
    """The mean score of a task; over several tasks, the mean of their means (each task counts once)."""

    name: ClassVar[str] = "mean"

    def task(self, scores: Sequence[Scored]) -> Estimate:
        return mean_estimate([score.value for score in scores])

    def suite(self, scores: Iterable[Scored], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        cells: dict[tuple[str, str], list[float]] = {}
        for score in scores:
            cells.setdefault((score.task, score.seed), []).append(score.value)
        return hierarchical_mean(cells)


MEAN: Metric = MeanScore()

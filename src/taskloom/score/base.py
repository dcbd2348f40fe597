"""The contract between an answer and its score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import msgspec

from taskloom.core import Targets, Task

__all__ = ["Score", "Scorer"]


class Score(msgspec.Struct, frozen=True):
    """A score in [0, 1], with whatever the scorer found worth keeping (logged beside it). JSON values only."""

    value: float
    details: dict[str, Any] = {}


class Scorer(ABC):
    """Judges one extracted answer against all acceptable ones. Stateless: the same answer, the same score."""

    name: ClassVar[str]
    """The name it is registered under."""

    metric: ClassVar[str] = "mean"
    """The registered metric that turns the scores of one task into its number."""

    @abstractmethod
    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        """The score of one answer. Never raises for what a model may say, however odd."""

"""The contract between an answer and its score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import wraps
from typing import Any, ClassVar

import msgspec

from taskloom.core.calls import Explained, a
from taskloom.core.errors import UserError
from taskloom.core.recipe import NamedRecipe, resolve
from taskloom.core.targets import Targets
from taskloom.core.task import Task

FUNCTION = "function/"
"""The head of the names of scorers that are functions; other processes do not know them."""


class Score(Explained, msgspec.Struct, frozen=True):
    """A score in [0, 1], with details that are logged with it. JSON values only."""

    value: float
    details: dict[str, Any] = {}


class Scorer(NamedRecipe, frozen=True):
    """Compares one answer with all acceptable ones. Its fields are its options (`-S key=value`).

    Stateless: the same answer always gets the same score.
    """

    metric: ClassVar[str] = "mean"
    """The registered metric that turns the scores of one task into its number."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls).get("score")
        if own is not None and not cls.__module__.startswith("taskloom."):

            @wraps(own)
            def score(self: Scorer, answer: str, targets: Targets, task: Task) -> Score:
                return as_score(own(self, answer, targets, task), f"scorer {self.name}")

            cls.score = score  # type: ignore[method-assign]

    @abstractmethod
    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        """The score of one answer. Must never raise, for any output of a model."""


def as_score(found: object, called: str) -> Score:
    """What a scorer of a user's returned as a score: itself, or a number or truth value.

    Raises:
        UserError: It is none of these.
    """
    if isinstance(found, Score):
        return found
    if not isinstance(found, int | float):
        raise UserError(f"{called} returned {a(type(found).__name__)}, not a score", hint="return 0.0 to 1.0")
    return Score(float(found))


def metric_of(scorer: str) -> str:
    """The registered metric that turns the scores of a scorer into a number."""
    from taskloom.core.catalog import SCORERS

    return Scorer.metric if scorer.startswith(FUNCTION) else SCORERS.get(scorer).metric


def make_scorer(name: str, options: Mapping[str, Any] | None = None) -> Scorer:
    """The registered scorer of that name with some of its options replaced."""
    from taskloom.core.catalog import SCORERS

    return resolve(SCORERS.get(name), options or {}, where=f"scorer {name}")

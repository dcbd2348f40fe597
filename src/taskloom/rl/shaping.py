"""Partial credit: how much of an answer is right, for rewards that need a slope to climb.

Labels, truth values and numbers have no parts: credit for a near miss would pay for guessing, so they get none.
"""

from __future__ import annotations

from typing import Any

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf, Items, Product, Structure, Targets, Task
from taskloom.core.catalog import KINDS, SCORERS
from taskloom.core.scorer import Score

LENIENT_SHARE = 0.9
"""What an answer is worth that is right only as a careful person reads it."""

PARTIAL_SHARE = 0.8
"""What the parts of an answer are worth at most: always less than a right answer, however it is written."""

_LONGEST = 2_000
_FEW = 16


def partial_credit(found: ScoredReading, task: Task, targets: Targets) -> float:
    """The share of an answer that is right, at most `PARTIAL_SHARE`."""
    if found.answer is None:
        return 0.0
    own = found.score or 0.0
    return PARTIAL_SHARE * min(1.0, max(own, _share(found.answer[:_LONGEST], task, targets)))


def _share(answer: str, task: Task, targets: Targets) -> float:
    match targets:
        case Items():
            return _detail(SCORERS.get("items").score(answer, targets, task), "f1")
        case Structure():
            return _detail(SCORERS.get("structure").score(answer, targets, task), "leaf_f1")
        case Product():
            return SCORERS.get("words").score(answer, targets, task).value
        case AnyOf(answers) if KINDS.get(task.kind).graded and not task.labels:
            return SCORERS.get("rouge-l").score(answer, AnyOf(answers[:_FEW]), task).value
        case _:
            return 0.0


def _detail(score: Score, name: str) -> float:
    value: Any = score.details.get(name, score.value)
    return float(value)

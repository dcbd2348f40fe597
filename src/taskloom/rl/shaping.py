"""Partial credit: how much of an answer is right, for rewards that need a slope to climb.

Only what the lenient reader takes for an attempt is looked at: denials, hedges and lists of words are none.
A wrong part cancels a right one, so that naming everything earns nothing. Labels, truth values, numbers and texts that
are right or wrong as a whole have no parts: credit for a near miss would pay for guessing, so they get none.
"""

from __future__ import annotations

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf, Items, Product, Structure, Targets, Task
from taskloom.core.catalog import SCORERS

LENIENT_SHARE = 0.9
"""What an answer is worth that is right only as a careful person reads it."""

PARTIAL_SHARE = 0.8
"""What the parts of an answer are worth at most: always less than a right answer, however it is written."""

_LONGEST = 2_000


def partial_credit(found: ScoredReading, task: Task, targets: Targets) -> float:
    """The share of an answer that is right less what is wrong, at most `PARTIAL_SHARE`."""
    if found.answer is None:
        return 0.0
    answer = found.answer[:_LONGEST]
    own = _net(found.score or 0.0) if _adds_nothing(answer, targets) else 0.0
    return PARTIAL_SHARE * min(1.0, max(own, _share(answer, task, targets)))


def _adds_nothing(answer: str, targets: Targets) -> bool:
    """Whether every word stands in one acceptable answer: a denial and a hedge add words of their own."""
    said = set(answer.lower().replace(".", " ").split())
    texts = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    return any(said <= set(text.lower().replace(".", " ").split()) for text in texts[:16])


def _net(share: float, recall: float | None = None) -> float:
    """What is left of a share (of what was said, or of all parts) when each wrong part takes a right one away."""
    right = share if recall is None else recall
    return max(0.0, right * (2.0 - 1.0 / share)) if share else 0.0


def _share(answer: str, task: Task, targets: Targets) -> float:
    match targets:
        case Items():
            details = SCORERS.get("items").score(answer, targets, task).details
            return _net(details["precision"], details["recall"])
        case Structure():
            return _net(SCORERS.get("structure").score(answer, targets, task).details.get("leaf_f1", 0.0))
        case Product():
            return _net(SCORERS.get("words").score(answer, targets, task).value)
        case _:
            return 0.0

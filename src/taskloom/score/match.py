"""Scorers that compare an answer with each acceptable one: right or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import ClassVar

from taskloom.core import AnyOf, Boolean, Items, Product, Targets, Task, acceptable_texts
from taskloom.core.kind import KINDS
from taskloom.core.scorer import Score, Scorer
from taskloom.score.normalise import clean, fold, loose, number

__all__ = [
    "EXACT",
    "KIND",
    "LABEL",
    "NORMALISED",
    "NUMBER",
    "ExactMatch",
    "KindMatch",
    "LabelMatch",
    "NormalisedMatch",
    "NumberMatch",
]

RIGHT, WRONG = Score(1.0), Score(0.0)


def _matches(answer: str, targets: Targets, form: Callable[[str], str]) -> bool:
    """Whether the answer equals any acceptable one after `form`, without multiplying products out."""
    said = form(answer)
    match targets:
        case AnyOf(answers):
            return any(said == form(right) for right in answers)
        case Boolean():
            return said == form(targets.canonical())
        case Items():
            return any(said == form(targets.separator.join(right) or targets.empty) for right in targets.alternatives)
        case Product(slots, separator):
            return _in_product(said, [{form(word) for word in slot} for slot in slots], form(f"x{separator}y")[1:-1])
        case _:
            return any(said == form(right) for right in targets.alternatives)


def _in_product(said: str, slots: list[set[str]], separator: str) -> bool:
    """Whether `said` is one word per slot: the reachable end positions move from slot to slot."""
    ends = {0}
    for index, words in enumerate(slots):
        lead = separator if index else ""
        ends = {
            start + len(lead) + len(word) for start, word in product(ends, words) if said.startswith(lead + word, start)
        }
    return len(said) in ends if slots else said == ""


class ExactMatch(Scorer, frozen=True, kw_only=True):
    """1 if the answer is one of the acceptable ones to the letter (white space at the ends and runs of it aside).

    Attributes:
        case: Whether upper and lower case are different letters.
    """

    name: ClassVar[str] = "exact"

    case: bool = True

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return RIGHT if _matches(answer, targets, clean if self.case else _caseless) else WRONG


def _caseless(text: str) -> str:
    return clean(text).casefold()


class NormalisedMatch(Scorer, frozen=True):
    """Like `exact`, blind to case, punctuation and English articles."""

    name: ClassVar[str] = "normalised"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        # In a sequence of words "a" may be a word of its own, so articles stay.
        form = fold if isinstance(targets, Product) else loose
        return RIGHT if _matches(answer, targets, form) else WRONG


class LabelMatch(Scorer, frozen=True):
    """1 if the answer is the right label: the whole answer, case, punctuation and articles aside.

    A label among other words ("not entailment", "yes or no") is no answer: the words around it may deny it.
    """

    name: ClassVar[str] = "label"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        acceptable = {loose(label) for label in _acceptable(targets)}
        said = loose(answer)
        label = next((label for label in task.labels or acceptable if loose(label) == said), None)
        return WRONG if label is None else Score(float(said in acceptable), {"label": label})


def _acceptable(targets: Targets) -> Iterable[str]:
    return targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)


class NumberMatch(Scorer, frozen=True, kw_only=True):
    """1 if the answer is the right number, in digits or in words ("two", "2", "2.0"), with nothing beside it.

    Attributes:
        tolerance: How far an answer may be off, as a share of the right number.
    """

    name: ClassVar[str] = "number"

    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be 0 or more and below 1, not {self.tolerance}")

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        said = number(answer)
        right = [value for text in _acceptable(targets) if (value := number(text)) is not None]
        if said is None:
            return WRONG
        if not self.tolerance:
            return RIGHT if said in right else WRONG
        return RIGHT if any(abs(said - value) <= self.tolerance * abs(value) for value in right) else WRONG


class KindMatch(Scorer, frozen=True):
    """1 if the answer is the same as an acceptable one, as the task's kind of answer compares them."""

    name: ClassVar[str] = "kind"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        kind = KINDS.get(task.kind)
        said, right = clean(answer), acceptable_texts(targets)
        if said in map(clean, right):
            return RIGHT
        parsed = kind.parse(said, task)
        if parsed is None:
            return WRONG
        form = kind.normalise(parsed, task)
        return RIGHT if any(kind.normalise(kind.parse(one, task) or one, task) == form for one in right) else WRONG


EXACT: Scorer = ExactMatch()
NORMALISED: Scorer = NormalisedMatch()
LABEL: Scorer = LabelMatch()
NUMBER: Scorer = NumberMatch()
KIND: Scorer = KindMatch()

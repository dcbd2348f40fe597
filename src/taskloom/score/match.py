"""Scorers that compare an answer with each acceptable one: right or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import ClassVar

from taskloom.core import AnyOf, Boolean, Items, Product, Targets, Task
from taskloom.core.scorer import Score, Scorer
from taskloom.score.normalise import clean, fold, loose, number

__all__ = ["EXACT", "LABEL", "NORMALISED", "NUMBER", "ExactMatch", "LabelMatch", "NormalisedMatch", "NumberMatch"]

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
    """1 if the answer names the right label and no other.

    An answer that is exactly a label (case and punctuation aside) counts as that label. Otherwise it
    counts if exactly one label occurs in it as whole words, longer labels hiding the shorter ones
    inside them ("not entailed" is not "entailed"). Naming two labels is a wrong answer, not half a
    right one, and is marked in the details.
    """

    name: ClassVar[str] = "label"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        acceptable = _acceptable(targets)
        labels = task.labels or tuple(acceptable)
        said = _named(loose(answer), labels)
        right = len(said) == 1 and loose(said[0]) in {loose(label) for label in acceptable}
        return Score(float(right), {"label": said[0]} if len(said) == 1 else {"labels_named": len(said)})


def _acceptable(targets: Targets) -> Iterable[str]:
    return targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)


def _named(said: str, labels: Iterable[str]) -> list[str]:
    """The labels an answer names. Both sides are compared in loose form."""
    forms = {label: loose(label) for label in labels}
    whole = [label for label, form in forms.items() if form == said]
    if whole:
        return whole[:1]
    rest, named = f" {said} ", []
    for label, form in sorted(forms.items(), key=lambda pair: (-len(pair[1]), pair[1])):
        if form and f" {form} " in rest:
            named.append(label)
            rest = rest.replace(f" {form} ", " \x00 ")
    return named


class NumberMatch(Scorer, frozen=True, kw_only=True):
    """1 if the answer gives the right number, in digits or in words ("two", "2", "2.0").

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


EXACT: Scorer = ExactMatch()
NORMALISED: Scorer = NormalisedMatch()
LABEL: Scorer = LabelMatch()
NUMBER: Scorer = NumberMatch()

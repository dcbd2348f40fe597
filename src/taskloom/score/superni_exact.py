"""Exact match as Super-NaturalInstructions counts it."""

from __future__ import annotations

from collections.abc import Sequence
from string import punctuation
from typing import ClassVar

from taskloom.core import Targets, Task, acceptable_texts
from taskloom.score.base import Score, Scorer

__all__ = ["SUPERNI_EXACT", "SuperNIExact", "normalise"]

_WITHOUT_PUNCTUATION = str.maketrans("", "", punctuation)


def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation, blanks collapsed. Articles stay."""
    return " ".join(text.lower().translate(_WITHOUT_PUNCTUATION).split())


class SuperNIExact(Scorer):
    """1 if the answer equals any acceptable one after normalisation, else 0.

    Two texts of nothing but punctuation are equal by this rule, as they are in the official script.
    """

    name: ClassVar[str] = "superni-exact"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return Score(self.best(answer, acceptable_texts(targets)))

    def best(self, prediction: str, references: Sequence[str]) -> float:
        """1.0 if the prediction equals any reference after normalisation."""
        given = normalise(prediction)
        return float(any(normalise(reference) == given for reference in references))


SUPERNI_EXACT = SuperNIExact()

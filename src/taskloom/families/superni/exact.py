"""Exact match as Super-NaturalInstructions counts it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from string import punctuation
from typing import ClassVar

from taskloom.core import Targets, Task, acceptable_texts
from taskloom.core.scorer import Score, Scorer

_WITHOUT_PUNCTUATION = str.maketrans("", "", punctuation)


def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation, blanks collapsed. Articles stay."""
    return " ".join(text.lower().translate(_WITHOUT_PUNCTUATION).split())


_remembered = lru_cache(maxsize=65_536)(normalise)


class SuperNIExact(Scorer, frozen=True, kw_only=True):
    """1 if the answer equals any acceptable one after normalisation, else 0.

    Two texts of nothing but punctuation are equal by this rule, as they are in the official script.
    """

    name: ClassVar[str] = "superni-exact"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return Score(self.best(answer, acceptable_texts(targets)))

    def best(self, prediction: str, references: Sequence[str]) -> float:
        """1.0 if the prediction equals any reference after normalisation."""
        wanted = [_remembered(reference) for reference in references]
        longest = max(map(len, wanted), default=0)
        # A long prediction is usually seen to be too long from its beginning; normalising only ever adds to that.
        if len(prediction) > 2 * longest + 64 and len(normalise(prediction[: 2 * longest + 64])) > longest:
            return 0.0
        return float(normalise(prediction) in wanted)


SUPERNI_EXACT = SuperNIExact()

"""What people infer from the thirty verbs: facts from MegaVeridicality.

Participants read "Someone VERBed that a particular thing happened" (or "didn't VERB") and said whether that thing
happened: yes, no, or maybe. The counts below are of native speakers' answers in version 2.1 of the data
(White and Rawlins 2018; White, Rudinger, Rawlins and Van Durme 2018), without conditionals.
"""

from __future__ import annotations

from typing import NamedTuple


class Rating(NamedTuple):
    """Answers to one sentence: how many, and how many of them yes and no; the rest said maybe."""

    answers: int
    yes: int
    no: int

    @property
    def mean(self) -> float:
        """The mean with yes as 1, maybe as 0 and no as -1."""
        return (self.yes - self.no) / self.answers

    @property
    def share(self) -> float:
        """The share of people who infer that it happened."""
        return self.yes / self.answers


# verb: answers, yes, no of the plain sentence; the same of the negated one
_COUNTS = """
realize 10 10 0 10 9 1
acknowledge 10 9 0 10 5 0
remember 9 9 0 10 4 1
note 10 10 0 10 1 1
find 10 10 0 10 2 2
notice 10 10 0 10 8 0
learn 10 7 0 10 4 2
see 10 9 0 10 2 1
reveal 10 10 0 10 5 0
discover 10 8 0 10 2 1
understand 10 10 0 10 8 0
know 10 10 0 10 7 0
admit 10 9 0 10 2 0
recognize 10 10 0 10 8 0
observe 10 10 0 10 1 1
feel 10 1 0 10 2 0
claim 10 2 0 10 0 1
doubt 10 3 0 10 2 0
hope 10 1 1 10 2 0
predict 10 3 1 10 4 0
imply 10 3 0 10 0 2
suspect 10 0 0 10 5 0
wish 10 1 2 10 3 0
think 10 1 0 10 0 1
believe 9 0 1 10 1 0
hear 10 3 0 10 9 0
expect 10 1 0 10 6 0
estimate 10 2 0 10 3 1
assume 10 1 1 10 1 0
argue 10 2 0 10 4 0
"""


def _read() -> dict[tuple[str, bool], Rating]:
    table = {}
    for line in _COUNTS.strip().split("\n"):
        verb, *numbers = line.split()
        counts = [int(number) for number in numbers]
        table[verb, False] = Rating(*counts[:3])
        table[verb, True] = Rating(*counts[3:])
    return table


RATINGS: dict[tuple[str, bool], Rating] = _read()
"""By verb, and whether it is negated."""


def rating_of(verb: str, negated: bool = False) -> Rating | None:
    """The answers to a verb, None for one that was not asked about here."""
    return RATINGS.get((verb, negated))


def soft_label(kind: str, verb: str, entailed: bool | None, negated: bool = False) -> float | None:
    """How likely people are to infer the hypothesis, for calibration.

    A natural inference holds or does not. A veridical one has the share of people who infer the embedded sentence,
    and a composition that share where its natural inference holds, else 0.
    """
    if kind == "natural":
        return float(bool(entailed))
    rating = rating_of(verb, negated)
    if rating is None:
        return None
    return rating.share if kind == "veridical" or entailed else 0.0

"""Word overlap of short answers as ZEST measures it (after the DROP evaluator), with its oddities.

Facts about the published evaluator that this module keeps on purpose: text is split on blanks and hyphens,
ASCII punctuation goes unless a piece is a number, numbers are compared as floats ("1.5%" is 15, "-5" is 5),
words form a set, a gold number that is missing makes the score 0, and the result is rounded to two digits
with ties to even.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_PIECES = re.compile(r"[ -]")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SHORT = 200
_PAIRWISE = 8
_NAMED_FLOATS = frozenset({"nan", "inf", "infinity"})
_ARTICLE_WORDS = frozenset({"a", "an", "the"})


class Bag(NamedTuple):
    """The set of words of a normalised text, and those among them that are numbers."""

    words: frozenset[str]
    numbers: frozenset[str]


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 16)
def _normal_piece(piece: str) -> str:
    if piece.isalpha() and piece not in _NAMED_FLOATS:
        return "" if piece in _ARTICLE_WORDS else piece
    if not _is_float(piece):
        piece = piece.translate(_NO_PUNCTUATION)
    if _is_float(piece):
        piece = str(float(piece))
    return " ".join(_ARTICLES.sub(" ", piece).split())


def normalise(text: str) -> str:
    """The text as the evaluator compares it.

    Example:
        >>> normalise("The well-known $1,000 prize.")
        'well known 1000.0 prize'
    """
    pieces = (_normal_piece(piece) for piece in _PIECES.split(text.lower()) if piece)
    return " ".join(piece for piece in pieces if piece)


def _bag(text: str) -> Bag:
    words = frozenset(normalise(text).split())
    return Bag(
        words, frozenset(word for word in words if not word.isalpha() or word in _NAMED_FLOATS if _is_float(word))
    )


_short_bag = lru_cache(maxsize=1 << 16)(_bag)


def _bag_of(text: str) -> Bag:
    """Short texts repeat endlessly over a run ("yes", "n/a", keys), so they are kept; long ones are not."""
    return _short_bag(text) if len(text) <= _SHORT else _bag(text)


def overlap(gold: Bag, said: Bag) -> float:
    """F1 of two word sets; 0 where gold has numbers and none of them is said."""
    if gold.numbers and not gold.numbers & said.words:
        return 0.0
    if gold.words == said.words:
        return 1.0
    shared = len(gold.words & said.words)
    if not shared:
        # An empty side has a precision (or recall) of 1 by convention, and the F1 is still 0.
        return 0.0
    precision, recall = shared / len(said.words), shared / len(gold.words)
    return 2 * precision * recall / (precision + recall)


def best_total(scores: Sequence[Sequence[float]]) -> list[float]:
    """The scores picked by the best one-to-one assignment, by row (0 for a row left over)."""
    rows, columns = len(scores), len(scores[0])
    if rows == 1:
        return [max(scores[0])]
    if columns == 1:
        column = [row[0] for row in scores]
        best = column.index(max(column))
        return [value if index == best else 0.0 for index, value in enumerate(column)]
    if rows == columns == 2:
        (a, b), (c, d) = scores
        return [a, d] if a + d >= b + c else [b, c]
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    matrix = np.asarray(scores)
    picked = [0.0] * rows
    for row, column_index in zip(*linear_sum_assignment(matrix, maximize=True), strict=True):
        picked[row] = float(matrix[row, column_index])
    return picked


@lru_cache(maxsize=1 << 16)
def _single(gold: str, said: str) -> float:
    return round(overlap(_bag_of(gold), _bag_of(said)) * 100) / 100


def span_score(said: Sequence[str], gold: Sequence[str]) -> float:
    """The score of one list of spans against another: best assignment, over the longer length, two digits.

    Two empty lists give nan, as in the evaluator.
    """
    if not said or not gold:
        return 0.0 if said or gold else float("nan")
    if len(said) == len(gold) == 1:
        if len(said[0]) + len(gold[0]) <= _SHORT:
            return _single(gold[0], said[0])
        return round(overlap(_bag_of(gold[0]), _bag_of(said[0])) * 100) / 100
    gold_bags, said_bags = [_bag_of(text) for text in gold], [_bag_of(text) for text in said]
    picked = best_total([[overlap(one, other) for other in said_bags] for one in gold_bags])
    longest = max(len(said), len(gold))
    return round(_sum(picked, longest) / longest * 100) / 100


def _sum(values: list[float], length: int) -> float:
    """The sum as numpy adds it: one by one for short arrays, in blocks for long ones (ties of rounding see it)."""
    if length < _PAIRWISE:
        total = 0.0
        # Not `sum`, which compensates its rounding errors from Python 3.12 on.
        for value in values:
            total += value
        return total
    import numpy as np

    return float(np.add.reduce(np.asarray(values + [0.0] * (length - len(values)))))

"""Ways to look past what does not matter in an answer."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from taskloom.score.read.numbers import whole_number

__all__ = ["clean", "fold", "loose", "number", "squeezed"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NONE = frozenset({"none", "no", "nothing"})
_FEWEST_BLANKS = 32
_BLANKS = re.compile(r"\s{33,}")
_SHORT = 64


def squeezed(text: str) -> str:
    """Text without long runs of blanks, over which patterns would take quadratic time. A line end in a run stays."""
    if len(text) <= _FEWEST_BLANKS or _BLANKS.search(text) is None:
        return text
    return _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def clean(text: str) -> str:
    """Composed Unicode with white space collapsed: what `exact` compares."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fold(text: str) -> str:
    """Case and punctuation gone. A text made of nothing but those keeps its clean form, so "!" is not "?"."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(" " if unicodedata.category(c)[0] in "PSZC" else c for c in folded)
    return " ".join(letters.split()) or clean(text)


def loose(text: str) -> str:
    """`fold` without English articles (unless there is nothing else): what `normalised` compares."""
    # Labels and short answers come up again and again; long texts do not, and would fill the memory.
    return _short(text) if len(text) <= _SHORT else _loose(text)


def _loose(text: str) -> str:
    folded = fold(text)
    return " ".join(_ARTICLES.sub(" ", folded).split()) or folded


_short = lru_cache(maxsize=8_192)(_loose)


def number(text: str) -> float | None:
    """The number that an answer is, in digits or in words; None where it says more or less than one number."""
    value = whole_number(text)
    return 0.0 if value is None and fold(text[:64]) in _NONE else value

"""Why a demand cannot be met, where that is certain."""

from __future__ import annotations

from taskloom.core import UserError
from taskloom.families.babi.concepts import CellSpec
from taskloom.families.babi.story import (
    COUNTING,
    GIVE_QUESTIONS,
    LIST,
    QUESTION_KINDS,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES_NO,
)

__all__ = ["PLACELESS", "StarvedError", "impossible"]

PLACELESS = (LIST, COUNTING, *GIVE_QUESTIONS)
"""Questions that no statement about a place bears on."""

_LEAST = {WHERE_P: 1, WHERE_O: 2, WHERE_WAS: 3, YES_NO: 1, LIST: 1, COUNTING: 1}
"""The smallest supports there are: an object needs somebody's hands and their place, a move two places."""

_LEAST_DOUBLE = 3
_CONSTRUCTS = frozenset(("coref", "conj", "compound", "negate", "indef"))


class StarvedError(UserError):
    """A demand that cannot be met, or was not met after many tries, with the filter that starves."""


def impossible(cell: CellSpec) -> str | None:
    """Why nothing can meet a cell; None where that is not known."""
    if any(kind >= len(QUESTION_KINDS) for kind in cell.questions):
        return None
    return _double(cell) or (_give if all(kind in GIVE_QUESTIONS for kind in cell.questions) else _support)(cell)


def _double(cell: CellSpec) -> str | None:
    if not cell.double:
        return None
    if not cell.concepts.has("indef"):
        return "`double` asks for two eithers, and indef is not among the constructs"
    if all(kind in PLACELESS for kind in cell.questions):
        return "`double` asks for two eithers that settle a place, and no place bears on such a question"
    high = cell.support[1]
    if high < _LEAST_DOUBLE:
        return f"two eithers and what ties them are {_LEAST_DOUBLE} sentences, and `support` allows {high}"
    return None


def _give(cell: CellSpec) -> str | None:
    low, high = cell.support
    if not (cell.concepts.has("give") and cell.concepts.has("grab")):
        return "nobody gives anything without grab and give among the events"
    if not low <= 1 <= high:
        return f"one sentence answers a question about giving, so its support is never {low} to {high}"
    return "one sentence, the gift, answers a question about giving, and it is a give alone"


def _support(cell: CellSpec) -> str | None:
    kinds, high = cell.questions, cell.support[1]
    if all(kind in (WHERE_O, WHERE_WAS, LIST, COUNTING) for kind in kinds) and not cell.concepts.has("grab"):
        return "nobody holds anything without grab among the events"
    least = min(_LEAST[kind] for kind in kinds if kind in _LEAST)
    if high < least:
        return f"`support` asks for at most {high}, and such a question needs at least {least} sentences"
    events = frozenset(cell.requires) - _CONSTRUCTS
    if len(events) > high:
        return f"`requires` names {len(events)} events, each a sentence of its own, and `support` allows {high}"
    if all(kind in (LIST, COUNTING) for kind in kinds):
        odd = frozenset(cell.requires) & (_CONSTRUCTS - {"coref"})
        if odd:
            return f"only changes of somebody's hands answer such a question, and {min(odd)} is none"
    return None

"""Words that take an answer back: alternatives, doubts, denials, and that the passage does not say."""

from __future__ import annotations

import re

__all__ = ["ALTERNATIVE", "DENIAL", "HEDGE", "NOT_AVAILABLE", "SILENT", "may_refuse"]

_DOUBTS = (
    r"maybe|perhaps|might|may be|may well|could be|could also|could go|possibly|either|unsure|alternatively|depends"
    r"|not (?:entirely |quite |so )?(?:sure|certain)|hard to (?:say|tell)|no idea|who knows|i (?:do not|don['’]t) know"
    r"|(?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:say|tell|be sure|decide)|one of|toss-?up|50/50"
    r"|quizás?|tal vez|puede que|podría|no (?:lo )?sé"
)

HEDGE = re.compile(rf"\b(?:{_DOUBTS}|both|any of)\b", re.IGNORECASE)
"""A doubt about the answer."""

ALTERNATIVE = re.compile(rf"\b(?:{_DOUBTS}|or)\b|\s/\s", re.IGNORECASE)
"""A doubt, or a second answer beside the first."""

DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|except|anything but|anywhere but|nowhere|no longer|other than|rule out"
    r"|wrong|incorrect|nunca|tampoco)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What makes a sentence say the opposite."""

SILENT = re.compile(
    r"(?:does|do|did)(?: not|n['’]t) (?:say|state|mention|tell|specify|give|provide|indicate|include|contain|reveal)\b"
    r"|\bnot (?:stated|mentioned|specified|given|provided|available|applicable|indicated|said|told)\b"
    r"|\bno (?:information|mention|indication|answer)\b|\bno se (?:dice|menciona|indica)\b"
    r"|\bcannot be (?:determined|answered|known|told|inferred)\b|^unknown$|^unanswerable$",
    re.IGNORECASE,
)
"""That the passage does not say."""

NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)

_SIGNS = frozenset(
    re.findall(
        r"\w+",
        """maybe perhaps might may could possibly either unsure alternatively depends not hard no who know cannot
        can one toss tossup 50 quizá quizás tal puede podría sé or never neither nor except anything anywhere
        nowhere other rule wrong incorrect nunca tampoco""",
    )
)


def may_refuse(words: set[str], text: str) -> bool:
    """Whether any pattern of this module is worth trying on a text with these words; false for most answers."""
    return not _SIGNS.isdisjoint(words) or "/" in text or "'" in text or "’" in text

"""Words that take an answer back: alternatives, doubts, denials, and that the passage does not say."""

from __future__ import annotations

import re

__all__ = [
    "ALTERNATIVE",
    "DENIAL",
    "HEDGE",
    "NOT_AVAILABLE",
    "SIGNS",
    "SILENT",
    "is_denied",
    "may_refuse",
    "takes_back",
    "without_harmless",
]

_DOUBTS = (
    r"maybe|perhaps|might|may be|may well|could be|could also|could go|possibly|either|unsure|alternatively|depends"
    r"|not (?:entirely |quite |so )?(?:sure|certain)|hard to (?:say|tell)|no idea|who knows|i (?:do not|don['’]t) know"
    r"|(?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:say|tell|be sure|decide)|one of|toss-?up|50/50"
    r"|(?:may|might) (?:expect|think|say)|some (?:people )?(?:would |might |may )?say|(?:first|second|other) guess"
    r"|(?:false|untrue|wrong|incorrect|mistaken?) (?:that|to (?:say|think))"
    r"|quizás?|tal vez|puede que|podría|no (?:lo )?sé"
)

HEDGE = re.compile(rf"\b(?:{_DOUBTS}|both|any of)\b", re.IGNORECASE)
"""A doubt about the answer."""

ALTERNATIVE = re.compile(rf"\b(?:{_DOUBTS}|or)\b|\s/\s|(?<=\s)[ou](?=\s)", re.IGNORECASE)
"""A doubt, or a second answer beside the first."""

DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|except|anything but|anywhere but|nowhere|no longer|other than|rule out"
    r"|wrong|incorrect|untrue|false that|mistaken?|rather than|instead of|unlike|nunca|tampoco)\b|n['’]t\b",
    re.IGNORECASE,
)
"""What makes a sentence say the opposite."""

_DENIED_AFTER = re.compile(
    r"[\"'”’*`_)]*(?:\s+(?:is|are|was|were|do|does|ca|can|could|would|seems|looks)(?:n['’]t\b|(?:\s+(?:be|also|clearly))*"
    r"\s+(?:not|never|wrong|incorrect|false|untrue|an? (?:mistake|error)|mistaken|ruled out)\b)"
    r"|,?\s+but\b[^.]{0,40}\b(?:wrong|mistaken?|incorrect|not (?:it|right|correct|true|so))\b)",
    re.IGNORECASE,
)

SILENT = re.compile(
    r"(?:does|do|did)(?: not|n['’]t) (?:say|state|mention|tell|specify|give|provide|indicate|include|contain|reveal)\b"
    r"|\bnot (?:stated|mentioned|specified|given|provided|available|applicable|indicated|said|told)\b"
    r"|\bno (?:information|mention|indication|answer)\b|\bno se (?:dice|menciona|indica)\b"
    r"|\bcannot be (?:determined|answered|known|told|inferred)\b|^unknown$|^unanswerable$",
    re.IGNORECASE,
)
"""That the passage does not say."""

NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)

_CLAUSE_END = re.compile(r"[.!?;,:\n]\s*|\b(?:so|(?<!thing )but|because|hence|therefore)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n]")
_HARMLESS = re.compile(
    r"\bno (?:doubts?|problem|worries|question|trouble|need|further ado)\b|\bwithout (?:a|any|further) (?:doubt|ado)\b"
    r"|\b(?:is not|isn['’]t|was not|wasn['’]t|not) (?:too |very |so |that |a )?(?:difficult|hard|complicated|tricky)\b"
    r"|\b(?:(?:do|will|am|are)(?: not|n['’]t)|['’]m not|won['’]t) (?:going to |need to |have to )?"
    r"(?:overthink|elaborate|repeat|need|bore|explain)\b"
    r"|\bone (?:answer|word|thing|moment|last|more)\b|\b(?:this|that) one\b",
    re.IGNORECASE,
)

SIGNS = frozenset(
    re.findall(
        r"\w+",
        """maybe perhaps might may could possibly either unsure alternatively depends not hard no who know cannot
        can one toss tossup 50 quizá quizás tal puede podría sé or never neither nor except anything anywhere
        nowhere other rule wrong incorrect untrue false mistake mistaken some first second nunca tampoco o u""",
    )
)


def may_refuse(words: set[str], text: str) -> bool:
    """Whether any pattern of this module is worth trying on a text with these words; false for most answers."""
    return not SIGNS.isdisjoint(words) or "/" in text or "'" in text or "’" in text


def without_harmless(text: str) -> str:
    """A text without the negations that deny nothing ("no doubt", "not difficult")."""
    return _HARMLESS.sub(" ", text)


def takes_back(before: str) -> bool:
    """Whether the words that lead up to an answer deny or doubt it."""
    if not before:
        return False
    before = without_harmless(before)
    return DENIAL.search(before[-40:]) is not None or ALTERNATIVE.search(before) is not None


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether a sentence denies, doubts or asks what stands in it at that place."""
    clause = _CLAUSE_END.split(text[max(0, start - 120) : start])[-1]
    if clause and DENIAL.search(without_harmless(clause)):
        return True
    after = text[end : end + 120]
    asked = _SENTENCE_END.search(after)
    return (asked is not None and asked[0] == "?") or _DENIED_AFTER.match(after) is not None

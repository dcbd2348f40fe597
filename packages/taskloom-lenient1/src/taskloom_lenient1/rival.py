"""Another answer beside the one that is looked for: as short as an answer, and neither talk nor a comment."""

from __future__ import annotations

import re

from taskloom_lenient1.frame import WORD, is_frame, is_frame_word, is_marked, strip_openers
from taskloom_lenient1.hedge import CONCESSION, DENIES, NO_NOUN
from taskloom_lenient1.layout import ANSWER_NOUN
from taskloom_lenient1.peel import peel
from taskloom_lenient1.restate import FINITE

__all__ = ["DOUBTFUL", "GIVES", "MAYBE", "OTHER", "is_rival"]

OTHER = "zzz"
"""What every label is called that is not the one looked for."""

MAYBE = frozenset({"maybe", "vielleicht", "quizás", "quizá", "tal vez"})
"""Labels that are hedges."""
DOUBTFUL = MAYBE | {"n/a", "unknown", "unclear"}
"""Answers that are doubts themselves."""

_SPEAKER = re.compile(r"[\W_]*(?:i|we|you|let|this|that|these|those|my|there)\b(?!['’]s\b)(?! is\b)", re.IGNORECASE)
GIVES = re.compile(
    rf"^(.*\S)\s+(?:is|are|was|would be|should be|must be)\s+(?:the|my"
    rf"|a)\s+(?:\w+\s+){{0,2}}{ANSWER_NOUN}\b[^,;:]{{0,30}}$"
    rf"|\b(?:{ANSWER_NOUN}|options?|candidates?|opción)\b[^.:;,\n]{{0,40}}?(?:\b(?:is|are|was|be|es)\b|[:=：→⇒]|->"
    rf"|\s[–—-])[*_\s]*(\S.*)",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"[\W_]*i(?:['’](?:d|ll|m)| would| will| am)? (?:say(?:ing)?|go(?:ing)? (?:with|for)|answer(?:ing)?|pick(?:ing)?"
    r"|choos(?:e|ing))\b(?! (?:that|this|it|so|yes|no)\b)",
    re.IGNORECASE,
)
"""That the speaker gives an answer."""
_TRAILS_OFF = re.compile(
    r"^[\W_]*\w+ (?:please|time|incoming|coming up|ready)\W*$|\b(?:let|hmm+|well|ok(?:ay)?)\b.*(?:…|\.{3})",
    re.IGNORECASE,
)
"""An exclamation before the answer ("Drumroll please…")."""
_NOTHING = re.compile(r"(?:\w+:\s*)?(?:none|nothing|nobody|neither|nada|ninguno)", re.IGNORECASE)
_ABOUT = frozenset(
    re.findall(
        r"\w+",
        """text passage input story question instruction instructions rule rules here above below none others this that
        these those them it which what how nothing everything anything statement statements fact facts detail
        details""",
    )
)
_DEICTIC = frozenset(
    re.findall(r"\w+", "here this that it these those below above follows there what yes yep yeah right correct indeed")
)
"""Words that point at an answer or agree with it, and are none."""


def is_rival(sentence: str, most: int, place: int | None = None) -> bool:
    """Whether another sentence, or a part of the same (no place), may be an answer: as short as one, and no talk."""
    end = sentence.rstrip(' *_"”)')[-1:]
    if end in (":", "?") or (place == 0 and end == "!"):
        return False
    if place == 0 and end in ("…", ".") and _TRAILS_OFF.search(sentence):
        return False
    marked = is_marked(sentence) and GIVES.search(sentence) is not None
    if (_SPEAKER.match(sentence) and not marked and not _ANSWERS.match(sentence)) or is_frame(sentence):
        return False
    if place is not None and _NOTHING.fullmatch(peel(sentence)):
        return True
    if DENIES.search(sentence) or NO_NOUN.search(sentence) or CONCESSION.match(sentence):
        return False
    said = _offer(sentence, marked)
    words = WORD.findall(said)
    if len(words) == 1 and words[0].casefold() in _DEICTIC:
        return False
    # Answers may be longer than those of the examples, as long as no verb makes a sentence of them.
    room = 4 if most > 1 and (marked or FINITE.isdisjoint(map(str.casefold, words))) else 1
    if not words or len(said.split()) > max(most, 1) + room or is_frame(said):
        return False
    # A sentence about the text or about the answer is a comment ("That is how the story ends").
    if len(words) > (3 if place is None else 2) and not _ABOUT.isdisjoint(map(str.casefold, words)):
        return False
    return (len(words) == 1 and place is not None) or not all(map(is_frame_word, words))


def _offer(sentence: str, marked: bool) -> str:
    """What a sentence offers for an answer: all of it without its opening, or what follows a marker."""
    gives = GIVES.search(sentence) if marked else None
    given = sentence if gives is None else gives[1] or gives[2]
    lead, comma, last = given.rpartition(", ")
    if comma and (strip_openers(last, frame=False) != last or all(map(is_frame_word, WORD.findall(lead)))):
        given = last
    return peel(strip_openers(peel(given), frame=marked))

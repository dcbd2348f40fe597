"""What most outputs are: a word, a word in an ordinary frame, or one plain sentence. They are read without any search.

Each function either is sure or leaves the output to the patient rules; it never reads anything otherwise than they do.
"""

from __future__ import annotations

import re

from taskloom.score.read.frame import CLOSING_WORDS, NOUNS, OPENING_WORDS, SUBJECTS
from taskloom.score.read.hedge import SIGNS
from taskloom.score.read.labels import label_set
from taskloom.score.read.profile import Profile

__all__ = ["at_a_glance", "plain_sentence"]

_SPECIAL = SIGNS | {"unknown", "unanswerable", "none", "nothing", "na", "answer", "sure"}
_FRAMED = re.compile(
    r"[*_\"“]*(?:(?:the |my )?(?:final |correct )?answer(?: is:?|:)[*_]*\s+"
    r"|(?:i think |i believe |i'd say )?(?:it's|it is|that's) )?"
    r"[*_`\"“]*((?:the |an? )?[^\W\d_]+)[*_`\"”]*[.!]?[*_`\"”]*",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"((?:[^\W\d_]+ )+[^\W\d_]+)[.!]?")
_BUSY = (
    _SPECIAL
    | CLOSING_WORDS
    | NOUNS
    | frozenset(
        re.findall(
            r"\w+",
            """so therefore thus hence overall finally consequently accordingly conclusion summary short means conclude
            correction wait scratch mean because since given which who where according based after porque ya rather
            instead left entonces tanto explanation reason note why and then""",
        )
    )
)
_HEADS = OPENING_WORDS | SUBJECTS
_LONGEST = 120


def at_a_glance(text: str, profile: Profile) -> str | None:
    """The answer where an output is one word, number or label, bare or in the most ordinary frame."""
    task = profile.task
    bare = text.strip(" \n.")
    if task.labels:
        labels = label_set(task).whole
        label = labels.get(bare.casefold())
        if label is None and len(text) < _LONGEST and (framed := _FRAMED.fullmatch(text)) is not None:
            word = framed[1].casefold()
            label = labels.get(word) if word not in _SPECIAL else None
        return label
    if task.kind == "number":
        return bare if bare.isdecimal() else None
    if task.kind == "json" or profile.sentence:
        return None
    if bare.isalpha():
        return bare if bare.casefold() not in _SPECIAL else None
    if len(text) > _LONGEST or (framed := _FRAMED.fullmatch(text)) is None:
        return None
    return framed[1] if framed[1].casefold().split()[-1] not in _SPECIAL else None


def plain_sentence(text: str, profile: Profile) -> str | None:
    """A sentence of nothing but letters, with no word that frames, hedges, denies, concludes or explains."""
    if profile.task.kind != "text" or profile.task.labels or profile.sentence or len(text) > _LONGEST:
        return None
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    words = plain[1].casefold().split()
    return plain[1] if words[0] not in _HEADS and _BUSY.isdisjoint(words) else None

"""What most outputs are: a word, a word in an ordinary frame, or one plain sentence. They are read without any search.

Each function either is sure or leaves the output to the patient rules; it never reads anything otherwise than they do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom.score.read.frame import CLOSING_WORDS, OPENING_WORDS, is_frame
from taskloom.score.read.hedge import SIGNS
from taskloom.score.read.labels import label_set
from taskloom.score.read.profile import Profile
from taskloom.score.read.restate import FINITE
from taskloom.score.read.vocabulary import NOUNS, SUBJECTS, TAILS

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
_SENTENCE = re.compile(r"[^\W\d_a-z][^\W_]*(?:,? [^\W_]+)+[.]")
_FRAMES = CLOSING_WORDS | NOUNS
_PHRASE = re.compile(r"[^\W_]+(?:-[^\W_]+)*(?: (?:\| )?[^\W_]+(?:-[^\W_]+)*)+")
_VERBAL = _BUSY | FINITE
_OPENERS = frozenset({"based", "according", "given", "from", "judging", "looking"})
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
    if profile.missing and bare in ("n/a", "N/A"):
        return "n/a"
    if task.kind == "json":
        return None
    if profile.sentence:
        return _sentence_at_a_glance(text, profile)
    if bare.isalpha():
        return bare if bare.casefold() not in _SPECIAL else None
    if len(text) > _LONGEST:
        return None
    if task.kind in ("text", "items") and _PHRASE.fullmatch(bare):
        words = bare.casefold().split()
        if len(words) <= max(profile.words, 2) and words[0] not in _HEADS and _VERBAL.isdisjoint(words):
            return bare
    framed = _FRAMED.fullmatch(text)
    if framed is None:
        return None
    return framed[1] if framed[1].casefold().split()[-1] not in _SPECIAL else None


def _sentence_at_a_glance(text: str, profile: Profile) -> str | None:
    """A sentence where sentences are asked for: no longer than they are, and nothing in it that frames another."""
    if len(text) > _LONGEST or _takes_more(profile) or _SENTENCE.fullmatch(text) is None:
        return None
    words = text.casefold().split()
    if len(words) > profile.words or words[0] in _HEADS or not _FRAMES.isdisjoint(words):
        return None
    return text[:-1]


@lru_cache(maxsize=1024)
def _opens(head: str) -> bool:
    """Whether the words before a comma lead up to a sentence and say nothing themselves."""
    words = head.casefold().split()
    return words[:1] != [] and words[0] in _OPENERS and is_frame(head) and SIGNS.isdisjoint(words)


def _takes_more(profile: Profile) -> bool:
    """Whether answers are questions or have several sentences, so that the end of one settles nothing."""
    return profile.asks or profile.sentences > 1 or profile.task.kind != "text"


def plain_sentence(text: str, profile: Profile) -> str | None:
    """A sentence of nothing but letters, with no word that frames, hedges, denies, concludes or explains.

    A phrase of talk may open it ("Based on the story, …").
    """
    if profile.task.kind != "text" or profile.task.labels or profile.sentence or len(text) > _LONGEST:
        return None
    head, comma, rest = text.partition(", ")
    if comma and "," not in rest and _opens(head):
        text = rest
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    words = plain[1].casefold().split()
    # "The office it is."
    return plain[1] if words[0] not in _HEADS and words[-1] not in TAILS and _BUSY.isdisjoint(words) else None

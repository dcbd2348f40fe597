"""What a text says about one phrase in it: asserts it, takes it back, or leaves it open.

This is what a person does who looks for a known answer in free prose. Every place of the phrase is masked; then its
sentence is looked at for what doubts, denies or asks, its clause for whether the rest is talk about answers, and the
other sentences for retractions and for rivals. Nothing here depends on how the phrase itself is worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias

from taskloom.score.read.frame import is_frame, is_frame_word, is_marked, strip_openers
from taskloom.score.read.hedge import (
    CONTRAST,
    CROWD,
    DENIAL,
    OPEN,
    REVERSAL,
    SETTLED_BEFORE,
    after_turn,
    may_refuse,
    without_harmless,
)
from taskloom.score.read.numbers import find_numbers
from taskloom.score.read.peel import peel

__all__ = ["Stance", "asserted", "phrase_pattern", "stance"]

Stance: TypeAlias = Literal["asserted", "taken back", "open"]

_MASK = "ⵣ"
_LONGEST = 4_000
_MOST_SENTENCES = 60
_TOKEN = re.compile(r"[^\W_]+(?:[-.'’/:@][^\W_]+)*")
_SENTENCE = re.compile(
    r"(?<!\A\d[.])(?<!\n\d[.])(?<=[.!?…])[)\"'”’*_`]*[ \t]+(?!(?:is|was|would|can|could|might|may|does|do|did"
    r"|should|cannot|will|has|seems"
    r"|looks|or|but|and)\b|[»”\"'’)\]])|\s*\n\s*"
)
_PART = re.compile(r"[:;：()\[\],]\s+|[()\[\]]|\s[–—-]{1,3}\s")
_NUMBERED = re.compile(r"\s*(?:[-*•–+]\s+|\(?(?:\d{1,2}|[a-h])[.)]\s+)(?=\S)")
_EXPLAINS = re.compile(
    r"[\W_]*(?:(?:my|the|some|brief|short|key|longer?) )*(?:explanation|explained|reason(?:ing|s)?|rationale"
    r"|justification|notes?|why"
    r"|details|because|analysis|steps?|proof|breakdown|context|evidence|explicación|razón|porque|nota)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:：()–—]\s*|\s-\s|\b(?:so|because|since|therefore|hence|and|but)\b", re.IGNORECASE)
_AROUND = re.compile(
    rf"(?:(?:in|at|on|to|from|by|near|inside|of|en) )?(?:(?:the|an?|el|la|los|las|un"
    rf"|una) )?{_MASK}(?:[ ,|]+(?:and )?{_MASK})*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
_BLANK = r"[\s*_\"“”`|]+"
_BETWEEN = r"[\s*_\"“”`|,;/.&•–-]*(?:(?:and|y|then|luego)\s+)?(?:\d{1,2}[.)]\s+)?(?:(?:the|an?|el|la)\s+)?[*_\"“`]*"
_SPEAKER = re.compile(r"[\W_]*(?:i|we|you|let|this|that|these|those|my|there)\b(?!['’]s\b)(?! is\b)", re.IGNORECASE)
_LEAVES_OPEN = re.compile(f"{OPEN.pattern}|{CROWD.pattern}", re.IGNORECASE)
_BEFORE = re.compile(rf"([^,:;()]+),\s[^,:;()]{{0,8}}{_MASK}")
_AFTER = re.compile(rf"{_MASK}[^,:;()]*[,;(]\s?([^,:;()]+)")
_NO = re.compile(r"\bno\s+\w", re.IGNORECASE)
_JOINT = re.compile(r"\s*[,;|&]\s*(?:(?:and|then)\s+)?|\s+(?:and|then)\s+")


@lru_cache(maxsize=4096)
def phrase_pattern(phrase: str, case: bool = False, free: bool = False) -> re.Pattern[str] | None:
    """Finds a phrase as a whole, with any marks between its words; a list (`free`) in any notation."""
    found = []
    for part in _JOINT.split(phrase) if free else [phrase]:
        words = [re.escape(word) for word in part.strip(" .!?\"'").split()]
        if words:
            found.append(_BLANK.join(words))
    if not found:
        return None
    whole = _BETWEEN.join(found)
    return re.compile(rf"(?<![\w-])(?<!\d[.,]){whole}(?![\w-])(?![.,]\d)", 0 if case else re.IGNORECASE)


def asserted(text: str, phrases: Iterable[str], most: int, *, case: bool = False, free: bool = False) -> str | None:
    """The phrase that a text asserts, None where it asserts none of them.

    Args:
        text: Anything that was said.
        phrases: What to look for.
        most: The most words that the answers of the task have.
        case: Upper and lower case matter.
        free: Phrases are lists, and may be written in any notation.
    """
    if len(text) > _LONGEST:
        return None
    low = text.casefold()
    for phrase in sorted(phrases, key=len, reverse=True):
        first = phrase.split(None, 1)[0].strip(",;|").casefold() if phrase.strip() else ""
        if not first or first not in low:
            continue
        pattern = phrase_pattern(phrase, case, free)
        # An answer that is itself a word of talk ("question") is only stated where it stands alone.
        alone = all(
            is_frame_word(word) or 0 <= min(find_numbers(word), default=-1) <= 12 for word in _WORD.findall(phrase)
        )
        if pattern is not None and stance(text, pattern, max(most, len(phrase.split())), alone=alone) == "asserted":
            return phrase
    return None


def _is_small(word: str) -> bool:
    """Whether a word is a number that prose may contain by accident."""
    return 0 <= min(find_numbers(word), default=-1) <= 12


def stance(text: str, pattern: re.Pattern[str], most: int, *, alone: bool = False) -> Stance:
    """What a text says about what a pattern finds in it.

    Args:
        text: Anything that was said.
        pattern: Finds the phrase.
        most: The most words that the answers of the task have.
        alone: It has to stand alone in its part of a sentence.
    """
    masked = pattern.sub(_MASK, text[:_LONGEST].replace(_MASK, ""))
    if _MASK not in masked:
        return "open"
    last: Stance = "open"
    named, explained, rivals, heading = False, False, 0, ""
    for place, line in enumerate(_SENTENCE.split(masked)):
        if place == _MOST_SENTENCES:
            return "open"
        sentence = _NUMBERED.sub("", line, count=1)
        if not sentence.strip():
            continue
        explained = explained or (last == "asserted" and _EXPLAINS.match(sentence) is not None)
        if _MASK in sentence and not explained:
            here = _sentence_stance(sentence, heading, most, alone)
            last = here if here != "open" else last
            # What is called the answer outweighs whatever was thought of before.
            if here == "asserted" and (is_marked(sentence) or is_marked(heading)):
                named, rivals = is_marked(sentence), 0
        elif last == "asserted" and _reverses(sentence):
            last = "taken back"
        elif not explained and _MASK not in sentence and _is_rival(sentence, most, place):
            rivals += not named or is_marked(sentence)
        heading = sentence if sentence.rstrip(" *_").endswith(":") or is_marked(sentence) else ""
    return "open" if last == "asserted" and rivals else last


def _sentence_stance(sentence: str, heading: str, most: int, alone: bool) -> Stance:
    """What one sentence says about the mask in it, below a heading or after a lead ("Possible answers:")."""
    if heading and _LEAVES_OPEN.search(without_harmless(heading)):
        return "taken back"
    bare = peel(sentence)
    if _AROUND.fullmatch(bare):
        return "taken back" if sentence.rstrip(" *_\"'”)").endswith("?") else "asserted"
    start, end = sentence.find(_MASK), sentence.rfind(_MASK) + 1
    lead = after_turn(sentence[:start])
    sentence = lead + sentence[start:]
    before, after = without_harmless(lead), without_harmless(sentence[len(lead) + end - start :])
    if _takes_back(sentence, before, after):
        return "taken back"
    return "asserted" if _is_framed(sentence, most, alone) else "open"


def _takes_back(sentence: str, before: str, after: str) -> bool:
    if sentence.rstrip(" *_\"'”)").endswith("?"):
        return True
    if not may_refuse(set(map(str.casefold, _WORD.findall(sentence))), sentence):
        return False
    if OPEN.search(before) or OPEN.search(after) or SETTLED_BEFORE.search(before):
        return True
    clause = _CLAUSE.split(before)[-1]
    follows = _CLAUSE.split(after)[0]
    if any(sign.search(near) for sign in (DENIAL, CROWD, _NO) for near in (clause, follows)):
        return True
    reversal = CONTRAST.search(after)
    return reversal is not None and not is_frame(after[reversal.start() :])


def _is_framed(sentence: str, most: int, alone: bool) -> bool:
    """Whether the part with the mask is the mask alone or the mask among talk, with no rival in a part beside it."""
    parts = [part for part in _PART.split(without_harmless(sentence)) if part and part.strip()]
    beside = [match[1] for match in (_BEFORE.search(sentence), _AFTER.search(sentence)) if match is not None]
    if any(_MASK not in part and _is_rival(part, most) for part in beside):
        return False
    for part in (part for part in parts if _MASK in part):
        if _AROUND.fullmatch(peel(part)):
            return True
        if alone:
            continue
        words = [word for word in _WORD.findall(part.casefold().replace("’", "'")) if word != _MASK]
        unknown = len(words) - sum(map(is_frame_word, words))
        # What is said of the answer has to be talk throughout ("… has been overruled"); what leads up to it, mostly.
        said_of_it = map(is_frame_word, _WORD.findall(part[part.rfind(_MASK) + 1 :]))
        if not words or (5 * unknown <= len(words) and all(said_of_it) and _stands_apart(part)):
            return True
    return False


def _stands_apart(part: str) -> bool:
    """Whether punctuation, marks or talk stand on both sides of the mask."""
    start, end = part.find(_MASK), part.rfind(_MASK) + 1
    before, after = _WORD.findall(part[:start]), _WORD.findall(part[end:])
    near = part[:start].rstrip(" ")[-1:] not in ("", *'"“‘*_`,:') and before
    if near and not is_frame_word(before[-1]):
        return False
    far = part[end:].lstrip(" ")[:1] not in ("", *'"”’*_`,.!:') and after
    return not far or is_frame_word(after[0])


def _reverses(sentence: str) -> bool:
    """Whether a later sentence takes back what was said, or puts something else beside it."""
    opening = REVERSAL.match(sentence)
    return opening is not None and not is_frame(sentence[opening.end() :])


def _is_rival(sentence: str, most: int, place: int | None = None) -> bool:
    """Whether another sentence, or a part of the same (no place), may be an answer: as short as one, and no talk."""
    end = sentence.rstrip(' *_"”)')[-1:]
    if end in (":", "?") or (place == 0 and end == "!"):
        return False
    if (_SPEAKER.match(sentence) and not is_marked(sentence)) or is_frame(sentence) or DENIAL.search(sentence):
        return False
    given = sentence.rpartition(": ")[2] if is_marked(sentence) else sentence
    lead, comma, last = given.rpartition(", ")
    if comma and all(map(is_frame_word, _WORD.findall(lead))):
        given = last
    said = peel(strip_openers(peel(given)))
    words = _WORD.findall(said)
    if not words or len(said.split()) > max(most, 1) + 1 or is_frame(said):
        return False
    return (len(words) == 1 and place is not None) or not all(map(is_frame_word, words))

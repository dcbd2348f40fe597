"""Masking a phrase wherever a text says it, so that what is said about it can be read whatever it is."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

__all__ = ["MASK", "mask", "phrase_pattern"]

MASK = "ⵣ"
_LONGEST = 4_000
_BLANK = r"[\s*_\"“”`|]+"
_BETWEEN = r"[\s*_\"“”`|,;/.&•–-]*(?:(?:and|y|then|luego)\s+)?(?:\d{1,2}[.)]\s+)?(?:(?:the|an?|el|la)\s+)?[*_\"“`]*"
_JOINT = re.compile(r"\s*[,;|&]\s*(?:(?:and|then)\s+)?|\s+(?:and|then)\s+")
_ENDS = " .!?\"'"
_MARKS = '*_"“”`|'
_BLANKS = frozenset(_MARKS) | frozenset(" \t\n\r\f\v\u00a0\u2009\u202f")


def mask(text: str, phrase: str, *, case: bool = False, free: bool = False) -> str:
    """A text with the phrase masked at every place; the text itself where the phrase is not in it.

    Args:
        text: Any text.
        phrase: What to look for, as a whole; marks may stand between its words.
        case: Upper and lower case matter.
        free: The phrase is a list, and may be written in any notation.
    """
    quick = None if case or free else _mask_at_sight(text, phrase)
    if quick is not None:
        return quick
    pattern = phrase_pattern(phrase, case, free)
    return text if pattern is None else pattern.sub(MASK, text)


def _mask_at_sight(text: str, phrase: str) -> str | None:
    """The same without a pattern, which costs far more to make than to use; None where only a pattern will do."""
    words = phrase.lower().strip(_ENDS).split()
    low = text.lower()
    if not words or len(low) != len(text) or words == ["one"] or not _is_plain(words):
        return None
    kept: list[str] = []
    done = 0
    place = low.find(words[0])
    while place >= 0:
        end = _end_of(low, place, words)
        if end < 0 or not _is_whole(low, place, end):
            place = low.find(words[0], place + 1)
            continue
        # The dot of an answer that is a sentence ends no sentence around it.
        if phrase[-1] == "." and low[end : end + 1] == "." and _is_whole(low, place, end + 1):
            end += 1
        kept += [text[done:place], MASK]
        done = end
        place = low.find(words[0], end)
    return "".join([*kept, text[done:]])


def _is_plain(words: list[str]) -> bool:
    """Whether no word begins with a mark, single bars between words aside."""
    bars = [word == "|" for word in words]
    if bars[0] or bars[-1] or any(map(all, pairwise(bars))):
        return False
    return not any(word[0] in _MARKS for word in words if word != "|")


def _end_of(low: str, place: int, words: list[str]) -> int:
    """Where words in a row end that begin at a place, with any marks between them; -1 where they are not there."""
    end = place + len(words[0])
    bar = False
    for word in words[1:]:
        if word == "|":
            bar = True
            continue
        start = end
        while low[start : start + 1] in _BLANKS:
            start += 1
        # A bar stands between blanks of its own.
        if start == end or not low.startswith(word, start) or (bar and "|" not in low[end + 1 : start - 1]):
            return -1
        end, bar = start + len(word), False
    return end


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word and no number goes on at either end of a place."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() or before in ("_", "'", "’", "-") or after.isalnum() or after in ("_", "-"):
        return False
    if before in (".", ",") and text[start - 2 : start - 1].isdecimal():
        return False
    return not (after in (".", ",") and text[end + 1 : end + 2].isdecimal())


@lru_cache(maxsize=4096)
def phrase_pattern(phrase: str, case: bool = False, free: bool = False) -> re.Pattern[str] | None:
    """Finds a phrase as a whole, with any marks between its words; a list (`free`) in any notation.

    None where there is nothing to look for: the phrase has no words, or is longer than any text that is looked at.
    """
    if len(phrase) > _LONGEST:
        return None
    found = []
    for part in _JOINT.split(phrase) if free else [phrase]:
        words = [re.escape(word) for word in part.strip(_ENDS).split()]
        if words:
            found.append(_BLANK.join(words))
    if not found:
        return None
    if phrase.casefold() == "one":
        found = [r"(?<!the )(?<!this )(?<!that )(?<!which )(?<!easy )(?<!right )one(?! (?:of|by|thing|answer|word)\b)"]
    # The dot of an answer that is a sentence ends no sentence around it.
    whole = _BETWEEN.join(found) + (r"\.?" if phrase.endswith(".") else "")
    return re.compile(rf"(?<![\w'’-])(?<!\d[.,]){whole}(?![\w-])(?![.,]\d)", 0 if case else re.IGNORECASE)

"""Whether a sentence states one of several phrases, set apart by the words around it.

This is what a person with the key in hand does when a sentence is too free to be taken apart: look for the answer in
it, and make sure that the rest is talk about answers, that the answer stands by itself ("guitar" is not stated by "it
would have to be a steel guitar"), that nothing denies or doubts it, and that no second answer stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from taskloom.score.read.frame import is_frame, is_frame_word
from taskloom.score.read.hedge import ALTERNATIVE, DENIAL, without_harmless

__all__ = ["stated"]

_TOKEN = re.compile(r"[^\W_]+(?:[-.'’/:@][^\W_]+)*")
_LONGEST = 600
_PARTS = re.compile(r"[,;\n]\s*|\s+(?:and|y|plus)\s+", re.IGNORECASE)


def stated(text: str, phrases: Iterable[str], most: int, *, case: bool = False) -> str | None:
    """The phrase that a text states, None where it states none, or where it hedges, denies or lists.

    Args:
        text: An assertion.
        phrases: What to look for.
        most: The most words that the answers of the task have. A text that is not much longer has to be the answer
            itself.
        case: Upper and lower case matter.
    """
    if len(text) > _LONGEST or len(text.split()) < max(most, 1) + 3 or "\n" in text:
        return None
    plain = without_harmless(text)
    if DENIAL.search(plain) or ALTERNATIVE.search(plain) or text.rstrip(" *_\"'”").endswith("?"):
        return None
    spans = [match.span() for match in _TOKEN.finditer(text)]
    tokens = [_fold(text[start:end], case) for start, end in spans]
    found: tuple[int, str] | None = None
    for phrase in phrases:
        wanted = [_fold(word, case) for word in _TOKEN.findall(phrase)]
        place = _place(tokens, wanted)
        if place is None or (found is not None and len(wanted) <= found[0]):
            continue
        end = place + len(wanted)
        if _is_talk(tokens[:place] + tokens[end:]) and _stands_apart(text, spans, place, end, most):
            found = len(wanted), phrase
    return found[1] if found is not None else None


def _fold(word: str, case: bool) -> str:
    return word if case else word.casefold().replace("’", "'")


def _place(tokens: list[str], wanted: list[str]) -> int | None:
    """Where the wanted words stand in a row; None where they do not."""
    if not wanted or wanted[0] not in tokens:
        return None
    count = len(wanted)
    return next((start for start in range(len(tokens) - count + 1) if tokens[start : start + count] == wanted), None)


def _is_talk(words: list[str]) -> bool:
    """Whether three quarters of the words, and four at least, are those in which people talk about answers."""
    known = sum(map(is_frame_word, words))
    return known >= 4 and 4 * known >= 3 * len(words)


def _stands_apart(text: str, spans: list[tuple[int, int]], first: int, end: int, most: int) -> bool:
    """Whether punctuation or talk stands on both sides, and no second answer beside it."""
    before, after = text[: spans[first][0]], text[spans[end - 1][1] :]
    if first and not before[spans[first - 1][1] :].strip() and not is_frame_word(text[slice(*spans[first - 1])]):
        return False
    follows = end < len(spans) and not after[: spans[end][0] - spans[end - 1][1]].strip()
    if follows and not is_frame_word(text[slice(*spans[end])]):
        return False
    neighbours = (_PARTS.split(before)[-2:-1] or [""])[0], (_PARTS.split(after)[1:2] or [""])[0]
    return not any(part.strip(" .") and len(part.split()) <= most + 1 and not is_frame(part) for part in neighbours)

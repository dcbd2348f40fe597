"""Per-position accuracy for words and sequences of words: equation 1 of the TaskBench500 paper.

A position is right if its word is any acceptable one. Where a visible separator stands between words the
answer is cut there. Where only blanks do, a word of several tokens cannot be distinguished from several words, so
the answer is read in the best way: over all its segmentations into as many words as there are positions,
the one with the most right positions. The best one is found by dynamic programming over positions and
tokens; neither segmentations nor acceptable sequences are ever listed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import ClassVar

from taskloom.core import AnyOf, Boolean, Items, Product, Targets, Task
from taskloom.core.scorer import Score, Scorer

__all__ = ["WORDS", "WordsScorer", "best_segmentation", "fold"]

# An answer far longer than any sequence is noise; reading it in full would only cost time.
_MOST_TOKENS = 2_000


def fold(text: str) -> str:
    """What is compared: composed Unicode, case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def fold_all(words: Sequence[str]) -> set[str]:
    """The folded words. A thousand at a time cost little more than one long string."""
    joined = "\n".join(words)
    if joined.count("\n") != len(words) - 1 or not _tidy(joined):
        return {fold(word) for word in words}
    return set((joined if joined.isascii() else unicodedata.normalize("NFC", joined)).casefold().split("\n"))


def _tidy(joined: str) -> bool:
    """Whether there is nothing to strip or collapse in lines of words."""
    if not joined.isascii():
        return joined.replace("\n", " ").split(" ") == joined.split()
    untidy = (
        joined[:1].isspace() or joined[-1:].isspace() or any(pair in joined for pair in ("  ", "\n ", " \n", "\n\n"))
    )
    return not untidy and not any(mark in joined for mark in "\t\r\x0b\x0c\x1c\x1d\x1e\x1f")


def best_segmentation(tokens: Sequence[str], slots: Sequence[set[str]]) -> int:
    """The most positions that any segmentation of the tokens into `len(slots)` words gets right.

    Every word of a segmentation has at least one token, and every token belongs to a word. An answer with
    fewer tokens than positions has no such segmentation; its last positions then count as left out.

    Args:
        tokens: The answer, folded and cut at blanks.
        slots: The acceptable words of each position, folded.
    """
    places, length = len(slots), len(tokens)
    if not places or not length:
        return 0
    short = length < places
    lost = -1  # a state that no segmentation reaches
    before = [0] + [lost] * length
    for index, slot in enumerate(slots):
        sizes = sorted({word.count(" ") + 1 for word in slot})
        after = [lost] * (length + 1)
        reach = lost
        # Each position and each one after it needs a token, unless there are too few of them anyway.
        last = length if short else length - (places - index - 1)
        for end in range(1, last + 1):
            reach = max(reach, before[end - 1])
            best = reach
            for size in sizes:
                if size > end:
                    break
                start = before[end - size]
                if start != lost and start + 1 > best and " ".join(tokens[end - size : end]) in slot:
                    best = start + 1
            after[end] = best
        if short:
            after[length] = max(after[length], before[length])
        before = after
    return max(before[length], 0)


class WordsScorer(Scorer, frozen=True):
    """The share of positions with an acceptable word; a single word or a truth value is right or wrong."""

    name: ClassVar[str] = "words"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        match targets:
            case Product(slots, separator):
                return _sequence(answer, slots, separator)
            case AnyOf(answers):
                return Score(float(fold(answer) in fold_all(answers)))
            case Boolean():
                return Score(float(fold(answer).rstrip(".") == fold(targets.canonical())))
            case Items(alternatives, _, separator, empty):
                said = fold(answer)
                return Score(float(any(said == fold(separator.join(one) or empty) for one in alternatives)))
            case _:
                return Score(float(any(fold(answer) == fold(one) for one in targets.alternatives)))


def _sequence(answer: str, slots: Sequence[Sequence[str]], separator: str) -> Score:
    folded = [fold_all(slot) for slot in slots]
    mark = fold(separator)
    said = fold(answer)
    if not slots:  # nothing is kept, so nothing is to be said, whatever would stand between words
        return Score(float(not said), {"right": 0, "positions": 0})
    if mark:
        words = [" ".join(word.split()) for word in said.split(mark)] if said else []
        right = sum(word in slot for word, slot in zip(words, folded, strict=False))
        positions = max(len(slots), len(words))
    else:
        tokens = said.split()
        positions = len(slots) if len(tokens) <= _MOST_TOKENS else len(tokens)
        right = best_segmentation(tokens[:_MOST_TOKENS], folded)
    return Score(right / positions, {"right": right, "positions": positions})


WORDS = WordsScorer()

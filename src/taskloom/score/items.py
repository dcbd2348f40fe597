"""Scoring lists of spans: all of them, in order where order counts, or in part."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from taskloom.core import AnyOf, Items, Targets, Task
from taskloom.core.scorer import Score, Scorer
from taskloom.score.normalise import loose, squeezed

__all__ = ["ITEMS", "ItemsMatch", "split_items"]

_LONGEST = 100_000
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_SEPARATORS = re.compile(r"\n+|;|\||,")
_AND = re.compile(r"\s+and\s+")
_LAST = re.compile(r"^\s*and\s+")
_NOTHING = frozenset({"nothing", "none", ""})


def split_items(answer: str, empty: str, separator: str = ", ") -> list[str]:
    """The items of a list as people write lists: by commas, semicolons, 'and', lines or bullets."""
    text = squeezed(answer.strip()[:_LONGEST])
    if (said := loose(text)) in _NOTHING or said == loose(empty):
        return []
    parts = [text]
    if separator.strip():
        parts = text.split(separator.strip())
    if len(parts) == 1:
        parts = _SEPARATORS.split(text)
    if len(parts) <= 2:
        parts = [piece for part in parts for piece in _AND.split(part)]
    else:
        parts = [_LAST.sub("", part) for part in parts]
    return [item for item in (loose(_NUMBERED.sub("", part)) for part in parts) if item]


class ItemsMatch(Scorer, frozen=True):
    """1 if the list is one of the acceptable lists, else 0; precision, recall and F1 go into the details.

    Repeated items count as often as they are said. Order counts only where the target says so.
    """

    name: ClassVar[str] = "items"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if isinstance(targets, AnyOf):
            targets = Items(tuple(tuple(split_items(text, "nothing")) for text in targets.answers))
        if not isinstance(targets, Items):
            return Score(float(loose(answer) == loose(targets.canonical())))
        said = split_items(answer, targets.empty, targets.separator)
        best = max((_compare(said, right, targets.ordered) for right in targets.alternatives), key=lambda s: s[:2])
        exact, f1, precision, recall = best
        return Score(float(exact), {"f1": f1, "precision": precision, "recall": recall, "said": len(said)})


def _compare(said: list[str], right: tuple[str, ...], ordered: bool) -> tuple[bool, float, float, float]:
    gold = [loose(item) for item in right]
    if not said or not gold:
        same = not said and not gold
        return same, float(same), float(same or not said), float(same or not gold)
    shared = sum((Counter(said) & Counter(gold)).values())
    precision, recall = shared / len(said), shared / len(gold)
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    exact = said == gold if ordered else sorted(said) == sorted(gold)
    return exact, f1, precision, recall


ITEMS: Scorer = ItemsMatch()

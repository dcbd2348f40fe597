"""Minimal pairs: a story, and the same story without the one thing that is claimed to be hard about it.

One sentence of the support is said more plainly or left out (a pronoun becomes a name, "Mary and John went" becomes
"Mary went", a hand-over is not told). The edited story is read anew: its answer, its support and the combination it
needs follow from what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from taskloom.families.babi.programs import WorldProgram
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.search import StoryItem
from taskloom.families.babi.story import CONJ, DROP, GIVE, GRAB, MOVE, Sentence
from taskloom.families.babi.support import canonical_support, lines

__all__ = ["plainer"]

_HANDLED = (GRAB, DROP, GIVE)


def plainer(item: StoryItem, sizes: tuple[int, int], world: WorldProgram) -> Iterator[tuple[StoryItem, list[int]]]:
    """Stories that lack one thing of an item's support, each with the line that every sentence had before.

    Args:
        item: The story and its question.
        sizes: How many persons and objects there are.
        world: The world's programs.
    """
    for edited in _edits(item.sentences, item.support):
        sentences, origin = [one for one, _ in edited], [line for _, line in edited]
        if sentences == item.sentences or not sentences or not _resolved(sentences):
            continue
        reader = Reader.of(sentences, *sizes, world)
        answer, mask = reader.answer(item.question), canonical_support(reader, item.question)
        # An edit must leave no trace: nobody drops what they never had.
        if answer is not None and mask is not None and not reader.conflicts:
            yield StoryItem(sentences, item.question, answer, lines(mask), reader), origin


_Edited: TypeAlias = list[tuple[Sentence, int]]
"""Sentences with the line that each had before."""


def _edits(story: Sequence[Sentence], support: Sequence[int]) -> Iterator[_Edited]:
    """Plainer words first, then less and less of the story."""
    told: _Edited = [(one, line) for line, one in enumerate(story)]
    needed = set(support)
    yield [(one._replace(pronoun=False) if line in needed else one, line) for one, line in told]
    for person in ("first", "second"):
        yield [
            (Sentence(MOVE, getattr(one, person), one.third) if line in needed and one.kind == CONJ else one, line)
            for one, line in told
        ]
    for line in support:
        yield told[:line] + told[line + 1 :]
    for kind in {story[line].kind: None for line in support}:
        yield [(one, line) for one, line in told if line not in needed or one.kind != kind]
    for thing in {story[line].second: None for line in support if story[line].kind == GIVE}:
        yield from _taken(told, thing)


def _taken(told: _Edited, thing: int) -> Iterator[_Edited]:
    """Who was given something takes it, and nobody had it before."""
    last = max(line for one, line in told if one.kind == GIVE and one.second == thing)
    yield [
        (Sentence(GRAB, one.third, thing) if line == last else one, line)
        for one, line in told
        if line >= last or one.kind not in _HANDLED or one.second != thing
    ]


def _resolved(story: Sequence[Sentence]) -> bool:
    """Whether every pronoun has who it stands for in the sentence before it."""
    for before, one in zip([None, *story[:-1]], story, strict=True):
        if not one.pronoun:
            continue
        if before is None or (before.kind == CONJ) != (one.kind == CONJ) or before.first != one.first:
            return False
        if one.kind == CONJ and before.second != one.second:
            return False
    return True

"""The rule of the last location: what a reader says who follows nobody but the person last named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from taskloom.families.babi.files import FileQuestion, FileStory, read_story
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.story import (
    CONJ,
    DROP,
    GIVE,
    GRAB,
    INDEF,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES_NO,
    Sentence,
)
from taskloom.score.probes import Probe, ProbeItem

__all__ = ["LastLocationProbe"]


class LastLocationProbe(Probe):
    """The place last named with a person, or with whoever last had the object; pronouns are resolved, nothing else.

    `Is P in the L?` is answered yes where that place is L. Other questions are left alone.

    Args:
        parser: Reads the stories; the English one if None.
    """

    name = "last location"

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser = parser or Parser()

    def fit(self, items: Sequence[ProbeItem]) -> None:
        """The rule has nothing to learn."""

    def answer(self, item: ProbeItem) -> str | None:
        lines = tuple(re.split(r"\n|(?<=\.) ", item.context))
        read = read_story(FileStory(lines, (FileQuestion(len(lines), item.question, "", ()),)), self._parser)
        (question,) = read.questions
        at, lies, holder = _last(read.sentences)
        kind, first, second = question
        places = list(read.names.places)
        if kind == YES_NO:
            return "yes" if at.get(first) == second else "no"
        if kind == WHERE_P:
            place = at.get(first, -1)
        elif kind in (WHERE_O, WHERE_WAS):
            place = at.get(holder[first], -1) if first in holder else lies.get(first, -1)
        else:
            return None
        return places[place] if place >= 0 else None


def _last(sentences: Sequence[Sentence]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """The place last named with each person, where each object was put down, and who last had it."""
    at: dict[int, int] = {}
    lies: dict[int, int] = {}
    holder: dict[int, int] = {}
    for kind, first, second, third, _, _ in sentences:
        if kind == CONJ:
            at[first] = at[second] = third
        elif kind < CONJ:
            at[first] = third if kind == INDEF else second
        elif kind == GRAB:
            holder[second] = first
        elif kind == GIVE:
            holder[second] = third
        elif kind == DROP:
            holder.pop(second, None)
            lies[second] = at.get(first, -1)
    return at, lies, holder

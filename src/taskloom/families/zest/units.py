"""What a passage is planned and written as. Apart from the planner and the writer, which can be compiled."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from taskloom.core import Targets
from taskloom.core.decode import read_toml
from taskloom.families.zest.domain import SentenceTemplate
from taskloom.families.zest.facts import Entity, Statement, Value
from taskloom.families.zest.questions import AnswerClass

Texts: TypeAlias = tuple[tuple[str, ...], ...]


class RuleTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to say that the entity keeps or breaks a rule."""

    kept: Texts
    broken: Texts


class PhrasingTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to speak of something, and of what a plaque or a street may recall; the same where nothing is said of it."""

    plain: Texts
    honoured: Texts = ()


class FrameTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of `frames.toml`."""

    motifs: tuple[str, ...]
    years_after: tuple[str, ...]
    rule: RuleTexts
    years: PhrasingTexts
    persons: PhrasingTexts
    pairs: PhrasingTexts
    spots: PhrasingTexts


@cache
def frame_texts() -> FrameTexts:
    """The sentences, read once."""
    return read_toml(Path(__file__).with_name("frames.toml"), type=FrameTexts)


class PassageUnit(msgspec.Struct, frozen=True, gc=False):
    """One thing to say.

    Attributes:
        kind: That of the attribute where its value is stated plainly; frame, distractor or colour.
        sentences: Its sentences where it has no form.
        attributes: What it states about the entity.
        value: What fills {v}.
        topic: The place of its topic.
        form: The statement of a plain fact, a list or a distractor.
        joins: Whether its value stays clear inside a longer sentence.
        fills: What fills further slots.
        words: About how many words its sentences have.
        implied: Those of the attributes whose value has to be inferred.
        leans_on: An attribute whose statement is needed as well.
        also: What it says besides: about another entity, or of values that do not hold.
    """

    kind: str
    sentences: tuple[SentenceTemplate, ...] = ()
    attributes: tuple[str, ...] = ()
    value: str = ""
    topic: int = 0
    form: SentenceTemplate | None = None
    joins: bool = False
    fills: dict[str, str] | None = None
    words: int = 0
    implied: tuple[str, ...] = ()
    leans_on: str = ""
    also: tuple[Statement, ...] = ()


Answered: TypeAlias = tuple[AnswerClass, Targets, tuple[int, ...], bool]
"""The class of an answer, its targets, the sentences it follows from, and whether one of them only implies it."""


class DrawnPassage(msgspec.Struct, frozen=True, gc=False):
    """A text with what it says.

    Attributes:
        entity: Whom it is about.
        values: The stated attributes with their values, in the order of the text.
        text: The sentences in one paragraph.
        words: How many words the text has.
        sentences: The sentences in order.
        evidence: For each stated attribute the numbers of the sentences that state it.
        said: How the text puts values that it does not merely imply, in words that answers may repeat.
        implied: The attributes whose value has to be inferred.
        also: What is stated about others, and values that are said not to hold.
        answered: What questions about it gave, by the identity of the question.
    """

    entity: Entity
    values: dict[str, Value]
    text: str
    words: int
    sentences: tuple[str, ...]
    evidence: dict[str, tuple[int, ...]]
    said: dict[str, str]
    implied: frozenset[str]
    also: tuple[Statement, ...]
    distracted: bool
    answered: dict[int, Answered]

    @property
    def statements(self) -> list[Statement]:
        """Everything that the passage says, about whomever."""
        own = [Statement(self.entity.name, name, value) for name, value in self.values.items()]
        return [*own, *self.also]

"""Concept sets: which events and constructs a story may use, and what its questions must look like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from taskloom.families.babi.programs import WorldProgram
from taskloom.families.babi.story import (
    AFFIRM,
    CONJ,
    DROP,
    GIVE,
    GIVE_QUESTIONS,
    GRAB,
    INDEF,
    KINDS,
    LEFT,
    MOVE,
    NEGATE,
    QUESTION_KINDS,
    Sentence,
)

__all__ = [
    "CONSTRUCTS",
    "EVENTS",
    "QUESTION_TYPES",
    "TELL_PLACES",
    "CellSpec",
    "Concepts",
    "composition",
    "concepts_of",
    "question_kinds",
    "question_type",
    "type_name",
]

EVENTS = ("move", "grab", "drop", "give")
CONSTRUCTS = ("coref", "conj", "compound", "negate", "indef")
QUESTION_TYPES = ("where-person", "where-object", "where-was-object", "yes-no", "list", "counting", "give")

TELL_PLACES = ("conj", "compound", "negate", "indef")
"""The constructs that say where somebody is, and so count as `move`."""

_EVENT = {MOVE: "move", AFFIRM: "move", NEGATE: "move", LEFT: "move", INDEF: "move", CONJ: "move"} | {
    GRAB: "grab",
    DROP: "drop",
    GIVE: "give",
}

_CONSTRUCT = {CONJ: "conj", INDEF: "indef", NEGATE: "negate", LEFT: "negate", AFFIRM: "negate"}

_PAPER_MARKS: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
"""What stories of the paper's events consist of, by the kinds of their sentences: a few hundred sets in all."""


def question_type(kind: int) -> str:
    """The type a question is counted under: the five questions about giving are one type."""
    if kind >= len(QUESTION_KINDS):
        return "own"
    return "give" if kind in GIVE_QUESTIONS else QUESTION_KINDS[kind]


def type_name(kind: int, world: WorldProgram) -> str:
    """The type of a question, also of the recipe's own."""
    return question_type(kind) if kind < len(QUESTION_KINDS) else world.questions[kind - len(QUESTION_KINDS)][0]


def question_kinds(name: str) -> tuple[int, ...]:
    """The kinds of question of a type of the paper."""
    return GIVE_QUESTIONS if name == "give" else (QUESTION_KINDS.index(name),)


class Concepts(msgspec.Struct, frozen=True):
    """Events and constructs with the weights at which they turn up in a story.

    Attributes:
        weights: Weight by event or construct; one that is absent does not occur.
        coref: Weights of the events that may stand in a pronoun pair.
        affirm: Of the place statements that come with `negate`, the share that affirm ("is in").
    """

    weights: dict[str, float]
    coref: dict[str, float] = msgspec.field(default_factory=lambda: {"move": 1.0})
    affirm: float = 0.5

    def has(self, name: str) -> bool:
        """Whether an event or construct may occur."""
        return self.weights.get(name, 0.0) > 0

    def counts(self, name: str) -> bool:
        """Whether a story may count as holding it: every sentence about a place counts as `move`."""
        return self.has(name) or (name == "move" and any(map(self.has, TELL_PLACES)))

    def may_refer(self, *events: str) -> bool:
        """Whether all these events may stand in a pronoun pair."""
        return self.has("coref") and all(self.coref.get(event, 0.0) > 0 and self.has(event) for event in events)

    def names(self) -> tuple[str, ...]:
        """The events and constructs that may occur, in canonical order."""
        own = sorted(name for name in self.weights if name not in EVENTS and name not in CONSTRUCTS and self.has(name))
        return (*(name for name in (*EVENTS, *CONSTRUCTS) if self.has(name)), *own)


class CellSpec(msgspec.Struct, frozen=True):
    """One kind of item to generate: concepts, question, and the filters an item must pass.

    Attributes:
        task: The task its items belong to.
        concepts: What its stories are made of.
        questions: The question kinds it asks.
        support: Least and greatest number of supporting sentences.
        spread: How likely a size is passed over for the next larger one of that range.
        length: Least and greatest number of sentences.
        requires: Events and constructs that must all occur in the support.
        paths: Least and greatest number of alternative minimal supports.
        per_signature: How many items may share a signature (support and question with names abstracted).
        per_story: How many questions to ask about one story, as far as others pass the filters too.
        exact: Whether the support may hold nothing but `requires`.
        double: Whether two eithers must (or must not) settle the place together; None where it does not matter.
        distractors: How close the other sentences must come to the question: near, far, or mixed (any).
        mentions: Sentences outside the support about the person or object asked about, on average; None for as many as
            in the kit's stories.
        gap: Sentences at least before a question inside a story; 0 asks at the end of stories.
        chance: How likely a chance to ask inside a story is used.
        share: Its part of a split, relative to the other cells.
    """

    task: str
    concepts: Concepts
    questions: tuple[int, ...]
    support: tuple[int, int] = (0, 100)
    length: tuple[int, int] = (20, 20)
    requires: tuple[str, ...] = ()
    paths: tuple[int, int] = (0, 1_000_000)
    per_signature: int | None = None
    per_story: int = 1
    exact: bool = False
    double: bool | None = None
    distractors: str = "mixed"
    mentions: float | None = None
    gap: int = 0
    chance: float = 1.0
    spread: float = 0.4
    share: float = 1.0

    def title(self) -> str:
        """A short description for messages."""
        low, high = self.support
        size = str(low) if low == high else f"{low} to {high}"
        kinds = "/".join(dict.fromkeys(question_type(kind) for kind in self.questions))
        needs = f" of {'exactly ' if self.exact else ''}{'+'.join(self.requires)}" if self.requires else ""
        least, most = self.length
        lengths = str(least) if least == most else f"{least} to {most}"
        over = ", ".join(self.concepts.names())
        return f"{self.task} ({kinds}, support of {size}{needs}, {lengths} sentences, over {over})"


def _marks(sentences: Sequence[Sentence], indices: Iterable[int]) -> int:
    """The kinds of some sentences as a bit set, two bits a kind: without and with a pronoun.

    A joint move counts as the latter too where it is one of a pair: two people go somewhere, then 'they' go on.
    """
    marks, last = 0, len(sentences) - 1
    for index in indices:
        sentence = sentences[index]
        kind, spoken = sentence[0], sentence[4]
        if kind == CONJ and not spoken and index < last:
            after = sentences[index + 1]
            spoken = after[0] == CONJ and after[4]
        marks |= 1 << 2 * kind + spoken
    return marks


def _named(marks: int, world: WorldProgram | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The events and constructs of a bit set of kinds, each in canonical order."""
    found = _PAPER_MARKS.get(marks)
    if found is None:
        found = _spelled(marks, world)
        if marks >> 2 * len(KINDS) == 0:
            _PAPER_MARKS[marks] = found
    return found


def _spelled(marks: int, world: WorldProgram | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    events: set[str] = set()
    constructs: set[str] = set()
    for mark in range(marks.bit_length()):
        if marks >> mark & 1:
            kind, spoken = divmod(mark, 2)
            events.add(_event(kind, world))
            if kind in _CONSTRUCT:
                constructs.add(_CONSTRUCT[kind] if kind != CONJ or not spoken else "compound")
                continue
            if spoken:
                constructs.add("coref")
            if world is not None and world.events[kind].construct:
                constructs.add(world.events[kind].construct)
    own = sorted(events.difference(EVENTS, CONSTRUCTS))
    return (
        (*(name for name in EVENTS if name in events), *own),
        tuple(name for name in CONSTRUCTS if name in constructs or name in events),
    )


def _event(kind: int, world: WorldProgram | None) -> str:
    """The event that a sentence counts as."""
    name = _EVENT.get(kind)
    if name is None:
        if world is None:
            raise ValueError(f"event {kind} is not one of the paper's, and no world is given")
        name = world.events[kind].label
    return name


def concepts_of(
    sentences: Sequence[Sentence], world: WorldProgram | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The events and the linguistic constructs of a story, each in canonical order.

    A sentence about a place counts as MOVE, also where it does not tell of movement.
    """
    return _named(_marks(sentences, range(len(sentences))), world)


def composition(
    sentences: Sequence[Sentence], support: Sequence[int], world: WorldProgram | None = None
) -> tuple[str, ...]:
    """The support composition: the events and constructs of the supporting sentences, in canonical order."""
    events, constructs = _named(_marks(sentences, support), world)
    if not constructs or events[-1] in EVENTS:
        return events + constructs
    known = tuple(name for name in events if name in EVENTS)
    return (*known, *constructs, *events[len(known) :])

"""Concept sets: which events and constructs a story may use, and what its questions must look like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_toml
from taskloom.families.babi import kinds
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS, Sentence
from taskloom.families.babi.mentions import Mentions
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

TELL_PLACES = ("conj", "compound", "negate", "indef")
"""The constructs that say where somebody is, and so count as `move`."""


def question_type(kind: int) -> str:
    """The type that a question of the paper is counted under; all of a recipe's own are one."""
    return PAPER_WORLD.questions[kind].type if kind < len(kinds.QUESTION_KINDS) else "own"


def question_kinds(name: str, world: WorldProgram = PAPER_WORLD) -> tuple[int, ...]:
    """The kinds of question of a type."""
    return tuple(kind for kind, asked in enumerate(world.questions) if asked.type == name)


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

    def __hash__(self) -> int:
        return hash((frozenset(self.weights.items()), frozenset(self.coref.items()), self.affirm))

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
        mentions: Sentences outside the support about the person or object asked about, on average, or by kind and age;
            None for as many as in the kit's stories.
        prose: How large a part of the sentences is told in freer forms.
        gap: Sentences at least before a question inside a story; 0 asks at the end of stories.
        chance: How likely a chance to ask inside a story is used.
        share: Its part of a split, relative to the other cells.
        words: The words of its stories.
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
    mentions: float | Mentions | None = None
    prose: float = 0.0
    gap: int = 0
    chance: float = 1.0
    spread: float = 0.4
    share: float = 1.0
    words: Vocabulary = DYNA

    def title(self) -> str:
        """A short description for messages."""
        low, high = self.support
        size = str(low) if low == high else f"{low} to {high}"
        asked = "/".join(dict.fromkeys(question_type(kind) for kind in self.questions))
        needs = f" of {'exactly ' if self.exact else ''}{'+'.join(self.requires)}" if self.requires else ""
        least, most = self.length
        lengths = str(least) if least == most else f"{least} to {most}"
        over = ", ".join(self.concepts.names())
        return f"{self.task} ({asked}, support of {size}{needs}, {lengths} sentences, over {over})"


def _marks(sentences: Sequence[Sentence], indices: Iterable[int]) -> int:
    """The kinds of some sentences as a bit set, two bits a kind: without and with a pronoun.

    A joint move counts as the latter too where it is one of a pair: two people go somewhere, then 'they' go on.
    """
    marks, last = 0, len(sentences) - 1
    for index in indices:
        sentence = sentences[index]
        kind, spoken = sentence[0], sentence[4]
        if kind == kinds.CONJ and not spoken and index < last:
            after = sentences[index + 1]
            spoken = after[0] == kinds.CONJ and after[4]
        marks |= 1 << 2 * kind + spoken
    return marks


@lru_cache(maxsize=4_096)
def _named(marks: int, world: WorldProgram) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The events and constructs of a bit set of kinds, each in canonical order; stories have a few hundred sets."""
    events: set[str] = set()
    constructs: set[str] = set()
    for mark in (mark for mark in range(marks.bit_length()) if marks >> mark & 1):
        kind, spoken = divmod(mark, 2)
        event = world.events[kind]
        events.add(event.label)
        if kind == kinds.CONJ and spoken:
            constructs.add("compound")
            continue
        if event.construct:
            constructs.add(event.construct)
        if spoken and event.pronoun:
            constructs.add("coref")
    own = sorted(events.difference(EVENTS, CONSTRUCTS))
    return (
        (*(name for name in EVENTS if name in events), *own),
        tuple(name for name in CONSTRUCTS if name in constructs or name in events),
    )


def concepts_of(
    sentences: Sequence[Sentence], world: WorldProgram = PAPER_WORLD
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The events and the linguistic constructs of a story, each in canonical order.

    A sentence about a place counts as MOVE, also where it does not tell of movement.
    """
    return _named(_marks(sentences, range(len(sentences))), world)


def composition(
    sentences: Sequence[Sentence], support: Sequence[int], world: WorldProgram = PAPER_WORLD
) -> tuple[str, ...]:
    """The support composition: the events and constructs of the supporting sentences, in canonical order."""
    events, constructs = _named(_marks(sentences, support), world)
    if not constructs or events[-1] in EVENTS:
        return events + constructs
    known = tuple(name for name in events if name in EVENTS)
    return (*known, *constructs, *events[len(known) :])


PLACELESS = (kinds.LIST, kinds.COUNTING, *kinds.GIVE_QUESTIONS)
"""Questions that no statement about a place bears on."""

_LEAST = {kinds.WHERE_P: 1, kinds.WHERE_O: 2, kinds.WHERE_WAS: 3, kinds.YES_NO: 1, kinds.LIST: 1, kinds.COUNTING: 1}
"""The smallest supports there are: an object needs somebody's hands and their place, a move two places."""

_LEAST_DOUBLE = 3


class StarvedError(UserError):
    """A demand that cannot be met, or was not met after many tries, with the filter that starves."""


def impossible(cell: CellSpec) -> str | None:
    """Why nothing can meet a cell; None where that is not known."""
    if any(kind >= len(kinds.QUESTION_KINDS) for kind in cell.questions):
        return None
    return _double(cell) or (_give if all(kind in kinds.GIVE_QUESTIONS for kind in cell.questions) else _support)(cell)


def _double(cell: CellSpec) -> str | None:
    if not cell.double:
        return None
    if not cell.concepts.has("indef"):
        return "`double` asks for two eithers, and indef is not among the constructs"
    if all(kind in PLACELESS for kind in cell.questions):
        return "`double` asks for two eithers that settle a place, and no place bears on such a question"
    high = cell.support[1]
    if high < _LEAST_DOUBLE:
        return f"two eithers and what ties them are {_LEAST_DOUBLE} sentences, and `support` allows {high}"
    return None


def _give(cell: CellSpec) -> str | None:
    low, high = cell.support
    if not (cell.concepts.has("give") and cell.concepts.has("grab")):
        return "nobody gives anything without grab and give among the events"
    if not low <= 1 <= high:
        return f"one sentence answers a question about giving, so its support is never {low} to {high}"
    return "one sentence, the gift, answers a question about giving, and it is a give alone"


def _support(cell: CellSpec) -> str | None:
    asked, high = cell.questions, cell.support[1]
    if all(
        kind in (kinds.WHERE_O, kinds.WHERE_WAS, kinds.LIST, kinds.COUNTING) for kind in asked
    ) and not cell.concepts.has("grab"):
        return "nobody holds anything without grab among the events"
    least = min(_LEAST[kind] for kind in asked if kind in _LEAST)
    if high < least:
        return f"`support` asks for at most {high}, and such a question needs at least {least} sentences"
    events = frozenset(cell.requires).difference(CONSTRUCTS)
    if len(events) > high:
        return f"`requires` names {len(events)} events, each a sentence of its own, and `support` allows {high}"
    if all(kind in kinds.HAND_QUESTIONS for kind in asked):
        odd = frozenset(cell.requires) & {*CONSTRUCTS} - {"coref"}
        if odd:
            return f"only changes of somebody's hands answer such a question, and {min(odd)} is none"
    return None


_SPREAD, _TRAINING_SPREAD = 0.4, 0.1
"""How likely a size is passed over for the next larger one: training supports are mostly of the least size of their
range, as the paper's mean tells."""


class _CellRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cells of one sub-task: (least, greatest support, share) each."""

    task: str
    concepts: str
    cells: tuple[tuple[int, int, float], ...]
    question: str = ""
    length: tuple[int, int] = (20, 20)

    def specs(self, concepts: dict[str, Concepts], spread: float) -> Iterator[CellSpec]:
        for low, high, share in self.cells:
            yield CellSpec(
                self.task,
                concepts[self.concepts],
                question_kinds(self.question or self.task),
                (low, high),
                self.length,
                spread=spread,
                share=share,
            )


class OriginalRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the original story tasks.

    Attributes:
        title: What its questions are about.
        line: One line for lists.
        question: Its question type.
        concepts: What its stories are made of.
        vocabulary: Its words, where they are not those of most tasks.
        ask: What is asked, if not just that type.
        beat: The actions that happen between two chances to ask: names, or "" for any action.
        chance: How likely a chance to ask is used.
        support: Least and greatest support size.
        injected: The question types that inject adds to it.
        number: Its bAbI number.
    """

    title: str
    line: str
    question: str
    concepts: Concepts
    vocabulary: Vocabulary
    ask: str = ""
    beat: tuple[str, ...] = ("", "")
    chance: float = 1.0
    support: tuple[int, int] = (1, 1)
    injected: tuple[str, ...] = ()
    number: int = 0


class FactRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the original tasks outside the story world.

    Attributes:
        concept: The concept it stands for in recipes.
        title: One line for lists.
        definition: What to do, for the instruction, in fields.
        names: The names that tokens stand for, by letter.
        questions: How many questions a story has at least.
        apart: Names that the story world does not use, where they differ.
        labels: The closed set of answers, if there is one.
        number: Its bAbI number.
    """

    concept: str
    title: str
    definition: dict[str, str]
    names: dict[str, tuple[str, ...]]
    questions: int
    apart: dict[str, tuple[str, ...]] = {}
    labels: tuple[str, ...] = ()
    number: int = 0


class _Records(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, tuple[int, ...]]
    suites: dict[str, dict[str, int]]
    lines: dict[str, str]
    concepts: dict[str, Concepts]
    original: dict[int, OriginalRecord]
    facts: dict[int, FactRecord]
    mix: dict[str, tuple[_CellRecord, ...]]
    diverse: dict[str, tuple[_CellRecord, ...]]

    def cells(self, table: dict[str, tuple[_CellRecord, ...]], spread: float) -> dict[str, list[CellSpec]]:
        return {
            group: [spec for record in records for spec in record.specs(self.concepts, spread)]
            for group, records in table.items()
        }


def _records() -> _Records:
    data = read_toml(Path(__file__).with_name("tasks.toml"))
    words = {"persons": BABI.persons, "places": BABI.places}
    for number, record in (*data["original"].items(), *data["facts"].items()):
        record["number"] = int(number)
    for record in data["original"].values():
        record["vocabulary"] = {**words, **record.get("vocabulary", {})}
    return msgspec.convert(data, _Records, strict=False)


_RECORDS = _records()

GROUPS = _RECORDS.groups
"""The groups of original tasks."""

SUITES = _RECORDS.suites
"""The suites of a group, with the sizes in their recipes."""

LINES = _RECORDS.lines
"""What kinds of suites and worlds are, in a line."""

ORIGINALS = _RECORDS.original
"""The story tasks of the original set, by number."""

FACTS = _RECORDS.facts
"""The other original tasks, by number."""

MIX = _RECORDS.cells(_RECORDS.mix, _SPREAD)
DIVERSE = _RECORDS.cells(_RECORDS.diverse, _TRAINING_SPREAD)


def interleave(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(cell, number) pairs spread evenly, so that any first part of a split shows every cell."""
    from heapq import heapify, heapreplace

    heap = [(0.5 / count, cell, 0) for cell, count in enumerate(counts) if count]
    heapify(heap)
    for _ in range(sum(counts)):
        _, cell, number = heap[0]
        yield cell, number
        after = number + 1
        # A cell that has given all its items sinks beyond the end.
        position = (after + 0.5) / counts[cell] if after < counts[cell] else 2.0
        heapreplace(heap, (position, cell, after))

"""The records of a world as programs: what the reader runs and the generator asks.

Roles become positions of a sentence, and every effect one operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

from taskloom.core import content_hash
from taskloom.families.babi.events import EventRecord, destination
from taskloom.families.babi.worlds import PAPER, QuestionRecord, World

__all__ = ["PAPER_WORLD", "Op", "Program", "WorldProgram", "compile_world"]

Op = tuple[str, int, int, int]
"""An effect: its name and up to three positions of the sentence (or values), -1 where there is none."""


class Program(NamedTuple):
    """One event, ready for the reader and the generator.

    Attributes:
        name: Its name.
        sorts: The sorts of its roles, in order.
        ops: Its effects, in the order in which they take place.
        before: (person, place, whether there) by position: where somebody who moves must have been until then.
        requires: (attribute, position, value) that must be known to hold.
        label, construct: What it counts as in compositions.
        pronoun: Whether it may stand in a pronoun pair.
    """

    name: str
    sorts: tuple[str, ...]
    ops: tuple[Op, ...]
    before: tuple[tuple[int, int, bool], ...]
    requires: tuple[tuple[int, int, int], ...]
    label: str
    construct: str
    pronoun: bool


class WorldProgram(NamedTuple):
    """All events, their roles and words, and the attributes by number: the paper's first, then the recipe's."""

    events: tuple[Program, ...]
    records: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    verbs: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    owners: tuple[str, ...]
    questions: tuple[tuple[str, QuestionRecord], ...]

    def kind(self, name: str) -> int:
        """The number of an event."""
        return next(number for number, event in enumerate(self.events) if event.name == name)


def _ops(event: EventRecord, attributes: list[str], values: Mapping[str, tuple[str, ...]]) -> Iterable[Op]:
    place = {role: position for position, role in enumerate(event.roles)}
    for who, where in event.moves.items():
        mode, one, two = destination(where)
        yield mode, place[who], place[one], place[two] if two else -1
    for who, spot in event.at:
        yield "at", place[who], place[spot], -1
    for one, other in event.together:
        yield "meet" if event.roles[other] == "person" else "touch", place[one], place[other], -1
    for who, thing in event.takes:
        yield "take", place[who], place[thing], -1
    for who, thing in event.drops:
        yield "drop", place[who], place[thing], -1
    for giver, thing, receiver in event.gives:
        yield "give", place[giver], place[thing], place[receiver]
    for key, (role, value) in event.sets.items():
        yield "set", attributes.index(key), place[role], values[key].index(value)
    for key, (role, source) in event.copies.items():
        yield "copy", attributes.index(key), place[role], place[source]


def compile_world(world: World) -> WorldProgram:
    """The records as programs."""
    return _compiled(content_hash(world), msgspec.json.encode(world))


@lru_cache(maxsize=64)
def _compiled(_identity: str, data: bytes) -> WorldProgram:
    world = msgspec.json.decode(data, type=World)
    attributes = list(world.attributes)
    values = {name: record.values for name, record in world.attributes.items()}
    programs = []
    every = {**PAPER, **world.events}
    for name, event in every.items():
        place = {role: position for position, role in enumerate(event.roles)}
        requires = tuple(
            (attributes.index(key), place[role], values[key].index(value))
            for key, (role, value) in event.requires.items()
        )
        ops = tuple(_ops(event, attributes, values))
        said = {who: destination(where) for who, where in event.before.items()}
        before = tuple((place[who], place[spot], mode == "in") for who, (mode, spot, _) in said.items())
        sorts, label = tuple(event.roles.values()), event.event or name
        programs.append(Program(name, sorts, ops, before, requires, label, event.construct, event.pronoun))
    return WorldProgram(
        tuple(programs),
        tuple(tuple(event.roles) for event in every.values()),
        tuple(event.text for event in every.values()),
        tuple(event.verbs for event in every.values()),
        tuple(attributes),
        tuple(values.values()),
        tuple(record.of for record in world.attributes.values()),
        tuple(world.questions.items()),
    )


PAPER_WORLD = compile_world(World())
"""The paper's events alone."""

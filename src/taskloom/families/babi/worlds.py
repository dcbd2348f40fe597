"""Worlds as data: what events, attributes and questions are, and what a reader may conclude from them.

An event is a record: who and what takes part (roles), what must hold before it can happen, what it changes (places,
possession, attributes), what else a reader learns from it, and how it is said. The events of the paper are such records
(`PAPER`), and a recipe adds its own under `world`:

    world.events.follow:     {roles: {person: person, other: person}, text: "{person} {verb} {other}.",
                              verbs: [followed], moves: {person: with other}}
    world.attributes.door:   {of: place, values: [open, locked]}
    world.questions.is-door: {roles: {place: place}, text: "How is the door of the {place}?", find: value,
                              attribute: door}

Every effect is definite: after an event a reader knows exactly what it changed. Records that leave a change open, or
that contradict themselves, are refused with the reason.
"""

from __future__ import annotations

import re
from typing import Literal

from taskloom.core import Recipe
from taskloom.families.babi.events import EventRecord, Sort
from taskloom.families.babi.vocabulary import fields_in, refuse_blanks, refuse_odd_text

__all__ = [
    "PAPER",
    "AttributeRecord",
    "QuestionRecord",
    "World",
]

_EVENTS = ("move", "grab", "drop", "give")


class AttributeRecord(Recipe, frozen=True):
    """Something that people, objects or places have: one of a few values, unknown until a sentence states it.

    Attributes:
        of: What has it: person, object or place.
        values: The words for its values.
    """

    of: Sort
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or len({value.casefold() for value in self.values}) < len(self.values):
            raise ValueError(f"an attribute has two or more different values, not {', '.join(self.values) or 'none'}")
        refuse_blanks("values", self.values)


class QuestionRecord(Recipe, frozen=True):
    """One kind of question.

    Attributes:
        roles: What the question names, at most two. Role -> person, object or place.
        text: How it is asked.
        find: `place` (of the person or object), `holder` (of the object), `value` (of an attribute), or `role` (of the
            latest event that fits).
        attribute: For `value`.
        event, role: For `role`: the event, and which of its roles is asked for. The question's roles are named as the
            event's.
    """

    roles: dict[str, Sort]
    text: str
    find: Literal["place", "holder", "value", "role"]
    attribute: str = ""
    event: str = ""
    role: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.roles) <= 2:
            raise ValueError(f"a question names one or two things, not {len(self.roles)}")
        refuse_odd_text("the text", self.text)
        found = fields_in(self.text, "text")
        if sorted(found) != sorted(self.roles):
            raise ValueError(f"the text names {', '.join(found) or 'nothing'}; its roles are {', '.join(self.roles)}")
        if self.find != "role" and len(self.roles) > 1:
            raise ValueError(f"a question for a {self.find} names one thing, not {len(self.roles)}")
        sort = next(iter(self.roles.values()))
        wrong = {"place": sort == "place", "holder": sort != "object"}.get(self.find, False)
        if wrong:
            raise ValueError(f"a {sort} has no {self.find} to ask for")


class World(Recipe, frozen=True):
    """What a recipe adds to the events and questions of the paper.

    Attributes:
        events: Further events by name.
        attributes: Attributes by name.
        questions: Further questions by name.
    """

    events: dict[str, EventRecord] = {}
    attributes: dict[str, AttributeRecord] = {}
    questions: dict[str, QuestionRecord] = {}

    def __post_init__(self) -> None:
        for name in (*self.events, *self.attributes, *self.questions):
            if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
                raise ValueError(f"{name!r} is not a valid name: use lower-case letters, digits and hyphens")
        for name, event in self.events.items():
            if name in PAPER or name in _TAKEN:
                raise ValueError(f"{name!r} is an event or construct of the paper; give yours another name")
            if not event.text:
                raise ValueError(f"the event {name!r} has no text")
            try:
                event.check()
            except ValueError as problem:
                raise ValueError(f"the event {name!r}: {problem}") from None
            if event.event and event.event not in self.events and event.event not in _EVENTS:
                known = ", ".join((*_EVENTS, *self.events))
                raise ValueError(f"the event {name!r} counts as {event.event!r}, which is not one of {known}")
            self._check_attributes(f"the event {name!r}", event)
        for name, asked in self.questions.items():
            self._check_question(name, asked)

    def _check_attributes(self, what: str, event: EventRecord) -> None:
        for key, (role, value) in (*event.sets.items(), *event.requires.items()):
            record = self._attribute(what, key)
            if value not in record.values:
                raise ValueError(
                    f"{what}: {key!r} is {' or '.join(map(repr, record.values))}; {value!r} would leave it open"
                )
            _same_sort(what, key, record, event.roles[role])
        for key, pair in event.copies.items():
            for role in pair:
                _same_sort(what, key, self._attribute(what, key), event.roles[role])
        for key, (role, value) in event.requires.items():
            if event.sets.get(key) == (role, value):
                raise ValueError(f"{what} is contradictory: it requires {key!r} to be {value!r} and sets just that")

    def _attribute(self, what: str, name: str) -> AttributeRecord:
        if name not in self.attributes:
            raise ValueError(f"{what} speaks of {name!r}; the attributes are {', '.join(self.attributes) or 'none'}")
        return self.attributes[name]

    def _check_question(self, name: str, asked: QuestionRecord) -> None:
        what = f"the question {name!r}"
        if name in _QUESTIONS_TAKEN:
            raise ValueError(f"{name!r} is a question of the paper; give yours another name")
        if asked.find == "value":
            _same_sort(what, asked.attribute, self._attribute(what, asked.attribute), next(iter(asked.roles.values())))
        if asked.find == "role":
            event = self.events.get(asked.event) or (PAPER["give"] if asked.event == "give" else None)
            if event is None:
                raise ValueError(f"{what} asks about {asked.event!r}; ask about give or an event of your own")
            for role, sort in asked.roles.items():
                if event.roles.get(role) != sort:
                    raise ValueError(f"{what}: the event {asked.event!r} has no {sort} called {role!r}")
            if asked.role not in event.roles or asked.role in asked.roles:
                raise ValueError(f"{what}: role must be one of the event's roles that the question does not name")


def _same_sort(what: str, name: str, record: AttributeRecord, sort: str) -> None:
    if record.of != sort:
        raise ValueError(f"{what}: {name!r} belongs to a {record.of}, not to a {sort}")


_TAKEN = ("coref", "compound")
_QUESTIONS_TAKEN = (
    "where-person", "where-object", "where-was-object", "yes-no", "list", "counting", "give",
)  # fmt: skip

PAPER: dict[str, EventRecord] = {
    "move": EventRecord(
        roles={"person": "person", "place": "place"},
        before={"person": "not place"},
        moves={"person": "place"},
        pronoun=True,
    ),
    "affirm": EventRecord(
        roles={"person": "person", "place": "place"}, moves={"person": "place"}, event="move", construct="negate"
    ),
    "negate": EventRecord(
        roles={"person": "person", "place": "place"}, moves={"person": "not place"}, event="move", construct="negate"
    ),
    "left": EventRecord(
        roles={"person": "person", "place": "place"},
        before={"person": "place"},
        moves={"person": "not place"},
        event="move",
        construct="negate",
    ),
    "indef": EventRecord(
        roles={"person": "person", "place": "place", "place2": "place"},
        moves={"person": "place or place2"},
        event="move",
        construct="indef",
    ),
    "conj": EventRecord(
        roles={"person": "person", "other": "person", "place": "place"},
        before={"person": "not place", "other": "not place"},
        moves={"person": "place", "other": "place"},
        event="move",
        construct="conj",
    ),
    "grab": EventRecord(roles={"person": "person", "object": "object"}, takes=(("person", "object"),), pronoun=True),
    "drop": EventRecord(roles={"person": "person", "object": "object"}, drops=(("person", "object"),), pronoun=True),
    "give": EventRecord(
        roles={"person": "person", "object": "object", "other": "person"}, gives=(("person", "object", "other"),)
    ),
}
"""The events of the paper, numbered as in `story.KINDS`. Their words stand in the vocabulary."""

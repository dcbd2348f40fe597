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
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from taskloom.core import Recipe, content_hash
from taskloom.families.babi.vocabulary import fields_in, refuse_blanks, refuse_odd_text, refuse_twins, template_parts

Sort = Literal["person", "object", "place"]

_CONSTRUCTS = ("conj", "negate", "indef")
"""What an event of one's own may count as; the other constructs come from pronouns."""


class EventRecord(Recipe, frozen=True):
    """One kind of event.

    Attributes:
        roles: Who and what takes part, in order; at most four, the first is the subject. Role -> person, object or
            place.
        text: How it is said; `{role}` for each role, `{verb}` for one of the verbs.
        verbs: What `{verb}` may be.
        before: Person who moves -> where they must have been until then: `place` or `not place`. "moved to the park"
            presupposes `not place`, "is no longer in the park" presupposes `place`.
        moves: Person -> where they are from then on: `place`, `place or place2`, `not place`, or `with other`.
        at: Pairs (person, place): a reader learns that the person is there; nobody moves.
        together: Pairs of people, or of a person and an object, in one place.
        takes: Pairs (person, object): the object lay there and is held now.
        drops: Pairs (person, object): the object was held and lies there now.
        gives: Triples (giver, object, receiver).
        sets: Attribute -> (role, value).
        copies: Attribute -> (role that changes, role it is copied from).
        requires: Attribute -> (role, value): used only where the reader knows that this holds.
        event: The event it counts as in compositions, the paper's or one of the recipe; its own name if empty.
        construct: A linguistic construct it counts as besides: conj, negate or indef.
        pronoun: Whether its subject may be a pronoun, or the antecedent of one.
    """

    roles: dict[str, Sort]
    text: str = ""
    verbs: tuple[str, ...] = ()
    before: dict[str, str] = {}
    moves: dict[str, str] = {}
    at: tuple[tuple[str, str], ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    takes: tuple[tuple[str, str], ...] = ()
    drops: tuple[tuple[str, str], ...] = ()
    gives: tuple[tuple[str, str, str], ...] = ()
    sets: dict[str, tuple[str, str]] = {}
    copies: dict[str, tuple[str, str]] = {}
    requires: dict[str, tuple[str, str]] = {}
    event: str = ""
    construct: str = ""
    pronoun: bool = False

    def check(self) -> None:
        """Whether the record can be read.

        Raises:
            ValueError: It leaves something open, contradicts itself or cannot be said.
        """
        if not 1 <= len(self.roles) <= 4:
            raise ValueError(f"an event has one to four roles, not {len(self.roles)}")
        if next(iter(self.roles.values())) != "person":
            raise ValueError("the first role of an event is its subject, a person")
        if self.construct and self.construct not in _CONSTRUCTS:
            raise ValueError(
                f"construct is {', '.join(_CONSTRUCTS[:-1])} or {_CONSTRUCTS[-1]}, not {self.construct!r}; a pronoun "
                "makes coref by itself (pronoun: true)"
            )
        self._check_before()
        self._check_roles()
        self._check_changes()
        self._check_places()
        if self.text:
            self._check_text()

    def _role(self, name: str, *sorts: str) -> None:
        if name not in self.roles:
            raise ValueError(f"{name!r} is not one of the roles {', '.join(self.roles)}")
        if self.roles[name] not in sorts:
            raise ValueError(f"the role {name!r} is a {self.roles[name]}; here a {' or '.join(sorts)} is meant")

    def _check_before(self) -> None:
        for who, where in self.before.items():
            if who not in self.moves:
                raise ValueError(f"before is about people who move, and {who!r} does not; `at` says where they are")
            mode, place, _ = destination(where)
            if mode not in ("in", "not"):
                raise ValueError(f"before is 'place' or 'not place', not {where!r}")
            self._role(place, "place")

    def _check_roles(self) -> None:
        for who, where in self.moves.items():
            self._role(who, "person")
            mode, one, two = destination(where)
            self._role(one, "person" if mode == "with" else "place")
            if two:
                self._role(two, "place")
            if one == who:
                raise ValueError(f"{who!r} cannot move with {who!r}")
        for who, place in self.at:
            self._role(who, "person")
            self._role(place, "place")
        for one, other in self.together:
            self._role(one, "person")
            self._role(other, "person", "object")
        for who, thing in (*self.takes, *self.drops):
            self._role(who, "person")
            self._role(thing, "object")
        for giver, thing, receiver in self.gives:
            self._role(giver, "person")
            self._role(thing, "object")
            self._role(receiver, "person")
            if giver == receiver:
                raise ValueError(f"{giver!r} cannot give something to {giver!r}")
        for one, _ in (*self.sets.values(), *self.requires.values()):
            self._role(one, "person", "object", "place")
        for one, other in self.copies.values():
            self._role(one, "person", "object", "place")
            self._role(other, "person", "object", "place")

    def _check_changes(self) -> None:
        hands = [thing for _, thing in (*self.takes, *self.drops)] + [thing for _, thing, _ in self.gives]
        for thing in hands:
            if hands.count(thing) > 1:
                raise ValueError(f"contradictory: {thing!r} changes hands twice in one event")
        for attribute, (role, source) in self.copies.items():
            if role == source:
                raise ValueError(f"nothing follows from copying {attribute!r} from {role!r} to {role!r}")
            known = self.sets.get(attribute, ("", ""))[0]
            if known == role:
                raise ValueError(f"contradictory: {attribute!r} is set and copied in one event")
            if known == source:
                raise ValueError(
                    f"non-deterministic: {attribute!r} is copied from {source!r} and set there in one event, so a "
                    "reader cannot know which value is copied"
                )
        if not (self.moves or self.at or self.together or hands or self.sets or self.copies):
            raise ValueError("the event has no effect: it changes nothing and tells nothing")

    def _check_places(self) -> None:
        """Whether everybody can be where the event says they are afterwards."""
        same = {role: role for role in self.roles}

        def root(role: str) -> str:
            while same[role] != role:
                role = same[role]
            return role

        for who, where in self.moves.items():
            mode, one, two = destination(where)
            if (mode == "with" and not self._in_turn(who)) or mode == "in":
                same[root(who)] = root(one)
            elif mode == "either" and one == two:
                raise ValueError(f"{where!r} names one place twice; write {one!r}")
        for who, place in self.at:
            if who in self.moves:
                raise ValueError(
                    f"contradictory: {who!r} moves ({self.moves[who]}) and is said to be at {place!r} at the same time"
                )
            same[root(who)] = root(place)
        handed = [(giver, receiver) for giver, _, receiver in self.gives]
        for one, other in (*self.together, *handed):
            if one == other:
                raise ValueError(f"nothing follows from {one!r} being together with {one!r}")
            same[root(one)] = root(other)
        self._check_apart({role: root(role) for role in self.roles})

    def _in_turn(self, who: str) -> bool:
        """Whether a person who moves with another takes part in an exchange of places (false: the other stays)."""
        mode, other, _ = destination(self.moves[who])
        while mode == "with" and other != who:
            if other not in self.moves:
                break
            mode, other, _ = destination(self.moves[other])
        _, first, _ = destination(self.moves[who])
        if mode == "with" and other == who:
            return True
        if first in self.moves:
            raise ValueError(
                f"non-deterministic: {who!r} moves with {first!r}, who moves too, so a reader cannot know whether to "
                "where they were or to where they go; name the place for both"
            )
        return False

    def _check_apart(self, spots: dict[str, str]) -> None:
        """Refuse two places for one person, and a place that the event rules out."""
        places = [role for role, sort in self.roles.items() if sort == "place"]
        for index, one in enumerate(places):
            for other in places[index + 1 :]:
                if spots[one] == spots[other]:
                    raise ValueError(f"contradictory: somebody would be at {one!r} and at {other!r} at once")
        for who, where in self.moves.items():
            mode, one, two = destination(where)
            said = next((place for place in places if spots[place] == spots[who]), None)
            if said is None or mode in ("in", "with"):
                continue
            if (mode == "not") == (said in (one, two)):
                raise ValueError(f"contradictory: {who!r} moves ({where}) and is at {said!r}")
            raise ValueError(f"{who!r} moves ({where}) and is at {said!r}; say where they are in one way")

    def _check_text(self) -> None:
        refuse_odd_text("the text", self.text)
        if self.text.rstrip().endswith("?"):
            raise ValueError(f"the text is a question: {self.text!r}")
        parts = template_parts(self.text, "text")
        found = [field for _, field, _ in parts if field]
        for name in found:
            if name != "verb" and name not in self.roles:
                raise ValueError(f"the text has {{{name}}}, which is not one of the roles {', '.join(self.roles)}")
            if found.count(name) > 1:
                raise ValueError(f"the text has {{{name}}} twice: {self.text!r}")
        for before, field, _ in parts[1:]:
            if field and not before:
                raise ValueError(f"the text has nothing between {{{field}}} and what stands before it: {self.text!r}")
        for name in self.roles:
            if name not in found:
                raise ValueError(f"non-deterministic: the text does not say {name!r}, so a reader cannot know it")
        if ("verb" in found) != bool(self.verbs):
            raise ValueError("{verb} and verbs belong together: the text lacks one of them")
        refuse_blanks("verbs", self.verbs)
        refuse_twins("verbs", self.verbs)


def destination(text: str) -> tuple[str, str, str]:
    """How a person's new place is given: (mode, role, second role).

    Raises:
        ValueError: It names no place, or leaves it to chance.
    """
    match text.split():
        case [place]:
            return "in", place, ""
        case ["not", place]:
            return "not", place, ""
        case ["with", other]:
            return "with", other, ""
        case [one, "or", other]:
            return "either", one, other
    raise ValueError(
        f"non-deterministic: {text!r} does not say where somebody is; write 'place', 'place or place2', 'not place' "
        "or 'with other'"
    )


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

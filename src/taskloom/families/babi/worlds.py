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
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from taskloom.core import Recipe
from taskloom.core.decode import read_toml
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS, GIVE_QUESTIONS, QUESTION_TYPES
from taskloom.families.babi.vocabulary import fields_in, refuse_blanks, refuse_odd_text, refuse_twins, template_parts

Sort = Literal["person", "object", "place"]

_CONSTRUCTS = ("conj", "negate", "indef")
"""What an event of one's own may count as; the other constructs come from pronouns."""

_SORTS = {
    **dict.fromkeys(("in", "not", "at"), ("person", "place")),
    **dict.fromkeys(("with", "meet"), ("person", "person")),
    **dict.fromkeys(("touch", "take", "drop"), ("person", "object")),
    "either": ("person", "place", "place"),
    "give": ("person", "object", "person"),
}
"""The sorts of the roles of each operation."""


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
        self._check_roles()
        self._check_changes()
        self._check_places()
        if self.text:
            self._check_text()

    def effects(self) -> Iterator[tuple[str, ...]]:
        """What it does, in the order in which it happens: the name of an operation and its roles."""
        for who, where in self.moves.items():
            yield destination(where)[0], who, *destination(where)[1:]
        for one, place in self.at:
            yield "at", one, place
        for one, other in self.together:
            yield "meet" if self.roles.get(other) == "person" else "touch", one, other
        for name, every in (("take", self.takes), ("drop", self.drops), ("give", self.gives)):
            for roles in every:
                yield name, *roles

    def _role(self, name: str, *sorts: str) -> None:
        if name not in self.roles:
            raise ValueError(f"{name!r} is not one of the roles {', '.join(self.roles)}")
        if sorts and self.roles[name] not in sorts:
            raise ValueError(f"the role {name!r} is a {self.roles[name]}; here a {' or '.join(sorts)} is meant")

    def _check_roles(self) -> None:
        for who, where in self.before.items():
            if who not in self.moves:
                raise ValueError(f"before is about people who move, and {who!r} does not; `at` says where they are")
            mode, place, *_ = destination(where)
            if mode not in ("in", "not"):
                raise ValueError(f"before is 'place' or 'not place', not {where!r}")
            self._role(place, "place")
        for name, *roles in self.effects():
            for role, sort in zip(roles, _SORTS[name], strict=True):
                self._role(role, sort)
                if roles.count(role) > 1:
                    raise ValueError(f"nothing follows: {name} ({', '.join(roles)}) names one {sort} twice")
        for role, _ in (*self.sets.values(), *self.requires.values()):
            self._role(role)
        for pair in self.copies.values():
            for role in pair:
                self._role(role)

    def _check_changes(self) -> None:
        effects = list(self.effects())
        hands = [effect[2] for effect in effects if effect[0] in ("take", "drop", "give")]
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
        if not (effects or self.sets or self.copies):
            raise ValueError("the event has no effect: it changes nothing and tells nothing")

    def _check_places(self) -> None:
        """Refuse two places for one person, and a place that the event rules out."""
        spots = {role: {role} for role in self.roles}  # the roles that are in one place afterwards
        for name, who, *others in self.effects():
            if name == "at" and who in self.moves:
                raise ValueError(
                    f"contradictory: {who!r} moves ({self.moves[who]}) and is said to be at {others[0]!r} at the same "
                    "time"
                )
            if name in ("in", "at", "meet", "touch", "give") or (name == "with" and not self._in_turn(who)):
                together = spots[who] | spots[others[-1]]
                spots |= dict.fromkeys(together, together)
        places = [role for role, sort in self.roles.items() if sort == "place"]
        for one, other in combinations(places, 2):
            if spots[one] is spots[other]:
                raise ValueError(f"contradictory: somebody would be at {one!r} and at {other!r} at once")
        for who, where in self.moves.items():
            mode, *named = destination(where)
            said = next((place for place in places if place in spots[who]), None)
            if said is None or mode in ("in", "with"):
                continue
            if (mode == "not") == (said in named):
                raise ValueError(f"contradictory: {who!r} moves ({where}) and is at {said!r}")
            raise ValueError(f"{who!r} moves ({where}) and is at {said!r}; say where they are in one way")

    def _in_turn(self, who: str) -> bool:
        """Whether a person who moves with another takes part in an exchange of places (false: the other stays)."""
        chain = [who]
        while chain[-1] in self.moves and len(chain) <= len(self.moves):
            mode, other, *_ = destination(self.moves[chain[-1]])
            if mode != "with":
                break
            if other == who:
                return True
            chain.append(other)
        if chain[1] in self.moves:
            raise ValueError(
                f"non-deterministic: {who!r} moves with {chain[1]!r}, who moves too, so a reader cannot know whether "
                "to where they were or to where they go; name the place for both"
            )
        return False

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


def destination(text: str) -> tuple[str, ...]:
    """How a person's new place is given: the mode and its one or two roles.

    Raises:
        ValueError: It names no place, or leaves it to chance.
    """
    match text.split():
        case [place]:
            return "in", place
        case ["not" | "with" as mode, role]:
            return mode, role
        case [one, "or", other]:
            return "either", one, other
    raise ValueError(
        f"non-deterministic: {text!r} does not say where somebody is; write 'place', 'place or place2', 'not place' "
        "or 'with other'"
    )


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


class QuestionRecord(Recipe, frozen=True, kw_only=True):
    """One kind of question.

    Attributes:
        roles: What the question names, at most two. Role -> person, object or place.
        text: How it is asked.
        find: `place` (of the person or object), `holder` (of the object), `value` (of an attribute), or `role` (of the
            latest event that fits). The paper also asks for the `origin` of an object before it came to a place, the
            `truth` of a person's being in a place, and the `objects` that a person holds, or their `count`.
        attribute: For `value`.
        event, role: For `role`: the event, and which of its roles is asked for. The question's roles are named as the
            event's.
    """

    roles: dict[str, Sort]
    text: str = ""
    find: Literal["place", "holder", "value", "role", "origin", "truth", "objects", "count"]
    attribute: str = ""
    event: str = ""
    role: str = ""

    def check(self) -> None:
        """Whether it can be asked beside the paper's.

        Raises:
            ValueError: It cannot be said, or what it asks for is not there.
        """
        if self.find in ("origin", "truth", "objects", "count"):
            raise ValueError(f"find is place, holder, value or role, not {self.find!r}")
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
            if name in PAPER or name in CONSTRUCTS:
                raise ValueError(f"{name!r} is an event or construct of the paper; give yours another name")
            if not event.text:
                raise ValueError(f"the event {name!r} has no text")
            try:
                event.check()
            except ValueError as problem:
                raise ValueError(f"the event {name!r}: {problem}") from None
            if event.event and event.event not in self.events and event.event not in EVENTS:
                known = ", ".join((*EVENTS, *self.events))
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
        if name in QUESTION_TYPES:
            raise ValueError(f"{name!r} is a question of the paper; give yours another name")
        try:
            asked.check()
        except ValueError as problem:
            raise ValueError(f"{what}: {problem}") from None
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


class _Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    events: dict[str, EventRecord]
    questions: dict[str, QuestionRecord]


_PAPER = read_toml(Path(__file__).with_name("paper.toml"), type=_Paper)

PAPER = _PAPER.events
"""The events of the paper, numbered as in `kinds.KINDS`. Their words stand in the vocabulary."""


Op = tuple[str, int, int, int]
"""An effect: its name and up to three positions of the sentence (or values), -1 where there is none."""


class Program(NamedTuple):
    """One event, ready for the reader and the generator.

    Attributes:
        name: Its name.
        roles, sorts: Its roles and their sorts, in order.
        text, verbs: How it is said; empty for the paper's, whose words stand in the vocabulary.
        ops: Its effects, in the order in which they take place.
        before: (person, place, whether there) by position: where somebody who moves must have been until then.
        requires: (attribute, position, value) that must be known to hold.
        label, construct: What it counts as in compositions.
        pronoun: Whether it may stand in a pronoun pair.
    """

    name: str
    roles: tuple[str, ...]
    sorts: tuple[str, ...]
    text: str
    verbs: tuple[str, ...]
    ops: tuple[Op, ...]
    before: tuple[tuple[int, int, bool], ...]
    requires: tuple[tuple[int, int, int], ...]
    label: str
    construct: str
    pronoun: bool

    def moves(self, position: int | None = None) -> bool:
        """Whether somebody (the role at that position) is in another place afterwards."""
        return any(name in ("in", "either", "not", "with") and position in (None, one) for name, one, _, _ in self.ops)

    def op(self, *names: str) -> Op:
        """The first effect of one of these names."""
        return next(op for op in self.ops if op[0] in names)


class QuestionProgram(NamedTuple):
    """One kind of question, ready for the reader and the generator.

    Attributes:
        name: Its name.
        type: What it is counted under.
        roles, sorts: What it names and the sorts of that, in order.
        text: How it is asked; empty for the paper's, whose words stand in the vocabulary.
        find, attribute: What it asks for.
        answer_sort: The sort of the answer, where it is a person, object or place.
        event, role, given: For `role`: the number of the event, the position of the role asked for and of those named.
    """

    name: str
    type: str
    roles: tuple[str, ...]
    sorts: tuple[str, ...]
    text: str
    find: str
    attribute: str
    answer_sort: str = ""
    event: int = -1
    role: int = -1
    given: tuple[int, ...] = ()


class WorldProgram(msgspec.Struct, frozen=True, eq=False):
    """Events and questions by number, the paper's first, and attributes with values; no two programs are equal."""

    events: tuple[Program, ...]
    attributes: dict[str, tuple[str, ...]]
    questions: tuple[QuestionProgram, ...]

    def kind(self, name: str) -> int:
        """The number of an event."""
        return next(number for number, event in enumerate(self.events) if event.name == name)

    def attribute(self, name: str) -> int:
        """The number of an attribute."""
        return list(self.attributes).index(name)


def _program(name: str, event: EventRecord, attributes: Mapping[str, tuple[str, ...]]) -> Program:
    place = {role: position for position, role in enumerate(event.roles)}
    number = {key: position for position, key in enumerate(attributes)}
    ops: list[Op] = []
    for effect, *roles in event.effects():
        one, two, three = (*(place[role] for role in roles), -1)[:3]
        ops.append((effect, one, two, three))
    ops += [("set", number[key], place[at], attributes[key].index(value)) for key, (at, value) in event.sets.items()]
    ops += [("copy", number[key], place[at], place[source]) for key, (at, source) in event.copies.items()]
    said = {who: destination(where) for who, where in event.before.items()}
    return Program(
        name,
        tuple(event.roles),
        tuple(event.roles.values()),
        event.text,
        event.verbs,
        tuple(ops),
        tuple((place[who], place[spot], mode == "in") for who, (mode, spot) in said.items()),
        tuple((number[key], place[at], attributes[key].index(value)) for key, (at, value) in event.requires.items()),
        event.event or name,
        event.construct,
        event.pronoun,
    )


def _question(number: int, name: str, record: QuestionRecord, events: Sequence[Program]) -> QuestionProgram:
    sorts = tuple(record.roles.values())
    kind = "give" if number in GIVE_QUESTIONS else name
    said = QuestionProgram(name, kind, tuple(record.roles), sorts, record.text, record.find, record.attribute)
    if record.find != "role":
        return said._replace(answer_sort="person" if record.find == "holder" else "place")
    event = next(number for number, one in enumerate(events) if one.name == record.event)
    place = events[event].roles.index
    role, given = place(record.role), tuple(map(place, record.roles))
    return said._replace(event=event, role=role, given=given, answer_sort=events[event].sorts[role])


def compile_world(world: World) -> WorldProgram:
    """The records as programs."""
    return _compiled(msgspec.json.encode(world))


@lru_cache(maxsize=64)
def _compiled(data: bytes) -> WorldProgram:
    world = msgspec.json.decode(data, type=World)
    attributes = {name: record.values for name, record in world.attributes.items()}
    events = tuple(_program(name, event, attributes) for name, event in {**PAPER, **world.events}.items())
    asked = enumerate({**_PAPER.questions, **world.questions}.items())
    return WorldProgram(events, attributes, tuple(_question(number, *each, events) for number, each in asked))


PAPER_WORLD = compile_world(World())
"""The paper's events alone."""

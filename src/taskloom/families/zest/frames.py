"""Ways to state a fact that take more than one plain sentence, or one step of thought.

A rule and whether the entity is an exception; two candidates and which of them was taken; a year counted from another
one; a number that is twice that of something else; a list with what it leaves out; a person or place that is named
first and placed in the story afterwards. Each is exact: what follows from the words is the value, nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from random import Random

import msgspec

from taskloom.core.rng import below, pick
from taskloom.families.zest.consistency import Statement
from taskloom.families.zest.domain import Attribute, Domain, Form, load_domain
from taskloom.families.zest.facts import Entity, number_text, number_word, value_text

__all__ = ["Frames", "Unit"]

_PLACES = ("city", "island", "square")
_FEWEST = 2


class Unit(msgspec.Struct, frozen=True, gc=False):
    """One thing to say.

    Attributes:
        kind: fact, list, frame, rows, distractor or colour.
        sentences: Templates of its sentences where it has no form; {E} is the entity's name or description.
        attributes: What it states about the entity.
        value: What fills {v}.
        form: The statement of a plain fact, a list or a distractor.
        joins: Whether it stays clear inside a longer sentence.
        implied: Those of the attributes whose value has to be worked out.
        leans_on: An attribute whose statement is needed as well.
        also: What it says besides: about another entity, or of values that do not hold.
    """

    kind: str
    sentences: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    value: str = ""
    form: Form | None = None
    joins: bool = False
    implied: tuple[str, ...] = ()
    leans_on: str = ""
    also: tuple[Statement, ...] = ()


class Frames:
    """Builds such units for one passage. The other entity may get a new value, the one a comparison needs."""

    def __init__(self, domain: Domain, entity: Entity, other: Entity, rng: Random) -> None:
        self.domain, self.entity, self.other, self.rng = domain, entity, other, rng
        self.compared: set[str] = set()
        self._motifs: set[str] = set()
        self._told_by_event: set[str] = set()
        self._ruled = False

    def unit(self, name: str, stated: Collection[str]) -> Unit | None:
        """A frame for an attribute, None where it has none.

        Args:
            name: The attribute.
            stated: Everything the passage states.
        """
        attribute = self.domain.attributes[name]
        if attribute.kind == "flag" and attribute.rule:
            return self._rule(name)
        if attribute.kind == "choice" and attribute.choose:
            return self._choose(name, attribute)
        if attribute.kind == "year" and attribute.event:
            return self._dated(name, attribute, stated)
        if attribute.kind == "number" and attribute.twice:
            return self._multiple(name, attribute)
        if attribute.kind == "name" and (attribute.role or attribute.event):
            return self._named(name, attribute)
        if attribute.kind == "list" and attribute.allbut:
            return self._all_but(name, attribute)
        return None

    def persons(self, names: tuple[str, str]) -> Unit | None:
        """Two people in one breath: the former did this, the latter did that."""
        texts = [str(self.entity.values[name]) for name in names]
        attributes = [self.domain.attributes[name] for name in names]
        roles = [attribute.role for attribute in attributes]
        if not (form := self._fresh(_HONOURED_PAIRS if all(one.honoured for one in attributes) else _PAIRS)):
            return None
        start, end = form
        return Unit("frame", (start.format(*texts), end.format(*roles)), names)

    def _fresh(self, forms: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        """One of the forms, of which none comes twice in a passage, nor does a plaque or a letter; () for none left."""
        able = [form for form in forms if _motif(form[0]) not in self._motifs]
        if not able:
            return ()
        form = pick(self.rng, able)
        self._motifs.add(_motif(form[0]))
        return form

    def _rule(self, name: str) -> Unit | None:
        if self._ruled:
            return None  # two exceptions in one text would be one too many
        self._ruled = True
        forms = _rules(self.domain.id, name)[self.entity.values[name] is True]
        return Unit("frame", pick(self.rng, forms), (name,), implied=(name,))

    def _choose(self, name: str, attribute: Attribute) -> Unit:
        value = self.entity.values[name]
        against = pick(self.rng, [other for other in attribute.values if other != value])
        first = self.rng.random() < 0.5
        pair = {"x": value, "y": against} if first else {"x": against, "y": value}
        start, end = attribute.choose
        slots = {**pair, "which": "former" if first else "latter", "E": "{E}", "D": "{D}", "P": "{P}"}
        also = (Statement(self.entity.name, name, against, denied=True),)
        return Unit("frame", (start.format(**slots), end.format(**slots)), (name,), also=also)

    def _dated(self, name: str, attribute: Attribute, stated: Collection[str]) -> Unit | None:
        value = self.entity.values[name]
        base = attribute.after
        # "The first passengers got on" is not told twice.
        counts = base in stated and base not in self._told_by_event and self.domain.attributes[base].event
        if counts and self.rng.random() < 0.6:
            start = self.entity.values[base]
            assert isinstance(start, int) and isinstance(value, int)
            years = number_word(value - start) if self.rng.random() < 0.5 else str(value - start)
            text = pick(self.rng, _YEARS_AFTER)
            sentence = text.format(n=years, base=self.domain.attributes[base].event, event=attribute.event)
            return Unit("frame", (sentence,), (name,), implied=(name,), leans_on=base)
        self._told_by_event.add(name)
        sentences = self._fresh(_told(_YEARS, attribute.event))
        return Unit("frame", sentences, (name,), str(value)) if sentences else None

    def _multiple(self, name: str, attribute: Attribute) -> Unit | None:
        value = self.entity.values[name]
        assert isinstance(value, int)
        if self.compared:
            return None  # no dog is half as heavy as another and twice as tall
        double = value % 2 == 0 and self.rng.random() < 0.6
        if not double and 2 * value > attribute.high:
            return None
        number = value // 2 if double else 2 * value
        if number < _FEWEST:
            return None
        self.compared.add(name)
        self.other.values[name] = number
        form = pick(self.rng, self.domain.predicates[name][1])
        predicate = form.text[4:].format(v=number_text(number, attribute), P=self.other.possessive)
        start = f"{{O}} {predicate}"
        end = f"{{N}} {attribute.twice if double else attribute.twice.replace('twice', 'half')}"
        also = (Statement(self.other.name, name, number),)
        return Unit("frame", (start, end), (name,), implied=(name,), also=also)

    def _named(self, name: str, attribute: Attribute) -> Unit | None:
        if not attribute.role and attribute.source not in _PLACES:
            return None
        honoured, other = (_HONOURED_PERSONS, _PERSONS) if attribute.role else (_HONOURED_SPOTS, _SPOTS)
        sentences = self._fresh(_told(honoured if attribute.honoured else other, attribute.role or attribute.event))
        return Unit("frame", sentences, (name,), str(self.entity.values[name])) if sentences else None

    def _all_but(self, name: str, attribute: Attribute) -> Unit | None:
        value = self.entity.values[name]
        assert isinstance(value, tuple)
        if len(value) < _FEWEST:
            return None  # nobody says "all of these" of two
        left_out = pick(self.rng, [item for item in attribute.values if item not in value])
        # The kept items keep their order, so that a reader who strikes one out has the answer as it is written.
        place = below(self.rng, len(value) + 1)
        items = [str(item) for item in (*value[:place], left_out, *value[place:])]
        whole = value_text(tuple(items), attribute)
        start, end = attribute.allbut
        slots = {"all": whole, "w": left_out, "E": "{E}", "D": "{D}"}
        return Unit("frame", (start.format(**slots), end.format(**slots)), (name,), implied=(name,))


_MOTIFS = (
    "the year",
    "plaque",
    "town hall",
    "letter",
    "local histor",
    "account",
    "guide book",
    "stories",
    "everybody",
    "people",
)


@cache
def _motif(text: str) -> str:
    """What a reader would notice if it came twice: one of a few things, or else the words themselves."""
    return next((motif for motif in _MOTIFS if motif in text), text)


@cache
def _rules(domain_id: str, name: str) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The ways to tell a rule that the entity breaks, and those to tell one that it keeps."""
    domain = load_domain(domain_id)
    be, hold = ("was", "held") if domain.past else ("is", "holds")
    rule = domain.attributes[name].rule
    broken, kept = (
        tuple(tuple(text.format(rule=rule, be=be, hold=hold, E="{E}") for text in texts) for texts in forms)
        for forms in (_RULE_BROKEN, _RULE_KEPT)
    )
    return broken, kept


@cache
def _told(forms: tuple[tuple[str, ...], ...], what: str) -> tuple[tuple[str, ...], ...]:
    """The forms with what happened, or what somebody did, put in."""
    return tuple(tuple(text.replace("{what}", what) for text in texts) for texts in forms)


_RULE_KEPT = (
    ("{rule}", "{E} {be} no exception"),
    ("{rule}, and {E} {be} no exception",),
    ("{rule}", "the same {hold} for {E}"),
    ("{rule}, and {E} {be} like the rest in this",),
    ("as is well known, {rule}", "{E} {be} not an exception"),
)
_RULE_BROKEN = (
    ("{rule}", "{E} {be} an exception"),
    ("{rule}, but {E} {be} an exception",),
    ("although {rule}, {E} {be} an exception",),
    ("{rule}", "the opposite {hold} for {E}"),
    ("as is well known, {rule}", "{E} {be} the exception"),
)
_YEARS_AFTER = (
    "a full {n} years after {base}, {event}",
    "{event} {n} years after {base}",
    "exactly {n} years passed after {base}, and then {event}",
    "it was {n} years after {base} that {event}",
    "after {base}, {n} years went by before {event}",
)
_YEARS = (
    ("the year {v} has a place in every chronicle", "that is when {what}"),
    ("one date is known to every child in {town}: {v}", "that year, {what}"),
    ("a plaque in {town} bears a single date, {v}", "it stands for the year in which {what}"),
    ("people in {town} like to speak of the year {v}", "it was then that {what}"),
    ("the year {v} stands out in the records", "in the course of that year, {what}"),
)
_HONOURED_PERSONS = (
    ("the name of {v} is on a plaque in {town}", "this is the person who {what}"),
    ("every local history has a page on {v}", "it is this person who {what}"),
    ("{v} is a name to remember in {town}", "the person of that name {what}"),
    ("a street in {town} is called after {v}", "its name recalls the person who {what}"),
    ("a letter signed by {v} hangs in the town hall", "the writer is the person who {what}"),
)
_PERSONS = (
    ("many stories are told about {v}", "this is the person who {what}"),
    ("everybody in {town} has heard of {v}", "it is this person who {what}"),
    ("{v} is a name that all of {town} knows", "the person of that name {what}"),
    ("a picture in the town hall shows {v}", "it is a portrait of the person who {what}"),
    ("a letter signed by {v} hangs in the town hall", "the writer is the person who {what}"),
)
_PAIRS = (
    ("two names come up again and again, {} and {}", "the former {}, the latter {}"),
    ("people like to compare {} with {}", "the former {}; the latter {}"),
    ("there are many stories about both {} and {}", "the former {}, while the latter {}"),
    ("pictures in the town hall show {} and {}", "the one named first {}, the other {}"),
)
_HONOURED_PAIRS = (
    *_PAIRS,
    ("the archive keeps letters by {} and {}", "the first of them {}; the second {}"),
    ("a plaque honours {} and {}", "the one named first {}, the other {}"),
    ("local histories praise both {} and {}", "the former {}, while the latter {}"),
)
_HONOURED_SPOTS = (
    ("no account leaves out {v}", "that is where {what}"),
    ("{v} has its part in the story", "it is the place where {what}"),
    ("visitors to {v} are shown the very spot", "it is the spot where {what}"),
    ("one place is named in all accounts, {v}", "there {what}"),
    ("a signpost in {v} tells the story", "this is where {what}"),
)
_SPOTS = (
    ("every guide book mentions {v}", "that is where {what}"),
    ("{v} is marked on every map of the area", "it is the place where {what}"),
    ("newcomers are told to look for {v}", "it is the spot where {what}"),
    ("one place is named in all guide books, {v}", "there {what}"),
    ("everybody knows the way to {v}", "this is where {what}"),
)

"""An entity and the values of its attributes, each drawn when it is first needed; what a passage says of it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import lru_cache
from random import Random
from typing import TypeAlias

import msgspec

from taskloom.core.rng import sample, spin, wheel
from taskloom.families.zest.domain import Attribute, Domain, Field, number_word
from taskloom.families.zest.naming import EntityNaming, Namer

_MOST_IN_WORDS = 99
_SMALL = 20
_IN_WORDS = 0.25
_SHORTENED = 0.3
_LISTED = wheel((1, 2, 2, 3, 3))
_TABLED = wheel((1, 2, 2, 3))
_FILLED = 0.75
_PLACED = {"city": ("", ""), "river": ("the ", ""), "square": ("", " Square")}


class TableRow(msgspec.Struct, frozen=True, gc=False):
    """A row of a table; a field the passage does not state is None."""

    name: str
    a: str | None
    b: str | None


Value: TypeAlias = bool | int | str | tuple[str, ...] | tuple[TableRow, ...]


class Values(dict[str, Value]):
    """The values of one entity by attribute.

    A passage states half of them. So a value is drawn when it is first looked up, those that it counts from before it.

    Args:
        domain: The attributes.
        rng: Where the draws come from.
        namer: Gives names that nothing else in the passage has.
    """

    __slots__ = ("_attributes", "_bits", "_namer", "_places", "_rng")

    def __init__(self, domain: Domain, rng: Random, namer: Namer) -> None:
        self._attributes, self._namer = domain.attributes, namer
        self._rng, self._bits = rng, namer.bits
        self._places: list[str] = []

    def __missing__(self, name: str) -> Value:
        """Draw the value of an attribute that has none yet."""
        attribute = self._attributes[name]
        kind = attribute.kind
        value: Value
        if kind == "flag":
            value = self._rng.random() < 0.5
        elif kind == "choice":
            value = spin(self._bits, attribute.choices)
        elif kind in ("number", "year"):
            value = self._number(attribute)
        elif kind == "name":
            value = self._name(attribute.source)
        elif kind == "list":
            value = tuple(sample(self._rng, attribute.values, spin(self._bits, _LISTED)))
        else:
            value = self._rows(attribute)
        self[name] = value
        return value

    def _number(self, field: Field) -> int:
        bits, (size, width) = self._bits, field.size
        while (number := bits(width)) >= size:
            pass
        number += field.low
        if field.after:
            base = self[field.after]
            assert isinstance(base, int)
            return number + base
        return round(number, -1) if field.tens else number

    def _rows(self, attribute: Attribute) -> tuple[TableRow, ...]:
        """Rows of which each field is left unsaid now and then."""
        places, names = self._places, attribute.names
        number = spin(self._bits, _TABLED)
        # A table that is drawn again keeps its names: there are only so many.
        while len(places) < number:
            places.append(self._namer.place())
        forms = sample(self._rng, names, len(names))
        rows = []
        for at in range(number):
            name = forms[at % len(forms)].replace("{place}", places[at])
            rows.append(TableRow(name, *map(self._field, attribute.fields)))
        return tuple(rows)

    def _field(self, field: Field) -> str | None:
        if self._rng.random() >= _FILLED:
            return None
        if field.kind == "choice":
            return spin(self._bits, field.choices)
        return number_text(self._number(field), field)

    def _name(self, source: str) -> str:
        if source == "person":
            return self._namer.person()
        if source not in _PLACED:
            return self._namer.island()
        before, behind = _PLACED[source]
        return f"{before}{self._namer.place()}{behind}"


class Entity(msgspec.Struct, frozen=True, gc=False):
    """An entity with its name, the words that refer to it, and the value of each attribute.

    `female` says which of two forms its words take, where they depend on that.
    """

    name: str
    pronoun: str
    possessive: str
    female: bool
    town: str
    values: Values


def number_text(number: int, spec: Field) -> str:
    """A number in its plain form: digits with its unit, small counts in words where the domain says so."""
    if spec.kind == "year":
        return str(number)
    return _plain_text(number, spec.words, spec.unit)


def number_forms(number: int, spec: Field) -> tuple[str, ...]:
    """Every acceptable way to give a number: digits or words, with its unit, its short form, or neither."""
    return (str(number),) if spec.kind == "year" else _forms(number, spec.words, (spec.unit, spec.short))


@lru_cache(maxsize=1 << 12)
def _forms(number: int, words: bool, units: tuple[str, str]) -> tuple[str, ...]:
    forms = [_plain_text(number, words, units[0])]
    for text in (f"{number:,}", str(number), number_word(number)):
        forms += [f"{text} {unit}" for unit in units if unit]
        forms.append(text)
    return tuple(dict.fromkeys(forms))


def _plain_text(number: int, words: bool, unit: str) -> str:
    text = number_word(number) if words and number <= _SMALL else f"{number:,}"
    return f"{text} {unit}" if unit else text


def spoken_number(number: int, spec: Field, rng: Random) -> str:
    """A number as one passage writes it: digits, words, or digits with the short form of the unit."""
    if spec.kind == "year":
        return str(number)
    style = rng.random()
    if spec.words and number <= _SMALL:
        return number_text(number, spec)
    if style < _IN_WORDS and number <= _MOST_IN_WORDS:
        return f"{number_word(number)} {spec.unit}".rstrip()
    if style > 1 - _SHORTENED and spec.short:
        return f"{number:,} {spec.short}"
    return number_text(number, spec)


def with_article(phrase: str) -> str:
    """The phrase with a or an."""
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"


def value_text(value: Value, attribute: Field) -> str:
    """A value as a statement writes it; lists end in "and"."""
    if isinstance(value, tuple):
        items = [item.name if isinstance(item, TableRow) else item for item in value]
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
    if isinstance(value, int) and not isinstance(value, bool):
        return number_text(value, attribute)
    return str(value)


def draw_entity(domain: Domain, rng: Random, namer: Namer, naming: EntityNaming) -> Entity:
    """An entity of that name, without any value as yet."""
    female = naming.gender == "female"
    pronoun, possessive, _ = domain.pronouns
    if domain.gendered:
        pronoun, possessive = ("she", "her") if female else ("he", "his")
    return Entity(naming.name, pronoun, possessive, female, naming.town, Values(domain, rng, namer))


class Statement(msgspec.Struct, frozen=True, gc=False):
    """Something a passage says of an entity: a value of an attribute, or that it is not this value."""

    entity: str
    attribute: str
    value: Value
    denied: bool = False


def is_side(wanted: str, value: Value) -> bool:
    """Whether a stated value is that of a side of a conflict, such as the "no" of "water=no"; "" is any value."""
    if not wanted:
        return True
    return wanted == ({True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value))


def clash(domain: Domain, values: Mapping[str, Value], name: str, stated: Container[str]) -> bool:
    """Whether stating one more attribute of an entity would contradict what is stated already."""
    return any(
        other in stated and is_side(mine, values[name]) and is_side(theirs, values[other])
        for mine, other, theirs in domain.opponents.get(name, ())
    )

"""An entity and the values of its attributes, each drawn when it is first needed."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeAlias

import msgspec

from taskloom.core.rng import below, pick, sample
from taskloom.families.zest.domain import Attribute, Domain, Field
from taskloom.families.zest.naming import Namer, Naming

__all__ = [
    "Entity",
    "TableRow",
    "Value",
    "Values",
    "draw_entity",
    "number_forms",
    "number_text",
    "number_word",
    "rounded",
    "spoken_number",
    "value_text",
    "with_article",
]

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_MOST_IN_WORDS = 99
_SMALL = 20
_EXACT = 1000
_IN_WORDS = 0.25
_SHORTENED = 0.3
_LISTED = (1, 2, 2, 3, 3)
_TABLED = (1, 2, 2, 3)
_FILLED = 0.75
_PLACED = {"city": "{}", "river": "the {}", "square": "{} Square"}


class TableRow(NamedTuple):
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
        culture: How the names sound.
    """

    __slots__ = ("_attributes", "_culture", "_namer", "_places", "_rng")

    def __init__(self, domain: Domain, rng: Random, namer: Namer, culture: str) -> None:
        self._attributes, self._rng, self._namer, self._culture = domain.attributes, rng, namer, culture
        self._places: list[str] = []

    def __missing__(self, name: str) -> Value:
        value = self[name] = self._draw(self._attributes[name])
        return value

    def _draw(self, attribute: Attribute) -> Value:
        rng, kind = self._rng, attribute.kind
        if kind == "flag":
            return rng.random() < 0.5
        if kind == "choice":
            return pick(rng, attribute.values)
        if kind in ("year", "number"):
            return self._number(attribute)
        if kind == "list":
            return tuple(sample(rng, attribute.values, pick(rng, _LISTED)))
        if kind == "name":
            return self._name(attribute.source)
        return self._rows(attribute)

    def _number(self, spec: Attribute | Field) -> int:
        low, high = spec.low, spec.high
        number = low + below(self._rng, high - low + 1)
        if spec.after:
            base = self[spec.after]
            assert isinstance(base, int)
            number += base
        elif rounded(spec):
            number = round(number, -1)
        return number

    def _rows(self, attribute: Attribute) -> tuple[TableRow, ...]:
        """Rows of which each field is left unsaid now and then."""
        rng, places, number = self._rng, self._places, pick(self._rng, _TABLED)
        # A table that is drawn again keeps its names: there are only so many.
        places += [self._namer.place(self._culture) for _ in range(number - len(places))]
        forms = sample(rng, attribute.names, len(attribute.names))
        return tuple([
            TableRow(
                forms[at % len(forms)].format(place=places[at]),
                self._field(attribute.a),
                self._field(attribute.b),
            )
            for at in range(number)
        ])  # fmt: skip

    def _field(self, spec: Field | None) -> str | None:
        assert spec is not None
        if self._rng.random() >= _FILLED:
            return None
        return pick(self._rng, spec.values) if spec.kind == "choice" else number_text(self._number(spec), spec)

    def _name(self, source: str) -> str:
        namer, culture = self._namer, self._culture
        if source == "person":
            return namer.person(culture)
        return _PLACED[source].format(namer.place(culture)) if source in _PLACED else namer.island(culture)


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


def rounded(spec: Attribute | Field) -> bool:
    """Whether a number is given in tens, as large ones are."""
    return spec.kind == "number" and spec.high > _EXACT


def number_word(number: int) -> str:
    """A number below a hundred in words; digits with commas beyond."""
    if number < len(_ONES):
        return _ONES[number]
    if number > _MOST_IN_WORDS:
        return f"{number:,}"
    ten, one = divmod(number, 10)
    return f"{_TENS[ten]}-{_ONES[one]}" if one else _TENS[ten]


def number_text(number: int, spec: Attribute | Field) -> str:
    """A number in its plain form: digits with its unit, small counts in words where the domain says so."""
    if spec.kind == "year":
        return str(number)
    return _plain_text(number, spec.words, spec.unit)


def number_forms(number: int, spec: Attribute | Field) -> tuple[str, ...]:
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


def spoken_number(number: int, spec: Attribute | Field, rng: Random) -> str:
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


def value_text(value: Value, attribute: Attribute) -> str:
    """A value as a statement writes it; lists end in "and"."""
    if isinstance(value, tuple):
        items = [item.name if isinstance(item, TableRow) else item for item in value]
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
    if isinstance(value, int) and not isinstance(value, bool):
        return number_text(value, attribute)
    return str(value)


def draw_entity(domain: Domain, rng: Random, namer: Namer, naming: Naming) -> Entity:
    """An entity of that name, without any value as yet."""
    female = naming.gender == "female"
    pronoun, possessive, _ = domain.pronouns
    if domain.gendered:
        pronoun, possessive = ("she", "her") if female else ("he", "his")
    values = Values(domain, rng, namer, naming.culture)
    return Entity(naming.name, pronoun, possessive, female, naming.town, values)

"""Drawing an entity: values for all its attributes, whether or not a passage will state them."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import NamedTuple, TypeAlias

from taskloom.core.rng import below, pick, sample
from taskloom.families.zest.domain import Attribute, Domain, Field
from taskloom.families.zest.naming import Naming
from taskloom.sources.names import Names

__all__ = [
    "Entity",
    "TableRow",
    "Value",
    "Values",
    "draw_entity",
    "draw_values",
    "number_forms",
    "number_text",
    "number_word",
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
_IN_WORDS = 0.25
_SHORTENED = 0.3
_LISTED = (1, 2, 2, 3, 3)
_TABLED = (1, 2, 2, 3)


class TableRow(NamedTuple):
    """A row of a table; a field the passage does not state is None."""

    name: str
    a: str | None
    b: str | None


Value: TypeAlias = bool | int | str | tuple[str, ...] | tuple[TableRow, ...]
Values: TypeAlias = dict[str, Value]


class Entity(NamedTuple):
    """An entity with its name, the words that refer to it, and the value of each attribute."""

    name: str
    pronoun: str
    possessive: str
    monarch: str
    region: str
    town: str
    values: Values


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
    text = number_word(number) if spec.words and number <= _SMALL else f"{number:,}"
    return f"{text} {spec.unit}" if spec.unit else text


def number_forms(number: int, spec: Attribute | Field) -> tuple[str, ...]:
    """Every acceptable way to give a number: digits or words, with its unit, its short form, or neither."""
    if spec.kind == "year":
        return (str(number),)
    forms = [number_text(number, spec)]
    for text in (f"{number:,}", str(number), number_word(number)):
        forms += [f"{text} {unit}" for unit in (spec.unit, spec.short) if unit]
        forms.append(text)
    return tuple(dict.fromkeys(forms))


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


def draw_values(domain: Domain, rng: Random, into: Values, only: Iterable[str] | None = None) -> Values:
    """Draw the values that questions can depend on; names follow in `draw_entity`, where they are needed.

    Args:
        domain: The domain.
        rng: Where the draws come from.
        into: Values to draw into; those not drawn again stay.
        only: The attributes to draw (all where not given), in the order of the domain.
    """
    attributes = domain.attributes
    for name in attributes if only is None else only:
        attribute = attributes[name]
        kind = attribute.kind
        if kind == "flag":
            into[name] = rng.random() < 0.5
        elif kind == "choice":
            into[name] = pick(rng, attribute.values)
        elif kind in ("year", "number"):
            into[name] = _draw_number(attribute, rng, into)
        elif kind == "list":
            into[name] = tuple(sample(rng, attribute.values, pick(rng, _LISTED)))
        elif kind == "rows":
            into[name] = tuple([_draw_row(attribute, rng, into) for _ in range(pick(rng, _TABLED))])
        else:
            into[name] = ""
    return into


def _draw_number(spec: Attribute | Field, rng: Random, values: Values) -> int:
    low, high = spec.low, spec.high
    number = low + below(rng, high - low + 1)
    if spec.after:
        base = values[spec.after]
        assert isinstance(base, int)
        number += base
    elif high > 1000 and spec.kind == "number":
        number = round(number, -1)
    return number


def _draw_row(attribute: Attribute, rng: Random, values: Values) -> TableRow:
    """A row without its name; each field is left unsaid now and then."""
    assert attribute.a is not None and attribute.b is not None
    texts = []
    for spec in (attribute.a, attribute.b):
        text = pick(rng, spec.values) if spec.kind == "choice" else number_text(_draw_number(spec, rng, values), spec)
        texts.append(text if rng.random() < 0.75 else None)
    return TableRow("", texts[0], texts[1])


def draw_entity(domain: Domain, rng: Random, names: Names, naming: Naming, values: Values) -> Entity:
    """An entity with these values, the names among them filled in."""
    for taken in (naming.word, naming.town):
        names.claim(taken)
    filled = dict(values)
    for key, attribute in domain.attributes.items():
        if attribute.kind == "name":
            filled[key] = _name_of(attribute.source, names, naming.culture)
        elif attribute.kind == "rows":
            rows = filled[key]
            assert isinstance(rows, tuple)
            forms = sample(rng, attribute.names, len(attribute.names))
            filled[key] = tuple(
                TableRow(forms[at % len(forms)].format(place=names.city(naming.culture)), row.a, row.b)
                for at, row in enumerate(rows)
                if isinstance(row, TableRow)
            )
    female = naming.gender == "female"
    pronoun, possessive, _ = domain.pronouns
    if domain.gendered:
        pronoun, possessive = ("she", "her") if female else ("he", "his")
    region = names.region(naming.culture)
    return Entity(naming.name, pronoun, possessive, domain.monarch[female], region, naming.town, filled)


def _name_of(source: str, names: Names, culture: str) -> str:
    if source == "person":
        return str(names.person(culture=culture))
    if source == "river":
        return f"the {names.city(culture)}"
    if source == "square":
        return f"{names.city(culture)} Square"
    if source == "island":
        while (island := names.island(culture)).startswith("Isle of"):
            pass
        return island
    return names.city(culture)

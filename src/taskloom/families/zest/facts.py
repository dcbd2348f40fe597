"""Drawing an entity: values for all its attributes, whether or not a passage will state them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple, TypeAlias

from taskloom.families.zest.domain import Attribute, Domain, Field
from taskloom.sources.names import Gender, Names

__all__ = [
    "Entity",
    "Row",
    "Value",
    "Values",
    "draw_entity",
    "draw_values",
    "number_text",
    "value_text",
    "with_article",
]

_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_ROMAN = ("I", "II", "III", "IV", "V")


class Row(NamedTuple):
    """A row of a table; a field the passage does not state is None."""

    name: str
    a: str | None
    b: str | None


Value: TypeAlias = bool | int | str | tuple[str, ...] | tuple[Row, ...]
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


def number_text(number: int, spec: Attribute | Field) -> str:
    """A number as passages write it, with its unit."""
    if spec.kind == "year":
        return str(number)
    text = _WORDS[number] if spec.words and number < len(_WORDS) else f"{number:,}"
    return f"{text} {spec.unit}" if spec.unit else text


def with_article(phrase: str) -> str:
    """The phrase with a or an."""
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"


def value_text(value: Value, attribute: Attribute) -> str:
    """A value as a statement writes it; lists end in "and"."""
    if isinstance(value, tuple):
        items = [item.name if isinstance(item, Row) else item for item in value]
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
    wanted = domain.attributes if only is None else only
    for name in wanted:
        attribute = domain.attributes[name]
        if attribute.kind == "flag":
            into[name] = rng.random() < 0.5
        elif attribute.kind == "choice":
            into[name] = rng.choice(attribute.values)
        elif attribute.kind in ("year", "number"):
            into[name] = _draw_number(attribute, rng, into)
        elif attribute.kind == "list":
            into[name] = tuple(rng.sample(attribute.values, rng.choice((1, 2, 2, 3, 3))))
        elif attribute.kind == "rows":
            into[name] = tuple(_draw_row(attribute, rng, into) for _ in range(rng.choice((1, 2, 2, 3))))
        else:
            into[name] = ""
    return into


def _draw_number(spec: Attribute | Field, rng: Random, values: Values) -> int:
    number = rng.randint(spec.low, spec.high)
    if spec.after:
        base = values[spec.after]
        assert isinstance(base, int)
        number += base
    elif spec.high > 1000 and spec.kind == "number":
        number = round(number, -1)
    return number


def _draw_row(attribute: Attribute, rng: Random, values: Values) -> Row:
    """A row without its name; each field is left unsaid now and then."""
    assert attribute.a is not None and attribute.b is not None
    texts = []
    for spec in (attribute.a, attribute.b):
        text = rng.choice(spec.values) if spec.kind == "choice" else number_text(_draw_number(spec, rng, values), spec)
        texts.append(text if rng.random() < 0.75 else None)
    return Row("", texts[0], texts[1])


def draw_entity(domain: Domain, rng: Random, names: Names, values: Values) -> Entity:
    """An entity with these values, its names filled in."""
    gender: Gender = rng.choice(("female", "male"))
    culture = names.culture()
    filled = dict(values)
    for key, attribute in domain.attributes.items():
        if attribute.kind == "name":
            filled[key] = _name_of(attribute.source, names, culture)
        elif attribute.kind == "rows":
            rows = filled[key]
            assert isinstance(rows, tuple)
            filled[key] = tuple(
                Row(rng.choice(attribute.names).format(place=names.city(culture)), row.a, row.b)
                for row in rows
                if isinstance(row, Row)
            )
    pronoun, possessive, _ = ("she", "her", "her") if gender == "female" else ("he", "his", "him")
    if not domain.gendered:
        pronoun, possessive, _ = domain.pronouns
    monarch = domain.monarch[1 if gender == "female" else 0]
    name = _NAMERS[domain.name](names, rng, culture, gender)
    return Entity(name, pronoun, possessive, monarch, names.region(culture), names.city(culture), filled)


def _name_of(source: str, names: Names, culture: str) -> str:
    if source == "person":
        return str(names.person(culture=culture))
    if source == "river":
        return f"the {names.city(culture)}"
    if source == "square":
        return f"{names.city(culture)} Square"
    if source == "island":
        return names.island(culture)
    return names.city(culture)


Namer: TypeAlias = Callable[[Names, Random, str, Gender], str]


def _ended(*ends: str) -> Namer:
    """Names of the form "Harrow Fen", never "Malbridge Bridge"."""

    def name(names: Names, rng: Random, culture: str, gender: Gender) -> str:
        end = rng.choice(ends)
        word = end.split()[-1].lower()
        while (place := names.city(culture)).lower().endswith(word):
            pass
        return end.format(place)

    return name


_NAMERS: dict[str, Namer] = {
    "person": lambda names, rng, culture, gender: f"{names.given(gender, culture)} {rng.choice(_ROMAN)}",
    "ship": lambda names, rng, culture, gender: f"the {names.ship(culture)}",
    "mountain": lambda names, rng, culture, gender: names.mountain(culture),
    "breed": _ended("the {} Hound", "the {} Terrier", "the {} Shepherd", "the {} Spaniel"),
    "bridge": _ended("{} Bridge", "the {} Viaduct", "the Old {} Bridge", "{} Weir Bridge"),
    "castle": _ended("{} Castle", "Castle {}", "{} Keep", "{} Hold"),
    "festival": _ended("the {} Fair", "the {} Feast", "the {} Gathering"),
    "museum": _ended("the {} Museum", "the Museum of {}", "the Old {} Museum", "the {} House"),
    "railway": _ended("the {} Railway", "the {} Valley Line", "the {} Light Railway", "the {} Branch"),
    "reserve": _ended("{} Fen", "{} Marsh", "{} Wood", "{} Common", "{} Moor"),
}

"""The recipe of a world, and the sheet a chapter of it is drafted on: entities, labels and statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal

import msgspec

from taskloom.core import Recipe, keyed_random
from taskloom.core.decode import read_toml
from taskloom.sources.names import NameMaker

if TYPE_CHECKING:
    from taskloom.sources.knowledge.world.people import Person
    from taskloom.sources.knowledge.world.places import Geography, Institutions


class BroaderOccupation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A superclass of occupations."""

    entity: str
    narrower: tuple[str, ...]


class Honour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of thing that is named after people."""

    kind: str
    who: Literal["any", "athletes", "thinkers"]
    by_name: tuple[str, ...]
    by_trade: str


class _Concepts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: tuple[str, ...]
    writers: frozenset[str]
    musicians: frozenset[str]
    thinkers: frozenset[str]
    officials: frozenset[str]
    genders: dict[str, str]
    classes: dict[str, str]
    occupations: dict[str, str]
    weights: dict[str, float]
    since: dict[str, int]
    broader: dict[str, BroaderOccupation]
    genres: dict[str, dict[str, str]]
    positions: dict[str, dict[str, str]]
    honours: tuple[Honour, ...]


_FILE = read_toml(Path(__file__).with_name("concepts.toml"), type=_Concepts)

GENDERS, CLASSES, KINDS, GENRES = _FILE.genders, _FILE.classes, _FILE.kinds, _FILE.genres
OCCUPATIONS, WEIGHTS, SINCE, BROADER = _FILE.occupations, _FILE.weights, _FILE.since, _FILE.broader
WRITERS, MUSICIANS, THINKERS, OFFICIALS = _FILE.writers, _FILE.musicians, _FILE.thinkers, _FILE.officials
POSITIONS, SPORTS, HONOURS = _FILE.positions, tuple(_FILE.positions), _FILE.honours

CONCEPTS: Mapping[str, str] = {
    **{entity: name for names in (GENDERS, CLASSES, OCCUPATIONS) for name, entity in names.items()},
    **{one.entity: name for name, one in BROADER.items()},
    **{entity: name for genres in GENRES.values() for name, entity in genres.items()},
    **{entity: name for places in POSITIONS.values() for name, entity in places.items() if entity},
}
"""Labels by id."""


WORLD_VERSION = 2
"""Raised whenever the same settings give other triples, so that two editions are never mixed."""

DEFAULT_PEOPLE = 12_000

PRESENT = 2020
"""The year it is in every world: who has not died by its end is alive."""

Triple = tuple[str, str, str]

_CHAPTER_PEOPLE = 3_000
_MOST_COUNTRIES = 300
_XSD_DATE = "http://www.w3.org/2001/XMLSchema#date"


class WorldSettings(Recipe, frozen=True):
    """The recipe of a fictional world.

    Attributes:
        seed: Another seed is another world; nothing is shared.
        people: How many people ever lived in it. Everything else grows with them, except the number of countries
            beyond three hundred.
    """

    seed: int = 0
    people: int = DEFAULT_PEOPLE

    def __post_init__(self) -> None:
        if self.people < 200:
            raise ValueError("a world needs at least 200 people, so that every relation occurs")

    @property
    def chapters(self) -> int:
        """Into how many chapters the world is written; only one of them is ever in memory."""
        return max(1, round(self.people / _CHAPTER_PEOPLE))

    @property
    def countries(self) -> int:
        return min(max(24, round(self.people / 40)), _MOST_COUNTRIES)

    def share(self, chapter: int) -> int:
        return (chapter + 1) * self.people // self.chapters - chapter * self.people // self.chapters


class Draft:
    """Collects what is true in one chapter of a world.

    Args:
        settings: The recipe of the world.
        chapter: The number of the chapter; -1 for the map that all chapters share.
        first: The number of its first entity.
        taken: Whether an earlier chapter has used a label.

    Attributes:
        size: How many people it tells of.
        geography, people, institutions: What it tells of, as soon as that has been made.
    """

    geography: Geography
    people: list[Person]
    institutions: Institutions

    def __init__(self, settings: WorldSettings, chapter: int, first: int, taken: Callable[[str], bool]) -> None:
        self.settings, self.chapter, self._first = settings, chapter, first
        self.size = settings.people if chapter < 0 else settings.share(chapter)
        self.names = NameMaker(self.random("names"), taken=taken)
        self.labels: dict[str, str] = {}
        self.triples: list[Triple] = []
        self.stand_ins: dict[str, str] = {}
        for label in CONCEPTS.values():
            self.names.claim(label)

    @property
    def next(self) -> int:
        return self._first + len(self.labels)

    def random(self, stage: str) -> Random:
        """The generator of one stage, so that stages do not disturb one another."""
        settings = self.settings
        return keyed_random("taskloom/world", WORLD_VERSION, settings.seed, settings.people, self.chapter, stage)

    def count(self, one_per: float, least: int = 8) -> int:
        """How many of a kind a chapter of this size has: one for every `one_per` people, but at least a few."""
        return max(least, round(self.size / one_per))

    def new(self, label: str, kind: str | None = None) -> str:
        entity = f"F{self.next}"
        self.labels[entity] = label
        if kind is not None:
            self.triples.append((entity, "P31", CLASSES[kind]))
        return entity

    def state(self, subject: str, property_id: str, *values: str) -> None:
        for value in values:
            self.triples.append((subject, property_id, value))

    def dated(self, subject: str, property_id: str, date: str) -> None:
        """One statement with a date (`1931-04-02`)."""
        self.triples.append((subject, property_id, f'"{date}"^^<{_XSD_DATE}>'))


def some_date(rng: Random, year: int) -> str:
    """A date in a year. Days stop at 28, so that every month has them."""
    return f"{year:04d}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"

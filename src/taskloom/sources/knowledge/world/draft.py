"""The sheet a chapter of a world is drafted on: entities, labels and statements, in the order they are made."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from taskloom.core import keyed_random
from taskloom.sources.knowledge.world.concepts import CLASSES, CONCEPTS
from taskloom.sources.knowledge.world.settings import WORLD_VERSION, WorldSettings
from taskloom.sources.names import NameMaker

__all__ = ["Draft", "Triple", "some_date"]

Triple = tuple[str, str, str]

_XSD_DATE = "http://www.w3.org/2001/XMLSchema#date"


class Draft:
    """Collects what is true in one chapter of a world.

    Args:
        settings: The recipe of the world.
        chapter: The number of the chapter; -1 for the map that all chapters share.
        first: The number of its first entity.
        taken: Whether an earlier chapter has used a label.
    """

    def __init__(self, settings: WorldSettings, chapter: int, first: int, taken: Callable[[str], bool]) -> None:
        self.settings = settings
        self.chapter = chapter
        self.people = settings.people if chapter < 0 else settings.share(chapter)
        self.names = NameMaker(self.random("names"), taken=taken)
        self.labels: dict[str, str] = {}
        self.triples: list[Triple] = []
        self.stand_ins: dict[str, str] = {}
        self._first = first
        for label in CONCEPTS.values():
            self.names.claim(label)

    @property
    def next(self) -> int:
        """The number of the next entity."""
        return self._first + len(self.labels)

    def random(self, stage: str) -> Random:
        """The generator of one stage, so that stages do not disturb one another."""
        settings = self.settings
        return keyed_random("taskloom/world", WORLD_VERSION, settings.seed, settings.people, self.chapter, stage)

    def count(self, one_per: float, least: int = 8) -> int:
        """How many of a kind a chapter of this size has: one for every `one_per` people, but at least a few."""
        return max(least, round(self.people / one_per))

    def new(self, label: str, kind: str | None = None) -> str:
        """A new entity of a class."""
        entity = f"F{self.next}"
        self.labels[entity] = label
        if kind is not None:
            self.triples.append((entity, "P31", CLASSES[kind]))
        return entity

    def state(self, subject: str, property_id: str, value: str) -> None:
        """One statement."""
        self.triples.append((subject, property_id, value))

    def dated(self, subject: str, property_id: str, date: str) -> None:
        """One statement with a date (`1931-04-02`)."""
        self.triples.append((subject, property_id, f'"{date}"^^<{_XSD_DATE}>'))


def some_date(rng: Random, year: int) -> str:
    """A date in a year. Days stop at 28, so that every month has them."""
    return f"{year:04d}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"

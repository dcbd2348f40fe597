"""The sheet a world is drafted on: entities, labels and statements, in the order they are made."""

from __future__ import annotations

from random import Random

from taskloom.core import keyed_random
from taskloom.sources.knowledge.world.concepts import CLASSES, CONCEPTS
from taskloom.sources.knowledge.world.settings import WORLD_VERSION, WorldSettings
from taskloom.sources.names import Names

__all__ = ["Draft", "Triple", "some_date"]

Triple = tuple[str, str, str]

_XSD_DATE = "http://www.w3.org/2001/XMLSchema#date"


class Draft:
    """Collects what is true in a world.

    Args:
        settings: The recipe of the world.
    """

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self.names = Names(self.random("names"))
        self.labels: dict[str, str] = dict(CONCEPTS)
        self.triples: list[Triple] = []
        self.stand_ins: dict[str, str] = {}
        for label in CONCEPTS.values():
            self.names.claim(label)

    def random(self, stage: str) -> Random:
        """The generator of one stage, so that stages do not disturb one another."""
        return keyed_random("taskloom/world", WORLD_VERSION, self.settings.seed, self.settings.people, stage)

    def count(self, one_per: float, least: int = 8) -> int:
        """How many of a kind a world of this size has: one per so many people, but at least a few."""
        return max(least, round(self.settings.people / one_per))

    def new(self, label: str, kind: str | None = None) -> str:
        """A new entity of a class."""
        entity = f"F{len(self.labels) - len(CONCEPTS) + 1}"
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

"""What a world is made from."""

from __future__ import annotations

from taskloom.core import Recipe

__all__ = ["DEFAULT_PEOPLE", "PRESENT", "WORLD_VERSION", "WorldSettings"]

# Raised whenever the same settings give other triples, so that nobody mixes two editions.
WORLD_VERSION = 1

DEFAULT_PEOPLE = 12_000

# The year it is in every world: who has not died by then is alive.
PRESENT = 2020


class WorldSettings(Recipe, frozen=True):
    """The recipe of a fictional world.

    Attributes:
        seed: Another seed is another world; nothing is shared.
        people: How many people ever lived in it. Everything else grows with them.
    """

    seed: int = 0
    people: int = DEFAULT_PEOPLE

    def __post_init__(self) -> None:
        if self.people < 200:
            raise ValueError("a world needs at least 200 people, so that every relation occurs")

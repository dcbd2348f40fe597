"""What a world is made from."""

from __future__ import annotations

from taskloom.core import Recipe

__all__ = ["DEFAULT_PEOPLE", "PRESENT", "WORLD_VERSION", "WorldSettings"]

# Raised whenever the same settings give other triples, so that nobody mixes two editions.
WORLD_VERSION = 2

DEFAULT_PEOPLE = 12_000

# The year it is in every world: who has not died by its end is alive.
PRESENT = 2020

_CHAPTER_PEOPLE = 3_000
_MOST_COUNTRIES = 300


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
        """How many countries there are."""
        return min(max(24, round(self.people / 40)), _MOST_COUNTRIES)

    def share(self, chapter: int) -> int:
        """How many people a chapter tells of."""
        return (chapter + 1) * self.people // self.chapters - chapter * self.people // self.chapters

"""Which split a text belongs to, decided by the text alone.

The same word falls to the same split in every task of a suite, so that a model trained on all tasks has
not met a test word anywhere. One part is kept for the examples of instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal, TypeAlias, TypeVar

from taskloom.core import digest, keyed_random

__all__ = ["SPLITS", "Lot", "Lots", "first_of", "one_cycle"]

Lot: TypeAlias = Literal["example", "test", "dev", "train"]
SPLITS: tuple[Lot, ...] = ("train", "dev", "test")
_BOUNDS: tuple[tuple[Lot, float], ...] = (("example", 0.05), ("test", 0.25), ("dev", 0.35), ("train", 1.0))

T = TypeVar("T")


class Lots:
    """Draws lots for texts, each text the same lot every time."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[str, Lot] = {}

    def of(self, text: str) -> Lot:
        """The lot of a text; case and white space make no difference."""
        lot = self._drawn.get(text)
        if lot is None:
            lot = self._drawn[text] = self.draw(text)
        return lot

    def draw(self, text: str) -> Lot:
        """The same without remembering, for sequences that nobody asks about twice."""
        key = " ".join(text.casefold().split())
        share = int.from_bytes(digest("taskbench", "lot", self._seed, key)[:6], "big") / 2**48
        return next(lot for lot, bound in _BOUNDS if share < bound)

    def sort(self, words: Iterable[str]) -> dict[Lot, list[str]]:
        """Words by lot, each list in the order given."""
        found: dict[Lot, list[str]] = {lot: [] for lot, _ in _BOUNDS}
        known = self._drawn
        for word in words:
            found[known.get(word) or self.of(word)].append(word)
        return found


def first_of(items: Sequence[T], count: int, rng: Random) -> list[T]:
    """The first `count` of the items in random order; asking for more only adds to them."""
    order = list(items)
    taken = min(count, len(order))
    for place in range(taken):
        other = place + int(rng.random() * (len(order) - place))
        order[place], order[other] = order[other], order[place]
    return order[:taken]


def one_cycle(items: list[T], *key: str | int) -> list[T]:
    """The items moved along one random cycle, so that none stays in its place (if there are two or more)."""
    rng = keyed_random(*key)
    places = list(range(len(items)))
    for i in range(len(places) - 1, 0, -1):
        j = rng.randrange(i)
        places[i], places[j] = places[j], places[i]
    return [items[place] for place in places]

"""Which split a text belongs to, decided by the text alone.

The same word falls to the same split in every task of a suite, so that a model trained on all tasks has
not met a test word anywhere. One part is kept for the examples of instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import Literal, TypeAlias, TypeVar

from taskloom.core import digest, keyed_random

SplitName: TypeAlias = Literal["example", "test", "dev", "train"]
SPLITS: tuple[SplitName, ...] = ("train", "dev", "test")
SHARES: tuple[tuple[SplitName, float], ...] = (("example", 0.05), ("test", 0.20), ("dev", 0.10), ("train", 0.65))
_TICKETS: tuple[SplitName, ...] = tuple(lot for lot, share in SHARES for _ in range(round(share * 20)))

T = TypeVar("T")


class SplitAssignment:
    """Draws lots for texts, each text the same lot every time."""

    def __init__(self, seed: int) -> None:
        self._state = blake2b(digest("taskbench", "lot", seed), digest_size=8)
        self._drawn: dict[str, SplitName] = {}

    def of(self, text: str) -> SplitName:
        """The lot of a text; case and white space make no difference."""
        lot = self._drawn.get(text)
        if lot is None:
            lot = self._drawn[text] = self.draw(text)
        return lot

    def draw(self, text: str) -> SplitName:
        """The same without remembering, for sequences that are asked about once."""
        state = self._state.copy()
        state.update(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass"))
        return _TICKETS[int.from_bytes(state.digest(), "big") % len(_TICKETS)]

    def sort(self, words: Iterable[str]) -> dict[SplitName, list[str]]:
        """Words by lot, each list in the order given."""
        found: dict[SplitName, list[str]] = {lot: [] for lot, _ in SHARES}
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

"""The rows of a suite in blocks: a number of rows of one task, made without those of any other."""

from __future__ import annotations

from collections.abc import Iterator

from taskloom.core import Row
from taskloom.core.blocks import Blocks
from taskloom.families.taskbench.draw import sizes
from taskloom.families.taskbench.lots import Lot
from taskloom.families.taskbench.sequences import BLOCK
from taskloom.families.taskbench.workshop import Workshop

__all__ = ["TaskBlocks"]


class TaskBlocks(Blocks):
    """One split of a suite.

    Every listed expression owns the same number of block numbers, used or not, so that a number alone says which rows
    it means. Whether an expression is built depends on those listed before it: equal functions are built once.

    Args:
        shop: What makes the rows.
        split: Which split.
    """

    def __init__(self, shop: Workshop, split: Lot) -> None:
        self._shop = shop
        self._split = split
        wanted = sizes(shop.recipe, split)
        if split == "train" and shop.recipe.shots:
            wanted = min(wanted, shop.recipe.shots)
        self._each = max(1, -(-wanted // BLOCK))

    @property
    def size(self) -> int:  # type: ignore[override]
        """How many rows there are. Every task is evaluated to know."""
        return sum(self._shop.dataset(one).size(self._split) for one in self._shop.built())

    def numbers(self) -> Iterator[int]:
        return iter(range(len(self._shop.plan) * self._each))

    def numbers_of(self, task: str) -> Iterator[int]:
        for place, verdict in enumerate(self._shop.verdicts()):
            if verdict.name == task:
                yield from range(place * self._each, (place + 1) * self._each)

    def rows(self, number: int) -> Iterator[Row]:
        place, block = divmod(number, self._each)
        verdict = self._shop.verdict(place)
        if verdict is None or verdict.state != "built":
            return
        start = block * BLOCK
        for instance in self._shop.rows(verdict, self._split, start, start + BLOCK):
            yield Row(verdict.name, instance)

    def locate(self, index: int) -> tuple[int, int]:
        before = 0
        for place, verdict in enumerate(self._shop.verdicts()):
            if verdict.state != "built":
                continue
            size = self._shop.dataset(verdict).size(self._split)
            if 0 <= index - before < size:
                block, inside = divmod(index - before, BLOCK)
                return place * self._each + block, inside
            before += size
        raise IndexError(index)

    def __iter__(self) -> Iterator[Row]:
        yield from super().__iter__()
        self._shop.insist()

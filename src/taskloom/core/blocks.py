"""Splits drawn in blocks: any block can be made without those before it, in any process.

An item is a pure function of (recipe, seed, split, block, index in block). A family keeps items unique inside a
block by construction, and across blocks by giving each block a range of keys of its own or by a filter that any
block can apply alone. So rows are found by index, blocks are made on all cores with the same bytes, and the cost
of an item does not depend on how many stand before it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, islice
from math import fsum

from taskloom.core.errors import UserError
from taskloom.core.instance import Row


def apportion(total: int, shares: Sequence[float]) -> list[int]:
    """Divide a total by shares, by largest remainders, so that the parts add up exactly.

    Equal remainders go to the earlier part. Nothing is divided where all shares are 0.
    """
    whole = fsum(shares)
    if whole <= 0:
        return [0] * len(shares)
    exact = [total * share / whole for share in shares]
    counts = [int(part) for part in exact]
    by_rest = sorted(range(len(shares)), key=lambda index: (counts[index] - exact[index], index))
    for index in by_rest[: total - sum(counts)]:
        counts[index] += 1
    return counts


BLOCK_ROWS = 1_000
"""Rows of a block unless a family has a reason for another number."""


class Blocks(ABC):
    """The rows of one split, block by block.

    Attributes:
        size: How many rows there are; None where the split is endless or its size shows only while drawing.
        endless: Whether there is always another row.
    """

    size: int | None
    endless: bool = False

    @abstractmethod
    def numbers(self) -> Iterator[int]:
        """The numbers of the blocks, in order; endless for an endless split."""

    @abstractmethod
    def rows(self, number: int) -> Iterator[Row]:
        """The rows of one block, the same whichever blocks were drawn before."""

    @abstractmethod
    def locate(self, index: int) -> tuple[int, int]:
        """The block that holds the row of that index, and the row's place in it.

        Raises:
            IndexError: There is no such row.
        """

    def row(self, index: int) -> Row:
        """The row of that index. Families that can draw it without its neighbours override this."""
        number, place = self.locate(index)
        try:
            return next(islice(self.rows(number), place, None))
        except StopIteration:
            raise IndexError(index) from None

    def numbers_of(self, task: str) -> Iterator[int]:
        """The numbers of the blocks that may hold rows of a task. All, unless a family knows better."""
        return self.numbers()

    def of_task(self, task: str) -> Iterator[Row]:
        """The rows of one task, in order."""
        return (row for number in self.numbers_of(task) for row in self.rows(number) if row.task == task)

    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(map(self.rows, self.numbers()))


class UniformBlocks(Blocks):
    """Blocks of equal size, the last one cut to the size of the split.

    Args:
        make: Block number -> its rows. It may yield more than `block` rows (an endless stream keyed by the block,
            say); it must not yield fewer.
        size: Rows of the split, None for an endless one.
        block: Rows of a block.
        where: The suite and split, for errors.
    """

    def __init__(
        self, make: Callable[[int], Iterator[Row]], size: int | None, block: int = BLOCK_ROWS, where: str = ""
    ) -> None:
        self.size = size
        self.endless = size is None
        self.block = block
        self._make = make
        self._where = where

    def numbers(self) -> Iterator[int]:
        if self.size is None:
            return count()
        return iter(range(-(-self.size // self.block)))

    def rows(self, number: int) -> Iterator[Row]:
        wanted = self.block if self.size is None else min(self.block, self.size - number * self.block)
        drawn = 0
        for row in islice(self._make(number), max(0, wanted)):
            drawn += 1
            yield row
        if drawn < wanted:
            raise UserError(f"block {number} has {drawn} rows, not {wanted}", where=self._where or None)

    def locate(self, index: int) -> tuple[int, int]:
        if index < 0 or (self.size is not None and index >= self.size):
            raise IndexError(index)
        return divmod(index, self.block)


class SeriesBlocks(Blocks):
    """Blocks of unlike size, one after the other: the rows of one task each, say.

    Args:
        makers: What makes the rows of each block.
        sizes: How many rows each block has; None where only drawing tells. Rows are then found by counting.
        tasks: The one task of each block's rows, where they have one; rows of a task are then found without others.
    """

    def __init__(
        self,
        makers: Sequence[Callable[[], Iterator[Row]]],
        sizes: Sequence[int] | None = None,
        tasks: Sequence[str] | None = None,
    ) -> None:
        self._makers = makers
        self._tasks = tasks
        self._sizes = list(sizes) if sizes is not None else None
        self.size = None if self._sizes is None else sum(self._sizes)

    def numbers(self) -> Iterator[int]:
        return iter(range(len(self._makers)))

    def numbers_of(self, task: str) -> Iterator[int]:
        if self._tasks is None:
            return self.numbers()
        return (number for number, name in enumerate(self._tasks) if name == task)

    def rows(self, number: int) -> Iterator[Row]:
        return self._makers[number]()

    def locate(self, index: int) -> tuple[int, int]:
        left = index
        if left < 0:
            raise IndexError(index)
        for number in self.numbers():
            held = self._sizes[number] if self._sizes is not None else sum(1 for _ in self.rows(number))
            if left < held:
                return number, left
            left -= held
        raise IndexError(index)

"""The rows of a split in blocks: some passages of one key, asked about by every task that reads them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from taskloom.core import Blocks, Row
from taskloom.families.zest.derive import PlannedTask

if TYPE_CHECKING:
    from taskloom.families.zest.generate import Generator, Part

_PASSAGES = 250
"""Passages of a block at the most."""


class PassageBlocks(Blocks):
    """Blocks that draw each passage once for all tasks that read it.

    Args:
        generator: Draws passages.
        part: Which range of the names they take.
        key: The split.
        tasks: The tasks with how many passages each reads; those of one key differ by one at the most.
    """

    def __init__(self, generator: Generator, part: Part, key: str, tasks: Sequence[tuple[PlannedTask, int]]) -> None:
        groups: dict[str, list[tuple[PlannedTask, int]]] = {}
        for task, count in tasks:
            groups.setdefault(task.passages, []).append((task, count))
        self._generator, self._part, self._key = generator, part, key
        self._groups = list(groups.values())
        self.size = sum(count for _, count in tasks)
        # The first row and the first block of each group, and one past the last.
        self._rows, self._blocks = [0], [0]
        for group in self._groups:
            self._rows.append(self._rows[-1] + sum(count for _, count in group))
            self._blocks.append(self._blocks[-1] + -(-max(count for _, count in group) // _PASSAGES))

    def numbers(self) -> Iterator[int]:
        return iter(range(self._blocks[-1]))

    def _block(self, number: int) -> tuple[list[tuple[PlannedTask, int]], int]:
        """The tasks of a block with how many passages of it each reads, and the first passage."""
        at = bisect_right(self._blocks, number) - 1
        first = (number - self._blocks[at]) * _PASSAGES
        return [(task, max(0, min(count - first, _PASSAGES))) for task, count in self._groups[at]], first

    def rows(self, number: int) -> Iterator[Row]:
        tasks, first = self._block(number)
        most = max(count for _, count in tasks)
        drawn = self._generator.passages(tasks[0][0], self._part, self._key, range(first, first + most))
        names = [self._name(first + at) for at in range(most)]
        return chain.from_iterable(map(self._generator.rows(task).row, drawn[:count], names) for task, count in tasks)

    def of_task(self, task: str) -> Iterator[Row]:
        for group in self._groups:
            for planned, count in group:
                for at in range(count if planned.name == task else 0):
                    drawn = self._generator.passage(planned, self._part, self._key, at)
                    yield self._generator.row(planned, drawn, self._name(at))

    def locate(self, index: int) -> tuple[int, int]:
        if not 0 <= index < self._rows[-1]:
            raise IndexError(index)
        at = bisect_right(self._rows, index) - 1
        inside = index - self._rows[at]
        full = len(self._groups[at]) * _PASSAGES
        chunk = min(inside // full, self._blocks[at + 1] - self._blocks[at] - 1)
        return self._blocks[at] + chunk, inside - chunk * full

    def row(self, index: int) -> Row:
        number, place = self.locate(index)
        tasks, first = self._block(number)
        for task, count in tasks:
            if place < count:
                drawn = self._generator.passage(task, self._part, self._key, first + place)
                return self._generator.row(task, drawn, self._name(first + place))
            place -= count
        raise IndexError(index)

    def _name(self, index: int) -> str:
        return f"solved-{index:03d}" if self._part == "solved" else f"{index:03d}"

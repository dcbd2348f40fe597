"""The rows of a split as a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, overload

from taskloom.core.blocks import Blocks
from taskloom.core.display import html_table
from taskloom.core.errors import UserError
from taskloom.core.instance import Row
from taskloom.core.rng import keyed_random


class SplitView:
    """Rows by index, slice and iteration. A suite that draws in blocks finds any row without those before it.

    Args:
        suite: The suite's name, for messages.
        split: The split's name.
        size: How many rows there are, None where only drawing tells.
        draw: A fresh look at the rows.
        choose: Wanted values -> whether a row has them.
    """

    def __init__(
        self,
        suite: str,
        split: str,
        size: int | None,
        draw: Callable[[], Iterable[Row]],
        choose: Callable[[Mapping[str, Any]], Callable[[Row], bool]],
    ) -> None:
        self.suite = suite
        self.split = split
        self._size = size
        self._draw = draw
        self._choose = choose

    def only(self, **where: Any) -> SplitView:
        """The rows of a task (`task=…`) or with a facet's value (`question="where-person"`); lists mean any of them.

        Example:
            >>> from taskloom import open_suite
            >>> view = open_suite("babi/task-1")["test"].only(task="task-1").take(3)
            >>> len(view)
            3
        """
        keeps = self._choose(where)
        return self._like(None, lambda: (row for row in self._draw() if keeps(row)))

    def take(self, count: int) -> SplitView:
        """The first `count` rows."""
        if count < 0:
            raise UserError(f"0 or more rows can be taken, not {count}", where=f"{self.suite}: {self.split}")
        size = None if self._size is None else min(self._size, count)
        return self._like(size, lambda: islice(self._draw(), count))

    def shuffle(self, seed: int = 0) -> SplitView:
        """The rows in an order that depends on the seed alone. All of them are held in memory when they are drawn."""

        def shuffled() -> list[Row]:
            rows = list(self._draw())
            keyed_random("shuffle", self.suite, self.split, seed).shuffle(rows)
            return rows

        return self._like(self._size, shuffled)

    def _like(self, size: int | None, draw: Callable[[], Iterable[Row]]) -> SplitView:
        return SplitView(self.suite, self.split, size, draw, self._choose)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._draw())

    def __len__(self) -> int:
        if self._size is None:
            rows = self._draw()
            if isinstance(rows, Blocks) and rows.endless:
                raise UserError(
                    "this split has no known length", where=f"{self.suite}: {self.split}", hint="use a slice of it"
                )
            self._size = sum(1 for _ in rows)
        return self._size

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        rows = self._draw()
        if isinstance(index, slice):
            # Only what is counted from the end needs the length.
            counted = index.stop is not None and all(
                part is None or part >= 0 for part in (index.start, index.stop, index.step)
            )
            return self._some(rows, range(*index.indices(index.stop if counted else len(self))))
        place = index + len(self) if index < 0 else index
        if isinstance(rows, Blocks):
            return rows.row(place)
        for row in islice(rows, place, None) if place >= 0 else ():
            return row
        raise IndexError(index)

    @staticmethod
    def _some(rows: Iterable[Row], span: range) -> list[Row]:
        if not span:
            return []
        if isinstance(rows, Blocks):
            found: list[Row] = []
            held: tuple[int | None, list[Row]] = (None, [])
            for place in span:
                try:
                    number, inside = rows.locate(place)
                except IndexError:
                    break
                if held[0] != number:
                    held = (number, list(rows.rows(number)))
                if inside >= len(held[1]):
                    break
                found.append(held[1][inside])
            return found
        by_place = {place: row for place, row in enumerate(islice(rows, max(span) + 1)) if place in span}
        return [by_place[place] for place in span if place in by_place]

    def __repr__(self) -> str:
        size = "?" if self._size is None else f"{self._size:,}"
        return f"<{self.suite}: {self.split}, {size} rows>"

    def _repr_html_(self) -> str:
        rows = [(row.task, row.instance.id, row.instance.input, row.instance.targets.canonical()) for row in self[:5]]
        return html_table(repr(self)[1:-1], ("task", "id", "input", "answer"), rows)

"""The rows of a split as a sequence, and the choice of rows by task and facets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from taskloom.core.blocks import Blocks
from taskloom.core.display import html_table
from taskloom.core.errors import UserError, unknown_name
from taskloom.core.instance import Row
from taskloom.core.task import Task

if TYPE_CHECKING:
    from taskloom.core.suite import Suite


class SplitView:
    """Rows by index, slice and iteration. A suite that draws in blocks finds any row without those before it."""

    def __init__(self, suite: Suite, split: str) -> None:
        self.suite, self.split = suite.name, split
        self._suite, self._size = suite, suite.splits[split]

    def only(self, **where: Any) -> SplitView:
        """The rows of a task (`task=…`) or with a facet's value (`question="where-person"`); lists mean any of them.

        Example:
            >>> from taskloom import open_suite
            >>> view = open_suite("babi/task-1")["test"].only(task="task-1").take(3)
            >>> len(view)
            3
        """
        return self._suite.only(**where)[self.split]

    def take(self, count: int) -> SplitView:
        """The first `count` rows."""
        return self._suite.take(count)[self.split]

    def shuffle(self, seed: int = 0) -> SplitView:
        """The rows in an order that depends on the seed alone. All of them are held in memory when they are drawn."""
        return self._suite.shuffle(seed)[self.split]

    def _draw(self) -> Iterable[Row]:
        return self._suite.draw(self.split)

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


def row_filter(
    where: Mapping[str, Any], tasks: Mapping[str, Task], facets: Iterable[str], name: str
) -> Callable[[Row], bool]:
    """Whether a row has the wanted values.

    Args:
        where: Values by `task` or facet. Of a facet that is a list, one member is enough; a set, list or tuple of
            values means any of them.
        tasks: The tasks; their facets count for all their rows.
        facets: The facets that instances carry.
        name: The suite, for errors.

    Raises:
        UserError: A facet nobody carries, or a task that does not exist (with the nearest names).
    """
    known = {"task", *facets}
    if not known.issuperset(where):
        # Only then: suites of many tasks make them when they are looked at.
        known |= {facet for task in tasks.values() for facet in task.facets}
    for key in where:
        if key not in known:
            raise unknown_name("facet", key, known, where=name)
    wanted = {key: _options(value) for key, value in where.items()}
    for task in wanted.get("task", ()):
        if task not in tasks:
            raise unknown_name("task", str(task), tasks, where=name)

    def keeps(row: Row) -> bool:
        for key, options in wanted.items():
            if key == "task":
                found: Any = row.task
            elif key in row.instance.facets:
                found = row.instance.facets[key]
            else:
                found = tasks[row.task].facets.get(key)
            if isinstance(found, tuple | list):
                if not options.intersection(found):
                    return False
            elif found not in options:
                return False
        return True

    return keeps


def _options(value: Any) -> frozenset[Any]:
    return frozenset(value) if isinstance(value, set | frozenset | list | tuple) else frozenset((value,))

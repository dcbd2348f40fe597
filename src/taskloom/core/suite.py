"""A suite: recipe and seed in, tasks with splits out. Pure, lazy, and the same bytes everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeAlias, get_origin

from taskloom.core.errors import UserError, unknown_name
from taskloom.core.instance import FacetType, Row
from taskloom.core.task import Task

__all__ = ["Apart", "Suite"]

Apart: TypeAlias = Literal["inputs", "pairs", "tasks"]
"""What no two splits may share: an input text, a (task, input) pair, or a task and any (task, input) pair."""


@dataclass(frozen=True)
class Suite:
    """Tasks with splits, drawn lazily.

    Attributes:
        name: `family/suite`, as typed on the command line.
        recipe: The whole resolved recipe as plain data; with the seed it determines every byte.
        seed: The seed of the data.
        tasks: The tasks by name, in a fixed order.
        splits: Split names with their sizes, or None where the size shows only while drawing.
        draw: Split name -> a fresh iterator over its rows. Called any number of times; must not share state.
        facets: The typed columns that instances of this suite may carry.
        apart: What its splits keep apart; proved when a bundle is written.
        pool: The split that in-context examples may come from, or None.
        notes: Anything a report should say about the suite (status of tasks, licences). JSON values only.
    """

    name: str
    recipe: Mapping[str, Any]
    seed: int
    tasks: Mapping[str, Task]
    splits: Mapping[str, int | None]
    draw: Callable[[str], Iterator[Row]]
    facets: Mapping[str, FacetType] = field(default_factory=dict)
    apart: Apart = "inputs"
    pool: str | None = "train"
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # tuple[str, ...] and tuple name the same column type.
        plain = {name: get_origin(kind) or kind for name, kind in self.facets.items()}
        object.__setattr__(self, "facets", plain)

    @property
    def family(self) -> str:
        """The part of the name before the first slash."""
        return self.name.partition("/")[0]

    def rows(self, split: str, *, task: str | None = None, limit: int | None = None) -> Iterator[Row]:
        """The rows of one split, of one task if named, at most `limit` of them."""
        if split not in self.splits:
            raise unknown_name("split", split, self.splits, where=self.name)
        if task is not None and task not in self.tasks:
            raise unknown_name("task", task, self.tasks, where=self.name)
        if limit is not None and limit < 0:
            raise UserError(f"a limit is 0 or more, not {limit}", where=self.name)
        rows = self.draw(split)
        if task is not None:
            rows = (row for row in rows if row.task == task)
        return rows if limit is None else islice(rows, limit)

    def default_split(self) -> str:
        """The split that is run when none is named: test, else dev, else the last one."""
        for name in ("test", "dev"):
            if name in self.splits:
                return name
        return list(self.splits)[-1]

"""The records of a run, read as they are needed: a sequence that holds none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from taskloom.run.columns import Columns
from taskloom.run.record import Record

_MOST_KEPT = 50_000
"""Records of a run of this size stay in memory once all of them were read; those of a longer one are read again."""


class Records(Sequence[Record]):
    """The newest record of every question, in order. Reading one reads its group; iterating streams."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._kept: list[Record] | None = None

    def __len__(self) -> int:
        return len(self._columns)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        rows = range(len(self))[index]
        return self.at(rows) if isinstance(rows, range) else self.at([rows])[0]

    def at(self, rows: Sequence[int]) -> list[Record]:
        """The records of some rows."""
        return list(self.read(rows))

    def __iter__(self) -> Iterator[Record]:
        if self._kept is None and len(self) <= _MOST_KEPT:
            self._kept = self.at(range(len(self)))
        return self.read(range(len(self))) if self._kept is None else iter(self._kept)

    def read(self, rows: Sequence[int]) -> Iterator[Record]:
        """The records of some rows, one after the other."""
        return self._columns.records(rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

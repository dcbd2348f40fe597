"""The records of a run, read from its log as they are needed: a sequence that holds none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

import msgspec

from taskloom.run.columns import Columns, sealed_columns
from taskloom.run.log import RECORDS, collect_columns, damaged_line, log_path
from taskloom.run.record import Record, decode_record

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Records", "build_columns", "read_columns"]

_MOST_KEPT = 50_000
"""Records of a run of this size stay in memory once all of them were read; those of a longer one are read again."""


def read_columns(folder: str | Path) -> Columns:
    """The columns of a run: those beside its log, or made from the log.

    Raises:
        UserError: There is no log, or a line of it is damaged.
    """
    path = log_path(folder)
    return sealed_columns(Path(folder), path) or Columns(build_columns(path))


def build_columns(path: Path) -> pa.Table:
    """The columns of a log, one row per answer: retried failures are replaced by what came of them."""
    builder, closed = collect_columns(path)
    return builder.table() if closed else _newest(builder.table())


def _newest(table: pa.Table) -> pa.Table:
    """The last row of each answer, in the place where its first one stands."""
    import numpy as np
    import pyarrow as pa

    keys = table.select(["task", "id", "sample"]).append_column("row", pa.array(np.arange(table.num_rows)))
    keys = keys.set_column(0, "task", keys.column("task").cast(pa.string()))
    found = keys.group_by(["task", "id", "sample"]).aggregate([("row", "min"), ("row", "max")])
    if found.num_rows == table.num_rows:
        return table
    order = np.argsort(found.column("row_min").to_numpy())
    return table.take(pa.array(found.column("row_max").to_numpy()[order]))


class Records(Sequence[Record]):
    """The newest record of every answer, in the order of the columns. Reading one reads its line; iterating streams."""

    def __init__(self, folder: str | Path, columns: Columns) -> None:
        self._path = Path(folder) / RECORDS
        self._starts, self._sizes = columns.whole("start"), columns.whole("size")
        self._kept: list[Record] | None = None

    def __len__(self) -> int:
        return len(self._starts)

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
            self._kept = list(self.read(range(len(self))))
        return self.read(range(len(self))) if self._kept is None else iter(self._kept)

    def read(self, rows: Sequence[int]) -> Iterator[Record]:
        """The records of some rows, one after the other."""
        with self._path.open("rb") as file:
            position = 0
            for row in rows:
                start, size = int(self._starts[row]), int(self._sizes[row])
                if start != position:
                    file.seek(start)
                line = file.read(size)
                position = start + size
                try:
                    yield decode_record(line, row)
                except msgspec.DecodeError as error:
                    raise damaged_line(self._path, row + 1, error) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

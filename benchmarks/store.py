"""Writing and reading stories of babi/task-1: rows per CPU second, peak memory, and Arrow's time for the same columns.

python -m benchmarks.store            10,000, 100,000 and 1,000,000 rows
python -m benchmarks.store 60000      that many

Writing includes every hash and the proof that splits are apart; reading proves every byte. Arrow's time is that of a
table from dictionaries of the same columns, written with the same compression. Drawing the rows is left out of both.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import child, python, report, timed
from taskloom.core import Suite, open_suite

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow_rows", "plain_rows", "read_rows", "rows_as_lines", "rows_on_disk", "write_rows"]

_TURNS = 3
_MOST = 100_000
"""Rows that Arrow is measured on: it keeps all of them in memory."""


def _stories(size: int) -> Suite:
    return open_suite("babi/task-1", seed=1, options={"train": 0, "dev": 0, "test": size})


def _turns(size: int) -> int:
    return 1 if size > 500_000 else _TURNS


def write_rows(size: int) -> tuple[float, float]:
    """A bundle of that many rows, hashes and proofs included."""
    from taskloom.store.write import write_bundle

    suite = _stories(size)
    with tempfile.TemporaryDirectory() as folder:
        write_bundle(suite.take(100), Path(folder, "warm"))
        _, drawing = timed(lambda: float(sum(1 for _ in suite.rows("test"))), _turns(size))
        amount, seconds = timed(lambda: float(write_bundle(suite, folder + "/b").splits["test"].rows), _turns(size))
    return amount, seconds - drawing


def read_rows(size: int) -> tuple[float, float]:
    """The same bundle read, every byte proved."""
    from taskloom.store.bundle import Bundle
    from taskloom.store.write import write_bundle

    with tempfile.TemporaryDirectory() as folder:
        write_bundle(_stories(size), folder)
        return timed(lambda: float(sum(1 for _ in Bundle(folder).rows("test"))), _turns(size))


def _table(folder: str, size: int) -> pa.Table:
    import pyarrow.parquet as pq

    from taskloom.store.write import write_bundle

    write_bundle(_stories(min(size, _MOST)), folder + "/b")
    return pq.read_table(file_of(Path(folder, "b")))


def file_of(folder: Path) -> Path:
    """The rows of a bundle."""
    return next(folder.glob("data-*/test.parquet"))


def rows_on_disk(size: int, folder: Path) -> Path:
    """A bundle of that many rows for another package to read."""
    from taskloom.store.write import write_bundle

    write_bundle(_stories(size), folder)
    return file_of(folder)


def rows_as_lines(size: int, path: Path) -> Path:
    """The same rows as objects of JSON, for another package to write."""
    import msgspec

    rows = ({"task": task, **msgspec.to_builtins(instance)} for task, instance in _stories(size).rows("test"))
    path.write_bytes(msgspec.json.Encoder().encode_lines(rows))
    return path


def arrow_rows(size: int) -> tuple[float, float]:
    """Arrow's own way from dictionaries to a file of the same columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        source = _table(folder, size)
        rows = source.to_pylist()

        def write() -> float:
            pq.write_table(pa.Table.from_pylist(rows, schema=source.schema), f"{folder}/arrow", compression="zstd")
            return float(len(rows))

        return timed(write, _TURNS)


def plain_rows(size: int) -> tuple[float, float]:
    """Arrow's own way from such a file to dictionaries, nothing proved."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        table = _table(folder, size)
        pq.write_table(table, f"{folder}/arrow", compression="zstd")
        return timed(lambda: float(len(pq.read_table(f"{folder}/arrow").to_pylist())), _TURNS)


_PARTS = {"write": write_rows, "read": read_rows, "arrow": arrow_rows}


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in _PARTS:
        return report(*_PARTS[sys.argv[1]](int(sys.argv[2])))
    for size in [int(word) for word in sys.argv[1:] if word.isdigit()] or [10_000, 100_000, 1_000_000]:
        write, read, arrow = (child(python("-m", "benchmarks.store", part, str(size))) for part in _PARTS)
        print(
            f"{size:>9,} rows: wrote {write.rate:,.0f}/s, read {read.rate:,.0f}/s, peak {write.megabytes:,.0f} MB; "
            f"Arrow writes {arrow.rate:,.0f}/s, so writing takes {arrow.rate / write.rate:.1f} times as long",
            flush=True,
        )
    return None


if __name__ == "__main__":
    main()

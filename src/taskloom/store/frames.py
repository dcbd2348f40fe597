"""Suites as Arrow tables and data frames."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from taskloom.core import Row, Suite, missing_extra, row_digests
from taskloom.store.rows import FACET_PREFIX, PACK_ROWS, schema, to_batch

if TYPE_CHECKING:
    import pyarrow as pa


def to_arrow(suite: Suite, split: str | None = None) -> pa.Table:
    """The rows of a suite as an Arrow table: one typed column per facet, targets as canonical answer and as JSON.

    Args:
        suite: The suite; all of its rows (or of the split) are drawn.
        split: Only this split; the column `split` names the split of each row.

    Example:
        >>> from taskloom import open_suite, to_arrow
        >>> table = to_arrow(open_suite("babi/task-1").take(10), "test")
        >>> table.num_rows
        10
    """
    import pyarrow as pa

    tables = []
    for name in [split] if split else list(suite.splits):
        rows = suite.rows(name)
        while batch := list(islice(rows, PACK_ROWS)):
            tables.append(_table(suite, name, batch))
    found = pa.concat_tables(tables or [_table(suite, "", [])])
    return found.rename_columns([column.removeprefix(FACET_PREFIX) for column in found.column_names])


def _table(suite: Suite, split: str, rows: list[Row]) -> pa.Table:
    import pyarrow as pa

    batch = to_batch(rows, b"".join(row_digests(rows)), schema(suite.facets), suite.facets)
    table = pa.Table.from_batches([batch]).add_column(0, "split", pa.array([split] * len(rows), pa.string()))
    answers = pa.array([row.instance.targets.canonical() for row in rows], pa.string())
    return table.add_column(table.column_names.index("targets"), "answer", answers)


def to_pandas(suite: Suite, split: str | None = None) -> Any:
    """The rows of a suite as a pandas data frame; needs pandas.

    Example:
        >>> from taskloom import open_suite, to_pandas
        >>> frame = to_pandas(open_suite("babi/task-1").take(5), "test")  # doctest: +SKIP
    """
    if find_spec("pandas") is None:
        raise missing_extra("pandas", "frames", "a data frame")
    return to_arrow(suite, split).to_pandas()

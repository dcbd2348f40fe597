"""Rows to Parquet columns and back, and suites as Arrow tables and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import FacetType, Instance, Row, Suite, Targets, UserError, missing_extra, row_digests
from taskloom.core.calls import explained

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


PACK_ROWS = 4_096
"""Rows that are packed, written and read together."""
FACET_PREFIX = "facet:"
TEXT_COLUMNS = ("id", "input", "targets", "parts", "details", "hash")
"""Columns by which rows are never selected: keeping their smallest and largest values would be useless."""
UNIQUE_COLUMNS = ("id", "input", "hash")
"""Columns whose values hardly repeat: a dictionary of them is given up again after it has cost its time."""
_LINE_BREAK = ord("\n")
_encoder = msgspec.json.Encoder(order="deterministic")
_decode_targets = msgspec.json.Decoder(Targets).decode
_decode_parts = msgspec.json.Decoder(dict[str, str]).decode
_decode_details = msgspec.json.Decoder(dict[str, Any]).decode


def schema(facets: Mapping[str, FacetType]) -> pa.Schema:
    """The columns of a split: what is asked, what is right, and one typed column per facet."""
    import pyarrow as pa

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), tuple: pa.list_(pa.string())}
    text = [pa.field(name, pa.string(), nullable=False) for name in TEXT_COLUMNS if name != "hash"]
    return pa.schema(
        [
            pa.field("task", pa.dictionary(pa.int32(), pa.string()), nullable=False),
            *text,
            pa.field("hash", pa.string(), nullable=False),
            *(pa.field(FACET_PREFIX + name, types[kind]) for name, kind in facets.items()),
        ]
    )


def to_batch(
    rows: Sequence[Row], digests: bytes, columns: pa.Schema, facets: Mapping[str, FacetType]
) -> pa.RecordBatch:
    """A record batch of rows and their digests, sixteen bytes of each row after the other.

    Raises:
        UserError: A facet was not declared or has another type: an error of the family.
    """
    import pyarrow as pa

    instances = [row.instance for row in rows]
    values = [instance.facets for instance in instances]
    if not set().union(*values) <= facets.keys():
        raise _undeclared(rows, facets)
    try:
        arrays = [
            pa.array([row.task for row in rows], pa.string()).dictionary_encode(),
            pa.array([instance.id for instance in instances], pa.string()),
            pa.array([instance.input for instance in instances], pa.string()),
            _json_column([instance.targets for instance in instances]),
            _json_column([instance.parts for instance in instances]),
            _json_column([instance.details for instance in instances]),
            _hexadecimal(digests),
        ]
        for name in facets:
            kind = columns.field(FACET_PREFIX + name).type
            arrays.append(pa.array([given.get(name) for given in values], kind))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        raise UserError(f"a value does not fit its column: {error}", where=rows[0].task) from error
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def _undeclared(rows: Sequence[Row], facets: Mapping[str, FacetType]) -> UserError:
    row = next(row for row in rows if not row.instance.facets.keys() <= facets.keys())
    extra = min(row.instance.facets.keys() - facets.keys())
    return UserError(f"facet {extra!r} is not declared by the suite", where=f"{row.task}/{row.instance.id}")


def _json_column(values: Sequence[Any]) -> pa.Array:
    """Each value as JSON, all of them encoded at once: line breaks inside texts are escaped, so lines are values."""
    import numpy as np

    if not any(values):
        return _text_column(2 * np.arange(len(values) + 1, dtype=np.int32), b"{}" * len(values))
    lines = _encoder.encode_lines(values)
    ends = np.zeros(len(values) + 1, dtype=np.int32)
    ends[1:] = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == _LINE_BREAK) - np.arange(len(values))
    return _text_column(ends, lines.replace(b"\n", b""))


def _hexadecimal(digests: bytes) -> pa.Array:
    """Digests of sixteen bytes as a column of text."""
    import numpy as np

    return _text_column(32 * np.arange(len(digests) // 16 + 1, dtype=np.int32), digests.hex().encode())


def _text_column(ends: NDArray[np.int32], texts: bytes) -> pa.Array:
    """A column of texts, made without a string for each, from where each ends and all of them together."""
    import pyarrow as pa

    return pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(texts))


def task_names(batch: pa.RecordBatch) -> list[str]:
    """The task of each row. Arrow itself takes longer over these than over all other columns together."""
    column = batch.column("task")
    names = column.dictionary.to_pylist()
    return [names[index] for index in column.indices.to_pylist()]


def from_batch(batch: pa.RecordBatch, facets: Mapping[str, FacetType]) -> Iterator[tuple[Row, str]]:
    """The rows of a record batch with their stored hashes."""
    columns = {name: batch.column(name).to_pylist() for name in batch.schema.names if name != "task"}
    lists = {name for name, kind in facets.items() if kind is tuple}
    facet_columns = [(name, columns[FACET_PREFIX + name]) for name in facets]
    for index, task in enumerate(task_names(batch)):
        values: dict[str, Any] = {}
        for name, column in facet_columns:
            value = column[index]
            if value is not None:
                values[name] = tuple(value) if name in lists else value
        instance = Instance(
            columns["id"][index],
            columns["input"][index],
            _decode_targets(columns["targets"][index]),
            values,
            _decode_parts(columns["parts"][index]),
            _decode_details(columns["details"][index]),
        )
        yield Row(task, instance), columns["hash"][index]


@explained
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


@explained
def to_pandas(suite: Suite, split: str | None = None) -> Any:
    """The rows of a suite as a pandas data frame; needs pandas.

    Example:
        >>> from taskloom import open_suite, to_pandas
        >>> frame = to_pandas(open_suite("babi/task-1").take(5), "test")  # doctest: +SKIP
    """
    if find_spec("pandas") is None:
        raise missing_extra("pandas", "frames", "a data frame")
    return to_arrow(suite, split).to_pandas()

"""Rows to Parquet columns and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import FacetType, Instance, Row, Targets, UserError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["from_batch", "schema", "to_batch"]

FACET_PREFIX = "facet:"
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_targets = msgspec.json.Decoder(Targets).decode
_decode_parts = msgspec.json.Decoder(dict[str, str]).decode
_decode_details = msgspec.json.Decoder(dict[str, Any]).decode


def schema(facets: Mapping[str, FacetType]) -> pa.Schema:
    """The columns of a split: what is asked, what is right, and one typed column per facet."""
    import pyarrow as pa

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), tuple: pa.list_(pa.string())}
    text = [pa.field(name, pa.string(), nullable=False) for name in ("id", "input", "targets", "parts", "details")]
    return pa.schema(
        [
            pa.field("task", pa.dictionary(pa.int32(), pa.string()), nullable=False),
            *text,
            pa.field("hash", pa.string(), nullable=False),
            *(pa.field(FACET_PREFIX + name, types[kind]) for name, kind in facets.items()),
        ]
    )


def to_batch(
    rows: Sequence[Row], hashes: Sequence[str], columns: pa.Schema, facets: Mapping[str, FacetType]
) -> pa.RecordBatch:
    """A record batch of rows. A facet that was not declared, or has another type, is an error of the family."""
    import pyarrow as pa

    instances = [row.instance for row in rows]
    declared = facets.keys()
    for row in rows:
        if not row.instance.facets.keys() <= declared:
            extra = sorted(row.instance.facets.keys() - declared)
            raise UserError(f"facet {extra[0]!r} is not declared by the suite", where=f"{row.task}/{row.instance.id}")
    data: list[Any] = [
        pa.array([row.task for row in rows], pa.string()).dictionary_encode(),
        [instance.id for instance in instances],
        [instance.input for instance in instances],
        [_encode(instance.targets).decode() for instance in instances],
        [_encode(instance.parts).decode() if instance.parts else "{}" for instance in instances],
        [_encode(instance.details).decode() if instance.details else "{}" for instance in instances],
        hashes,
    ]
    try:
        for name in facets:
            values = [instance.facets.get(name) for instance in instances]
            data.append(pa.array(values, columns.field(FACET_PREFIX + name).type))
        arrays = [
            value if isinstance(value, pa.Array) else pa.array(value, field.type)
            for value, field in zip(data, columns, strict=True)
        ]
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as error:
        raise UserError(f"a value does not fit its column: {error}", where=rows[0].task) from error
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def from_batch(batch: pa.RecordBatch, facets: Mapping[str, FacetType]) -> Iterator[tuple[Row, str]]:
    """The rows of a record batch with their stored hashes."""
    columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
    lists = {name for name, kind in facets.items() if kind is tuple}
    facet_columns = [(name, columns[FACET_PREFIX + name]) for name in facets]
    for index, task in enumerate(columns["task"]):
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

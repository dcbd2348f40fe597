"""The records of a run as columns: which there are, and how records become columns and columns records again.

A sealed part of a run is three Parquet files with a row per record, in the order of the questions:

    questions   task, id, index, sample, row, question, targets, marks, cell, wording, facet:NAME
    answers     state, headline, scorer, protocol, error, read_twice, raw_length, prompt_hash, likelihood, mass,
                strict, strict_answer, strict_why, strict_details, and the same for the lenient reading,
                prompt_tokens, output_tokens, cached_tokens, reasoning_tokens, billed_tokens, cost, server_cost,
                served, fingerprint
    texts       raw, reasoning, prompt

`row` and `question` are hashes of sixteen bytes (null for records of older versions). `strict` and `lenient` are the
scores of the two readings; `read_twice` says whether there is a lenient one, `headline` which of them counts.
`targets`, `marks`, details, `likelihood`, `mass` and facets are JSON, null for nothing. What follows `lenient_details`
is outside of what must be equal between equal runs; parts of older versions lack some of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.ask.judge import ScoredReading
from taskloom.core import Targets
from taskloom.run.record import USAGE, Record

if TYPE_CHECKING:
    import pyarrow as pa

FACET = "facet:"
FILES: dict[str, tuple[str, ...]] = {
    "questions": ("task", "id", "index", "sample", "row", "question", "targets", "marks", "cell", "wording"),
    "answers": (
        "state", "headline", "scorer", "protocol", "error", "read_twice", "raw_length", "prompt_hash",
        "likelihood", "mass", "strict", "strict_answer", "strict_why", "strict_details", "lenient", "lenient_answer",
        "lenient_why", "lenient_details", "prompt_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
        "billed_tokens", "cost", "server_cost", "served", "fingerprint",
    ),
    "texts": ("raw", "reasoning", "prompt"),
}  # fmt: skip
LABELS = (
    "task", "cell", "wording", "state", "headline", "scorer", "protocol", "error", "strict_why", "lenient_why",
    "targets", "marks", "strict_answer", "lenient_answer", "strict_details", "lenient_details", "served",
    "fingerprint",
)  # fmt: skip
"""Columns of few values, kept as codes."""
_HASHES = ("row", "question")

_READ = ("answer", "", "why", "details")
"""The columns of a reading, after its name: `strict_answer`, `strict`, `strict_why`, `strict_details`."""
_JSON = {
    "targets": Targets, "marks": tuple[tuple[int, int], ...], "likelihood": dict[str, float], "mass": dict[str, float],
    "strict_details": dict[str, Any], "lenient_details": dict[str, Any],
}  # fmt: skip
_DECODERS = {name: msgspec.json.Decoder(kind).decode for name, kind in _JSON.items()}
_ABSENT = object()
_NOTHING: dict[str, Any] = {
    "marks": (), "likelihood": {}, "mass": {}, "strict_details": {}, "lenient_details": {}, "strict_why": "",
    "lenient_why": "", "served": "", "fingerprint": "",
}  # fmt: skip
"""What null stands for, where it is not None."""
_WORDS = {word: word for word in ("strict", "lenient", "scored", "errored", "truncated", "")}
"""Defaults are left out of JSON by identity, so that these words have to be the very ones."""
_FIELDS = Record.__struct_fields__
_NO_READING = ScoredReading()
_encode = msgspec.json.Encoder().encode


def file_of(column: str) -> str:
    """The file that holds a column."""
    if column.startswith(FACET):
        return "questions"
    return next(file for file, columns in FILES.items() if column in columns)


def to_table(records: Sequence[Record], facets: Iterable[str]) -> pa.Table:
    """Records as a table of all columns, with one for each of the named facets."""
    import pyarrow as pa

    values = _transposed(records, _FIELDS)
    values["read_twice"] = [reading is not None for reading in values["lenient"]]
    for name in ("strict", "lenient"):
        read = [reading or _NO_READING for reading in values[name]]
        values |= _transposed(read, [f"{name}_{part}" if part else name for part in _READ])
    used = any(values["tokens"])
    for name, key in USAGE.items():
        values[name] = [tokens.get(key) for tokens in values["tokens"]] if used else [None] * len(records)
    columns = {name: _array(name, values[name]) for file in FILES.values() for name in file}
    columns |= {FACET + name: _facet([own.get(name) for own in values["facets"]]) for name in sorted(facets)}
    return pa.table(columns)


def _transposed(structs: Sequence[Any], names: Iterable[str]) -> dict[str, Sequence[Any]]:
    """The values of structs, field by field, under these names."""
    if not structs:
        return dict.fromkeys(names, ())
    return dict(zip(names, zip(*map(msgspec.structs.astuple, structs), strict=True), strict=True))


def _facet(values: Sequence[Any]) -> pa.Array:
    """A facet as JSON in codes; of plain values of one kind each different one is put into JSON once."""
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) == 1 and kinds <= {int, str, bool}:
        return _coded(values, _text)
    return _coded([None if value is None else _text(value) for value in values])


def _text(value: Any) -> str:
    return _encode(value).decode()


def _coded(values: Sequence[Any], label: Callable[[Any], str] = str) -> pa.Array:
    """A column of few values as codes. Arrow could do it, but takes its time to begin (`pyarrow.compute`)."""
    import pyarrow as pa

    different = [value for value in dict.fromkeys(values) if value is not None]
    codes = dict(zip(different, range(len(different)), strict=True))
    found = pa.array(list(map(codes.get, values)), pa.int32())
    return pa.DictionaryArray.from_arrays(found, pa.array(list(map(label, different)), pa.string()))


def _array(name: str, values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    if name in ("targets", "marks"):
        return _coded([value or None for value in values], _text)
    if name in _JSON:
        values = [_text(value) if value else None for value in values] if any(values) else [None] * len(values)
    if name in LABELS:
        return _coded(values)
    if name in _HASHES:
        return pa.array([bytes.fromhex(value) if value else None for value in values], pa.binary(16))
    if name in ("index", "raw_length", "sample"):
        return pa.array(values, pa.int64())
    if name == "read_twice":
        return pa.array(values, pa.bool_())
    return pa.array(values, pa.float64() if name in ("strict", "lenient", *USAGE) else pa.string())


def nothing(name: str, rows: int) -> pa.Array:
    """A column that a part lacks: a facet that none of its records carries, or what its version did not know."""
    return _coded([None] * rows) if name.startswith(FACET) else _array(name, [None] * rows)


def records_of(table: pa.Table) -> Iterator[Record]:
    """The records of a table of all columns; usage may be missing."""
    for name in (*USAGE, "served", "fingerprint"):
        if name not in table.column_names:
            table = table.append_column(name, nothing(name, table.num_rows))
    columns = {name: _values(name, table.column(name)) for name in table.column_names}
    for name in ("strict", "lenient"):
        parts = (columns[f"{name}_{part}" if part else name] for part in _READ)
        columns[name] = list(map(ScoredReading, *parts))
    twice = zip(columns["lenient"], columns["read_twice"], strict=True)
    columns["lenient"] = [reading if read else None for reading, read in twice]
    facets = {name.removeprefix(FACET): columns[name] for name in columns if name.startswith(FACET)}
    columns["facets"] = _mappings(facets, _ABSENT, table.num_rows)
    columns["tokens"] = _mappings({key: columns[name] for name, key in USAGE.items()}, None, table.num_rows)
    for values in zip(*(columns[name] for name in _FIELDS), strict=True):
        yield Record(**dict(zip(_FIELDS, values, strict=True)))


def _mappings(columns: dict[str, list[Any]], absent: object, rows: int) -> list[dict[str, Any]]:
    """Columns as a mapping for each row, without the values that are absent."""
    if not columns:
        return [{} for _ in range(rows)]
    return [
        {name: value for name, value in zip(columns, values, strict=True) if value is not absent}
        for values in zip(*columns.values(), strict=True)
    ]


def _values(name: str, column: pa.ChunkedArray) -> list[Any]:
    """A column as Python values, every different one decoded once."""
    import pyarrow as pa

    if name in _HASHES:
        return [value.hex() if value is not None else "" for value in column.to_pylist()]
    absent = _ABSENT if name.startswith(FACET) else _NOTHING.get(name)
    if not pa.types.is_dictionary(column.type):
        decode = _DECODERS.get(name)
        found = column.to_pylist()
        return found if decode is None else [absent if text is None else decode(text) for text in found]
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # no rows at all, or one chunk
        array = array.chunk(0) if array.num_chunks else _coded([])
    decode = msgspec.json.decode if name.startswith(FACET) else _DECODERS.get(name)
    labels = [_WORDS.get(text, text) if decode is None else decode(text) for text in array.dictionary.to_pylist()]
    return [absent if code is None else labels[code] for code in array.indices.to_pylist()]

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
from taskloom.run.record import Record

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
USAGE = {
    "prompt_tokens": "prompt", "output_tokens": "output", "cached_tokens": "cached", "reasoning_tokens": "reasoning",
    "billed_tokens": "billed", "cost": "cost", "server_cost": "charged",
}  # fmt: skip
"""The columns of a record's `tokens`."""


_decode_targets = msgspec.json.Decoder(Targets).decode
_decode_marks = msgspec.json.Decoder(tuple[tuple[int, int], ...]).decode
_decode_numbers = msgspec.json.Decoder(dict[str, float]).decode
_decode_details = msgspec.json.Decoder(dict[str, Any]).decode
_PLAIN = (
    "task", "id", "index", "sample", "cell", "wording", "state", "headline", "scorer", "protocol", "error",
    "raw_length", "prompt_hash", "raw", "reasoning", "prompt", "served", "fingerprint",
)  # fmt: skip
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

    values: dict[str, list[Any]] = {name: [getattr(record, name) for record in records] for name in _PLAIN}
    for name in ("targets", "marks", "likelihood", "mass"):
        found = [getattr(record, name) for record in records]
        values[name] = [_encode(value) if value else None for value in found] if any(found) else [None] * len(found)
    for name in _HASHES:
        values[name] = [bytes.fromhex(getattr(record, name)) or None for record in records]
    for name in ("strict", "lenient"):
        readings = [getattr(record, name) or _NO_READING for record in records]
        values[name] = [reading.score for reading in readings]
        values[f"{name}_answer"] = [reading.answer for reading in readings]
        values[f"{name}_why"] = [reading.why for reading in readings]
        values[f"{name}_details"] = [_encode(reading.details) if reading.details else None for reading in readings]
    values["read_twice"] = [record.lenient is not None for record in records]
    used = any(record.tokens for record in records)
    for name, key in USAGE.items():
        values[name] = [record.tokens.get(key) for record in records] if used else [None] * len(records)
    columns = {name: _array(name, values[name]) for file in FILES.values() for name in file}
    carried = [record.facets for record in records]
    columns |= {FACET + name: _facet([own.get(name) for own in carried]) for name in sorted(facets)}
    return pa.table(columns)


def _facet(values: list[Any]) -> pa.Array:
    """A facet as JSON in codes; of plain values of one kind each different one is put into JSON once."""
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) == 1 and kinds <= {int, str, bool}:
        return _coded(values, lambda value: _encode(value).decode())
    return _coded([None if value is None else _encode(value).decode() for value in values])


def _coded(values: list[Any], label: Callable[[Any], str] = str) -> pa.Array:
    """A column of few values as codes. Arrow could do it, but takes its time to begin (`pyarrow.compute`)."""
    import pyarrow as pa

    codes: dict[Any, int] = {}
    found = [None if value is None else codes.setdefault(value, len(codes)) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(found, pa.int32()), pa.array(map(label, codes), pa.string()))


def _array(name: str, values: list[Any]) -> pa.Array:
    import pyarrow as pa

    if name in LABELS:
        return _coded([value.decode() if type(value) is bytes else value for value in values])
    if name in _HASHES:
        return pa.array(values, pa.binary(16))
    if name in ("index", "raw_length", "sample"):
        return pa.array(values, pa.int64())
    if name == "read_twice":
        return pa.array(values, pa.bool_())
    if name in ("strict", "lenient", *USAGE):
        return pa.array(values, pa.float64())
    return pa.array(values, pa.string())


def nothing(name: str, rows: int) -> pa.Array:
    """A column that a part lacks: a facet that none of its records carries, or what its version did not know."""
    return _coded([None] * rows) if name.startswith(FACET) else _array(name, [None] * rows)


def records_of(table: pa.Table) -> Iterator[Record]:
    """The records of a table of all columns; usage may be missing."""
    for name in (*USAGE, "served", "fingerprint"):
        if name not in table.column_names:
            table = table.append_column(name, nothing(name, table.num_rows))
    columns = {name: _values(name, table.column(name)) for name in table.column_names}
    facets = [name for name in table.column_names if name.startswith(FACET)]
    names = [name.removeprefix(FACET) for name in facets]
    carried = zip(*(columns[name] for name in facets), strict=True) if facets else iter([()] * table.num_rows)
    read = {name: _readings(columns, name) for name in ("strict", "lenient")}
    usage = [columns[name] for name in USAGE]
    for place, own in enumerate(carried):
        given = {key: column[place] for key, column in zip(USAGE.values(), usage, strict=True)}
        yield Record(
            **{name: columns[name][place] for name in _PLAIN},
            row=columns["row"][place],
            question=columns["question"][place],
            targets=columns["targets"][place],
            marks=columns["marks"][place],
            strict=read["strict"][place],
            lenient=read["lenient"][place] if columns["read_twice"][place] else None,
            facets={name: value for name, value in zip(names, own, strict=True) if value is not _ABSENT},
            tokens={key: value for key, value in given.items() if value is not None},
            likelihood=columns["likelihood"][place],
            mass=columns["mass"][place],
        )


_ABSENT = object()
_DECODERS = {"targets": _decode_targets, "marks": _decode_marks, "likelihood": _decode_numbers, "mass": _decode_numbers}
_NOTHING: dict[str, Any] = {"targets": None, "marks": (), "likelihood": {}, "mass": {}, "served": "",
                             "fingerprint": ""}  # fmt: skip
_WORDS = {word: word for word in ("strict", "lenient", "scored", "errored", "truncated", "")}
"""Defaults are left out of JSON by identity, so that these words have to be the very ones."""


def _values(name: str, column: pa.ChunkedArray) -> list[Any]:
    """A column as Python values, every different one decoded once."""
    import pyarrow as pa

    if name in _HASHES:
        return [value.hex() if value is not None else "" for value in column.to_pylist()]
    if not pa.types.is_dictionary(column.type):
        decode = _DECODERS.get(name)
        found = column.to_pylist()
        return found if decode is None else [_NOTHING[name] if text is None else decode(text) for text in found]
    array = column.combine_chunks().unify_dictionaries() if column.num_chunks != 1 else column
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else _coded([])
    labels = [_label(name, text) for text in array.dictionary.to_pylist()]
    nothing = _ABSENT if name.startswith(FACET) else _NOTHING.get(name)
    return [nothing if code is None else labels[code] for code in array.indices.to_pylist()]


def _label(name: str, text: str) -> Any:
    if name.startswith(FACET):
        return msgspec.json.decode(text)
    if name in _DECODERS:
        return _DECODERS[name](text)
    return _decode_details(text) if name.endswith("_details") else _WORDS.get(text, text)


def _readings(columns: dict[str, list[Any]], name: str) -> list[ScoredReading]:
    parts = (columns[f"{name}_answer"], columns[name], columns[f"{name}_why"], columns[f"{name}_details"])
    return [
        ScoredReading(answer, score, why or "", details or {})
        for answer, score, why, details in zip(*parts, strict=True)
    ]

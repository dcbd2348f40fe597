"""The records of a run as columns, so that a million of them fit into a corner of memory.

A finished run keeps `columns.parquet` beside its log: one row per record, in the order of the log. Prompts and outputs
stay in the log; everything that tables, figures and comparisons need is here:

    task, id, index, sample     what was asked
    question, row, prompt_hash  its content, by which runs are joined (`run.join`)
    state, error, scorer        what became of it
    score, answer               of the reading that counts (`headline`)
    strict, lenient             the scores of both readings; `read_twice` says whether there is a lenient one
    target                      the canonical right answer; `targets` all of them, as JSON
    cell, wording               as in the record
    prompt_tokens, output_tokens, cost
    details                     what the scorer kept, as JSON; null for nothing
    facet:NAME                  a facet of the instance, as JSON; null where the instance does not carry it
    start, size                 where the record's line stands in the log

`Columns` reads them one by one, on demand: `floats("score")` is a NumPy array with nan for null, `codes("task")` a
small integer per row with the labels it stands for, `column("id")` the Arrow column. Columns are used only where their
seal (`columns.json`) fits the bytes of the log and of the file; otherwise they will be rebuilt from the log, in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from taskloom.ask.judge import Headline, State
from taskloom.core import Targets, UserError
from taskloom.run.record import decode_record, is_intact
from taskloom.store.atomic import half_name, sync_folder
from taskloom.store.ours import sha256
from taskloom.store.seal import read_sealed, write_sealed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = [
    "COLUMNS", "GROUP", "SEAL", "Codes", "ColumnBuilder", "Columns", "LogEntry", "decode_entry", "sealed_columns",
    "write_columns",
]  # fmt: skip

COLUMNS = "columns.parquet"
SEAL = "columns.json"
_FACET = "facet:"
_BATCH = 8_192
GROUP = 131_072
"""Rows that are written, read and compared together."""
_TOKENS = {"prompt": "prompt_tokens", "output": "output_tokens", "cost": "cost"}
_LABELS = ("task", "state", "error", "scorer", "headline", "cell", "wording")
_TEXTS = ("id", "answer", "target", "details", "prompt_hash", "targets")
_HASHES = ("question", "row")
_NUMBERS = ("score", "strict", "lenient", *_TOKENS.values())
_WHOLE = ("index", "start", "size", "sample")


class _EntryReading(msgspec.Struct):
    answer: str | None = None
    score: float | None = None
    details: msgspec.Raw = msgspec.Raw()


class LogEntry(msgspec.Struct):
    """A line of the log, decoded as far as columns need it."""

    task: str
    id: str
    state: State
    scorer: str
    targets: msgspec.Raw
    strict: _EntryReading
    index: int = 0
    row: str = ""
    question: str = ""
    prompt_hash: str = ""
    sample: int = 0
    cell: str = ""
    wording: str = ""
    headline: Headline = "strict"
    lenient: _EntryReading | None = None
    facets: dict[str, msgspec.Raw] = {}
    error: str = ""
    tokens: dict[str, float] = {}


_decode = msgspec.json.Decoder(LogEntry).decode
_decode_targets = msgspec.json.Decoder(Targets).decode


def _digest_of(digits: str) -> bytes | None:
    """A hash as bytes; None where a record carries none, or none of ours."""
    try:
        found = bytes.fromhex(digits)
    except ValueError:
        return None
    return found if len(found) == 16 else None


def decode_entry(line: bytes, index: int) -> LogEntry:
    """A line as columns see it, proved by its checksum.

    Raises:
        msgspec.DecodeError: The line is not a record, or not as it was written.
    """
    if is_intact(line):
        return _decode(line)
    return _decode(msgspec.json.encode(decode_record(line, index)))


class ColumnBuilder:
    """Collects records, a batch of Python values at a time. Full batches are kept packed, a few bytes a record."""

    def __init__(self) -> None:
        self._packed: list[pa.Buffer] = []
        self._names: set[str] = set()
        self._clear()

    def __len__(self) -> int:
        return len(self._packed) * _BATCH + self._count

    def _clear(self) -> None:
        self._values: dict[str, list[Any]] = {name: [] for name in (*_LABELS, *_TEXTS, *_HASHES, *_NUMBERS, *_WHOLE)}
        self._read_twice: list[bool] = []
        self._facets: dict[str, list[str | None]] = {}
        self._count = 0

    def add(self, entry: LogEntry, start: int, size: int) -> None:
        """Take one record, which stands at these bytes of the log."""
        values, lenient = self._values, entry.lenient
        reading = lenient if entry.headline == "lenient" and lenient is not None else entry.strict
        for name in (
            "task",
            "state",
            "error",
            "scorer",
            "headline",
            "cell",
            "wording",
            "id",
            "index",
            "sample",
            "prompt_hash",
        ):
            values[name].append(getattr(entry, name))
        details = bytes(reading.details)
        values["answer"].append(reading.answer)
        values["score"].append(reading.score)
        values["details"].append(details.decode() if details not in (b"", b"{}") else None)
        values["target"].append(_decode_targets(entry.targets).canonical())
        values["targets"].append(bytes(entry.targets).decode())
        values["question"].append(_digest_of(entry.question))
        values["row"].append(_digest_of(entry.row))
        values["strict"].append(entry.strict.score)
        values["lenient"].append(None if lenient is None else lenient.score)
        values["start"].append(start)
        values["size"].append(size)
        for key, name in _TOKENS.items():
            values[name].append(entry.tokens.get(key))
        self._read_twice.append(lenient is not None)
        for name, raw in entry.facets.items():
            column = self._facets.setdefault(name, [])
            column.extend([None] * (self._count - len(column)))
            column.append(bytes(raw).decode())
        self._count += 1
        if self._count == _BATCH:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        columns: dict[str, Any] = {name: pa.array(self._values[name], pa.string()) for name in (*_LABELS, *_TEXTS)}
        columns |= {name: columns[name].dictionary_encode() for name in _LABELS}
        columns |= {name: pa.array(self._values[name], pa.binary(16)) for name in _HASHES}
        columns |= {name: pa.array(self._values[name], pa.float64()) for name in _NUMBERS}
        columns |= {name: pa.array(self._values[name], pa.int64()) for name in _WHOLE}
        columns["read_twice"] = pa.array(self._read_twice, pa.bool_())
        for name, values in sorted(self._facets.items()):
            values.extend([None] * (self._count - len(values)))
            columns[_FACET + name] = pa.array(values, pa.string()).dictionary_encode()
        table = pa.table(columns)
        self._names |= {name for name in table.column_names if name.startswith(_FACET)}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
            stream.write_table(table)
        self._packed.append(sink.getvalue())
        self._clear()

    def groups(self, facets: Iterable[str] = ()) -> Iterator[pa.Table]:
        """Everything that was added, a group of rows at a time, each with the columns of all and of these facets."""
        import pyarrow as pa

        if self._count or not self._packed:
            self._flush()
        self._names |= {_FACET + name for name in facets}
        step = GROUP // _BATCH
        for first in range(0, len(self._packed), step):
            batches = [self._unpacked(buffer) for buffer in self._packed[first : first + step]]
            yield pa.concat_tables(batches).unify_dictionaries()

    def _unpacked(self, buffer: pa.Buffer) -> pa.Table:
        import pyarrow as pa

        table = pa.ipc.open_stream(buffer).read_all()
        for name in self._names.difference(table.column_names):
            kind = pa.dictionary(pa.int32(), pa.string())
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
        plain = [name for name in table.column_names if not name.startswith(_FACET)]
        return table.select([*plain, *sorted(self._names)])

    def table(self) -> pa.Table:
        """Everything that was added, in memory."""
        import pyarrow as pa

        return pa.concat_tables(self.groups()).unify_dictionaries()


class Codes(NamedTuple):
    """A column of few different values: a small integer per row (-1 for null) and what each stands for."""

    rows: NDArray[np.integer[Any]]
    labels: list[str]


def _same_values(one: pa.Table, two: pa.Table) -> bool:
    """Whether two tables hold the same, whatever dictionaries stand behind their columns."""
    import pyarrow as pa

    def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
        return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column

    return one.column_names == two.column_names and all(
        plain(mine).equals(plain(other)) for mine, other in zip(one.columns, two.columns, strict=True)
    )


class Columns:
    """The columns of a run: a table in memory, or a sealed Parquet file that is read as it is needed."""

    def __init__(self, source: pa.Table | Path) -> None:
        self._source = source
        self._codes: dict[str, Codes] = {}

    @cached_property
    def _file(self) -> Any:
        import pyarrow.parquet as pq

        return pq.ParquetFile(self._source, memory_map=True)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows if isinstance(self._source, Path) else self._source.num_rows)

    @cached_property
    def facets(self) -> list[str]:
        """The facets that instances carry, in order of the alphabet."""
        names = self._file.schema_arrow.names if isinstance(self._source, Path) else self._source.column_names
        return [name.removeprefix(_FACET) for name in names if name.startswith(_FACET)]

    @property
    def joinable(self) -> bool:
        """Whether the columns carry what runs are joined by, as those of older versions do not."""
        names = self._file.schema_arrow.names if isinstance(self._source, Path) else self._source.column_names
        return "question" in names

    def equals(self, builders: Iterable[ColumnBuilder]) -> bool:
        """Whether the file holds the columns that were collected, each builder with `GROUP` more of them."""
        groups = 0
        for group in (group for builder in builders for group in builder.groups(self.facets)):
            if groups == self._file.num_row_groups or not _same_values(self._file.read_row_group(groups), group):
                return False
            groups += 1
        return groups == max(1, int(self._file.num_row_groups))

    def table(self) -> pa.Table:
        """All columns at once."""
        return self._file.read() if isinstance(self._source, Path) else self._source

    def column(self, name: str) -> pa.ChunkedArray:
        """One column; `facet:NAME` for a facet."""
        if isinstance(self._source, Path):
            return self._file.read(columns=[name]).column(0)
        return self._source.column(name)

    def floats(self, name: str) -> NDArray[np.float64]:
        """A column of numbers, nan for null."""
        import pyarrow as pa

        array: NDArray[np.float64] = self.column(name).cast(pa.float64()).to_numpy()
        return array

    def whole(self, name: str) -> NDArray[np.int64]:
        """A column of whole numbers."""
        array: NDArray[np.int64] = self.column(name).to_numpy()
        return array

    def codes(self, name: str) -> Codes:
        """A column of few different values; kept, because tables ask for it again and again."""
        if name not in self._codes:
            self._codes[name] = _coded(self.column(name))
        return self._codes[name]

    def present(self, name: str) -> NDArray[np.bool_]:
        """Where a column is not null."""
        array: NDArray[np.bool_] = self.column(name).is_valid().to_numpy()
        return array


def _coded(column: pa.ChunkedArray) -> Codes:
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # no rows at all
        return Codes(np.empty(0, np.int8), [])
    labels = array.dictionary.to_pylist()
    kind = np.int8 if len(labels) < 128 else np.int16 if len(labels) < 32_768 else np.int32
    return Codes(array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(kind), labels)


def write_columns(folder: Path, log: Path, builder: ColumnBuilder) -> None:
    """Put the columns of a finished log beside it, sealed with the hashes of both."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, records = folder / COLUMNS, 0
    temporary = path.with_name(half_name(path.name))
    writer = None
    try:
        for group in builder.groups():
            if writer is None:
                coded = [name for name in group.column_names if name in _LABELS or name.startswith(_FACET)]
                writer = pq.ParquetWriter(temporary, group.schema, compression="zstd", use_dictionary=coded)
            writer.write_table(group, row_group_size=GROUP)
            records += group.num_rows
        if writer is not None:
            writer.close()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(folder)
    pa.default_memory_pool().release_unused()  # what follows in the same process shall not add to it
    write_sealed(folder / SEAL, {"log": sha256(log), "columns": sha256(path), "records": records})


def sealed_columns(folder: Path, log: Path) -> Columns | None:
    """The columns beside a log; None where there are none, or none of this very log.

    Raises:
        UserError: They belong to this log but are damaged.
    """
    path, seal = folder / COLUMNS, folder / SEAL
    if not (path.is_file() and seal.is_file()):
        return None
    hint = f"delete {path.name} and {seal.name}: they will be rebuilt from the log"
    facts = read_sealed(seal, "the seal of the columns", hint=hint)
    if facts.get("log") != sha256(log):
        return None  # the run went on, or somebody edited the log
    if facts.get("columns") != sha256(path):
        raise UserError("the columns were changed after they were written", where=str(path), hint=hint)
    columns = Columns(path)
    return columns if columns.joinable else None  # of an older version: made again from the log


def each_line(path: Path) -> Iterator[tuple[int, bytes]]:
    """Complete lines with the place where each starts: a torn last line of a log in the making is not an error."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)

"""The log of a running run: an append-only file per writer, which survives kill -9, power cuts, full disks and company.

A record counts once its line is on disk; each line carries a checksum. A line without a valid one (a write cut short,
a page that never reached the disk) is set aside and its question asked again; no file needs editing. When nothing
is left to ask, the records of all logs are sealed (`run.sealed`) in the order of the questions, and the logs go. A run
of an older version, one file of JSON lines, reads like a log.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from copy import copy
from itertools import count, islice, pairwise
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from taskloom.core import UserError
from taskloom.core.folders import not_here
from taskloom.run.columns import Columns
from taskloom.run.layout import FACET, FILES, nothing, to_table
from taskloom.run.record import STATES, Record, RecordIndex, decode_record, encode_record, line_body
from taskloom.run.sealed import (
    PartFiles,
    PartWriter,
    RunSeal,
    SealedPart,
    Tally,
    latest_seal,
    publish,
    remove_unlisted,
    seal_names,
)
from taskloom.store.atomic import disk_errors, hold, is_held, sole_writer, sync, write_atomically
from taskloom.store.remote import shipping
from taskloom.store.seal import seal_line

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


LOGS = "log"
OLD_LOG = "records.jsonl"
_OLD_COLUMNS = ("columns.parquet", "columns.json")
BATCH = 4_096
_MOST_CHUNKS = 64
"""Pieces that the columns of a growing log may lie in before they are joined."""
_CLOSING = b'{"end":'
"""How the line begins that ends a finished log of older versions."""
_NO_ROW = bytes(16)
"""For records of older versions, which have no hash of their row."""


def log_files(folder: Path, seal: RunSeal | None = None) -> list[Path]:
    """The logs of a run that are not sealed yet, in an order that does not depend on clocks."""
    found = sorted((folder / LOGS).glob("*.jsonl")) if (folder / LOGS).is_dir() else []
    found = [*([folder / OLD_LOG] if (folder / OLD_LOG).is_file() else []), *found]
    return [path for path in found if seal is None or path.name not in seal.logs]


def has_records(folder: Path) -> bool:
    """Whether anything was asked in a run's folder."""
    for path in log_files(folder):
        with suppress(FileNotFoundError):  # sealed meanwhile
            if path.stat().st_size:
                return True
    return bool(seal_names(folder))


class LogPart:
    """The records of one log: where each stands, and their columns, which are made for those who look at them.

    A writer goes on with a log, or seals it, from the places alone, so that it never holds a million records.

    Args:
        path: The log.
        columns: Whether to make all columns while reading: the log may be gone by the time they are asked for.

    Attributes:
        damaged: Stretches of the file (start and size) that no checksum vouches for.
        closed: Whether an older version ended the log with its closing line.
        counted: How many records that line counts.
    """

    ordered = False

    def __init__(self, path: Path, *, columns: bool = False) -> None:
        self.path = path
        self.damaged: list[tuple[int, int]] = []
        self.closed, self.counted = False, 0
        self._starts, self._indices, self._samples = array("q"), array("q"), array("i")
        self._states, self._rows = bytearray(), bytearray()
        self._facets: set[str] = set()
        self._end = self._lines = 0
        self._table = _concatenated([], set())
        self._read(columns=columns)

    def grown(self) -> LogPart:
        """The same log with what was appended since; this part stays as it is, for those who look at it."""
        later = copy(self)
        for name in ("_starts", "_indices", "_samples", "_states", "_rows", "_facets"):
            setattr(later, name, copy(getattr(self, name)))
        later.damaged = [stretch for stretch in self.damaged if stretch[0] < self._end]
        later._read(columns=True)
        return later

    def _read(self, *, columns: bool) -> None:
        found = self._records()
        if columns:
            self._make_columns(found)
        else:
            deque(found, 0)

    @property
    def facets(self) -> list[str]:
        """The facets that instances carry."""
        return sorted(self._facets)

    def _records(self) -> Iterator[Record]:
        """The records from where reading ended, the place of each noted."""
        with self.path.open("rb") as file:
            file.seek(self._end)
            for line in file:
                start, number, body = self._end, self._lines, line_body(line) or b""
                if line.endswith(b"\n"):  # the last one may be being written, and is read again
                    self._end, self._lines = start + len(line), number + 1
                try:
                    if body.startswith(_CLOSING):
                        self.counted, self.closed = int(msgspec.json.decode(body)["end"]["records"]), True
                        continue
                    record = decode_record(body)
                    row = bytes.fromhex(record.row) or _NO_ROW
                except (msgspec.DecodeError, LookupError, TypeError, ValueError):
                    self.damaged.append((start, len(line)))
                    continue
                self._starts.append(start)
                if record.index < 0:  # the first format does not say the place
                    record = msgspec.structs.replace(record, index=number)
                self._indices.append(record.index)
                self._samples.append(record.sample)
                self._states.append(STATES.index(record.state))
                self._rows += row
                self._facets.update(record.facets)
                yield record

    def __len__(self) -> int:
        return len(self._starts)

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all records."""
        import numpy as np
        import pyarrow as pa

        if name in ("index", "sample"):
            whole = np.array(self._indices if name == "index" else self._samples, np.int64)
            return pa.chunked_array([pa.array(whole)])
        if name == "state":
            found, codes = np.unique(np.frombuffer(bytes(self._states), np.uint8), return_inverse=True)
            labels = pa.array([STATES[code] for code in found], pa.string())
            return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), labels)])
        if name == "row":
            rows = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(self), [None, pa.py_buffer(self._rows)])
            if _NO_ROW in self._rows:
                rows = pa.array([None if row == _NO_ROW else row for row in rows.to_pylist()], pa.binary(16))
            return pa.chunked_array([rows])
        if name in FILES["texts"]:
            texts = [getattr(record, name) for record in self.records(range(len(self)))]
            return pa.chunked_array([pa.array(texts, pa.string())])
        if name.startswith(FACET) and name.removeprefix(FACET) not in self._facets:
            return pa.chunked_array([nothing(name, len(self))])
        if self._table.num_rows < len(self):
            self._make_columns(self.records(range(self._table.num_rows, len(self))))
        return self._table.column(name)

    def _make_columns(self, found: Iterator[Record]) -> None:
        """Add columns of records that have none yet."""
        batches = [self._table]
        while some := list(islice(found, BATCH)):
            batches.append(to_table(some, _facets(some)).drop_columns(list(FILES["texts"])))
        if len(batches) > 1:
            self._table = _concatenated(batches, self._facets)
        if self._table.column(0).num_chunks > _MOST_CHUNKS:
            self._table = self._table.unify_dictionaries().combine_chunks()

    def records(self, rows: NDArray[np.int64] | range) -> Iterator[Record]:
        """The records of some rows."""
        with self.path.open("rb") as file:
            for row in map(int, rows):
                file.seek(self._starts[row])
                body = line_body(file.readline())
                if body is None:
                    raise UserError("this log was changed while it was read", where=str(self.path))
                yield msgspec.structs.replace(decode_record(body), index=self._indices[row])

    def blocks(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Columns, a batch of records at a time."""
        import pyarrow as pa

        for start in range(0, len(self), BATCH):
            batch = list(self.records(range(start, min(start + BATCH, len(self)))))
            yield pa.table({name: pa.array([getattr(record, name) for record in batch], pa.string()) for name in names})


def _facets(records: Iterable[Record]) -> set[str]:
    """The facets that records carry."""
    return set().union(*(record.facets for record in records))


def _concatenated(batches: Sequence[pa.Table], facets: set[str]) -> pa.Table:
    import pyarrow as pa

    kind = pa.dictionary(pa.int32(), pa.string())
    named = pa.schema([(FACET + name, kind) for name in sorted(facets)])
    empty = to_table([], ()).drop_columns(list(FILES["texts"]))
    return pa.concat_tables([*batches, empty, named.empty_table()], promote_options="default")


class RunFiles(NamedTuple):
    """What a run's folder holds: the newest manifest, the parts that it lists, and the logs that are not sealed yet."""

    seal: RunSeal | None
    parts: list[SealedPart]
    logs: list[LogPart]

    @property
    def columns(self) -> Columns:
        """All of it as columns."""
        return Columns([*self.parts, *self.logs])


def open_files(folder: Path, known: Mapping[Path, LogPart] | None = None, *, columns: bool = False) -> RunFiles:
    """The files of a run as they stand; of logs that are `known` only what is new is read, and all with `columns`.

    Raises:
        UserError: The newest manifest is damaged.
    """
    while True:
        seal = latest_seal(folder)
        try:
            logs = [
                known[path].grown() if known and path in known else LogPart(path, columns=columns)
                for path in log_files(folder, seal)
            ]
        except FileNotFoundError:  # another writer has sealed it meanwhile, so there is a newer manifest
            continue
        return RunFiles(seal, sealed_parts(folder, seal), logs)


def sealed_parts(folder: Path, seal: RunSeal | None) -> list[SealedPart]:
    """The parts that a manifest lists."""
    return [SealedPart(folder, files) for files in seal.parts] if seal is not None else []


def open_columns(folder: str | Path, known: Mapping[Path, LogPart] | None = None) -> Columns:
    """The columns of a run, finished or not.

    Args:
        folder: The run's.
        known: Logs that were read before: of these only what is new is read.

    Raises:
        UserError: There is no run, or what is sealed or closed is damaged.
    """
    files = open_files(Path(folder), known, columns=True)
    if files.seal is None and not files.logs:
        raise not_here(folder, "run", "taskloom run SUITE --model M -o DIR")
    for part in files.logs:
        if part.closed and part.damaged:
            raise UserError(
                f"{len(part.damaged):,} records of this finished run are damaged",
                where=str(part.path),
                hint="run the same command again: what is damaged is asked again",
            )
    return files.columns


def read_records(folder: str | Path) -> Iterator[Record]:
    """The newest record of every question of a run, in order."""
    columns = open_columns(folder)
    return columns.records(range(len(columns)))


class RunLog:
    """The log of one run, open for appending.

    Args:
        folder: The run's folder, made if need be.
        samples: How many answers the run asks for each row.

    Attributes:
        places: What became of each place.
        repaired: How many bytes of earlier logs no checksum vouched for.
        seal: The newest manifest, None while nothing is sealed.

    Raises:
        UserError: Another process writes here, or what is sealed is damaged.
    """

    def __init__(self, folder: Path, samples: int = 1) -> None:
        self.folder = folder
        self.samples = samples
        self.places = RecordIndex()
        self._file: int | None = None
        self._mine: Path | None = None
        self._stream: _Stream | None = None
        with ExitStack() as stack:
            stack.enter_context(sole_writer(folder))
            self.seal, parts, self._logs = open_files(folder)
            self.repaired = sum(size for part in self._logs for _, size in part.damaged)
            self._read_places(Columns([*parts, *self._logs]))
            if self.seal is None and not self._logs:
                self._stream = _Stream(folder)
                stack.callback(self._stream.stop)
            self._held = stack.pop_all()

    def _read_places(self, columns: Columns) -> None:
        if not len(columns):
            return
        rows, (codes, states) = columns.column("row"), columns.codes("state")
        places = columns.whole("index") * self.samples + columns.whole("sample")
        for start in range(0, len(columns), BATCH):
            some = slice(start, start + BATCH)
            for place, code, row in zip(places[some], codes[some], rows[some].to_pylist(), strict=True):
                self.places.put(int(place), states[code], (row or b"").hex())

    def place(self, index: int, sample: int = 0) -> int:
        """The place of an answer among all that the run asks for."""
        return index * self.samples + sample

    def append(self, records: Sequence[Record]) -> None:
        """Write records and flush them to disk. On a full disk the file is left as it was before the call."""
        if not records:
            return
        bodies = [encode_record(record) for record in records]
        with disk_errors(self.folder):
            if self._file is None:
                self._file = self._create()
            before = os.fstat(self._file).st_size
            try:
                view = memoryview(b"".join(map(seal_line, bodies)))
                while view:
                    view = view[os.write(self._file, view) :]
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, before)
                raise
        if self._mine is not None and (copy := shipping(self.folder)) is not None:
            copy.ship(self._mine)
        for record in records:
            self.places.put(self.place(record.index, record.sample), record.state, record.row)
        if self._stream is not None:
            self._stream.add(records, bodies)

    def _create(self) -> int:
        """A log of our own, held as long as it is written to."""
        logs = self.folder / LOGS
        taken = set(self.seal.logs if self.seal else ())
        while True:
            path = logs / next(name for n in count(1) if (name := f"{n:06}.jsonl") not in taken)
            try:
                logs.mkdir(exist_ok=True)
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
            except FileExistsError:
                taken.add(path.name)
                continue
            except FileNotFoundError:  # another writer has just removed the empty folder
                continue
            newest = latest_seal(self.folder)
            if newest is None or path.name not in newest.logs:
                break
            # A log of this name was sealed and removed meanwhile: another one would be taken for a leftover.
            os.close(file)
            path.unlink(missing_ok=True)
            taken.update(newest.logs)
        self._held.callback(os.close, file)
        self._held.enter_context(hold(path))
        sync(logs)
        sync(self.folder)
        self._mine = path
        return file

    def finish(self) -> RunSeal:
        """Seal what the logs hold, and remove them. A run that is sealed and has no logs stays as it is."""
        with disk_errors(self.folder):
            while self.seal is None or self._logs or self._file is not None:
                with ExitStack() as held:
                    try:
                        sealed = self._sealed(held)
                    except FileNotFoundError:
                        if all(part.path.exists() for part in self._logs):
                            raise
                        sealed = None  # another writer has sealed a log that we read
                    if sealed is not None and (sealed is self.seal or publish(self.folder, sealed)):
                        self.seal = sealed
                        self._remove_logs()
                    else:  # another writer was first: ours goes over it
                        self.seal, _, logs = open_files(self.folder)
                        self._logs = [part for part in logs if part.path != self._mine]
            self._remove_leftovers()
        return self.seal

    def _sealed(self, held: ExitStack) -> RunSeal:
        """The next manifest, its files written; the present one where the logs bring nothing new."""
        from taskloom.run.plan import plan_hash

        before, tally = sealed_parts(self.folder, self.seal), Tally()
        stream = self._stream if self.seal is None and not self._logs else None
        if stream is not None and stream.complete():
            files, tally = stream.finish(held), stream.tally
        else:
            sources = [*self._logs, *([LogPart(self._mine)] if self._mine is not None else [])]
            chosen = _chosen(before, sources)
            if self.seal is not None and not len(chosen):
                return self.seal
            writer = PartWriter(self.folder, held)
            for table in _tables(sources, chosen, tally):
                writer.write(table)
            files = writer.finish()
        parts: tuple[PartFiles, ...] = (files,)
        if before and self.seal is not None:
            parts, tally = (*self.seal.parts, files), Tally()
            columns = Columns([*before, SealedPart(self.folder, files)])
            records = columns.records(range(len(columns)))
            while batch := list(islice(records, BATCH)):
                tally.add(batch)
        aside = self._set_aside() + (self.seal.set_aside if self.seal else 0)
        number = self.seal.number + 1 if self.seal else 1
        logs = [part.path.name for part in self._logs if not is_held(part.path)]
        logs += [self._mine.name] if self._mine is not None else []
        return RunSeal(
            number=number,
            plan=plan_hash(self.folder),
            parts=parts,
            logs=(*(self.seal.logs if self.seal else ()), *logs),
            set_aside=aside,
            **tally.facts(),
        ).summed()

    def _set_aside(self) -> int:
        """Keep what no checksum vouches for in a file of its own; returns how many bytes that is."""
        found = 0
        for part in self._logs:
            if part.damaged:
                with part.path.open("rb") as file:
                    pieces = [os.pread(file.fileno(), size, start) for start, size in part.damaged]
                write_atomically(self.folder / f"set-aside-{part.path.stem}.txt", b"\n".join(pieces))
                found += sum(map(len, pieces))
        return found

    def _remove_logs(self) -> None:
        """Remove the logs that are sealed now, but for one that another process still writes to."""
        if self._mine is not None:
            self._mine.unlink(missing_ok=True)
        for part in self._logs:
            if not is_held(part.path):
                part.path.unlink(missing_ok=True)
        self._logs, self._file, self._mine = [], None, None

    def _remove_leftovers(self) -> None:
        """Remove what a killed process left and the manifest makes superfluous: sealed logs, files of no part."""
        if self.seal is None:
            return
        logs = self.folder / LOGS
        for name in self.seal.logs:
            (logs / name).unlink(missing_ok=True)
        if OLD_LOG in self.seal.logs:
            for name in (OLD_LOG, *_OLD_COLUMNS):
                (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # there is none, or it is not empty
            logs.rmdir()
        remove_unlisted(self.folder, self.seal)

    def close(self) -> None:
        """Let go of the file and the folder."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Stream:
    """The sealed files of a new run, written while it goes on, as long as answers arrive nearly in order.

    The log has every record as well: whenever this cannot be kept up, the files are made from the log instead.
    """

    def __init__(self, folder: Path) -> None:
        self._held = ExitStack()
        self._writer = PartWriter(folder, self._held)
        self._window: list[tuple[tuple[int, int], Record, bytes]] = []
        self._last = (-1, -1)
        self.tally = Tally()
        self.alive = True

    def add(self, records: Sequence[Record], bodies: Sequence[bytes]) -> None:
        """Take in what was appended to the log."""
        if self.alive:
            places = ((record.index, record.sample) for record in records)
            self._window += zip(places, records, bodies, strict=True)
            if len(self._window) >= 2 * BATCH:
                self._write(BATCH)

    def _write(self, size: int) -> None:
        """Write the first of those that wait; what comes too late, twice, or with another facet ends it."""
        self._window.sort(key=itemgetter(0))
        batch, self._window = self._window[:size], self._window[size:]
        records = [record for _, record, _ in batch]
        facets = _facets(records)
        known = self._writer.facets if self._writer.facets is not None else facets
        places = [self._last, *(place for place, _, _ in batch)]
        if not facets <= known or any(one >= other for one, other in pairwise(places)):
            self.stop()
            return
        try:
            self._writer.write(to_table(records, known))
        except OSError:  # a full disk: the log has all of it
            self.stop()
            return
        self._last = places[-1]
        self.tally.add(records, [body for _, _, body in batch])

    def complete(self) -> bool:
        """Write what waits; whether the files hold every record."""
        while self.alive and (self._window or self._writer.facets is None):
            self._write(BATCH)
        return self.alive

    def finish(self, held: ExitStack) -> PartFiles:
        """The files, as long as `held` is open."""
        held.enter_context(self._held.pop_all())
        self.alive = False
        return self._writer.finish()

    def stop(self) -> None:
        """Give up, and remove what was written."""
        self.alive, self._window = False, []
        self._held.close()


def _chosen(before: Sequence[SealedPart], sources: Sequence[LogPart]) -> NDArray[np.int64]:
    """Which records of the logs count, in the order of the questions, numbered through all logs."""
    import numpy as np

    columns, sealed = Columns([*before, *sources]), sum(map(len, before))
    chosen = columns.chosen if columns.chosen is not None else np.arange(len(columns))
    return chosen[chosen >= sealed] - sealed


def _tables(sources: Sequence[LogPart], chosen: NDArray[np.int64], tally: Tally) -> Iterator[pa.Table]:
    """The chosen records of logs as tables, each counted as it passes."""
    facets = {name for source in sources for name in source.facets}
    if not len(chosen):
        yield to_table([], facets)
    records = Columns(sources).records_at(chosen)
    while batch := list(islice(records, BATCH)):
        ordered = [msgspec.structs.replace(each, facets=dict(sorted(each.facets.items()))) for each in batch]
        tally.add(ordered)
        yield to_table(ordered, facets)

"""The run log: an append-only file of records that survives kill -9, full disks and two writers.

A record counts once its line, newline included, is on disk; each line carries a checksum. The folder is locked
while a run writes to it; a torn last line (a write cut short) is cut off when the log is opened again, and only that
instance is asked again. Records stand in order of arrival while a run goes on. When nothing is left to ask, the log is
rewritten once in canonical order and closed by a line of counts, so that finished logs of equal runs are equal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from taskloom.ask.judge import State
from taskloom.core import UserError
from taskloom.run.closing import Closing, is_closing, read_closing, write_canonical
from taskloom.run.columns import (
    GROUP,
    ColumnBuilder,
    LogEntry,
    decode_entry,
    each_line,
    sealed_columns,
    write_columns,
)
from taskloom.run.places import Places
from taskloom.run.record import Record, decode_record, encode_record, is_intact
from taskloom.store.atomic import disk_errors, sole_writer

__all__ = [
    "RECORDS", "RunLog", "collect_columns", "column_groups", "damaged_line", "latest_records", "log_path",
    "read_closing_record", "read_records",
]  # fmt: skip

RECORDS = "records.jsonl"


class _Key(msgspec.Struct):
    """The parts of a record that resuming needs; the rest is skipped without being built."""

    state: State
    index: int = 0
    row: str = ""
    sample: int = 0


_decode_key = msgspec.json.Decoder(_Key).decode


class RunLog:
    """The log of one run, open for appending.

    Args:
        folder: The run's folder, made if need be.
        samples: How many answers the run asks for each row.

    Raises:
        UserError: Another process writes here, or a line in the middle is damaged.
    """

    def __init__(self, folder: Path, samples: int = 1) -> None:
        self.path = folder / RECORDS
        self.samples = samples
        self.places = Places()
        with ExitStack() as stack:
            stack.enter_context(sole_writer(folder))
            with disk_errors(folder):
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            stack.callback(lambda: os.close(self._file))
            self.repaired = self._repair()
            self.closing = self._read_places()
            self._held = stack.pop_all()

    def _repair(self) -> int:
        """Cut off a torn last line; return how many bytes went."""
        size = os.fstat(self._file).st_size
        end = self._line_start(size)
        if end < size:
            os.ftruncate(self._file, end)
            os.fsync(self._file)
        return size - end

    def _line_start(self, end: int) -> int:
        """Where the line begins whose first bytes stand before a place."""
        while end > 0:
            start = max(0, end - 65_536)
            newline = os.pread(self._file, end - start, start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    def _read_places(self) -> Closing | None:
        closing = None
        for number, (_, line) in enumerate(each_line(self.path), start=1):
            if closing is not None:
                raise damaged_line(self.path, number, ValueError("records follow the closing line"))
            try:
                if not is_intact(line):
                    raise msgspec.DecodeError("its checksum does not match")
                if is_closing(line):
                    closing = read_closing(line)
                    continue
                key = _decode_key(line)
            except msgspec.DecodeError as error:
                raise damaged_line(self.path, number, error) from None
            self.places.put(self.place(key.index, key.sample), key.state, key.row)
        return closing

    def place(self, index: int, sample: int = 0) -> int:
        """The place of an answer in the canonical order."""
        return index * self.samples + sample

    def append(self, records: Sequence[Record]) -> None:
        """Write records and flush them to disk. On a full disk the file is left as it was before the call."""
        if not records:
            return
        self._reopen()
        data = b"".join(map(encode_record, records))
        before = os.fstat(self._file).st_size
        with disk_errors(self.path):
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._file, view) :]
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, before)
                raise
        for record in records:
            self.places.put(self.place(record.index, record.sample), record.state, record.row)

    def _reopen(self) -> None:
        """A closed log that is continued (failures asked again, say) loses its closing line first."""
        if self.closing is None:
            return
        os.ftruncate(self._file, self._line_start(os.fstat(self._file).st_size - 1))
        os.fsync(self._file)
        self.closing = None

    def finish(self) -> Closing:
        """Bring the records into canonical order and close the log. A log that is closed stays as it is."""
        if self.closing is None:
            with disk_errors(self.path):
                self.closing, columns = write_canonical(self.path, self.samples)
                os.close(self._file)
                self._file = os.open(self.path, os.O_RDWR | os.O_APPEND)
                write_columns(self.path.parent, self.path, columns)
        elif sealed_columns(self.path.parent, self.path) is None:
            # Killed between closing the log and writing its columns.
            with disk_errors(self.path):
                write_columns(self.path.parent, self.path, collect_columns(self.path)[0])
        return self.closing

    def close(self) -> None:
        """Let go of the file and the folder."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def damaged_line(path: Path, number: int, error: Exception) -> UserError:
    """What to say about a line that is not as it was written."""
    return UserError(
        f"this record is damaged: {error}",
        where=f"{path}:{number}",
        hint=f"delete line {number} and run the same command again: only that instance is asked again",
    )


def log_path(folder: str | Path) -> Path:
    """The log in a run's folder.

    Raises:
        UserError: There is none.
    """
    path = Path(folder) / RECORDS
    if not path.is_file():
        raise UserError("no run here (no records.jsonl)", where=str(folder), hint="taskloom run SUITE --model M -o DIR")
    return path


def read_records(folder: str | Path) -> Iterator[Record]:
    """Every record of a run in the order it was written, retried ones more than once."""
    path = log_path(folder)
    for number, (_, line) in enumerate(each_line(path), start=1):
        try:
            if is_closing(line):
                if not is_intact(line):
                    raise msgspec.DecodeError("its checksum does not match")
                continue
            yield decode_record(line, number - 1)
        except msgspec.DecodeError as error:
            raise damaged_line(path, number, error) from None


def read_closing_record(folder: str | Path) -> Closing | None:
    """The counts that close a finished log, None while the run goes on (or for a log of the first format)."""
    found = None
    for _, line in each_line(Path(folder) / RECORDS):
        found = read_closing(line) if is_closing(line) else None
    return found


def collect_columns(path: Path) -> tuple[ColumnBuilder, bool]:
    """Every record of a log as columns, and whether the log is closed."""
    builder = ColumnBuilder()
    closed = False
    for start, size, entry in _entries(path):
        closed = entry is None
        if entry is not None:
            builder.add(entry, start, size)
    return builder, closed


def column_groups(path: Path) -> Iterator[ColumnBuilder]:
    """The records of a log as columns, one group of them in memory at a time."""
    builder, given = ColumnBuilder(), 0
    for start, size, entry in _entries(path):
        if entry is not None:
            builder.add(entry, start, size)
        if len(builder) == GROUP:
            yield builder
            builder, given = ColumnBuilder(), given + 1
    if len(builder) or not given:
        yield builder


def _entries(path: Path) -> Iterator[tuple[int, int, LogEntry | None]]:
    """Every line: where it starts, how long it is and what it says, which is None for the closing line."""
    for number, (start, line) in enumerate(each_line(path), start=1):
        try:
            if not is_closing(line):
                yield start, len(line), decode_entry(line, number - 1)
            elif is_intact(line):
                yield start, len(line), None
            else:
                raise msgspec.DecodeError("its checksum does not match")
        except msgspec.DecodeError as error:
            raise damaged_line(path, number, error) from None


def latest_records(folder: str | Path) -> list[Record]:
    """One record per answer, the newest; retried failures are replaced by what came of them."""
    newest: dict[tuple[str, str, int], Record] = {}
    for record in read_records(folder):
        newest[(*record.key, record.sample)] = record
    return list(newest.values())

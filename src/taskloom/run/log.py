"""The run log: an append-only file of records that survives kill -9, full disks and two writers.

A record counts once its line, newline included, is on disk. The file is locked while a run writes to
it; a torn last line (a write cut short) is cut off when the log is opened again, and only that
instance is asked again.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from taskloom.core import UserError
from taskloom.run.record import Record
from taskloom.store.atomic import disk_errors

__all__ = ["RECORDS", "RunLog", "latest_records", "read_records"]

RECORDS = "records.jsonl"
_decode = msgspec.json.Decoder(Record).decode
_encode = msgspec.json.Encoder().encode


class _Key(msgspec.Struct):
    """The parts of a record that resuming needs; the rest is skipped without being built."""

    task: str
    id: str
    state: str


_decode_key = msgspec.json.Decoder(_Key).decode


class RunLog:
    """The log of one run, open for appending.

    Args:
        folder: The run's folder, made if need be.

    Raises:
        UserError: Another process writes here, or a line in the middle is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / RECORDS
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise UserError(
                "another process is writing this run", where=str(folder), hint="wait for it, or name another -o"
            ) from None
        try:
            self.repaired = self._repair()
            self.states = dict(self._read_states())
        except BaseException:
            os.close(self._file)
            raise

    def _repair(self) -> int:
        """Cut off a torn last line; return how many bytes went."""
        size = os.fstat(self._file).st_size
        end = size
        while end > 0:
            start = max(0, end - 65_536)
            block = os.pread(self._file, end - start, start)
            newline = block.rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._file, end)
            os.fsync(self._file)
        return size - end

    def _read_states(self) -> Iterator[tuple[tuple[str, str], str]]:
        for number, line in enumerate(_lines(self.path), start=1):
            try:
                key = _decode_key(line)
            except msgspec.DecodeError as error:
                raise _damaged(self.path, number, error) from None
            yield (key.task, key.id), key.state

    def append(self, records: Sequence[Record]) -> None:
        """Write records and flush them to disk. On a full disk the file is left as it was before the call."""
        if not records:
            return
        data = b"".join(_encode(record) + b"\n" for record in records)
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
            self.states[record.key] = record.state

    def close(self) -> None:
        """Let go of the file and its lock."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lines(path: Path) -> Iterator[bytes]:
    """Complete lines only: a torn last line of a log that is still being written is not an error to a reader."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _damaged(path: Path, number: int, error: Exception) -> UserError:
    return UserError(
        f"this record is damaged: {error}",
        where=f"{path}:{number}",
        hint=f"delete line {number} and give the run command again: only that instance is asked anew",
    )


def read_records(folder: Path) -> Iterator[Record]:
    """Every record of a run in the order it was written, retried ones more than once."""
    path = folder / RECORDS
    if not path.is_file():
        raise UserError("no run here (no records.jsonl)", where=str(folder), hint="taskloom run SUITE --model M -o DIR")
    for number, line in enumerate(_lines(path), start=1):
        try:
            yield _decode(line)
        except msgspec.DecodeError as error:
            raise _damaged(path, number, error) from None


def latest_records(folder: Path) -> list[Record]:
    """One record per instance, the newest; retried failures are replaced by what came of them."""
    newest: dict[tuple[str, str], Record] = {}
    for record in read_records(folder):
        newest[record.key] = record
    return list(newest.values())

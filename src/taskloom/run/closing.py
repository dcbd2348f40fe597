"""The end of a run: its log in canonical order, and a closing line with counts that nothing can go missing behind."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from taskloom.run.columns import ColumnBuilder, LogEntry, decode_entry
from taskloom.run.record import line_sum, sealed
from taskloom.store.atomic import half_name, sync_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Closing", "Tally", "is_closing", "read_closing", "write_canonical"]

_START = b'{"end":'
_SLICE = 65_536


class Closing(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last line of a finished log.

    Attributes:
        records: How many records there are.
        states: How many in each state.
        tasks: How many of each task.
        cells: How many of each combination, where the run knows them.
        chain: A hash over all lines in order: none is missing, doubled or exchanged.
    """

    records: int
    states: dict[str, int]
    tasks: dict[str, int]
    chain: str
    cells: dict[str, int] = {}


class _End(msgspec.Struct):
    end: Closing


class _Place(msgspec.Struct):
    """Where a line belongs."""

    index: int = 0
    sample: int = 0


_decode_place = msgspec.json.Decoder(_Place).decode
_decode_end = msgspec.json.Decoder(_End).decode


def is_closing(line: bytes) -> bool:
    """Whether a line closes a log."""
    return line.startswith(_START)


def read_closing(line: bytes) -> Closing:
    """The counts of a closing line."""
    return _decode_end(line).end


class Tally:
    """Counts lines as they pass by."""

    def __init__(self) -> None:
        self._states: Counter[str] = Counter()
        self._tasks: Counter[str] = Counter()
        self._cells: Counter[str] = Counter()
        self._chain = blake2b(digest_size=16)

    def add(self, line: bytes, entry: LogEntry) -> None:
        """Count one line and what it says."""
        self._states[entry.state] += 1
        self._tasks[entry.task] += 1
        if entry.cell:
            self._cells[entry.cell] += 1
        self._chain.update(line_sum(line))

    def closing(self) -> Closing:
        """The counts so far."""
        return Closing(
            self._states.total(),
            dict(sorted(self._states.items())),
            dict(sorted(self._tasks.items())),
            self._chain.hexdigest(),
            dict(sorted(self._cells.items())),
        )


def write_canonical(path: Path, samples: int) -> tuple[Closing, ColumnBuilder]:
    """Rewrite a log with one record per place, the newest, in canonical order, and close it.

    Only the places and offsets of lines, and the columns of the run, are kept in memory. A process that is killed on
    the way leaves the old log.

    Returns:
        The closing line, and the columns of the new log.
    """
    starts, sizes = _survey(path, samples)
    tally, builder = Tally(), ColumnBuilder()
    temporary = path.with_name(half_name(path.name))
    position = 0
    try:
        with path.open("rb") as old, temporary.open("wb") as new:
            for index, line in enumerate(_picked(old, starts, sizes)):
                entry = decode_entry(line, index)
                tally.add(line, entry)
                builder.add(entry, position, len(line))
                new.write(line)
                position += len(line)
            new.write(sealed(msgspec.json.encode(_End(tally.closing()))))
            new.flush()
            os.fsync(new.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
    return tally.closing(), builder


def _survey(path: Path, samples: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the newest line of each place starts and how long it is, by place."""
    from array import array

    import numpy as np

    places, starts, sizes = array("q"), array("q"), array("q")
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if not is_closing(line):
                entry = _decode_place(line)
                places.append(entry.index * samples + entry.sample)
                starts.append(offset)
                sizes.append(len(line))
            offset += len(line)
    if not places:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    by_place = np.frombuffer(places, np.int64)
    order = np.argsort(by_place, kind="stable")
    sorted_places = by_place[order]
    # The newest of equal places stands last in a stable order.
    newest = np.append(sorted_places[1:] != sorted_places[:-1], True)
    kept = order[newest]
    return np.frombuffer(starts, np.int64)[kept], np.frombuffer(sizes, np.int64)[kept]


def _picked(file: BinaryIO, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Iterator[bytes]:
    at = 0
    for first in range(0, len(starts), _SLICE):
        part = slice(first, first + _SLICE)  # as plain numbers all of them would take several times the memory
        for start, size in zip(starts[part].tolist(), sizes[part].tolist(), strict=True):
            if start != at:
                file.seek(start)
            yield file.read(size)
            at = start + size

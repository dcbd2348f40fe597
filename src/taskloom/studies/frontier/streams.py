"""Fresh items of cells by number, drawn once and kept as long as a search may come back to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from taskloom.core import Row, UserError, digest, input_hash
from taskloom.core.cells import Cell, Lattice

__all__ = ["Stream", "Streams", "place_of", "stream_of"]

_BITS = 20
_SIZES = 1 << 10
_AGES = 1 << 12
_LOOKED_AT = 150
"""Items drawn, not asked, to see how old the supports of a cell are: the few that a search asks would not tell."""
_MOST_DRAWN = 100
"""Items drawn at most for one that is wanted."""


def place_of(stream: int, item: int) -> int:
    """Where an item of a stream stands in the log: streams one after the other."""
    return stream << _BITS | item


def stream_of(place: int) -> tuple[int, int]:
    """The stream and the item at a place of the log."""
    return place >> _BITS, place & (1 << _BITS) - 1


class Stream(NamedTuple):
    """What a stream draws: a cell, the size it holds fixed and the greatest age (None: the suite's own mixture)."""

    cell: Cell
    size: int | None = None
    age: int | None = None

    def __str__(self) -> str:
        size = "" if self.size is None else f" @ {self.size}"
        return f"{self.cell}{size}" if self.age is None else f"{self.cell}{size} @ age {self.age}"


class Streams:
    """Items of numbered streams. The first streams are the cells of a lattice; controls of size come after them.

    The number of a control follows from what it draws, not from when it was first asked for: a log stays readable when
    a search goes on with a larger budget and comes to its controls in another order. Controls have a seed of their own,
    so that they do not ask again what the search has asked.

    Args:
        lattice: Where items come from.
        cells: The cells, by number.
        seed: The seed of the streams.
        apart: Hashes of inputs that are left out, because the model was taught them.
    """

    def __init__(
        self, lattice: Lattice, cells: Sequence[Cell], seed: int, apart: frozenset[bytes] = frozenset()
    ) -> None:
        self._apart = apart
        self._lattice = lattice
        self._seed = seed
        self._control_seed = int.from_bytes(digest("control", seed)[:6], "big")
        self._places = {cell: number for number, cell in enumerate(cells)}
        self.streams = {number: Stream(cell) for number, cell in enumerate(cells)}
        self._rows: dict[int, list[Row]] = {}
        self._iterators: dict[int, Iterator[Row]] = {}
        self.taken: dict[int, int] = {}

    def number(self, stream: Stream) -> int:
        """The number of a stream."""
        number = self._places[stream.cell]
        if stream.size is None and stream.age is None:
            return number
        size, age = ((0 if value is None else value + 1) for value in (stream.size, stream.age))
        if size >= _SIZES or age >= _AGES:
            raise UserError(f"no control of size {stream.size} and age {stream.age}", where=str(stream.cell))
        number = len(self._places) + (number * _SIZES + size) * _AGES + age
        self.streams[number] = stream
        return number

    def drawn(self, number: int) -> list[Row]:
        """The items of a stream that were drawn so far."""
        return self._rows.get(number, [])

    def look(self, cell: Cell, count: int) -> list[Row]:
        """Items of a cell that are only looked at and never asked; fewer, or none, where the generator has no more."""
        rows: list[Row] = []
        with suppress(UserError):  # where it has run dry, what it gave will do
            rows.extend(islice(self._lattice.stream(cell, self._control_seed), count))
        return rows

    def ages(self, cell: Cell) -> list[int]:
        """How old the supports of a cell's items are, youngest first; empty where items have no ages."""
        found = (self._lattice.age_of(row.instance) for row in self.look(cell, _LOOKED_AT))
        return sorted(age for age in found if age is not None)

    def _wanted(self, row: Row, age: int | None) -> bool:
        if self._apart and input_hash(row.instance.input) in self._apart:
            return False
        own = None if age is None else self._lattice.age_of(row.instance)
        return own is None or age is None or own <= age

    def take(self, number: int, count: int) -> list[tuple[int, Row]]:
        """The next items of a stream with their places; fewer where the stream ends.

        Raises:
            UserError: The generator cannot draw this cell.
        """
        start = self.taken.get(number, 0)
        rows = self._rows.setdefault(number, [])
        if number not in self._iterators:
            stream = self.streams[number]
            seed = self._seed if number < len(self._places) else self._control_seed
            self._iterators[number] = self._lattice.stream(stream.cell, seed, size=stream.size)
        drawn = 0
        while len(rows) < start + count and drawn < _MOST_DRAWN * count:
            row = next(self._iterators[number], None)
            if row is None:
                break
            drawn += 1
            if self._wanted(row, self.streams[number].age):
                rows.append(row)
        found = rows[start : start + count]
        self.taken[number] = start + len(found)
        if self.taken[number] >= 1 << _BITS:
            raise UserError(f"more than {1 << _BITS:,} items of one cell", where=str(self.streams[number]))
        return [(place_of(number, start + offset), row) for offset, row in enumerate(found)]

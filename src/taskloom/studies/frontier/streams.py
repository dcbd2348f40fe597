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
_NAMED_BITS = 40
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
    """What a stream draws.

    Attributes:
        cell: The cell.
        size: The size that it holds fixed; None for the suite's own mixture, here and below.
        age: The greatest age of what an answer needs.
        bound: The bound cell that its items must have.
        inside: Atoms; the bound cells of its items have no others.
    """

    cell: Cell
    size: int | None = None
    age: int | None = None
    bound: Cell | None = None
    inside: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = str(self.bound or self.cell)
        for name, value in (("size", self.size), ("age", self.age), ("inside", "+".join(self.inside) or None)):
            text += "" if value is None else f" @ {name} {value}"
        return text


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
        if stream == Stream(stream.cell):
            return self._places[stream.cell]
        number = len(self._places) + int.from_bytes(digest("stream", str(stream))[: _NAMED_BITS // 8], "big")
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

    def ages(self, cell: Cell, bound: Cell | None = None) -> list[int]:
        """How old the supports of a cell's items are, youngest first; empty where items have no ages."""
        rows = self.look(cell, _LOOKED_AT)
        found = (self._lattice.age_of(row.instance) for row in rows if bound in (None, self._lattice.bound(row)))
        return sorted(age for age in found if age is not None)

    def apart_from_streams(self, name: str, count: int) -> int:
        """The first of so many places for single items that belong to no stream."""
        number = len(self._places) + int.from_bytes(digest("item", name)[: _NAMED_BITS // 8], "big")
        self.taken[number] = count
        return place_of(number, 0)

    def _wanted(self, row: Row, stream: Stream) -> bool:
        if self._apart and input_hash(row.instance.input) in self._apart:
            return False
        if stream.bound is not None or stream.inside:
            own = self._lattice.bound(row)
            if stream.bound not in (None, own) or (
                stream.inside and own is not None and not set(own.atoms) <= set(stream.inside)
            ):
                return False
        age = None if stream.age is None else self._lattice.age_of(row.instance)
        return age is None or stream.age is None or age <= stream.age

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
            if self._wanted(row, self.streams[number]):
                rows.append(row)
        found = rows[start : start + count]
        self.taken[number] = start + len(found)
        if self.taken[number] >= 1 << _BITS:
            raise UserError(f"more than {1 << _BITS:,} items of one cell", where=str(self.streams[number]))
        return [(place_of(number, start + offset), row) for offset, row in enumerate(found)]

"""The order of a lattice's cells, numbered: parts, everything below, everything above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from taskloom.core.cells import Cell, Lattice, direct_parts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CellOrder"]


class CellOrder:
    """Cells by number, sorted, with the order between them.

    Args:
        cells: The cells.
        parts: The direct parts of each, by number.
    """

    def __init__(self, cells: Sequence[Cell], parts: Sequence[Sequence[int]]) -> None:
        self.cells = tuple(cells)
        self.parts = tuple(tuple(own) for own in parts)

    @classmethod
    def of(cls, lattice: Lattice) -> CellOrder:
        """The order of a lattice. A part that is none of its cells gives way to its own parts."""
        cells = sorted(lattice.cells)
        number = {cell: place for place, cell in enumerate(cells)}

        def known(cell: Cell) -> set[int]:
            found: set[int] = set()
            for part in lattice.parts(cell):
                found |= {number[part]} if part in number else known(part)
            return found

        return cls(cells, [sorted(known(cell)) for cell in cells])

    @classmethod
    def by_inclusion(cls, cells: Iterable[Cell]) -> CellOrder:
        """These cells, ordered by inclusion of their atoms."""
        own = sorted(set(cells))
        number = {cell: place for place, cell in enumerate(own)}
        parts = direct_parts(own)
        return cls(own, [sorted(number[part] for part in parts[cell]) for cell in own])

    def covering_pair(self, cell: int, merit: Callable[[int], float]) -> tuple[int, int] | None:
        """Two direct parts that make up the whole, those of the greatest merit together; None where no two do."""
        atoms = frozenset(self.cells[cell].atoms)
        pairs = [
            (a, b)
            for a, b in combinations(self.parts[cell], 2)
            if frozenset(self.cells[a].atoms) | frozenset(self.cells[b].atoms) == atoms
        ]
        if not pairs:
            return None
        merits = {part: merit(part) for part in self.parts[cell]}
        return max(pairs, key=lambda pair: (merits[pair[0]] + merits[pair[1]], -pair[0], -pair[1]))

    def largest_part(self, cell: int) -> int:
        """The direct part with most atoms."""
        return max(self.parts[cell], key=lambda part: (len(self.cells[part].atoms), -part))

    def added(self, cell: int) -> tuple[str, ...]:
        """What a cell has more than its largest part."""
        held = self.cells[self.largest_part(cell)].atoms
        return tuple(atom for atom in self.cells[cell].atoms if atom not in held)

    def smallest_with(self, atoms: Iterable[str], among: Iterable[int]) -> int | None:
        """The cell with fewest atoms, of some, that holds all of these; None where none does."""
        wanted = frozenset(atoms)
        holding = [cell for cell in among if wanted <= frozenset(self.cells[cell].atoms)]
        return min(holding, key=lambda cell: (len(self.cells[cell].atoms), cell), default=None)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def below(self) -> NDArray[np.bool_]:
        """`below[i, j]`: cell j is strictly below cell i."""
        import numpy as np

        matrix = np.zeros((len(self), len(self)), dtype=bool)
        for cell in self._upwards():
            for part in self.parts[cell]:
                matrix[cell] |= matrix[part]
                matrix[cell, part] = True
        return matrix

    def _upwards(self) -> list[int]:
        """The cells, every one after its parts."""
        done: dict[int, None] = {}

        def visit(cell: int) -> None:
            if cell not in done:
                for part in self.parts[cell]:
                    visit(part)
                done[cell] = None

        for cell in range(len(self)):
            visit(cell)
        return list(done)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The longest way down from each cell; basic cells are on level 0."""
        levels = [0] * len(self)
        for cell in self._upwards():
            levels[cell] = 1 + max((levels[part] for part in self.parts[cell]), default=-1)
        return tuple(levels)

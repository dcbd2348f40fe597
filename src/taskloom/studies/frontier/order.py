"""The order of a lattice's cells, numbered: parts, everything below, everything above."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from taskloom.core.cells import Cell, Lattice

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
        """The order of a lattice."""
        cells = sorted(lattice.cells)
        number = {cell: place for place, cell in enumerate(cells)}
        return cls(cells, [sorted(number[part] for part in lattice.parts(cell)) for cell in cells])

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

"""What is next to learn: cells drawn by how often a learner gets them right, most where it gets some right.

One sampler serves `taskloom cure` (which combinations to teach) and curricula of reinforcement learning (which
combinations the next prompts come from). It moves towards a target share right, keeps exploring, and is deterministic
given the seed and the answers that it was given.

Example:
    >>> from taskloom.core.cells import Cell
    >>> from taskloom.studies.frontier.order import CellOrder
    >>> order = CellOrder.by_inclusion([Cell("", ("a",)), Cell("", ("b",)), Cell("", ("a", "b"))])
    >>> chooser = NextCells(order, seed=3)
    >>> for _ in range(20):
    ...     chooser.observe(Cell("", ("a",)), 1.0)
    ...     chooser.observe(Cell("", ("b",)), 1.0)
    ...     chooser.observe(Cell("", ("a", "b")), 0.4)
    >>> max(zip(chooser.weights(), order.cells, strict=True))[1].atoms
    ('a', 'b')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from taskloom.core import Recipe, Row
from taskloom.core.cells import Cell, Lattice
from taskloom.core.rng import keyed_random
from taskloom.studies.frontier.order import CellOrder

__all__ = ["NextCells", "NextSettings", "missing_cells"]


class NextSettings(Recipe, frozen=True, kw_only=True):
    """How the next cells are chosen.

    Attributes:
        target: The share right at which a cell teaches most.
        explore: The share of draws that go to every cell alike.
        memory: How many answers of a cell count; older ones fade, because a learner changes.
        parts: The estimated share right that the direct parts need before their whole is worth much.
    """

    target: float = 0.5
    explore: float = 0.1
    memory: float = 32.0
    parts: float = 0.6

    def __post_init__(self) -> None:
        if not 0 < self.target < 1 or not 0 <= self.explore <= 1:
            raise ValueError("target lies between 0 and 1, explore from 0 to 1")
        if self.memory < 1 or not 0 <= self.parts < 1:
            raise ValueError("memory is 1 or more, parts from 0 to below 1")


class NextCells:
    """Chooses cells by what was answered so far.

    Args:
        order: The cells and their order.
        settings: Target, exploration, memory.
        seed: Keys the draws.
    """

    def __init__(self, order: CellOrder, settings: NextSettings | None = None, seed: int = 0) -> None:
        self.order = order
        self.settings = settings or NextSettings()
        self._number = {cell: place for place, cell in enumerate(order.cells)}
        self._right = [0.0] * len(order)
        self._n = [0.0] * len(order)
        self._random = keyed_random("frontier", "next", seed)

    def observe(self, cell: Cell, score: float) -> None:
        """Take one answer in: a score in [0, 1]."""
        place = self._number[cell]
        # Fading keeps the count at `memory` at most.
        kept = 1 - 1 / self.settings.memory
        self._right[place] = self._right[place] * kept + score
        self._n[place] = self._n[place] * kept + 1

    def share(self, cell: Cell) -> float:
        """The share right of a cell, drawn towards its parts' where little was seen; ½ where nothing is known."""
        return self._shares()[self._number[cell]]

    def _shares(self) -> list[float]:
        shares = [0.5] * len(self.order)
        for place in sorted(range(len(self.order)), key=self.order.levels.__getitem__):
            parts = self.order.parts[place]
            expected = min((shares[part] for part in parts), default=0.5)
            shares[place] = (self._right[place] + 2 * expected) / (self._n[place] + 2)
        return shares

    def weights(self) -> list[float]:
        """The chance of every cell to be drawn next, in the order of `order.cells`."""
        settings = self.settings
        shares = self._shares()
        worth = []
        for place, parts in enumerate(self.order.parts):
            # Largest at the target and 0 where nothing is left to learn or nothing is ever right.
            share = shares[place]
            near = share / settings.target if share < settings.target else (1 - share) / (1 - settings.target)
            ready = min((shares[part] for part in parts), default=1.0) >= settings.parts
            worth.append(near * near * (1.0 if ready else 0.1))
        total = sum(worth)
        even = 1 / len(worth)
        if not total:
            return [even] * len(worth)
        return [settings.explore * even + (1 - settings.explore) * each / total for each in worth]

    def draw(self, count: int) -> list[Cell]:
        """The next cells, with repetition."""
        return self._random.choices(self.order.cells, self.weights(), k=count)

    def rows(self, lattice: Lattice, seed: int) -> Iterator[tuple[Cell, Row]]:
        """Endless fresh items, each of the cell that is next when it is asked for."""
        streams: dict[Cell, Iterator[Row]] = {}
        while True:
            (cell,) = self.draw(1)
            if cell not in streams:
                streams[cell] = lattice.stream(cell, seed)
            yield cell, next(streams[cell])


def missing_cells(order: CellOrder, failing: Iterable[Cell], mastered: Iterable[Cell]) -> list[Cell]:
    """The smallest cells to teach: failing ones that have no failing cell below them, whose parts are mastered."""
    lacking, known = set(failing), set(mastered)
    number = {cell: place for place, cell in enumerate(order.cells)}
    return [
        cell
        for cell in order.cells
        if cell in lacking and all(order.cells[part] in known for part in order.parts[number[cell]])
    ]

"""A curriculum: which combinations to practise next, so that a policy is always asked what it can nearly do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import exp
from typing import Annotated, Any

import msgspec

from taskloom.core import Cell, Lattice, Positive, Recipe, Row, Share, Suite, UserError, keyed_random, resolve
from taskloom.core.catalog import lattice_of
from taskloom.rl.reward import Reading, Reward, reward

CELL = "cell"
"""The facet that says which combination a row of a curriculum belongs to."""

_TRUST = 4.0
"""How many answers the expectation from a cell's parts is worth."""


class CurriculumSettings(Recipe, frozen=True, kw_only=True):
    """What a curriculum aims at.

    Attributes:
        target: The success rate at which practice helps most.
        width: How far from the target a combination may be and still be practised often.
        explore: The share of rows drawn from all combinations alike, regardless of their success.
        memory: After this many answers of a combination an old answer counts half.
    """

    target: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.5
    width: Annotated[float, msgspec.Meta(gt=0)] = 0.2
    explore: Share = 0.1
    memory: Positive = 200


def expected(
    cells: Sequence[Cell],
    parts: Callable[[Cell], Sequence[Cell]],
    counts: Mapping[Cell, tuple[float, float]],
    target: float = 0.5,
) -> dict[Cell, float]:
    """The success rate to expect of each cell: what was seen of it, and where little was, what its parts promise.

    `parts` gives the direct parts of a cell, `counts` summed rewards and answers. A combination of which nothing was
    seen is expected to succeed as often as all its parts do independently, one without parts as often as `target` says.
    """
    known = set(cells)
    found: dict[Cell, float] = {}
    for cell in sorted(cells, key=lambda one: (len(one.atoms), one)):
        promise, below = target, [part for part in parts(cell) if part in known]
        if below:
            promise = 1.0
            for part in below:
                promise *= found.get(part, target)
        total, n = counts.get(cell, (0.0, 0.0))
        found[cell] = (total + _TRUST * promise) / (n + _TRUST)
    return found


def frontier_weights(rates: Mapping[Cell, float], target: float = 0.5, width: float = 0.2) -> dict[Cell, float]:
    """How much each cell is worth practising: most at the target, next to nothing far from it. They sum to 1."""
    raw = {cell: exp(-(((rate - target) / width) ** 2)) for cell, rate in rates.items()}
    total = sum(raw.values())
    return {cell: weight / total for cell, weight in raw.items()} if total else dict.fromkeys(raw, 1 / len(raw))


class Curriculum:
    """Endless rows of the combinations that a policy can nearly do, chosen by the rewards it got so far.

    Each row carries its combination in the facet `cell`. Rewards come back through `reward()` (or `learn`); what
    is drawn next depends on them and on the seed alone. Rows are apart from every split of the suite.

    Args:
        suite: A suite whose family has a lattice.
        seed: The seed of rows and choices.
        **settings: `target`, `width`, `explore`, `memory`.

    Raises:
        UserError: The suite has no combinations.

    Example:
        >>> from taskloom import open_suite
        >>> from taskloom.rl import Curriculum
        >>> practice = Curriculum(open_suite("babi/mix-t2"), seed=3)
        >>> for row in practice.draw(100):
        ...     practice.learn(row.instance.facets["cell"], 1.0)
        >>> max(practice.rates().values()) > 0.8
        True
    """

    def __init__(self, suite: Suite, seed: int = 0, **settings: Any) -> None:
        self.suite = suite
        self.seed = seed
        self.settings = resolve(CurriculumSettings(), settings, where="Curriculum")
        self.lattice: Lattice = lattice_of(suite)
        self.cells: list[Cell] = list(self.lattice.cells)
        self.counts: dict[Cell, tuple[float, float]] = {}
        self.drawn = 0
        self.taken: dict[Cell, int] = {}
        self._streams: dict[Cell, Iterator[Row]] = {}
        self._empty: set[Cell] = set()

    def rates(self) -> dict[str, float]:
        """The success rate to expect of each combination."""
        return {str(cell): rate for cell, rate in self._rates().items()}

    def mixture(self) -> dict[str, float]:
        """The probability with which each combination is drawn next."""
        return {str(cell): weight for cell, weight in self._mixture().items()}

    def _rates(self) -> dict[Cell, float]:
        return expected(self._open(), self.lattice.parts, self.counts, self.settings.target)

    def _mixture(self) -> dict[Cell, float]:
        settings = self.settings
        aimed = frontier_weights(self._rates(), settings.target, settings.width)
        return {cell: (1 - settings.explore) * weight + settings.explore / len(aimed) for cell, weight in aimed.items()}

    def _open(self) -> list[Cell]:
        return [cell for cell in self.cells if cell not in self._empty]

    def draw(self, count: int) -> list[Row]:
        """The next rows, chosen by what has been learned so far."""
        mixture = self._mixture()
        rows: list[Row] = []
        while len(rows) < count:
            chance = keyed_random("curriculum", self.suite.identity, self.seed, self.drawn)
            self.drawn += 1
            cell = chance.choices(list(mixture), list(mixture.values()))[0]
            row = self._next(cell)
            if row is None:  # a cell that has no (further) items
                self._empty.add(cell)
                if not self._open():
                    raise UserError("no combination has any further items", where=self.suite.name)
                mixture = self._mixture()
                continue
            rows.append(row)
        return rows

    def _next(self, cell: Cell) -> Row | None:
        try:
            if cell not in self._streams:
                self._streams[cell] = islice(self.lattice.stream(cell, self.seed), self.taken.get(cell, 0), None)
            row = next(self._streams[cell], None)
        except UserError:
            return None
        if row is None:
            return None
        self.taken[cell] = self.taken.get(cell, 0) + 1
        facets = {**row.instance.facets, CELL: str(cell)}
        return Row(row.task, msgspec.structs.replace(row.instance, facets=facets))

    def rows(self, block: int = 16) -> Iterator[Row]:
        """Endless rows; the mixture is worked out anew every `block` rows."""
        while True:
            yield from self.draw(block)

    def learn(self, cell: str, value: float | None) -> None:
        """Take in the reward of one answer; None (not scored) is passed over."""
        if value is None:
            return
        key = Cell.parse(cell)
        total, n = self.counts.get(key, (0.0, 0.0))
        kept = 0.5 ** (1 / self.settings.memory)
        self.counts[key] = (total * kept + value, n * kept + 1)

    def reward(self, reading: Reading = "lenient") -> Reward:
        """A reward function that also teaches the curriculum, through the column `cell`."""
        return _Teaching(self, reward(self.suite, reading))

    def state(self) -> dict[str, Any]:
        """All that decides what comes next, as plain data; `restore` continues from it."""
        return {
            "drawn": self.drawn,
            "counts": {str(cell): list(pair) for cell, pair in sorted(self.counts.items())},
            "taken": {str(cell): number for cell, number in sorted(self.taken.items())},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where a curriculum of the same suite, seed and settings stood."""
        self.drawn = int(state["drawn"])
        self.counts = {Cell.parse(cell): (float(a), float(b)) for cell, (a, b) in state["counts"].items()}
        self.taken = {Cell.parse(cell): int(number) for cell, number in state["taken"].items()}
        self._streams.clear()
        self._empty.clear()


class _Teaching(Reward):
    """A reward whose results a curriculum learns from."""

    def __init__(self, curriculum: Curriculum, inner: Reward) -> None:
        super().__init__(inner.tasks, inner.reading, inner.origin)
        self._curriculum = curriculum

    def __call__(self, *arguments: Any, **columns: Any) -> list[float | None]:
        values = super().__call__(*arguments, **columns)
        for cell, value in zip(columns.get(CELL) or (), values, strict=False):
            self._curriculum.learn(cell, value)
        return values

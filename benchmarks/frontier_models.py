"""Simulated models of known truth on the lattice of a real suite: what `benchmarks.frontier` and its tests search for.

A model is a rate of right answers for a cell and an item's facets; everything a search may claim follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from taskloom.core.cells import Cell
from taskloom.studies.frontier.search import CellOrder

__all__ = ["KINDS", "Planted", "plant", "true_frontier"]

Rate = Callable[[Cell, Mapping[str, Any]], float]
Pattern = tuple[str, tuple[str, ...]]
"""A question ("" for all) and atoms that fail together."""

Make = Callable[[CellOrder, Random], "Planted"]

_GOOD, _BAD = 0.97, 0.15


class Planted(NamedTuple):
    """A simulated model: its rate, and the patterns that were planted."""

    kind: str
    rate: Rate
    patterns: tuple[Pattern, ...] = ()
    by_item: bool = False
    """The rate depends on more of an item than its cell."""


def plant(kind: str, order: CellOrder, seed: int) -> Planted:
    """A model of a kind, its patterns drawn by the seed."""
    return KINDS[kind](order, Random(f"{kind} {seed}"))


def _patterns(order: CellOrder, rng: Random, count: int, question: bool = False) -> tuple[Pattern, ...]:
    """Pairs and triples of atoms that some cells with mastered parts hold; with a question where one is wanted."""
    sets: dict[Pattern, int] = {}
    for cell, parts in zip(order.cells, order.parts, strict=True):
        for size in (2, 3):
            for atoms in combinations(cell.atoms, size):
                # A pattern that its parts hold as well stops there already: it needs a cell of its own.
                if parts and not any(set(atoms) <= set(order.cells[part].atoms) for part in parts):
                    key = (cell.question if question else "", atoms)
                    sets[key] = sets.get(key, 0) + 1
    return tuple(rng.sample(sorted(sets), count))


def _holds(patterns: Sequence[Pattern], cell: Cell) -> bool:
    return any(
        (not question or question == cell.question) and set(atoms) <= set(cell.atoms) for question, atoms in patterns
    )


def _failing(
    kind: str, count: int, good: float, bad: float, question: bool = False
) -> Callable[[CellOrder, Random], Planted]:
    def make(order: CellOrder, rng: Random) -> Planted:
        patterns = _patterns(order, rng, count, question)
        return Planted(kind, lambda cell, facets: bad if _holds(patterns, cell) else good, patterns)

    return make


def _shortcut(order: CellOrder, rng: Random) -> Planted:
    """Right as long as a cell is no deeper than a shortcut reaches."""
    deepest = rng.choice((3, 4))
    return Planted("shortcut by depth", lambda cell, facets: _GOOD if len(cell.atoms) <= deepest else 0.3)


def _not_monotone(order: CellOrder, rng: Random) -> Planted:
    """Fails where a pattern meets in small cells and does well in large ones."""
    patterns = _patterns(order, rng, 3)
    return Planted(
        "non-monotone",
        lambda cell, facets: _BAD if _holds(patterns, cell) and len(cell.atoms) <= 4 else _GOOD,
        patterns,
    )


def _eroding(order: CellOrder, rng: Random) -> Planted:
    """Every further atom costs a little: four of five cells of babi/mix-t12 lie between the bounds."""
    return Planted("eroding", lambda cell, facets: 0.98 * 0.92 ** (len(cell.atoms) - 1))


def _last_sentences(order: CellOrder, rng: Random) -> Planted:
    """Reads the last 12 sentences and no more: no skill is missing."""
    return Planted(
        "last 12 sentences", lambda cell, facets: _GOOD if facets["support_age"] <= 12 else 0.2, by_item=True
    )


KINDS: dict[str, Make] = {
    "compositional": lambda order, rng: Planted("compositional", lambda cell, facets: _GOOD),
    "1 pattern, one question": _failing("1 pattern, one question", 1, _GOOD, _BAD, True),
    "3 patterns": _failing("3 patterns", 3, _GOOD, _BAD),
    "8 patterns": _failing("8 patterns", 8, _GOOD, _BAD),
    "3 mild": _failing("3 mild", 3, _GOOD, 0.5),
    "3, noisy parts": _failing("3, noisy parts", 3, 0.90, _BAD),
    "shortcut by depth": _shortcut,
    "non-monotone": _not_monotone,
    "eroding": _eroding,
    "last 12 sentences": _last_sentences,
}
"""Every kind of model, by name."""


def true_frontier(
    order: CellOrder, rate: Callable[[Cell], float], low: float = 0.60, high: float = 0.85
) -> tuple[set[int], set[int]]:
    """Cells that must be claimed, and cells that may be.

    A claim is right where the cell's rate is below `high` and those of all direct parts are above `low`. It must be
    found where the cell's rate is at most `low` and those of its parts at least `high`: in between either verdict is
    right.
    """
    rates = [rate(cell) for cell in order.cells]
    may = {c for c, parts in enumerate(order.parts) if parts and rates[c] < high and all(rates[p] > low for p in parts)}
    must = {c for c in may if rates[c] <= low and all(rates[p] >= high for p in order.parts[c])}
    return must, may

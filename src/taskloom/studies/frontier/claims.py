"""From a search to claims: the promise of the parts, patterns. What may be said of them is in `sentences`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import msgspec

from taskloom.core.cells import Cell
from taskloom.studies.frontier.order import CellOrder
from taskloom.studies.frontier.search import Search

__all__ = [
    "Claim",
    "Pattern",
    "Promise",
    "Share",
    "claim_of",
    "find_patterns",
    "make_claims",
    "proving_cells",
    "shares_of",
]


class Share(msgspec.Struct, frozen=True):
    """The share right in a cell, with its interval, its denominator, and the share that guessing gets."""

    cell: str
    value: float
    low: float
    high: float
    n: int
    guess: float | None = None

    def __str__(self) -> str:
        guess = "" if self.guess is None else f"; guessing: {self.guess:.2f}"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n}{guess})"


class Promise(msgspec.Struct, frozen=True):
    """What two parts A and B promise for the whole A ∪ B.

    Attributes:
        at_least: p_A + p_B − 1: the errors of the parts never coincide, and combining adds no difficulty.
        independent: p_A · p_B.
        at_most: min(p_A, p_B).
    """

    first: Share
    second: Share
    at_least: float
    independent: float
    at_most: float

    @classmethod
    def of(cls, first: Share, second: Share) -> Promise:
        """What two parts promise."""
        a, b = first.value, second.value
        return cls(first, second, max(0.0, a + b - 1), a * b, min(a, b))


class Claim(msgspec.Struct, frozen=True):
    """A combination that fails although every direct part is mastered.

    Attributes:
        whole: The failing cell.
        parts: Its direct parts.
        promise: What two of them promise, where two make up the whole.
        added: What the whole has more than its largest part, where no two parts make it up.
        proved: The drop below the least that the parts promise is proved, not the level alone.
        trained: Whether the cell occurs among the rows that the model was fitted to; None where that is not known.
        long_supports: The parts fall too at the whole's size, or the whole is solved where its supports are near, so
            length is to blame and not the combination; None where that was not tried.
        probability: How likely the claim is by a pooled fit of a finished run, which suggests and proves nothing; None
            for claims of a probe.
        elsewhere: The smallest mastered cell that holds what was added, where there is one.
    """

    whole: Share
    parts: tuple[Share, ...]
    promise: Promise | None = None
    added: tuple[str, ...] = ()
    proved: bool = False
    trained: bool | None = None
    long_supports: bool | None = None
    probability: float | None = None
    elsewhere: Share | None = None

    @property
    def base(self) -> Share:
        """The direct part with most atoms: what `added` is added to."""
        return max(self.parts, key=lambda part: len(Cell.parse(part.cell).atoms))


class Pattern(msgspec.Struct, frozen=True):
    """A smallest set of atoms that no mastered cell holds and that explains failing cells. A summary, no guarantee."""

    atoms: tuple[str, ...]
    question: str
    cells: tuple[int, ...]

    def __str__(self) -> str:
        together = "+".join(self.atoms)
        return f"{together} in {self.question} questions" if self.question else together


def shares_of(search: Search, guess: Callable[[int], float | None] = lambda cell: None) -> list[Share]:
    """The share right in every cell, with intervals that hold for all of them together.

    Args:
        search: The search.
        guess: What guessing gets right in a cell.
    """
    found = []
    for number, (cell, count) in enumerate(zip(search.order.cells, search.counts, strict=True)):
        found.append(Share(str(cell), count.share, *search.interval(number), count.n, guess(number)))
    return found


def make_claims(search: Search, shares: Sequence[Share]) -> list[Claim]:
    """The claims that the evidence supports at the family-wise level."""
    bounds = (search.settings.low, search.settings.drop)
    return [claim_of(search.order, shares, cell, *bounds) for cell in search.claims()]


def claim_of(order: CellOrder, shares: Sequence[Share], cell: int, low: float, drop: float, **more: Any) -> Claim:
    """A failing cell with its parts, what they promise, and whether the drop below it is proved.

    Args:
        order: The cells.
        shares: The share of each.
        cell: The failing one.
        low: What is mastered lies above this share.
        drop: How far below the promise it must lie for the drop to be proved.
        more: Further fields of the claim.
    """
    whole, parts = shares[cell], tuple(shares[part] for part in order.parts[cell])
    pair = order.covering_pair(cell, lambda part: shares[part].low)
    if pair is not None:
        first, second = (shares[part] for part in pair)
        proved = whole.high <= first.low + second.low - 1 - drop
        return Claim(whole, parts, Promise.of(first, second), proved=proved, **more)
    added = order.added(cell)
    proved = whole.high <= shares[order.largest_part(cell)].low - drop
    mastered = [place for place, share in enumerate(shares) if share.n and share.low > low]
    known = order.smallest_with(added, mastered)
    elsewhere = None if known is None else shares[known]
    return Claim(whole, parts, added=added, proved=proved, elsewhere=elsewhere, **more)


def promising_pair(search: Search, cell: int) -> tuple[int, int] | None:
    """Two direct parts that make up the whole, the best measured ones first; None where no two do."""
    return search.order.covering_pair(cell, lambda part: search.interval(part)[0])


def find_patterns(search: Search) -> list[Pattern]:
    """A greedy cover of the failing cells by smallest sets of atoms that no mastered cell holds."""
    order = search.order
    failing = [c for c in range(len(order)) if search.direct(c, search.screen) == "failing" and order.parts[c]]
    mastered = [
        (order.cells[c].question, frozenset(order.cells[c].atoms))
        for c in range(len(order))
        if search.direct(c, search.screen) == "mastered"
    ]
    options: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for cell in failing:
        question, atoms = order.cells[cell].question, order.cells[cell].atoms
        for size in range(1, len(atoms) + 1):
            found = [
                (scope, chosen)
                for chosen in combinations(atoms, size)
                for scope in ("", question)
                if not any((not scope or scope == q) and set(chosen) <= held for q, held in mastered)
            ]
            for option in found:
                options.setdefault(option, [])
            if found:
                break
    for (scope, chosen), cells in options.items():
        cells += [
            c
            for c in failing
            if (not scope or order.cells[c].question == scope) and set(chosen) <= set(order.cells[c].atoms)
        ]
    patterns = []
    left = set(failing)
    while left:
        best = max(
            options.items(), key=lambda item: (len(left & set(item[1])), not item[0][0], -len(item[0][1])), default=None
        )
        if best is None or not left & set(best[1]):
            break
        (scope, chosen), cells = best
        patterns.append(Pattern(chosen, scope, tuple(sorted(left & set(cells)))))
        left -= set(cells)
    return patterns


def proving_cells(search: Search) -> list[int]:
    """One claim per pattern and the two parts that promise it, as long as the drop is not proved."""
    claimed = search.claims()
    proved = {cell for cell, claim in zip(claimed, make_claims(search, shares_of(search)), strict=True) if claim.proved}
    cells: dict[int, None] = {}
    for pattern in find_patterns(search):
        own = [cell for cell in claimed if cell in pattern.cells]
        if not own:
            continue
        example = min(own, key=lambda cell: (len(search.order.cells[cell].atoms), cell))
        if example in proved:
            continue
        pair = promising_pair(search, example) or search.order.parts[example][:1]
        cells |= dict.fromkeys((example, *pair))
    return list(cells)

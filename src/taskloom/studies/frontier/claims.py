"""From a search to claims: the promise of the parts, patterns. What may be said of them is in `sentences`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Literal

import msgspec

from taskloom.core.cells import Cell, GuessingLevel
from taskloom.studies.frontier.evidence import Counts, interval
from taskloom.studies.frontier.order import CellOrder
from taskloom.studies.frontier.search import Search

__all__ = [
    "Claim", "Control", "Pattern", "Promise", "Share", "ShownItem", "ShownPair", "cell_share", "claim_of",
    "example_claims", "find_patterns", "make_claims", "promising_pair", "proving_cells", "share_of", "shares_of",
]  # fmt: skip


_WORTH_SAYING = 0.1
"""How far the most frequent answer must be above a random one to be mentioned."""


class Share(msgspec.Struct, frozen=True):
    """The share right in a cell, with its interval and what it has to be read with.

    Attributes:
        cell: The cell, as text.
        value, low, high: The share with its interval.
        n: Answers.
        guess: The share that a random one of the answers to such questions gets right; None where that is not known.
        majority: The share that always the most frequent one gets right.
        unread: Answers that could not be read; they count as wrong.
        ceiling: The upper bound if they counted as right.
    """

    cell: str
    value: float
    low: float
    high: float
    n: int
    guess: float | None = None
    majority: float | None = None
    unread: int = 0
    ceiling: float | None = None

    @property
    def top(self) -> float:
        """The upper bound that holds whatever the answers were that could not be read."""
        return self.high if self.ceiling is None else max(self.high, self.ceiling)

    def __str__(self) -> str:
        guess = "" if self.guess is None else f"; guessing: {self.guess:.2f}"
        if self.guess is not None and self.majority is not None and self.majority > self.guess + _WORTH_SAYING:
            guess += f", always the most frequent answer: {self.majority:.2f}"
        unread = f", {self.unread} of them not read" if self.unread else ""
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n}{unread}{guess})"


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


class Control(msgspec.Struct, frozen=True):
    """Is it the combination, or is it length? Items of the same bound composition that differ in length alone.

    Attributes:
        kind: young (the failing cell where what an answer needs stands near the question), or long (a part at the
            size of the whole).
        against: What it is compared with: the failing cell, or the part as it is usually asked.
        share: What came out; None where it was not asked.
        missing: Why not: budget, or unmatched (no such items).
    """

    kind: Literal["young", "long"]
    against: Share
    share: Share | None = None
    missing: Literal["", "budget", "unmatched"] = ""

    @property
    def excuses(self) -> bool:
        """Whether length is proved to matter: the intervals lie apart, in the direction that excuses."""
        if self.share is None:
            return False
        if self.kind == "young":
            return self.share.low > self.against.top
        return self.share.top < self.against.low


class ShownItem(msgspec.Struct, frozen=True):
    """An item as it was asked, and what the model said.

    Attributes:
        task, id: Which item it is.
        cell: Its cell.
        input: What was asked.
        support: Lines of the input that an answer needs, from 1.
        target: The canonical answer.
        said: The model's answer.
        right: Whether it was right; None where it could not be read.
    """

    task: str
    id: str
    cell: str
    input: str
    support: tuple[int, ...] = ()
    target: str = ""
    said: str = ""
    right: bool | None = None


class ShownPair(msgspec.Struct, frozen=True):
    """Two items that were asked: without what is claimed to hurt, and with it.

    Attributes:
        without: The item of the part; None for a cell that has no parts.
        whole: The item of the failing cell.
        minimal: Whether they are the same but for what is claimed to hurt; else they are two items of the two cells.
    """

    without: ShownItem | None
    whole: ShownItem
    minimal: bool = False


class Claim(msgspec.Struct, frozen=True):
    """A cell that fails although every direct part is mastered; or one that fails and has no parts.

    Attributes:
        whole: The failing cell.
        parts: Its direct parts.
        promise: What two of them promise, where two make up the whole.
        added: What the whole has more than its largest part, where no two parts make it up.
        proved: The drop below the least that the parts promise is proved, not the level alone.
        trained: Whether the cell occurs among the rows that the model was fitted to; None where that is not known.
        probability: How likely the claim is by a pooled fit of a finished run, which suggests and proves nothing; None
            for claims of a probe.
        elsewhere: The smallest mastered cell that holds what was added, where there is one.
        within: The cell that holds the whole, where the whole is a bound cell.
        variants: The bound cells of the whole, as far as they were told apart.
        controls: Whether it is length that fails.
        pair: Items to look at.
    """

    whole: Share
    parts: tuple[Share, ...]
    promise: Promise | None = None
    added: tuple[str, ...] = ()
    proved: bool = False
    trained: bool | None = None
    probability: float | None = None
    elsewhere: Share | None = None
    within: str = ""
    variants: tuple[Share, ...] = ()
    controls: tuple[Control, ...] = ()
    pair: ShownPair | None = None

    @property
    def cell(self) -> str:
        """The cell of the lattice that it is about."""
        return self.within or self.whole.cell

    @property
    def long_supports(self) -> bool:
        """Whether length is proved to be to blame."""
        return any(control.excuses for control in self.controls)

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


def shares_of(search: Search, guess: Callable[[int], GuessingLevel | None] = lambda cell: None) -> list[Share]:
    """The share right in every cell, with intervals that hold for all of them together.

    Args:
        search: The search.
        guess: What guessing gets right in a cell.
    """
    return [cell_share(search, cell, guess(cell)) for cell in range(len(search.order))]


def cell_share(search: Search, cell: int, guess: GuessingLevel | None = None) -> Share:
    """The share right in a cell."""
    low, high = search.interval(cell)
    found = share_of(str(search.order.cells[cell]), search.counts[cell], search.unread[cell], search.strict)
    random, majority = guess or (None, None)
    return msgspec.structs.replace(found, low=low, high=high, guess=random, majority=majority)


def share_of(cell: str, counts: Counts, unread: int, level: float) -> Share:
    """A share with its interval at a level of evidence, and with the ceiling if what was not read were right."""
    low, high = interval(counts, level)
    ceiling = None
    if unread:
        ceiling = interval(Counts(counts.right + unread, counts.wrong - unread), level)[1]
    return Share(cell, counts.share, low, high, counts.n, unread=unread, ceiling=ceiling)


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
        proved = whole.top <= first.low + second.low - 1 - drop
        return Claim(whole, parts, Promise.of(first, second), proved=proved, **more)
    added = order.added(cell)
    proved = whole.top <= shares[order.largest_part(cell)].low - drop
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


def example_claims(search: Search) -> list[int]:
    """The smallest claimed cell of each pattern."""
    claimed = search.claims()
    own = ([cell for cell in claimed if cell in pattern.cells] for pattern in find_patterns(search))
    return [min(cells, key=lambda cell: (len(search.order.cells[cell].atoms), cell)) for cells in own if cells]


def proving_cells(search: Search) -> list[int]:
    """One claim per pattern and the two parts that promise it, as long as the drop is not proved."""
    claims = zip(search.claims(), make_claims(search, shares_of(search)), strict=True)
    proved = {cell for cell, claim in claims if claim.proved}
    cells: dict[int, None] = {}
    for example in example_claims(search):
        if example not in proved:
            cells |= dict.fromkeys((example, *(promising_pair(search, example) or search.order.parts[example][:1])))
    return list(cells)

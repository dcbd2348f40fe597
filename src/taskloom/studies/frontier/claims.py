"""From a search to what may be said: claims, the promise of the parts, patterns, sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec

from taskloom.core.cells import Cell
from taskloom.studies.frontier.search import Search

__all__ = ["Claim", "Pattern", "Promise", "Share", "find_patterns", "make_claims", "named", "proving_cells", "sentence"]


class Share(msgspec.Struct, frozen=True):
    """The share right in a cell, with its interval and denominator."""

    cell: str
    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n})"


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
        trained: Whether the cell occurs in training.
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


def share(search: Search, cell: int) -> Share:
    """The share right in a cell."""
    count = search.counts[cell]
    low, high = search.interval(cell)
    return Share(str(search.order.cells[cell]), count.share, low, high, count.n)


def make_claims(search: Search, trained: Callable[[Cell], bool] | None = None) -> list[Claim]:
    """The claims that the evidence supports at the family-wise level."""
    return [_claim(search, cell, trained) for cell in search.claims()]


def _claim(search: Search, cell: int, trained: Callable[[Cell], bool] | None) -> Claim:
    order = search.order
    pair = promising_pair(search, cell)
    whole = share(search, cell)
    promise = None
    proved = False
    added: tuple[str, ...] = ()
    elsewhere = None
    if pair is not None:
        first, second = (share(search, part) for part in pair)
        promise = Promise.of(first, second)
        proved = whole.high <= first.low + second.low - 1 - search.settings.drop
    else:
        added = order.added(cell)
        single = share(search, order.largest_part(cell))
        proved = whole.high <= single.low - search.settings.drop
        mastered = [c for c in range(len(order)) if search.direct(c, search.strict) == "mastered"]
        place = order.smallest_with(added, mastered)
        elsewhere = None if place is None else share(search, place)
    parts = tuple(share(search, part) for part in order.parts[cell])
    known = None if trained is None else trained(order.cells[cell])
    return Claim(whole, parts, promise, added, proved, known, elsewhere=elsewhere)


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
    cells: dict[int, None] = {}
    for pattern in find_patterns(search):
        own = [cell for cell in claimed if cell in pattern.cells]
        if not own:
            continue
        example = min(own, key=lambda cell: (len(search.order.cells[cell].atoms), cell))
        if _claim(search, example, None).proved:
            continue
        pair = promising_pair(search, example) or search.order.parts[example][:1]
        cells |= dict.fromkeys((example, *pair))
    return list(cells)


def named(cell: str) -> str:
    """A cell as a sentence names it: once, where what is asked is also the one thing it takes."""
    question, _, atoms = cell.rpartition(": ")
    return atoms if question == atoms else cell


def sentence(claim: Claim) -> str:
    """A claim in one sentence."""
    whole = claim.whole
    question, _, atoms = whole.cell.rpartition(": ")
    lead = f"{question}: " if question else ""
    if claim.promise is not None:
        first, second = claim.promise.first, claim.promise.second
        names = [part.cell.rpartition(": ")[2] for part in (first, second)]
        text = (
            f"{lead}solves {names[0]} ({first.value:.2f}) and {names[1]} ({second.value:.2f}); "
            f"falls to {whole.value:.2f} [{whole.low:.2f}, {whole.high:.2f}] where both meet (n = {whole.n}; the parts "
            f"promise at least {claim.promise.at_least:.2f}, {claim.promise.independent:.2f} if their errors are "
            f"independent, at most {claim.promise.at_most:.2f})"
        )
    else:
        part = claim.base
        text = (
            f"{lead}solves {part.cell.rpartition(': ')[2]} ({part.value:.2f}); falls to {whole.value:.2f} "
            f"[{whole.low:.2f}, {whole.high:.2f}] when {'+'.join(claim.added) or atoms} is added (n = {whole.n})"
        )
        if claim.elsewhere is not None:
            text += f"; solves {claim.elsewhere.cell} ({claim.elsewhere.value:.2f})"
    notes = ["the drop is proved" if claim.proved else "the level is proved, the size of the drop is not"]
    if claim.probability is not None:
        notes = [f"suggested with probability {claim.probability:.2f}, not proved"]
    if claim.trained is not None:
        notes.append("trained" if claim.trained else "never trained")
    if claim.long_supports:
        notes.append("long supports are to blame, not the combination")
    return f"{text}; {'; '.join(notes)}."


def summary(search: Search, standings: Sequence[str]) -> dict[str, int]:
    """How many cells stand where."""
    names = ("mastered", "failing", "between", "inherited", "open")
    return {name: sum(standing == name for standing in standings) for name in names}

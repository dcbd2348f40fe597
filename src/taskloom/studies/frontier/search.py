"""The adaptive search: which cell to ask next, and when enough is known. A function of the answers alone.

Phase `quick` lets a mastered cell vouch for everything below it; `exact` asks what was only vouched for; `prove` goes
on asking one example per pattern until the drop below the promise of its parts is proved. State follows from the
counts, so replaying a log resumes a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import combinations
from math import log
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from taskloom.core import Positive, Recipe
from taskloom.core.cells import Cell, GuessingLevel, Lattice, direct_parts
from taskloom.studies.frontier.claims import (
    Claim,
    Counts,
    PatternState,
    PredictedScore,
    Share,
    Verdict,
    interval,
    least_expected,
    verdict,
    verdict_chance,
)
from taskloom.studies.frontier.pooling import Guess


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
        matrix = np.zeros((len(self), len(self)), dtype=bool)
        for cell in TopologicalSorter(dict(enumerate(self.parts))).static_order():
            for part in self.parts[cell]:
                matrix[cell] |= matrix[part]
                matrix[cell, part] = True
        return matrix


Phase: TypeAlias = Literal["quick", "exact", "prove"]
Standing: TypeAlias = Literal["mastered", "failing", "between", "inherited", "open"]


CELLS_ALPHA, BOUND_ALPHA, CONTROL_ALPHA = 0.8, 0.1, 0.1
"""How the chance of a wrong claim is divided: between the cells, what they hold when told apart, and controls."""


class Vouching(NamedTuple):
    """When a cell stands for others, and in which order they are asked; `python -m benchmarks.frontier` counts."""

    trial: tuple[int, int] = 200, 2
    """How long vouching is tried before it is judged: questions in all, and questions per cell, whichever are more."""
    vouched_cost: int = 50
    """Questions per vouched-for cell above which vouching does not pay: asking a mastered cell takes about 15."""
    idle: float = 0.3
    """Asking on is idle where a verdict within the cap is less likely than this."""
    likely_failing: float = 0.4
    """A guessed share below which a cell is asked although a part of it was left between."""
    middle_cost: float = 3.0
    """How much longer a cell in the middle between the bounds takes than one beyond them."""


VOUCHING = Vouching()


class SearchSettings(Recipe, frozen=True, kw_only=True):
    """How a search decides and what it may spend.

    Attributes:
        low: A cell is mastered if "at most this share right" is rejected.
        high: A cell fails if "at least this share right" is rejected.
        alpha: The chance that any claim of a whole search is wrong.
        cap: Questions after which a cell that neither passes nor fails is left "between"; sooner where they would
            hardly decide it.
        width: How many cells are explored at once.
        strict_cap: Questions per cell after which a claim that cannot be settled is given up; sooner likewise.
        prove_cap: Questions per cell while a drop is being proved.
        drop: How far below the score expected from the parts a combination must fall for the drop to count as proved.
        phases: quick, exact and prove, or the first of them.
        budget: The most questions in all.
    """

    low: float = 0.60
    high: float = 0.85
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.05
    cap: Positive = 60
    width: Positive = 16
    strict_cap: Positive = 200
    prove_cap: Positive = 400
    drop: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.1
    phases: tuple[Phase, ...] = ("quick", "exact", "prove")
    budget: Positive = 20_000

    def describe(self) -> dict[str, Any]:
        """Every option."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found

    def identity(self) -> dict[str, Any]:
        """What makes it another search: all but how far it goes, so that a larger budget continues the same log."""
        return {name: value for name, value in self.describe().items() if name not in ("budget", "phases")}

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < 1:
            raise ValueError(f"low and high must be between 0 and 1, low first, not {self.low} and {self.high}")
        if not self.phases or list(self.phases) != list(("quick", "exact", "prove")[: len(self.phases)]):
            raise ValueError("phases are quick; quick and exact; or quick, exact and prove")


class Search:
    """The state of a search over the cells of a lattice.

    Args:
        order: The cells and their order.
        settings: Bounds, levels and budget.
        targets: Cells that are asked until they are settled, whatever else is searched.
    """

    def __init__(self, order: CellOrder, settings: SearchSettings, targets: Iterable[Cell] = ()) -> None:
        self.order = order
        self._targets = sorted(order.cells.index(cell) for cell in targets)
        self.settings = settings
        self.counts = [Counts()] * len(order)
        self.phase: Phase = "quick"
        self.screen = log(1 / settings.alpha)
        self.strict = log(len(order) / (settings.alpha * CELLS_ALPHA))
        self.unread = [0] * len(order)
        self.divided: set[int] = set()
        """Cells of which one kind of items looks like failing and another does not: what is proved is told apart."""
        self._guess = Guess(order.cells)
        self._given_up: set[int] = set()
        self._settled: dict[int, Verdict] = {}
        self._intervals: dict[int, tuple[float, float]] = {}

    @property
    def asked(self) -> int:
        """How many questions were asked so far."""
        return sum(count.n for count in self.counts)

    def observe(self, cell: int, right: bool | None) -> None:
        """Take one answer in; None is one that could not be read, which counts as wrong."""
        counts = self.counts[cell] = self.counts[cell].plus(bool(right))
        self.unread[cell] += right is None
        # What the evidence has once rejected stays rejected: the bound on errors holds for all times together.
        if cell not in self._settled and (found := self._verdict(counts, self.strict)) is not None:
            self._settled[cell] = found
        low, high = interval(counts, self.strict)
        known = self._intervals.get(cell, (0.0, 1.0))
        self._intervals[cell] = (max(low, known[0]), min(high, known[1]))

    def screened(self, counts: Counts) -> Verdict | None:
        """What answers look like at the screening level."""
        return self._verdict(counts, self.screen)

    def _verdict(self, counts: Counts, level: float) -> Verdict | None:
        return verdict(counts, self.settings.low, self.settings.high, level)

    def _idle(self, counts: Counts, level: float, most: int) -> bool:
        """Whether asking on, up to so many answers in all, would hardly lead to a verdict."""
        return verdict_chance(counts, self.settings.low, self.settings.high, level, most) < VOUCHING.idle

    def give_up(self, cell: int) -> None:
        """No item of this cell can be had: it is left between, and nothing above it is claimed."""
        self._given_up.add(cell)

    # ------------------------------------------------------------------ standings

    def direct(self, cell: int, level: float) -> Verdict | None:
        """What the answers of a cell itself show at a level of evidence."""
        if cell in self._settled:
            return self._settled[cell]
        return None if level == self.strict else self._verdict(self.counts[cell], level)

    def standings(self) -> list[Standing]:
        """Where every cell stands at the screening level; in the quick phase, passing is inherited downwards."""
        standings: list[Standing] = []
        for cell, count in enumerate(self.counts):
            found = self.direct(cell, self.screen)
            idle = cell in self._given_up or self._idle(count, self.screen, self.settings.cap)
            standings.append(found or ("between" if idle else "open"))
        if self.phase == "quick":
            for cell in self._vouched([place for place, s in enumerate(standings) if s == "mastered"]):
                if standings[cell] == "open":
                    standings[cell] = "inherited"
        return standings

    def inherited(self) -> list[int]:
        """Cells that no question was asked of and that a mastered cell above vouches for."""
        mastered = [c for c in range(len(self.order)) if self.direct(c, self.screen) == "mastered"]
        return [cell for cell in self._vouched(mastered) if not self.counts[cell].n]

    def _vouched(self, mastered: list[int]) -> list[int]:
        """The cells below any of these."""
        return np.flatnonzero(np.any(self.order.below[mastered], axis=0)).tolist()

    def candidates(self, standings: Sequence[Standing]) -> list[int]:
        """Failing cells whose direct parts all pass so far, or nearly: what may become a claim."""
        return [
            cell
            for cell, parts in enumerate(self.order.parts)
            if parts
            and standings[cell] == "failing"
            and all(standings[p] in ("mastered", "inherited") or self._nearly(p, standings[p]) for p in parts)
        ]

    def _nearly(self, cell: int, standing: Standing) -> bool:
        """Whether a cell was left between with a share nearer to mastery: where a claim hangs on it, it is asked on."""
        middle = (self.settings.low + self.settings.high) / 2
        return standing == "between" and cell not in self._given_up and self.counts[cell].share > middle

    def claims(self) -> list[int]:
        """Cells that fail while every direct part is mastered, at the level that holds for all cells together."""
        return [
            cell
            for cell, parts in enumerate(self.order.parts)
            if parts
            and self.direct(cell, self.strict) == "failing"
            and all(self.direct(part, self.strict) == "mastered" for part in parts)
        ]

    def interval(self, cell: int) -> tuple[float, float]:
        """The interval of a cell's rate; all of them hold at all times together with probability 1 − alpha."""
        low, high = self._intervals.get(cell, (0.0, 1.0))
        # With probability alpha at most they leave the share that is seen; then nothing is known but the latest.
        return (low, high) if low <= self.counts[cell].share <= high else interval(self.counts[cell], self.strict)

    def share(self, cell: int, guess: GuessingLevel | None = None) -> Share:
        """The share right in a cell, beside what guessing gets right there."""
        low, high = self.interval(cell)
        found = Share.of(str(self.order.cells[cell]), self.counts[cell], self.unread[cell], self.strict)
        random, majority = guess or (None, None)
        return msgspec.structs.replace(found, low=low, high=high, guess=random, majority=majority)

    def shares(self, guess: Callable[[int], GuessingLevel | None] = lambda cell: None) -> list[Share]:
        """The share right in every cell, with intervals that hold for all of them together."""
        return [self.share(cell, guess(cell)) for cell in range(len(self.order))]

    def best_pair(self, cell: int) -> tuple[int, int] | None:
        """Two direct parts that make up the whole, the best measured ones first; None where no two do."""
        return self.order.covering_pair(cell, lambda part: self.interval(part)[0])

    # ------------------------------------------------------------------ what to ask next

    def next_questions(self) -> dict[int, int]:
        """How many fresh items to ask of which cells; empty when there is nothing left to ask."""
        while True:
            wanted = self._wanted()
            if wanted or not self._advance():
                break
        return self._within_budget(wanted)

    def _advance(self) -> bool:
        """Go on to the next phase, if there is one."""
        phases = self.settings.phases
        place = phases.index(self.phase)
        if place + 1 == len(phases):
            return False
        self.phase = phases[place + 1]
        return True

    def _wanted(self) -> dict[int, int]:
        if self.phase == "prove":
            most = self.settings.prove_cap
            cells = [cell for cell in proving_cells(self) if self.counts[cell].n < most and cell not in self._given_up]
        else:
            standings = self.standings()
            if self._vouching_fails(standings):
                return {}
            cells = self._unsettled(standings) + self._explored(standings)
        return {cell: self._dose(cell) for cell in dict.fromkeys(cells)}

    def _vouching_fails(self, standings: Sequence[Standing]) -> bool:
        """Whether too few cells are vouched for: then asking from below, as `exact` does, costs less."""
        if self.phase != "quick" or "exact" not in self.settings.phases:
            return False
        least, per_cell = VOUCHING.trial
        tried = self.asked >= max(least, per_cell * len(self.order))
        return tried and self.asked > VOUCHING.vouched_cost * standings.count("inherited")

    def _dose(self, cell: int) -> int:
        n = self.counts[cell].n
        # A cap is met exactly, for what lies beyond it may never be needed.
        caps = (self.settings.cap, self.settings.strict_cap, self.settings.prove_cap)
        return min([max(4, n // 4), *(cap - n for cap in caps if cap > n)])

    def _unsettled(self, standings: Sequence[Standing]) -> list[int]:
        """Candidates and their parts that are not settled at the strict level yet, and failing basic cells."""
        cells = {
            cell: None
            for cell, parts in enumerate(self.order.parts)
            if not parts
            and standings[cell] == "failing"
            and self.direct(cell, self.strict) is None
            and not self._hopeless(cell)
        }
        cells |= {
            cell: None for cell in self._targets if self.direct(cell, self.strict) is None and not self._hopeless(cell)
        }
        for candidate in self.candidates(standings):
            parts = self.order.parts[candidate]
            group = (candidate, *parts)
            if self.direct(candidate, self.strict) is None and any(self._nearly(p, standings[p]) for p in parts):
                # Parts in between take long: the whole must be worth it.
                if self.counts[candidate].share > self.settings.low:
                    continue
                group = (candidate,)
            # Once any of them is beyond hope the rest need not be asked.
            if any(self._hopeless(cell) for cell in group):
                continue
            cells |= dict.fromkeys(cell for cell in group if self.direct(cell, self.strict) is None)
        return list(cells)

    def _hopeless(self, cell: int) -> bool:
        if self.direct(cell, self.strict) is not None:
            return False
        return cell in self._given_up or self._idle(self.counts[cell], self.strict, self.settings.strict_cap)

    def _explored(self, standings: Sequence[Standing]) -> list[int]:
        """Open, mutually incomparable cells whose answer would settle most."""
        below = self.order.below
        stuck = np.array([standing in ("failing", "between") for standing in standings])
        unlabelled = np.array([standing == "open" for standing in standings])
        blocked = (below & stuck[None, :]).any(axis=1)
        passing = self._guess.passing(self.counts)
        if self.phase == "exact":
            passed = [standing == "mastered" for standing in standings]
            nearly = [passed[cell] or self._nearly(cell, standing) for cell, standing in enumerate(standings)]
            # An unlucky part must not hide a combination that is likely to fail.
            blocked = np.array(
                [
                    not all((nearly if passing[cell] < VOUCHING.likely_failing else passed)[part] for part in parts)
                    for cell, parts in enumerate(self.order.parts)
                ],
                dtype=bool,
            )
        is_open = unlabelled & ~blocked
        if not is_open.any():
            return []
        above = (below & is_open[:, None]).sum(axis=0)
        under = (below & is_open[None, :]).sum(axis=1)
        # A cell in the middle takes long and vouches for nothing; like a failing one it blocks what is above.
        likely = np.clip((passing - self.settings.low) / (self.settings.high - self.settings.low), 0.0, 1.0)
        cost = 1.0 + VOUCHING.middle_cost * (1.0 - np.abs(2.0 * likely - 1.0))
        gain = ((1 - likely) * above + likely * under) / cost
        chosen: list[int] = []
        for cell in sorted(np.flatnonzero(is_open).tolist(), key=lambda c: (-round(float(gain[c]), 9), c)):
            if not any(below[cell, other] or below[other, cell] for other in chosen):
                chosen.append(cell)
            if len(chosen) == self.settings.width:
                break
        return chosen

    def _within_budget(self, wanted: dict[int, int]) -> dict[int, int]:
        left = self.settings.budget - self.asked
        kept: dict[int, int] = {}
        for cell, dose in wanted.items():
            if left <= 0:
                break
            kept[cell] = min(dose, left)
            left -= kept[cell]
        return kept


def make_claims(search: Search) -> list[Claim]:
    """The claims that the evidence supports at the family-wise level."""
    bounds, shares = (search.settings.low, search.settings.drop), search.shares()
    return [claim_of(search.order, shares, cell, *bounds) for cell in search.claims()]


def claim_of(order: CellOrder, shares: Sequence[Share], cell: int, low: float, drop: float, **more: Any) -> Claim:
    """A failing cell with its parts, what they predict, and whether the drop below it is proved.

    Args:
        order: The cells.
        shares: The share of each.
        cell: The failing one.
        low: What is mastered lies above this share.
        drop: How far below the prediction it must lie for the drop to be proved.
        more: Further fields of the claim.
    """
    whole, parts = shares[cell], tuple(shares[part] for part in order.parts[cell])
    pair = order.covering_pair(cell, lambda part: shares[part].low)
    if pair is not None:
        claim = Claim(whole, parts, PredictedScore.of(*(shares[part] for part in pair)), **more)
    else:
        added = order.added(cell)
        mastered = [place for place, share in enumerate(shares) if share.n and share.low > low]
        known = order.smallest_with(added, mastered)
        claim = Claim(whole, parts, added=added, elsewhere=None if known is None else shares[known], **more)
    return msgspec.structs.replace(claim, proved=claim.falls(drop))


def find_patterns(search: Search) -> list[PatternState]:
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
        patterns.append(PatternState(chosen, scope, tuple(str(order.cells[c]) for c in sorted(left & set(cells)))))
        left -= set(cells)
    return patterns


def proving_cells(search: Search) -> list[int]:
    """The smallest claim of each pattern and the two parts that predict it, as long as the drop is not proved."""
    claimed = {str(search.order.cells[cell]): cell for cell in search.claims()}
    proved = {claim.whole.cell for claim in make_claims(search) if claim.proved}
    cells: dict[int, None] = {}
    for pattern in find_patterns(search):
        own = [name for name in pattern.cells if claimed.get(name, -1) not in {-1, *search.divided}]
        example = min(own, key=lambda name: (len(search.order.cells[claimed[name]].atoms), claimed[name]), default=None)
        if example is not None and example not in proved:
            cell = claimed[example]
            group = (cell, *(search.best_pair(cell) or (search.order.largest_part(cell),)))
            early = [each for each in group if search.counts[each].n < search.settings.cap]
            in_sight = drop_in_sight(search, *(search.counts[each] for each in group))
            cells |= dict.fromkeys(group if in_sight else early)
    return list(cells)


def drop_in_sight(search: Search, *counts: Counts) -> bool:
    """Whether the drop of a whole below its parts would be proved within the cap if their shares stayed as they are."""
    most = search.settings.prove_cap
    rights = [round(each.share * most) for each in counts]
    whole, *parts = [interval(Counts(right, most - right), search.strict) for right in rights]
    return whole[1] <= least_expected([low for low, _ in parts]) - search.settings.drop

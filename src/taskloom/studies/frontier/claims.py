"""What is claimed of a model and what a probe found, as data, and the evidence behind it.

Evidence stays valid however often one looks: for S right and F wrong answers and a bound b, the e-value is the
likelihood of the answers under a Beta(½, ½) mixture of success rates over their likelihood at b. Under "the rate is b"
its expectation is at most 1 at every stopping time, so by Ville's inequality it exceeds K/α with probability at most
α/K, whenever and for whatever reason one stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from math import exp, inf, lgamma, log
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import PlainWords, UserError, open_recorded
from taskloom.core.calls import Explained, explained_methods
from taskloom.core.cells import Cell, Lattice
from taskloom.core.decode import read_json
from taskloom.core.display import notebook_view
from taskloom.core.folders import not_here
from taskloom.run.plan import Plan, fitted_here
from taskloom.store.ownership import write_ours
from taskloom.studies.frontier.sentences import Bounds, named, say_all

Verdict: TypeAlias = Literal["mastered", "failing"]

_START = 2 * lgamma(0.5) - lgamma(1.0)
_STEPS = 60


class Counts(NamedTuple):
    """Right and wrong answers."""

    right: int = 0
    wrong: int = 0

    @property
    def n(self) -> int:
        """How many answers."""
        return self.right + self.wrong

    @property
    def share(self) -> float:
        """The share right; 0.5 where nothing was asked."""
        return self.right / self.n if self.n else 0.5

    def plus(self, right: bool) -> Counts:
        """With one more answer."""
        return Counts(self.right + right, self.wrong + (not right))


def log_evidence(counts: Counts, bound: float) -> float:
    """The natural logarithm of the e-value against "the rate is `bound`"."""
    at_bound = _times(counts.right, bound) + _times(counts.wrong, 1.0 - bound)
    return inf if at_bound == -inf else _log_beta(counts) - _START - at_bound


def _times(count: int, share: float) -> float:
    if not count:
        return 0.0
    return count * log(share) if share > 0 else -inf


def verdict(counts: Counts, low: float, high: float, level: float) -> Verdict | None:
    """Mastered where "the rate is at most `low`" is rejected, failing where "at least `high`" is, else None.

    Args:
        counts: The answers.
        low: A cell is mastered only above this rate.
        high: A cell fails only below this rate.
        level: The logarithm of the e-value that rejects: ln(1/α), or ln(K/α) for K claims at once.
    """
    # A rate beyond the bound is even less likely than the bound itself, so testing the bound is enough.
    if counts.share > low and log_evidence(counts, low) >= level:
        return "mastered"
    if counts.share < high and log_evidence(counts, high) >= level:
        return "failing"
    return None


def more_to_verdict(counts: Counts, low: float, high: float, level: float, most: int = 1_000) -> int | None:
    """How many more answers would lead to a verdict if the share stayed as it is; None for more than `most`."""
    share = (counts.right + 0.5) / (counts.n + 1)
    for more in range(most + 1):
        right = round(more * share)
        if verdict(Counts(counts.right + right, counts.wrong + more - right), low, high, level) is not None:
            return more
    return None


@lru_cache(maxsize=1 << 16)
def verdict_chance(counts: Counts, low: float, high: float, level: float, most: int) -> float:
    """How likely it is that there is a verdict after `most` answers in all, judged by those so far.

    It decides nothing: it only tells where asking on is idle. The rate has the Beta(½, ½) prior of the e-values.
    """
    left = most - counts.n
    if left <= 0:
        return float(verdict(counts, low, high, level) is not None)
    whole = _log_beta(counts)
    chance = 0.0
    for right in range(left + 1):
        later = Counts(counts.right + right, counts.wrong + left - right)
        if verdict(later, low, high, level) is not None:
            ways = lgamma(left + 1.0) - lgamma(right + 1.0) - lgamma(left - right + 1.0)
            chance += exp(ways + _log_beta(later) - whole)
    return chance


def _log_beta(counts: Counts) -> float:
    return lgamma(counts.right + 0.5) + lgamma(counts.wrong + 0.5) - lgamma(counts.n + 1.0)


def interval(counts: Counts, level: float) -> tuple[float, float]:
    """Every rate that the evidence does not reject. With level ln(K/α), K such intervals hold at all times together."""
    if not counts.n:
        return 0.0, 1.0
    share = counts.share
    low = 0.0 if counts.right == 0 else _edge(counts, level, 0.0, share)
    high = 1.0 if counts.wrong == 0 else _edge(counts, level, 1.0, share)
    return low, high


def _edge(counts: Counts, level: float, outside: float, inside: float) -> float:
    """Where the evidence against a rate crosses the level: it falls from the edge of [0, 1] to the share seen."""
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        if log_evidence(counts, middle) >= level:
            outside = middle
        else:
            inside = middle
    return outside


FILE = "frontier.json"
FORMAT = 2

_WORTH_SAYING = 0.1
"""How far the most frequent answer must be above a random one to be mentioned."""


class Share(Explained, msgspec.Struct, frozen=True):
    """The share right in a cell, with its interval and what it has to be read with.

    Attributes:
        cell: The cell, as text.
        value, low, high: The share with its interval.
        n: Answers.
        guess: The share that a random one of the answers to such questions gets right; None where that is not known.
        majority: The share that always the most frequent one gets right.
        unread: Answers that could not be read; they count as wrong.
        ceiling: The upper bound if they counted as right.
        title: What a sentence calls the cell, where its family says so.
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
    title: str = ""

    @classmethod
    def of(cls, cell: str, counts: Counts, unread: int, level: float) -> Share:
        """A share with its interval at a level of evidence, and with the ceiling if what was not read were right."""
        ceiling = None
        if unread:
            ceiling = interval(Counts(counts.right + unread, counts.wrong - unread), level)[1]
        return cls(cell, counts.share, *interval(counts, level), counts.n, unread=unread, ceiling=ceiling)

    @property
    def top(self) -> float:
        """The upper bound that holds whatever the answers were that could not be read."""
        return self.high if self.ceiling is None else max(self.high, self.ceiling)

    def standing(self, low: float, high: float) -> str:
        """Mastered or failing where the interval proves it, else between; open where nothing was asked."""
        if not self.n:
            return "open"
        return "mastered" if self.low > low else "failing" if self.high < high else "between"

    def __str__(self) -> str:
        guess = "" if self.guess is None else f"; guessing: {self.guess:.2f}"
        if self.guess is not None and self.majority is not None and self.majority > self.guess + _WORTH_SAYING:
            guess += f", always the most frequent answer: {self.majority:.2f}"
        unread = f", {self.unread} of them not read" if self.unread else ""
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n}{unread}{guess})"


def least_expected(parts: Sequence[float]) -> float:
    """The least that parts lead one to expect of their whole: their errors never coincide, and combining adds none."""
    return sum(parts) - (len(parts) - 1)


class PredictedScore(msgspec.Struct, frozen=True):
    """The score that two parts A and B lead one to expect of the whole A ∪ B.

    Attributes:
        at_least: p_A + p_B − 1 (`least_expected`).
        independent: p_A · p_B.
        at_most: min(p_A, p_B).
    """

    first: Share
    second: Share
    at_least: float
    independent: float
    at_most: float

    @classmethod
    def of(cls, first: Share, second: Share) -> PredictedScore:
        """What two parts lead one to expect."""
        a, b = first.value, second.value
        return cls(first, second, max(0.0, least_expected((a, b))), a * b, min(a, b))


class Control(msgspec.Struct, frozen=True):
    """Is it the combination, or is it length? Items of the same bound composition that differ in length alone.

    Attributes:
        kind: young (the failing cell where what an answer needs stands near the question), ages (the same of a cell
            that neither passes nor fails), or long (a part at the size of the whole).
        against: What it is compared with: the failing cell, its oldest items, or the part as it is usually asked.
        share: What came out; None where it was not asked.
        missing: Why not: budget, or unmatched (no such items).
    """

    kind: Literal["young", "ages", "long"]
    against: Share
    share: Share | None = None
    missing: Literal["", "budget", "unmatched"] = ""

    @property
    def excuses(self) -> bool:
        """Whether length is proved to matter: the intervals lie apart, in the direction that excuses."""
        if self.share is None:
            return False
        if self.kind == "long":
            return self.share.top < self.against.low
        return self.share.low > self.against.top


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


class Claim(Explained, msgspec.Struct, frozen=True, rename={"predicted": "promise"}):
    """A cell that fails although every direct part is mastered; or one that fails and has no parts.

    Attributes:
        whole: The failing cell.
        parts: Its direct parts.
        predicted: What two of them lead one to expect, where two make up the whole.
        added: What the whole has more than its largest part, where no two parts make it up.
        proved: The drop below the least that the parts predict is proved, not the level alone.
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
    predicted: PredictedScore | None = None
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

    def falls(self, drop: float) -> bool:
        """Whether the whole is proved to lie so far below the least that the parts which predict it lead to expect."""
        pair = self.predicted
        predicting = (self.base,) if pair is None else (pair.first, pair.second)
        return self.whole.top <= least_expected([part.low for part in predicting]) - drop


class CellState(msgspec.Struct, frozen=True):
    """One cell of a frontier.

    Attributes:
        question: What is asked.
        atoms: What an answer needs.
        standing: mastered, failing, between, inherited (a mastered cell above vouches for it) or open (undecided,
            or not asked at all).
        share: The share right with its simultaneous interval.
        trained: Whether the cell occurs among the rows that the model was fitted to; None where that is not known.
        raw: The share seen, where `share` is a pooled estimate.
        basic: Whether it has no parts among the cells of its lattice.
    """

    question: str
    atoms: tuple[str, ...]
    standing: str
    share: Share
    trained: bool | None = None
    raw: float | None = None
    basic: bool = False


class Suspect(msgspec.Struct, frozen=True):
    """A cell that looks like failing when the budget is spent, and about how many more questions would decide it."""

    share: Share
    more: int

    def __str__(self) -> str:
        right = round(self.share.value * self.share.n)
        return f"{named(self.share.cell)} ({right} of {self.share.n} right; about {self.more} more questions)"


class PatternState(msgspec.Struct, frozen=True):
    """A set of atoms that explains failing cells; a summary without guarantee."""

    atoms: tuple[str, ...]
    question: str
    cells: tuple[str, ...]


@explained_methods
class Frontier(Explained, msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a probe.

    Attributes:
        suite: The suite whose cells were probed.
        model: The model's name.
        protocol: How it was asked.
        seed: The seed of the items.
        settings: Bounds, levels and budget.
        asked: Questions asked, controls included.
        rounds: Rounds of concurrent questions.
        cells: Every cell.
        claims: What is proved, smallest combinations first.
        unable: Basic cells that fail.
        patterns: A summary of the cells whose drop is proved.
        suspects: What looks like failing and is not decided, because the budget was spent; likeliest first.
        undrawable: Cells that no item could be drawn of, with the reason.
        words: Plain words for the atoms and questions of what is claimed.
    """

    format: int = FORMAT
    suite: str
    model: str
    protocol: str = ""
    seed: int = 0
    settings: dict[str, Any] = {}
    asked: int = 0
    rounds: int = 0
    cells: tuple[CellState, ...] = ()
    claims: tuple[Claim, ...] = ()
    unable: tuple[Claim, ...] = ()
    patterns: tuple[PatternState, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    undrawable: dict[str, str] = {}
    words: dict[str, PlainWords] = {}

    def sentences(self) -> list[str]:
        """Everything that may be said, strongest first."""
        return [text for text, _ in self.sentences_with_claims()]

    def sentences_with_claims(self) -> list[tuple[str, Claim | None]]:
        """Every sentence with the claim that it is about."""
        return say_all((*self.claims, *self.unable), self.cells, Bounds.of(self.settings))

    def counts(self) -> dict[str, int]:
        """How many cells stand where."""
        names = ("mastered", "failing", "between", "inherited", "open")
        return {name: sum(cell.standing == name for cell in self.cells) for name in names}

    def by_cell(self) -> dict[str, CellState]:
        """The cells by their names."""
        return {cell.share.cell: cell for cell in self.cells}

    def _repr_html_(self) -> str:
        return notebook_view(self)

    def save(self, folder: str | Path) -> None:
        """Write it beside the log."""
        write_ours(Path(folder) / FILE, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_frontier(folder: str | Path) -> Frontier:
    """The frontier of a probe's folder."""
    path = Path(folder) / FILE
    if not path.is_file():
        raise not_here(folder, "probe", "taskloom probe SUITE --model M -o DIR")
    try:
        return read_json(path, type=Frontier)
    except UserError as error:
        problem = f"the frontier is damaged: {error.message}"
        raise UserError(problem, where=str(path), hint="probe again: it replays") from None


_MOST_ROWS = 20_000
"""Training rows that are looked through: a combination that is not among them was hardly taught."""


def fitted_cells(plan: Plan, lattice: Lattice) -> frozenset[str] | None:
    """The cells among the rows that a run fitted its model to.

    Returns:
        None where that is not known: it fitted nothing, its model had been fitted to other rows before, or the rows
        cannot be drawn again.
    """
    if not fitted_here(plan):
        return None
    split = str(plan.adaptation.get("split", "train"))
    try:
        suite = open_recorded(plan.suite, seed=plan.data_seed, options=plan.recipe)
    except UserError:  # a bundle that has moved, a plug-in that is not there
        return None
    splits = [name for name in split.split("+") if name in suite.splits]
    if not splits:
        return None
    rows = (row for name in splits for row in islice(suite.rows(name), _MOST_ROWS))
    return frozenset(str(lattice.cell_of(suite.tasks[row.task], row.instance)) for row in rows)


def plain_words(lattice: Lattice, claims: Sequence[Claim]) -> dict[str, PlainWords]:
    """Plain words for the questions and atoms of some claims."""
    shares = [share for claim in claims for share in (claim.whole, *claim.parts, *claim.variants)]
    cells = [Cell.parse(share.cell) for share in shares]
    names = sorted({name for cell in cells for name in (cell.question, *cell.atoms) if name})
    return {name: lattice.explain(name) for name in names}

"""What a probe found, as data: for tables, figures, reports and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json
from taskloom.store.outputs import write_ours
from taskloom.studies.frontier.claims import Claim, Share, find_patterns, make_claims, named, sentence
from taskloom.studies.frontier.length import long_supports, old_supports
from taskloom.studies.frontier.probe import Probe

__all__ = ["FILE", "CellState", "Frontier", "PatternState", "frontier_of", "load_frontier"]

FILE = "frontier.json"
FORMAT = 1


class CellState(msgspec.Struct, frozen=True):
    """One cell of a frontier.

    Attributes:
        question: What is asked.
        atoms: What an answer needs.
        standing: mastered, failing, between, inherited (a mastered cell above vouches for it) or open (not asked).
        share: The share right with its simultaneous interval.
        trained: Whether the cell occurs in training.
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


class PatternState(msgspec.Struct, frozen=True):
    """A set of atoms that explains failing cells; a summary without guarantee."""

    atoms: tuple[str, ...]
    question: str
    cells: tuple[str, ...]


class Frontier(msgspec.Struct, frozen=True, kw_only=True):
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
        unable: Basic cells that fail: "cannot do X at all".
        old_supports: Basic cells that fail, but not where what an answer needs stands near the question.
        patterns: A summary of the failing cells.
        undrawable: Cells that no item could be drawn of, with the reason.
        uncontrolled: Failing cells whose length could not be controlled for, because the budget was spent.
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
    unable: tuple[Share, ...] = ()
    old_supports: tuple[Share, ...] = ()
    patterns: tuple[PatternState, ...] = ()
    undrawable: dict[str, str] = {}
    uncontrolled: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """Everything that may be said, strongest first."""
        said = [self._noted(claim.whole, sentence(claim)) for claim in self.claims]
        trained = {cell.share.cell: cell.trained for cell in self.cells}
        for share in self.unable:
            seen = {True: "; trained", False: "; never trained", None: ""}[trained.get(share.cell)]
            said.append(self._noted(share, f"{named(share.cell)}: cannot do this at all: {share}{seen}."))
        said += [
            f"{named(share.cell)}: {share}; solved where the supports are close to the question: old supports are to "
            "blame, not a skill."
            for share in self.old_supports
        ]
        return said or ["No combination was found that fails while its parts are mastered."]

    def _noted(self, share: Share, text: str) -> str:
        if share.cell not in self.uncontrolled:
            return text
        return f"{text.removesuffix('.')}; length was not controlled for, because the budget was spent."

    def counts(self) -> dict[str, int]:
        """How many cells stand where."""
        names = ("mastered", "failing", "between", "inherited", "open")
        return {name: sum(cell.standing == name for cell in self.cells) for name in names}

    def save(self, folder: str | Path) -> None:
        """Write it beside the log."""
        write_ours(Path(folder) / FILE, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_frontier(folder: str | Path) -> Frontier:
    """The frontier of a probe's folder."""
    path = Path(folder) / FILE
    if not path.is_file():
        hint = "taskloom probe SUITE --model M -o DIR"
        raise UserError("no finished probe here", where=str(folder), hint=hint)
    try:
        return read_json(path, type=Frontier)
    except UserError as error:
        problem = f"the frontier is damaged: {error.message}"
        raise UserError(problem, where=str(path), hint="probe again: it replays") from None


def frontier_of(probe: Probe, *, suite: str, model: str, protocol: str = "", seed: int = 0) -> Frontier:
    """What a finished probe found. Claims are checked for the effect of size here, with fresh items."""
    search = probe.search
    order = search.order
    standings = search.standings()
    vouched = set(search.inherited())
    cells = []
    for number, cell in enumerate(order.cells):
        count = search.counts[number]
        low, high = search.interval(number)
        standing = "inherited" if number in vouched and standings[number] == "open" else standings[number]
        share = Share(str(cell), count.share, low, high, count.n)
        trained, basic = probe.lattice.trained(cell), not order.parts[number]
        cells.append(CellState(cell.question, cell.atoms, standing, share, trained, basic=basic))
    controlled = _LengthControls(probe)
    claims = [
        msgspec.structs.replace(claim, long_supports=controlled.by(long_supports, number))
        for number, claim in zip(search.claims(), make_claims(search, probe.lattice.trained), strict=True)
    ]
    failing = [c for c, parts in enumerate(order.parts) if not parts and search.direct(c, search.strict) == "failing"]
    old = {number for number in failing if controlled.by(old_supports, number)}
    patterns = [
        PatternState(pattern.atoms, pattern.question, tuple(str(order.cells[cell]) for cell in pattern.cells))
        for pattern in find_patterns(search)
    ]
    claims.sort(key=lambda claim: (not claim.proved, claim.whole.cell.count("+"), claim.whole.cell))
    return Frontier(
        suite=suite,
        model=model,
        protocol=protocol,
        seed=seed,
        settings=search.settings.describe(),
        asked=sum(probe.streams.taken.values()),
        rounds=probe.rounds,
        cells=tuple(cells),
        claims=tuple(claims),
        unable=tuple(cells[number].share for number in failing if number not in old),
        old_supports=tuple(cells[number].share for number in failing if number in old),
        patterns=tuple(patterns),
        undrawable={str(order.cells[cell]): reason for cell, reason in probe.undrawable.items()},
        uncontrolled=tuple(str(order.cells[cell]) for cell in controlled.missed),
    )


class _LengthControls:
    """Controls of length, and the cells for which the budget did not reach."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.missed: list[int] = []

    def by(self, control: Callable[[Probe, int], bool | None], cell: int) -> bool | None:
        """What a control of a cell says; None where it could not be tried."""
        self._probe.cut_short = False
        found = control(self._probe, cell)
        if self._probe.cut_short and not found:
            self.missed.append(cell)
            return None
        return found

"""Two frontiers side by side: before and after training, two models, two doses; what was gained, lost or moved.

All verdicts and intervals of a probe hold together with probability 1 − α, however it was stopped. Those of both hold
with probability 1 − α − α′, and so does everything said here, because it follows from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from taskloom.core import UserError
from taskloom.core.calls import Explained, explained, explained_methods
from taskloom.core.cells import Cell
from taskloom.core.display import notebook_view
from taskloom.core.study import Table
from taskloom.run.results import Run, load_run
from taskloom.studies.contrasts import RunContrast, contrast_runs
from taskloom.studies.findings import table_of
from taskloom.studies.frontier.claims import FILE, Frontier, Share, load_frontier

Change: TypeAlias = Literal["gained", "lost", "rose", "fell"]
_SAID = {
    "gained": "failed and is mastered now",
    "lost": "was mastered and fails now",
    "rose": "rose, and is not proved mastered",
    "fell": "fell, and is not proved failing",
}


class CellChange(Explained, msgspec.Struct, frozen=True):
    """A cell that stands elsewhere than before.

    Attributes:
        change: gained (failing, then mastered), lost (mastered, then failing), rose or fell (the intervals lie apart).
        before: The share before, with an interval that holds for all cells of its probe.
        after: The share after.
    """

    change: Change
    before: Share
    after: Share

    @property
    def proved(self) -> bool:
        """Whether the intervals lie apart: the change is proved, and not the two levels alone."""
        return self.after.low > self.before.high or self.after.high < self.before.low

    def __str__(self) -> str:
        note = "the change is proved" if self.proved else "both levels are proved, the size of the change is not"
        return f"{self.after.cell}: {_SAID[self.change]}: {self.before}, then {self.after}; {note}."


class Move(msgspec.Struct, frozen=True):
    """A claim that gave way to larger ones: the model now stops later."""

    before: str
    after: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.before}: mastered now; the frontier moved to {', '.join(self.after)}."


@explained_methods
class FrontierComparison(Explained, msgspec.Struct, frozen=True, kw_only=True):
    """What changed from one frontier to another.

    Attributes:
        suite: Whose combinations were probed.
        before, after: The models.
        alpha: The chance that anything said here is wrong.
        changes: Cells that changed beyond doubt.
        moved: Claims that gave way to larger ones.
        kept: Cells claimed in both.
        new: Cells claimed after and not before.
        compared: Cells with answers in both probes.
        left_out: Cells without; nothing is said about them.
    """

    suite: str
    before: str
    after: str
    alpha: float
    changes: tuple[CellChange, ...] = ()
    moved: tuple[Move, ...] = ()
    kept: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    compared: int = 0
    left_out: int = 0

    def _repr_html_(self) -> str:
        return notebook_view(self)

    def of(self, change: Change) -> list[CellChange]:
        """The changes of one kind."""
        return [each for each in self.changes if each.change == change]

    def sentences(self) -> list[str]:
        """Everything that may be said."""
        said = [str(each) for each in self.changes] + [str(each) for each in self.moved]
        return said or ["no combination changed beyond doubt."]

    def table(self) -> Table:
        """The changes as a table."""
        rows = []
        for each in self.changes:
            shares = ((one.value, one.low, one.high, one.n) for one in (each.before, each.after))
            rows.append((each.change, each.proved, each.after.cell, *(number for share in shares for number in share)))
        return table_of(
            "frontier/changes", rows, suite=self.suite, before=self.before, after=self.after, sure=1 - self.alpha,
            compared=self.compared, left_out=self.left_out, kept=len(self.kept), new=len(self.new),
        )  # fmt: skip


def compare_frontiers(before: Frontier, after: Frontier) -> FrontierComparison:
    """What changed beyond doubt.

    Raises:
        UserError: They are of different suites or bounds.
    """
    _check(before, after)
    old = before.by_cell()
    changes: list[CellChange] = []
    mastered: set[str] = set()
    compared = 0
    for cell in after.cells:
        first, second = old[cell.share.cell].share, cell.share
        if not first.n or not second.n:
            continue
        compared += 1
        change = _change(first, second, after.settings["low"], after.settings["high"])
        if change is not None:
            changes.append(CellChange(change, first, second))
        if second.low > after.settings["low"]:
            mastered.add(second.cell)
    was = {claim.cell for claim in before.claims}
    now = {claim.cell for claim in after.claims}
    order = {name: place for place, name in enumerate(_SAID)}
    changes.sort(key=lambda each: (order[each.change], each.after.cell))
    return FrontierComparison(
        suite=after.suite,
        before=before.model,
        after=after.model,
        alpha=before.settings["alpha"] + after.settings["alpha"],
        changes=tuple(changes),
        moved=tuple(_moves(sorted(was & mastered), sorted(now - was))),
        kept=tuple(sorted(was & now)),
        new=tuple(sorted(now - was)),
        compared=compared,
        left_out=len(after.cells) - compared,
    )


def _check(before: Frontier, after: Frontier) -> None:
    if before.suite != after.suite or before.by_cell().keys() != after.by_cell().keys():
        raise UserError(f"a probe of {before.suite} cannot be compared with one of {after.suite}", where="--against")
    for key in ("low", "high"):
        if before.settings[key] != after.settings[key]:
            raise UserError(
                f"the probes differ in {key}: {before.settings[key]} and {after.settings[key]}",
                where="--against",
                hint=f"probe again with -P {key}={before.settings[key]}",
            )


def _change(before: Share, after: Share, low: float, high: float) -> Change | None:
    if before.high < high and after.low > low and after.value > before.value:
        return "gained"
    if before.low > low and after.high < high and after.value < before.value:
        return "lost"
    if after.low > before.high:
        return "rose"
    return "fell" if after.high < before.low else None


def _moves(healed: list[str], new: list[str]) -> list[Move]:
    """Healed claims with the new claims above them."""
    moves = []
    for name in healed:
        cell = Cell.parse(name)
        above = [
            other
            for other in new
            if Cell.parse(other).question == cell.question and set(cell.atoms) < set(Cell.parse(other).atoms)
        ]
        if above:
            moves.append(Move(name, tuple(above)))
    return moves


@explained
def compare(
    first: str | Path | Run, second: str | Path | Run, *, by: Sequence[str] = ()
) -> RunContrast | FrontierComparison:
    """B against A: two runs by their shared questions, or two probes by their frontiers.

    Args:
        first: A, a run or its folder.
        second: B.
        by: Facets of runs; all with few values by default.

    Raises:
        UserError: One is a probe and the other is not, or they have nothing in common.

    Example:
        >>> print(compare("runs/before", "runs/after").table().markdown(2))  # doctest: +SKIP
    """
    folders = [each.folder if isinstance(each, Run) else Path(each) for each in (first, second)]
    probes = [(folder / FILE).is_file() for folder in folders]
    if all(probes):
        return compare_frontiers(load_frontier(folders[0]), load_frontier(folders[1]))
    if any(probes):
        raise UserError(
            "a probe asks what it finds telling, so its answers cannot be compared with those of a run",
            where=str(folders[probes.index(True)]),
            hint="compare two runs, or two probes",
        )
    one, two = (each if isinstance(each, Run) else load_run(each) for each in (first, second))
    return contrast_runs(one, two, by)

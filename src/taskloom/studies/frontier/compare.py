"""Two frontiers side by side: before and after training, two models, two doses; what was gained, lost or moved.

All verdicts and intervals of a probe hold together with probability 1 − α, however it was stopped. Those of both hold
with probability 1 − α − α′, and so does everything said here, because it follows from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.core.cells import Cell
from taskloom.core.display import notebook_view
from taskloom.core.errors import explained
from taskloom.core.study import Table, Value
from taskloom.run.join import join_runs
from taskloom.run.results import Run, load_run
from taskloom.score.stats import Comparison, holm
from taskloom.studies.findings import table_of
from taskloom.studies.frontier.claims import FILE, Frontier, Share, load_frontier
from taskloom.studies.pool import compare_runs
from taskloom.studies.prompt_notes import served_notes

Change: TypeAlias = Literal["gained", "lost", "rose", "fell"]
_SAID = {
    "gained": "failed and is mastered now",
    "lost": "was mastered and fails now",
    "rose": "rose, and is not proved mastered",
    "fell": "fell, and is not proved failing",
}


class CellChange(msgspec.Struct, frozen=True):
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


class FrontierComparison(msgspec.Struct, frozen=True, kw_only=True):
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


_MOST_VALUES = 12
"""A facet with more values than this is compared only where it is named."""
_FEWEST = 10
"""Values with fewer shared answers than this are not tested: it would only cost the others their chance."""
_LEVEL = 0.05
_NAMED = 6


class FacetContrast(msgspec.Struct, frozen=True):
    """The difference where a facet has one value.

    Attributes:
        facet, value: Where.
        found: B against A there.
        adjusted: The p-value after Holm's correction over all facets and values together.
    """

    facet: str
    value: str
    found: Comparison
    adjusted: float

    @property
    def is_significant(self) -> bool:
        """Whether the difference holds together with all others that are named."""
        return self.adjusted < _LEVEL

    def __str__(self) -> str:
        return f"{self.facet} = {self.value}: {_difference(self.found)}"


class RunContrast(msgspec.Struct, frozen=True, kw_only=True):
    """Run B against run A.

    Attributes:
        suite: What both were asked.
        first, second: The names of A and B.
        overall: B against A on every question that both scored.
        facets: The same by facet.
        means: The mean score of A and of B on the shared questions.
        note: What is left out; empty where nothing is.
        warnings: Where a server answered under other names or fingerprints.
    """

    suite: str
    first: str
    second: str
    overall: Comparison
    means: tuple[float, float]
    facets: tuple[FacetContrast, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return notebook_view(self)

    def sentences(self) -> list[str]:
        """What the intervals prove, and what they leave open."""
        found, p_value = self.overall, self.overall.p_value
        shared = f"{found.n:,} questions that both were asked"
        if p_value < _LEVEL:
            better, worse = (self.second, self.first) if found.difference > 0 else (self.first, self.second)
            said = [f"{better} is better than {worse} on {shared}: {_difference(found)} (p = {p_value:.2g})."]
        elif found.tasks > 1 and (sign := sign_test(found.better, found.worse)) < _LEVEL:
            better = self.second if found.better > found.worse else self.first
            said = [
                f"{better} is better on the {shared}: {found.better} better, {found.worse} worse (sign test, p = "
                f"{sign:.2g}). That it is better on other tasks, {found.tasks} tasks do not show: {_difference(found)} "
                f"(p = {p_value:.2g})."
            ]
        else:
            said = [f"No difference is shown on {shared}: {_difference(found)} (p = {p_value:.2g})."]
            if found.detectable < 1:
                said.append(f"A true difference of {found.detectable:.2f} would have been found with 80 % power.")
        shown = sorted((each for each in self.facets if each.is_significant), key=lambda each: each.adjusted)
        if self.facets:
            many = f"{len(self.facets)} values of facets"
            listed = f": {'; '.join(map(str, shown[:_NAMED]))}{'; …' if len(shown) > _NAMED else ''}" if shown else ""
            said.append(f"By facet: {len(shown)} of {many} differ when all are looked at together (Holm){listed}.")
        return [*said, *([f"{self.note}."] if self.note else []), *(f"Warning: {each}" for each in self.warnings)]

    def table(self) -> Table:
        """The differences, overall first."""
        rows: list[tuple[Value, ...]] = [("overall", "", *_cells(self.overall), self.overall.p_value, "")]
        for each in self.facets:
            differs = "differs" if each.is_significant else ""
            rows.append((each.facet, each.value, *_cells(each.found), each.adjusted, differs))
        named = {"first": self.first, "second": self.second, "suite": self.suite, "means": self.means}
        return table_of("compare", rows, **named)


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of so many changes for the better and for the worse, if both were equally likely."""
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def _difference(found: Comparison) -> str:
    return f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}], {found.better} better, {found.worse} worse"


def _cells(found: Comparison) -> tuple[Value, ...]:
    return (found.difference, found.low, found.high, found.n, found.better, found.worse)


def contrast_runs(first: Run, second: Run, by: Sequence[str] = ()) -> RunContrast:
    """Run B against run A, overall and by facet.

    Args:
        first: Run A.
        second: Run B.
        by: The facets; all with few values by default.

    Raises:
        UserError: They share no questions, or a facet that no answer carries.
    """
    joined = join_runs(first, second).required(first, second)
    names = second.facet_names()
    for name in by:
        if name not in names:
            raise unknown_name("facet", name, names, where=str(second.folder))
    chosen = list(by) or [name for name in names if 2 <= len(second.facet_values(name)) <= _MOST_VALUES]
    found = []
    overall = compare_runs([first], [second])
    seen: set[bytes] = set()
    for name in chosen:
        for (value,), rows in second.rows_by(name).items():
            each = compare_runs([first], [second], within=[rows])
            # The same answers under two names would be tested twice.
            answers = blake2b(rows.tobytes()).digest()
            if _FEWEST <= each.n < overall.n and answers not in seen:
                seen.add(answers)
                found.append((name, value, each))
    adjusted = holm([each.p_value for _, _, each in found])
    facets = tuple(FacetContrast(*each, p_value) for each, p_value in zip(found, adjusted, strict=True))
    means = (first.group("", joined.first).estimate.value, second.group("", joined.second).estimate.value)
    return RunContrast(
        suite=second.plan.suite,
        first=_name(first, second),
        second=_name(second, first),
        overall=overall,
        means=means,
        facets=facets,
        note=joined.note,
        warnings=tuple(served_notes([first, second])),
    )


def _name(run: Run, other: Run) -> str:
    return run.name if run.name != other.name else f"{run.name} ({run.folder.name})"


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

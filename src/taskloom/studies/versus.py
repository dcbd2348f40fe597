"""Two runs side by side: the paired difference overall and by facet, in words, as a table and as data.

Questions are paired by content, so only what both runs were asked counts. Differences by facet are judged together
(Holm): of those that are named, the chance that any is wrong is 5 %. Two probes are compared by their frontiers.

Example:
    >>> print(compare("runs/before", "runs/after").sentences()[0])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.core.study import Table, Value
from taskloom.run.asked import served_notes
from taskloom.run.join import join_runs
from taskloom.run.pool import compare_runs
from taskloom.run.results import Run, load_run
from taskloom.score.compare import Comparison, holm
from taskloom.studies.frontier.claims import FILE, load_frontier
from taskloom.studies.frontier.compare import FrontierComparison, compare_frontiers

__all__ = ["FacetContrast", "RunContrast", "compare", "contrast_runs", "sign_test"]

_MOST_VALUES = 12
"""A facet with more values than this is compared only where it is named."""
_FEWEST = 10
"""Values with fewer shared answers than this are not tested: it would only cost the others their chance."""
_LEVEL = 0.05
_SAID = 6


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
    def told(self) -> bool:
        """Whether the difference holds together with all others that are told."""
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
        told = sorted((each for each in self.facets if each.told), key=lambda each: each.adjusted)
        if self.facets:
            many = f"{len(self.facets)} values of facets"
            listed = f": {'; '.join(map(str, told[:_SAID]))}{'; …' if len(told) > _SAID else ''}" if told else ""
            said.append(f"By facet: {len(told)} of {many} differ when all are looked at together (Holm){listed}.")
        return [*said, *([f"{self.note}."] if self.note else []), *(f"Warning: {each}" for each in self.warnings)]

    def table(self) -> Table:
        """The differences, overall first."""
        rows: list[tuple[Value, ...]] = [("overall", "", *_cells(self.overall), self.overall.p_value, "")]
        for each in self.facets:
            rows.append((each.facet, each.value, *_cells(each.found), each.adjusted, "differs" if each.told else ""))
        columns = ("facet", "value", "difference", "low", "high", "n", "better", "worse", "p", "")
        note = (
            f"{self.second} minus {self.first} on shared questions ({self.means[1]:.3f} and {self.means[0]:.3f}); 95 % "
            "intervals, each for itself; p by facet after Holm's correction over all of them"
        )
        return Table(f"{self.second} against {self.first} on {self.suite}", columns, tuple(rows), note)


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
            if _FEWEST <= each.n < overall.n and rows.tobytes() not in seen:
                seen.add(rows.tobytes())
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

"""Runs compared: replicates taken together, differences by shared questions, by facet, and against bounds (a gate).

Replicates differ in their seeds alone: seeds of data, of drawn examples, of sampling or training. A gate lets intervals
decide: a check passes when its whole interval is on the good side of the bound and fails when all of it is on the bad
side; between the two the run is too small to tell. With several checks each interval is widened (Bonferroni), so that
all verdicts of a gate hold together at the stated level.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from taskloom.core import UserError, content_hash, ensure_known
from taskloom.core.calls import Explained, explained_methods
from taskloom.core.display import counted, notebook_view
from taskloom.core.study import Table, Value
from taskloom.run.columns import grouped, natural_order, split_by_code
from taskloom.run.join import item_numbers, join_runs
from taskloom.run.results import Group, Run
from taskloom.score.stats import Comparison, binomial_p, clustered_mean, compare_cells, compare_paired, holm
from taskloom.studies.findings import table_of
from taskloom.studies.prompt_notes import served_notes, unparsed_notes

Rows = NDArray[np.int64]


_SEEDS = ("data_seed", "run_seed", "identity", "tasks_hash", "environment", "command", "notes")


def varied_fields(run: Run) -> str:
    """A hash of everything about a run but its seeds."""
    plan: dict[str, Any] = msgspec.to_builtins(run.plan)
    for name in _SEEDS:
        plan.pop(name)
    plan["generation"] = {key: value for key, value in plan["generation"].items() if key != "seed"}
    plan["adaptation"] = {key: value for key, value in plan["adaptation"].items() if key != "draw"}
    # Weights drawn from the training seed are part of the same replicate.
    plan["model"] = {key: value for key, value in plan["model"].items() if key not in ("weights", "revision")}
    return content_hash(plan)


def group_replicates(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs in groups that differ in their seeds alone, in the order of their first members."""
    groups = grouped((varied_fields(run), run) for run in runs).values()
    # One run per replicate: a run that was made twice with the same seeds says nothing new.
    return [list({run.replicate: run for run in group}.values()) for group in groups]


def pooled(runs: Sequence[Run], name: str) -> Group:
    """One row for several replicates: their mean, with an interval for unseen tasks and unseen seeds."""
    metric = runs[0].metric()
    groups = [run.overall() for run in runs]
    facets = {task: runs[0].tasks[task].facets for task in runs[0].tasks}
    cells = {(task, run.replicate): values for run in runs for task, values in run.cells().items()}
    estimate = metric.from_values(cells, facets)
    if estimate is None:
        estimate = metric.suite([score for run in runs for score in run.scored(run.records)], facets)
    fields = ("scored", "truncated", "errored", "unparsed")
    return Group(name, estimate, *(sum(getattr(group, field) for group in groups) for field in fields))


def compare_runs(
    first: Sequence[Run], second: Sequence[Run], level: float = 0.95, within: Sequence[Rows | None] | None = None
) -> Comparison:
    """How the second group of replicates compares with the first, by the estimand of their tables.

    Questions are joined by content (`run.join`); replicates of other data seeds share none and are left out. Where the
    metric is not the mean score and there are several tasks, what is compared is the metric's number of each task on
    the instances that both groups scored.

    Args:
        first: The runs compared with.
        second: The runs that are compared.
        level: The share of the interval.
        within: For each run of the second group, the rows that count; all of them by default.
    """
    metric, weigh = first[0].metric(), first[0].weigh
    # Two single runs are compared even if their seeds differ: their questions say which answers belong together.
    alone = len(first) == len(second) == 1
    before = {second[0].replicate: first[0]} if alone else {run.replicate: run for run in first}
    chosen = zip(second, within or [None] * len(second), strict=True)
    pairs = [(run, pair_scores(before[run.replicate], run, rows)) for run, rows in chosen if run.replicate in before]
    asked = sum(paired.unpaired for _, paired in pairs)
    tasks = {paired.tasks[code] for _, paired in pairs for code in set(paired.task.tolist())}
    if metric.name == "mean" or second[0].metric().name != metric.name or len(tasks) < 2:
        cells = {(task, run.replicate): found for run, paired in pairs for task, found in paired.gains().items()}
        return compare_cells(dict(sorted(cells.items())), level, weigh)._replace(unpaired=asked)
    one: dict[tuple[str, ...], float] = {}
    two: dict[tuple[str, ...], float] = {}
    for run, paired in pairs:
        for side, of, rows in zip((one, two), (before[run.replicate], run), paired.records(), strict=True):
            # Of several samples the first.
            by_task = grouped((score.task, score) for score in of.scored(of.records.read(rows)))
            side.update({(task, "", run.replicate): metric.number(scores) for task, scores in by_task.items()})
    shared = sum(len(paired.before) for _, paired in pairs)
    return compare_paired(one, two, level)._replace(n=shared, unpaired=asked)


class PairedScores(NamedTuple):
    """The questions that two runs both scored: a task, two scores and the rows behind them for each."""

    tasks: list[str]
    task: NDArray[Any]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    rows: tuple[Rows, Rows]
    unpaired: int

    def gains(self) -> dict[str, NDArray[np.float64]]:
        """What each question gains, by task."""
        gained = self.after - self.before
        return {self.tasks[code]: gained[members] for code, members in split_by_code(self.task).items()}

    def records(self) -> tuple[list[int], list[int]]:
        """The rows of either run behind the scores."""
        return self.rows[0].tolist(), self.rows[1].tolist()


def pair_scores(first: Run, second: Run, within: Rows | None = None) -> PairedScores:
    """The scores of two runs on the questions that both scored, samples of one question averaged."""
    joined = join_runs(first, second)
    one, two = joined.first, joined.second
    rows = np.arange(len(second.columns)) if within is None else within
    if max(first.plan.samples, second.plan.samples) > 1:  # a question is known by its first sample
        rows = rows[second.columns.whole("sample")[rows] == 0]
    wanted = np.zeros(len(second.columns), np.bool_)
    wanted[rows] = True
    keep = wanted[two]
    unpaired = len(rows) - int(keep.sum())
    before, after = _item_values(first)[one], _item_values(second)[two]
    keep &= ~(np.isnan(before) | np.isnan(after))
    codes, names = second.columns.codes("task")
    return PairedScores(names, codes[two[keep]], before[keep], after[keep], (one[keep], two[keep]), unpaired)


def _item_values(run: Run) -> NDArray[np.float64]:
    """For every record the score of its question, failures by policy: the mean of its samples, nan for none."""
    values = run.values() if run.errors == "leave-out" else np.nan_to_num(run.values())
    if run.plan.samples == 1:
        return values
    item, there = item_numbers(run.columns), ~np.isnan(values)
    sums = np.bincount(item, np.nan_to_num(values))
    counts = np.bincount(item, there)
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)[item]
    return means


_MOST_VALUES = 12
"""A facet with more values than this is compared only where it is named."""
_FEWEST = 10
"""Values with fewer shared answers than this are not tested: it would only cost the others their chance."""
_LEVEL = 0.05
_NAMED = 6


class FacetContrast(Explained, msgspec.Struct, frozen=True):
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


@explained_methods
class RunContrast(Explained, msgspec.Struct, frozen=True, kw_only=True):
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
        shared = f"{counted(found.n, 'question')} that both were asked"
        if p_value < _LEVEL:
            better, worse = (self.second, self.first) if found.difference > 0 else (self.first, self.second)
            said = [f"{better} is better than {worse} on {shared}: {_difference(found)} (p = {p_value:.2g})."]
        elif found.tasks > 1 and (sign := binomial_p(found.better, found.worse)) < _LEVEL:
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
            many = counted(len(self.facets), "value of a facet", "values of facets")
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
        ensure_known("facet", name, names, where=str(second.folder))
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
    called = {id(first): _name(first, second), id(second): _name(second, first)}
    return RunContrast(
        suite=second.plan.suite,
        first=called[id(first)],
        second=called[id(second)],
        overall=overall,
        means=means,
        facets=facets,
        note=joined.note,
        warnings=(*served_notes([first, second]), *unparsed_notes([first, second], called)),
    )


def _name(run: Run, other: Run) -> str:
    return run.name if run.name != other.name else f"{run.name} ({run.folder.name})"


Verdict: TypeAlias = Literal["pass", "fail", "cannot tell"]


class GateCheck(NamedTuple):
    """One check of a gate.

    Attributes:
        name: What is checked: "overall", or the values of facets.
        kind: "level" (at least `bound`), or "drop" (the difference to the baseline is at least `-bound`).
        bound: What was asked for.
        value: The score, or the difference to the baseline.
        low: The lower end of its interval.
        high: The upper end.
        n: Instances behind it.
        verdict: What follows.
        unpaired: Answers left out because the baseline was not asked the same question.
    """

    name: str
    kind: Literal["level", "drop"]
    bound: float
    value: float
    low: float
    high: float
    n: int
    verdict: Verdict
    unpaired: int = 0

    def sentence(self) -> str:
        """For people."""
        interval = f"[{self.low:.3f}, {self.high:.3f}], n = {self.n:,}"
        if self.n == 0:
            return f"{self.name}: nothing was scored"
        if self.kind == "level":
            return f"{self.name}: {self.value:.3f} {interval}, at least {self.bound:g} wanted"
        unpaired = counted(self.unpaired, "answer")
        left = f"; {unpaired} left out: the baseline was not asked the same" if self.unpaired else ""
        return f"{self.name}: {self.value:+.3f} {interval} against the baseline, a drop of {self.bound:g} allowed{left}"


class GateResult(NamedTuple):
    """All checks of a gate, the level at which they hold together, and warnings where other snapshots answered."""

    run: str
    checks: list[GateCheck]
    level: float
    estimand: str
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Fail if anything fails, else cannot tell if anything is open, else pass."""
        found = {check.verdict for check in self.checks}
        return "fail" if "fail" in found else "cannot tell" if "cannot tell" in found else "pass"


def gate_run(
    run: Run,
    *,
    minimum: float | None = None,
    by: Sequence[str] = (),
    baseline: Run | None = None,
    max_drop: float | None = None,
    level: float = 0.95,
) -> GateResult:
    """GateCheck a run.

    Args:
        run: The run.
        minimum: The least score, overall and of every group.
        by: Facets whose combinations are checked as well.
        baseline: Another run on the same suite.
        max_drop: How much lower than the baseline the run may be.
        level: The share of the intervals, over all checks together.

    Raises:
        UserError: Nothing to check, a bound outside [0, 1], or a baseline that shares no question with the run.
    """
    if minimum is None and baseline is None and max_drop is None:
        raise UserError("nothing to check", hint="--min SCORE, or --baseline DIR with --max-drop")
    for name, bound in (("--min", minimum), ("--max-drop", max_drop), ("--level", level)):
        if bound is not None and not 0 <= bound <= 1:
            hint = f"{bound:g} % is {bound / 100:g}" if 1 < bound <= 100 else None
            raise UserError(f"a bound must be between 0 and 1, not {bound:g}", where=name, hint=hint)
    if (max_drop is None) != (baseline is None):
        raise UserError("a baseline needs a maximum drop, and vice versa", hint="--baseline DIR --max-drop 0.02")
    groups: dict[str, Rows | None] = {"overall": None}
    if by:
        found = run.rows_by(*by)
        groups |= {" × ".join(key): found[key] for key in sorted(found, key=natural_order)}
    each = len(groups) * ((minimum is not None) + (baseline is not None))
    checks = []
    for name, rows in groups.items():
        if minimum is not None:
            checks.append(_level(name, run, rows, minimum, 1 - (1 - level) / each))
        if baseline is not None:
            checks.append(_drop(name, run, rows, baseline, max_drop or 0.0, 1 - (1 - level) / each))
    warnings = served_notes([baseline, run] if baseline else [run])
    return GateResult(run.name, checks, level, run.estimand, tuple(warnings))


def _level(name: str, run: Run, rows: Rows | None, bound: float, level: float) -> GateCheck:
    # Tables show the same estimate at 95 %; metrics other than the mean know that one level only.
    if run.metric().name == "mean":
        cells = {(task, run.replicate): values.tolist() for task, values in run.cells(rows).items()}
        estimate = clustered_mean(cells, level, run.weigh)
    else:
        estimate = run.group(name, rows).estimate
    verdict = side_of(estimate.low, estimate.high, bound, estimate.n)
    return GateCheck(name, "level", bound, estimate.value, estimate.low, estimate.high, estimate.n, verdict)


def _drop(name: str, run: Run, rows: Rows | None, baseline: Run, bound: float, level: float) -> GateCheck:
    found = compare_runs([baseline], [run], level, [rows])
    if rows is None and not found.n:
        join_runs(baseline, run).required(baseline, run)
    verdict = side_of(found.low, found.high, -bound, found.n)
    return GateCheck(name, "drop", bound, found.difference, found.low, found.high, found.n, verdict, found.unpaired)


def side_of(low: float, high: float, bound: float, n: int) -> Verdict:
    """On which side of a bound a whole interval lies."""
    if not n or isnan(low) or isnan(high):
        return "cannot tell"
    return "pass" if low >= bound else "fail" if high < bound else "cannot tell"

"""A gate for continuous integration: does a run reach a level, has it dropped, or is it undecided?

Intervals decide. A check passes when its whole interval is on the good side of the bound and fails when all of it is on
the bad side; between the two the run is too small to tell. With several checks each interval is widened (Bonferroni),
so that all verdicts of a gate hold together at the stated level.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from taskloom.core import UserError
from taskloom.run.columns import natural_order
from taskloom.run.join import join_runs
from taskloom.run.results import Run
from taskloom.score.stats import clustered_mean
from taskloom.studies.pool import compare_runs
from taskloom.studies.prompt_notes import served_notes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

Verdict: TypeAlias = Literal["pass", "fail", "cannot tell"]


class Check(NamedTuple):
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
        left = f"; {self.unpaired:,} answers left out: the baseline was not asked the same" if self.unpaired else ""
        return f"{self.name}: {self.value:+.3f} {interval} against the baseline, a drop of {self.bound:g} allowed{left}"


class GateResult(NamedTuple):
    """All checks of a gate, the level at which they hold together, and warnings where other snapshots answered."""

    run: str
    checks: list[Check]
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
    """Check a run.

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


def _level(name: str, run: Run, rows: Rows | None, bound: float, level: float) -> Check:
    # Tables show the same estimate at 95 %; metrics other than the mean know that one level only.
    if run.metric().name == "mean":
        cells = {(task, run.replicate): values.tolist() for task, values in run.cells(rows).items()}
        estimate = clustered_mean(cells, level, run.weigh)
    else:
        estimate = run.group(name, rows).estimate
    verdict = _verdict(estimate.low, estimate.high, bound, estimate.n)
    return Check(name, "level", bound, estimate.value, estimate.low, estimate.high, estimate.n, verdict)


def _drop(name: str, run: Run, rows: Rows | None, baseline: Run, bound: float, level: float) -> Check:
    found = compare_runs([baseline], [run], level, [rows])
    if rows is None and not found.n:
        join_runs(baseline, run).required(baseline, run)
    verdict = _verdict(found.low, found.high, -bound, found.n)
    return Check(name, "drop", bound, found.difference, found.low, found.high, found.n, verdict, found.unpaired)


def _verdict(low: float, high: float, bound: float, n: int) -> Verdict:
    if not n or isnan(low) or isnan(high):
        return "cannot tell"
    return "pass" if low >= bound else "fail" if high < bound else "cannot tell"

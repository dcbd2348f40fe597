"""What a study says: tables, figures, sentences, and the paper's expectations as checks with evidence."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Literal, Protocol, TypeAlias

import msgspec

from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import Figure
from taskloom.score.stats import estimand

Over: TypeAlias = Literal["seeds", "tasks", "nothing"]
"""What the intervals of a table are about."""

_OVER: dict[Over, str] = {
    "seeds": "95 % intervals for other seeds of these tasks",
    "tasks": "95 % intervals for other tasks and seeds",
    "nothing": "without intervals",
}

Verdict: TypeAlias = Literal["holds", "does not hold", "cannot tell"]


class _Interval(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class Check(msgspec.Struct, frozen=True):
    """An expectation and what became of it.

    Attributes:
        claim: What is expected, as a sentence.
        verdict: Decided by an interval, never by a point.
        evidence: The numbers behind it.
        source: Who expects it: the table or figure of a paper.
    """

    claim: str
    verdict: Verdict
    evidence: str
    source: str = ""

    def line(self) -> str:
        """The check as one line of text."""
        said = f"{self.verdict}: {self.claim} ({self.evidence})"
        return f"{said} [{self.source}]" if self.source else said


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What an analysis makes of a frame."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    checks: Sequence[Check] = ()
    sentences: Sequence[str] = ()


def _decided(found: _Interval, holds: bool, fails: bool) -> Verdict:
    """The verdict on an interval; one seed says nothing about other seeds, however sure it is of its instances."""
    if getattr(found, "seeds", 2) < 2:
        return "cannot tell"
    return "holds" if holds else "does not hold" if fails else "cannot tell"


def above(claim: str, found: _Interval, bound: float = 0.0, *, source: str = "") -> Check:
    """Whether a number lies above a bound: it holds where the whole interval does, and fails where none of it does."""
    verdict = _decided(found, found.low > bound, found.high <= bound and not _idle(found, bound))
    return Check(claim, verdict, _evidence(found, f"above {bound:g}"), source)


def below(claim: str, found: _Interval, bound: float = 0.0, *, source: str = "") -> Check:
    """Whether a number lies below a bound."""
    verdict = _decided(found, found.high < bound, found.low >= bound and not _idle(found, bound))
    return Check(claim, verdict, _evidence(found, f"below {bound:g}"), source)


def within(claim: str, found: _Interval, low: float, high: float, *, source: str = "") -> Check:
    """Whether a number lies between two bounds."""
    inside = low <= found.low and found.high <= high
    outside = found.high < low or found.low > high
    verdict = _decided(found, inside, outside)
    return Check(claim, verdict, _evidence(found, f"between {low:g} and {high:g}"), source)


def _idle(found: _Interval, bound: float) -> bool:
    """Whether nothing moved at all: runs that all score 0 lie on a line of slope 0, which shows nothing."""
    return found.low == found.high == bound


def _evidence(found: _Interval, wanted: str) -> str:
    method = getattr(found, "method", "")
    end = f"; {method}" if method else ""
    interval = f"[{found.low:.3f}, {found.high:.3f}]" if isfinite(found.high - found.low) else "without an interval"
    return f"{found.value:.3f} {interval}, expected {wanted}{end}"


_MANY: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "cannot tell": ("is undecided", "are undecided"),
}


def conclusions(checks: Sequence[Check]) -> list[str]:
    """What the checks of a study allow to conclude and what they leave open, in sentences.

    Example:
        >>> conclusions([Check("more tasks help", "cannot tell", "")])
        ['1 expectation was checked: 1 is undecided.', 'It cannot be concluded at this scale whether more tasks help.']
    """
    if not checks:
        return []
    counts = {verdict: sum(check.verdict == verdict for check in checks) for verdict in _MANY}
    parts = [f"{count} {_MANY[verdict][count != 1]}" for verdict, count in counts.items() if count]
    checked = f"{len(checks)} expectation{' was' if len(checks) == 1 else 's were'} checked"
    open_ones = [check.claim for check in checks if check.verdict == "cannot tell"]
    return [
        f"{checked}: {', '.join(parts)}.",
        *(f"It cannot be concluded at this scale whether {claim}." for claim in open_ones),
    ]


def left_out(suites: Sequence[str]) -> list[str]:
    """A sentence about suites that the data at hand give no task for; nothing where there are none."""
    if not suites:
        return []
    named = ", ".join(suites[:3]) + (f", … ({len(suites)} in all)" if len(suites) > 3 else "")
    return [f"Left out, as the words and facts at hand give no examples of them: {named}."]


def scored_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    *,
    metric: str = "accuracy",
    over: Over = "seeds",
    note: str = "",
) -> Table:
    """A table of scores whose note says what they are: the estimand, and what the intervals are about.

    Example:
        >>> scored_table("Scores", ("model", "score"), [("tiny/entnet", 0.5)], over="nothing").note
        'Accuracy, every task counts once; without intervals.'
    """
    measured = estimand(metric=metric)
    said = f"{measured[:1].upper()}{measured[1:]}; {_OVER[over]}."
    return Table(title, tuple(columns), tuple(rows), f"{said} {note}".rstrip())


def estimate_cells(estimate: Estimate) -> tuple[Value, ...]:
    """Mean, interval and count as cells of a table; an empty mean has none."""
    missing = estimate.value != estimate.value
    return (None if missing else estimate.value, estimate.low, estimate.high, estimate.n)

"""Tables of results for the terminal: every number with its interval and its denominators."""

from __future__ import annotations

from taskloom.core.study import Table, Value
from taskloom.run.asked import protocol_part, wordings_part
from taskloom.run.diagnosis import readings_part
from taskloom.run.results import Group, Run

__all__ = ["results_table"]

_MOST_TASKS = 40


def results_table(run: Run) -> Table:
    """Overall and per task. A long list of tasks is cut; `results.json` has them all."""
    groups = run.by_task()
    shown = groups[:_MOST_TASKS]
    rows = [_row("overall", run.overall())] if len(groups) != 1 else []
    rows += [_row(group.name, group) for group in shown]
    note = f"metric: {run.estimand}; intervals 95 %; {protocol_part(run)}"
    note += f"; {both}" if (both := readings_part(run)) else ""
    note += f"; {spread}" if (spread := wordings_part(run)) else ""
    if len(groups) > len(shown):
        note += f"; {len(groups) - len(shown):,} more tasks in {run.folder / 'results.json'}"
    columns = ("task", "score", "low", "high", "n", "truncated", "errored", "unparsed")
    return Table(f"{run.name} on {run.plan.suite} ({run.plan.split})", columns, tuple(rows), note)


def _row(name: str, group: Group) -> tuple[Value, ...]:
    estimate = group.estimate
    value = None if estimate.value != estimate.value else estimate.value
    counts = (estimate.n, group.truncated, group.errored, group.unparsed)
    return (name, value, estimate.low, estimate.high, *counts)

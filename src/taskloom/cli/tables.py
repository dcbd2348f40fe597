"""Tables of results for the terminal: every number with its interval and its denominators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from taskloom.core.display import counted
from taskloom.core.study import Table, Value
from taskloom.run.results import Group, Run
from taskloom.score.stats import few_tasks
from taskloom.studies.prompt_notes import at_most, protocol_part, readings_part, unparsed_part, wordings_part

if TYPE_CHECKING:
    from taskloom.studies.frontier.static import StaticFrontier

_MOST_TASKS = 40
_MOST_CELLS = 30


def results_table(run: Run) -> Table:
    """Overall and per task. A long list of tasks is cut; `results.json` has them all."""
    groups = run.by_task()
    shown = groups[:_MOST_TASKS]
    overall = run.overall()
    rows = [_row("overall", overall, at_most(overall, groups))] if len(groups) != 1 else []
    rows += [_row(group.name, group, at_most(group)) for group in shown]
    note = f"metric: {run.estimand}; 95 % intervals; {protocol_part(run)}"
    note += f"; {few}" if (few := few_tasks([overall.estimate])) else ""
    note += f"; {unread}" if (unread := unparsed_part(run)) else ""
    note += f"; {both}" if (both := readings_part(run)) else ""
    note += f"; {spread}" if (spread := wordings_part(run)) else ""
    if len(groups) > len(shown):
        note += f"; {len(groups) - len(shown):,} more tasks in {run.folder / 'results.json'}"
    columns: tuple[str, ...] = ("task", "score", "low", "high", "n", "truncated", "errored", "unparsed", "at most")
    if not overall.unparsed:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(f"{run.name} on {run.plan.suite} ({run.plan.split})", columns, tuple(rows), note)


def _row(name: str, group: Group, most: float | None) -> tuple[Value, ...]:
    estimate = group.estimate
    value = None if estimate.value != estimate.value else estimate.value
    counts = (estimate.n, group.truncated, group.errored, group.unparsed)
    return (name, value, estimate.low, estimate.high, *counts, most)


def combinations_table(found: StaticFrontier, folder: Path) -> Table:
    """Every combination of a finished run, the lowest estimates first. A long list is cut; `results.json` has all."""
    cells = sorted(found.cells, key=lambda cell: (cell.share.value, cell.share.cell))
    suggested = {claim.whole.cell for claim in found.claims}
    asks, combines = any(cell.question for cell in cells), any(cell.atoms for cell in cells)
    fitted = any(cell.trained is not None for cell in cells)
    rows = []
    for cell in cells[:_MOST_CELLS]:
        share = cell.share
        known = ["–" if cell.trained is None else "yes" if cell.trained else "no"] if fitted else []
        name = (*(["+".join(cell.atoms)] if combines else []), *([cell.question] if asks else []))
        numbers = (share.n, cell.raw, share.value, share.low, share.high)
        rows.append((*name, *numbers, *known, "suggested" if share.cell in suggested else ""))
    # Facets that hold one value each make no combinations of parts: their own names say what a row is.
    columns = (
        *(["combination"] if combines else []),
        *(["question" if combines else ", ".join(found.by)] if asks else []),
    )
    standings = ", ".join(f"{number} {name}" for name, number in found.counts().items() if number)
    answers = counted(found.records, "answer")
    note = f"estimates are pooled over {answers}, every answer counts once; 95 % intervals; {standings}"
    if len(cells) > len(rows):
        note += f"; {len(cells) - len(rows):,} higher ones in {folder / 'results.json'}"
    title = f"combinations by {', '.join(found.by)}, lowest first"
    told = ["fitted to"] if fitted else []
    return Table(title, (*columns, "n", "seen", "estimate", "low", "high", *told, "frontier"), tuple(rows), note)

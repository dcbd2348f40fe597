"""Competence and kinds of errors of finished runs, of any family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import Recipe, UserError
from taskloom.core.catalog import METRICS
from taskloom.core.metric import ItemScore
from taskloom.core.scorer import metric_of
from taskloom.core.study import Study, Table, Value
from taskloom.families.zest.score.errors import ERROR_KINDS, error_shares
from taskloom.run.results import Run, load_run
from taskloom.score.competence import NumberOf, breakdown
from taskloom.score.stats import estimand


class CompetenceRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `competence`.

    Attributes:
        runs: Folders of runs (the -o of `taskloom run`).
        by: The task facet to group by: generalisation, domain, format, category ...
        thresholds: The levels T of C@T, between 0 and 1.
    """

    runs: tuple[str, ...] = ()
    by: str = "category"
    thresholds: tuple[float, ...] = (0.75, 0.9)

    def __post_init__(self) -> None:
        if not self.thresholds or not all(0 <= level <= 1 for level in self.thresholds):
            raise ValueError(f"thresholds must be between 0 and 1, not {self.thresholds}")


class CompetenceOfRuns(Study[CompetenceRecipe]):
    """C@T with intervals per group of tasks, and the errors sorted as in ZEST's Table 6."""

    summary: ClassVar[str] = "competence C@T and kinds of errors of finished runs (-T runs=[DIR, …])"
    recipe: ClassVar[Recipe] = CompetenceRecipe()

    def run(self, recipe: CompetenceRecipe, seed: int, out: Path | None) -> list[Table]:
        if not recipe.runs:
            raise UserError("no run given", where="study competence: runs", hint="-T 'runs=[out/run]'")
        # Failed answers are wrong here: a task is not done by failing on it.
        runs = [load_run(Path(folder).expanduser(), errors="wrong") for folder in recipe.runs]
        return [_competence(runs, recipe), _errors(runs)]


def _facets(run: Run) -> dict[str, dict[str, Any]]:
    return {name: dict(task.facets) for name, task in run.tasks.items()}


def _number_in(run: Run) -> NumberOf:
    """The number of a task by the metric of the scorer that judged it in this run."""
    scorers = {record.task: record.scorer for record in run.records}

    def number(scores: Sequence[ItemScore]) -> float:
        return METRICS.get(metric_of(scorers[scores[0].task])).number(scores)

    return number


def _competence(runs: list[Run], recipe: CompetenceRecipe) -> Table:
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        scores = run.scored(run.records)
        for row in breakdown(scores, _facets(run), recipe.by, recipe.thresholds, _number_in(run)):
            cells: list[Value] = [row.mean.value]
            for level in recipe.thresholds:
                estimate = row.at[level]
                cells += [estimate.value, f"{estimate.low:.2f} to {estimate.high:.2f}"]
            rows.append((run.name, row.group, row.tasks, row.left_out, *cells))
    levels = [f"C@{100 * level:g}{end}" for level in recipe.thresholds for end in ("", " interval")]
    columns = ("run", recipe.by, "tasks", "left out", "mean", *levels)
    note = (
        f"{estimand().capitalize()}; overall, every group counts once. "
        "A task that must be consistent with another counts the smaller number of both, and is left out without it."
    )
    return Table(f"Competence by {recipe.by}", columns, tuple(rows), note)


SHARES = "Shares of all errors, every instance counts once."


def _errors(runs: list[Run]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        counts = error_shares(run.scored(run.records))
        total = sum(counts.values())
        shares = (counts[kind] / total if total else None for kind in ERROR_KINDS)
        rows.append((run.name, len(run.records), total, *shares))
    return Table("Kinds of errors", ("run", "answers", "errors", *ERROR_KINDS), tuple(rows), SHARES)


COMPETENCE = CompetenceOfRuns()

"""Scoring a predictions file against a published ZEST data file, as the published evaluator does."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from taskloom.core import Recipe, UserError
from taskloom.core.decode import read_bytes
from taskloom.core.study import Study, Table, Value
from taskloom.families.zest.load import read_tasks
from taskloom.families.zest.score.fair import judge_fairly
from taskloom.families.zest.score.file import FileReport, prediction_lines, score_file
from taskloom.families.zest.score.official import judge
from taskloom.score.stats import estimand


class ScoreFileRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `zest/score-file`.

    Attributes:
        data: A data file with answers, JSONL.
        predictions: One prediction per line, in the order of tasks and examples.
        rules: official, or fair for the same files by the fair rules.
    """

    data: str = ""
    predictions: str = ""
    rules: Literal["official", "fair"] = "official"


class ZestFile(Study[ScoreFileRecipe]):
    """The published result table; with -o also its four files, the lists of errors included."""

    summary: ClassVar[str] = "score a predictions file as published (-T data=dev.jsonl -T predictions=predictions.txt)"
    recipe: ClassVar[Recipe] = ScoreFileRecipe()

    def run(self, recipe: ScoreFileRecipe, seed: int, out: Path | None) -> list[Table]:
        for key in ("data", "predictions"):
            if not getattr(recipe, key):
                raise UserError(f"{key} names no file", where=f"study zest/score-file: {key}", hint=f"-T {key}=FILE")
        tasks = [task.raw for task in read_tasks(Path(recipe.data).expanduser())]
        path = Path(recipe.predictions).expanduser()
        text = read_bytes(path).decode("utf-8", "replace")
        rules = judge if recipe.rules == "official" else judge_fairly
        report = score_file(tasks, prediction_lines(text), file=path.name, judge_one=rules)
        if out is not None:
            report.write(out / "results.json")
        return [_results(report), _findings(report)]


def _results(report: FileReport) -> Table:
    rows: list[tuple[Value, ...]] = [
        (name, row.tasks, row.mean, row.c75, row.c90)
        for name, row in [*report.types.items(), ("average", report.average)]
    ]
    note = f"{estimand()}; average: every type counts once; "
    note += f"overall, as the published evaluator prints it: {report.overall}"
    return Table("Results", ("type", "tasks", "mean", "C@75", "C@90"), tuple(rows), note)


def _findings(report: FileReport) -> Table:
    rows = tuple((finding.key or finding.file, finding.message, finding.code) for finding in report.findings)
    note = "" if rows else "Nothing at which the published evaluator would have stopped, and no surplus lines."
    return Table(
        "What the published evaluator would have stopped at or passed over", ("where", "what", "code"), rows, note
    )


FILE = ZestFile()

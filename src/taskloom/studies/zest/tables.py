"""The tables of ZEST from generated data: statistics, competence, ablations and errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.ask import Judge, ask, make_request
from taskloom.core import Progress, Recipe, Suite, open_suite
from taskloom.core.encoding import make_encoding
from taskloom.core.metric import ItemScore
from taskloom.core.model import Generation, Output, Request, open_model
from taskloom.core.study import Study, Table, Value
from taskloom.families.zest.score.errors import ERROR_KINDS, error_shares
from taskloom.families.zest.score.metrics import task_f1
from taskloom.score.competence import CompetenceRow, breakdown

__all__ = ["TABLES", "TablesRecipe", "ZestTables"]

# Table 2 of the paper, train, dev and test.
PAPER_STATISTICS: dict[str, tuple[float, float, float]] = {
    "(task, passage) pairs": (10_766, 2_280, 11_980),
    "words per passage": (121, 122, 122),
    "tasks": (538, 114, 599),
    "words per task": (12.3, 12.2, 11.8),
    "share of NA": (0.62, 0.67, 0.62),
    "share of classification": (0.46, 0.49, 0.44),
}
# Table 4: mean F1, C@75 and C@90 of T5-11B on test.
PAPER_T5 = {
    "base": (0.63, 0.43, 0.22),
    "paraphrase": (0.56, 0.32, 0.16),
    "combination": (0.65, 0.41, 0.15),
    "flip": (0.47, 0.18, 0.05),
    "structure": (0.47, 0.10, 0.03),
    "overall": (0.56, 0.28, 0.12),
}
# Table 5: the same on dev with parts of the input withheld.
PAPER_ABLATION = {"both": (0.56, 0.32, 0.12), "question": (0.12, 0.10, 0.07), "passage": (0.01, 0.01, 0.01)}
# Table 6: 100 errors sorted by hand.
PAPER_ERRORS = {"recall": 0.30, "precision": 0.37, "partial": 0.09, "other": 0.24}

_THRESHOLDS = (0.75, 0.9)
_KNOW_THE_ANSWER = ("mock/oracle", "mock/flaky")
_MEASURES = ("tasks", "mean F1", "C@75", "C@90", "C@90 interval")
_T5 = ("T5-11B mean", "T5-11B C@75", "T5-11B C@90")
_ORDER = ("base", "paraphrase", "combination", "flip", "structure", "overall")


class TablesRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `zest/tables`.

    Attributes:
        suite: The suite; its recipe keys can be set under `options`.
        options: Recipe keys of the suite to replace, for example `{"test": 60}` for a quick look.
        models: The models to run, any that `taskloom list models` shows.
        scorer: The scorer; "" takes the suite's own.
        separator: The separator of the encoding: t5 or bart.
        limit: At most this many passages per task, 0 for all.
    """

    suite: str = "zest/fictional"
    options: dict[str, Any] = {}
    models: tuple[str, ...] = ("mock/oracle", "mock/flaky", "reading/longest-overlap", "reading/yes", "reading/na")
    scorer: str = ""
    separator: str = "t5"
    limit: int = 0


class ZestTables(Study):
    """Counterparts of Tables 2, 4, 5 and 6 with the published numbers beside them."""

    summary: ClassVar[str] = "tables 2, 4, 5 and 6 of ZEST: statistics, competence, ablations, errors"
    recipe: ClassVar[Recipe] = TablesRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, TablesRecipe)
        suite = open_suite(recipe.suite, seed=seed, options=recipe.options)
        runs = {
            (model, split): _answers(suite, split, model, recipe)
            for model in recipe.models
            for split in ("dev", "test")
            if split in suite.splits
        }
        ablated = {
            (show, model): _answers(_showing(recipe, show, seed), _dev(suite), model, recipe)
            for show in ("question", "passage")
            for model in recipe.models
            if model not in _KNOW_THE_ANSWER
        }
        if out is not None:
            _write(out, runs)
        return [
            statistics_table(suite),
            competence_table(suite, runs),
            *(breakdown_table(suite, runs, by) for by in ("domain", "format")),
            ablation_table(suite, runs, ablated),
            error_table(runs),
        ]


def _dev(suite: Suite) -> str:
    return "dev" if "dev" in suite.splits else suite.default_split()


def _showing(recipe: TablesRecipe, show: str, seed: int) -> Suite:
    return open_suite(recipe.suite, seed=seed, options={**recipe.options, "show": show})


def _answers(suite: Suite, split: str, name: str, recipe: TablesRecipe) -> list[ItemScore]:
    """Ask a model everything in a split and score it. Failed answers count as wrong."""
    model = open_model(name)
    model.prepare(suite)
    encoding = make_encoding("zest", {"separator": recipe.separator})
    rows = suite.rows(split)
    kept = (row for row in rows if not recipe.limit or int(row.instance.id.rpartition("-")[2]) < recipe.limit)
    judge = Judge(suite.tasks.values(), recipe.scorer or None)
    scores: dict[int, ItemScore] = {}
    requests = (make_request(suite.tasks[row.task], row, encoding, model) for row in kept)
    with Progress(f"{name} on {suite.name} {split}", suite.splits[split], unit="asked") as progress:

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            for place, request, output in group:
                task, instance = request.task, request.instance
                found = judge.assess(request, output)
                failed = found.state == "errored"
                details = judge.score("", instance.targets, task).details if failed else found.strict.details
                scores[place] = ItemScore(task.name, instance.id, found.strict.score or 0.0, details, instance.facets)
            progress.advance(len(group))

        ask(model, enumerate(requests), Generation(max_tokens=512), keep)
    model.close()
    return [scores[place] for place in sorted(scores)]


def statistics_table(suite: Suite) -> Table:
    """Table 2: how large the data are, and how answers and tasks are distributed."""
    columns: list[list[Value]] = []
    for split in ("train", "dev", "test"):
        columns.append(_statistics(suite, split) if split in suite.splits else [None] * len(PAPER_STATISTICS))
    rows: list[tuple[Value, ...]] = []
    for index, (name, paper) in enumerate(PAPER_STATISTICS.items()):
        rows.append((name, *(column[index] for column in columns), *paper))
    header = ("statistic", "train", "dev", "test", "paper train", "paper dev", "paper test")
    return Table("Table 2: statistics", header, tuple(rows))


def _statistics(suite: Suite, split: str) -> list[Value]:
    words = pairs = silent = 0
    questions: dict[str, int] = {}
    for row in suite.rows(split):
        pairs += 1
        words += len(row.instance.parts.get("passage", "").split())
        silent += row.instance.facets["answer"] == "na"
        questions.setdefault(row.task, len(row.instance.parts.get("question", "").split()))
    closed = sum(suite.tasks[name].facets["format"] == "classification" for name in questions)
    count = max(1, len(questions))
    return [
        pairs,
        round(words / max(1, pairs), 1),
        len(questions),
        round(sum(questions.values()) / count, 1),
        round(silent / max(1, pairs), 3),
        round(closed / count, 3),
    ]


def _facets(suite: Suite) -> dict[str, Mapping[str, Any]]:
    return {name: task.facets for name, task in suite.tasks.items()}


def _cells(row: CompetenceRow) -> tuple[Value, ...]:
    last = row.at[_THRESHOLDS[-1]]
    return (
        row.tasks,
        *(estimate.value for estimate in (row.mean, *(row.at[level] for level in _THRESHOLDS))),
        f"{last.low:.2f} to {last.high:.2f}",
    )


def competence_table(suite: Suite, runs: Mapping[tuple[str, str], list[ItemScore]]) -> Table:
    """Table 4: competence per kind of generalisation, paraphrases and flips only together with their base."""
    rows: list[tuple[Value, ...]] = []
    for (model, split), scores in runs.items():
        found = {row.group: row for row in breakdown(scores, _facets(suite), "generalisation", _THRESHOLDS, task_f1)}
        for kind in _ORDER:
            if kind in found:
                paper = PAPER_T5[kind] if split == "test" else (None, None, None)
                rows.append((model, split, kind, *_cells(found[kind]), *paper))
    columns = ("model", "split", "kind", *_MEASURES, *_T5)
    note = (
        "Intervals: 95 %, bootstrap over tasks. A paraphrase or flip counts the smaller F1 of itself and its "
        "base. The columns of T5-11B are the paper's, on its own data, and no benchmark for the models here."
    )
    return Table("Table 4: competence by kind of generalisation", columns, tuple(rows), note)


def breakdown_table(suite: Suite, runs: Mapping[tuple[str, str], list[ItemScore]], by: str) -> Table:
    """The same per domain or answer format, on test."""
    rows: list[tuple[Value, ...]] = []
    for (model, split), scores in runs.items():
        if split == "test":
            found = breakdown(scores, _facets(suite), by, _THRESHOLDS, task_f1)
            rows += [(model, row.group, *_cells(row)) for row in found]
    columns = ("model", by, *_MEASURES)
    return Table(f"Competence by {by}, on test", columns, tuple(rows))


def ablation_table(
    suite: Suite, runs: Mapping[tuple[str, str], list[ItemScore]], ablated: Mapping[tuple[str, str], list[ItemScore]]
) -> Table:
    """Table 5: what is left when the passage or the question is withheld."""
    split = _dev(suite)
    inputs = {("both", model): scores for (model, on), scores in runs.items() if on == split} | dict(ablated)
    names = {"both": "full data", "question": "question only", "passage": "context only"}
    rows: list[tuple[Value, ...]] = []
    for (show, model), scores in inputs.items():
        found = breakdown(scores, _facets(suite), "generalisation", _THRESHOLDS, task_f1)
        rows.append((names[show], model, *_cells(found[-1]), *PAPER_ABLATION[show]))
    columns = ("input", "model", *_MEASURES, *_T5)
    return Table(f"Table 5: ablations, on {split}", columns, tuple(rows))


def error_table(runs: Mapping[tuple[str, str], list[ItemScore]]) -> Table:
    """Table 6: all errors of a run, sorted."""
    rows: list[tuple[Value, ...]] = []
    for (model, split), scores in runs.items():
        counts = error_shares(scores)
        total = sum(counts.values())
        shares = tuple(counts[kind] / total if total else None for kind in ERROR_KINDS)
        rows.append((model, split, len(scores), total, *shares))
    rows.append(("T5-11B (paper, 100 errors by hand)", "dev", None, 100, *(PAPER_ERRORS[kind] for kind in ERROR_KINDS)))
    columns = ("model", "split", "answers", "errors", *ERROR_KINDS)
    return Table("Table 6: kinds of errors", columns, tuple(rows))


def _write(out: Path, runs: Mapping[tuple[str, str], list[ItemScore]]) -> None:
    """Every scored answer, one JSON line each, so that the tables can be checked."""
    for (model, split), scores in runs.items():
        path = out / f"{model.replace('/', '-')}.{split}.jsonl"
        path.write_bytes(b"".join(msgspec.json.encode(score) + b"\n" for score in scores))


TABLES = ZestTables()

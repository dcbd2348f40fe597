"""Table 2 of ZEST from generated data: how large it is, and how answers and tasks are distributed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import Recipe, Suite, open_suite
from taskloom.core.study import Study, Table, Value
from taskloom.studies.published import printed


class ZestTablesRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `zest/tables`.

    Attributes:
        suite: The suite; its recipe keys can be set under `options`.
        options: Recipe keys of the suite to replace, for example `{"test": 60}` for a quick look.
    """

    suite: str = "zest/fictional"
    options: dict[str, Any] = {}


class ZestTables(Study[ZestTablesRecipe]):
    """The counterpart of Table 2 with the published numbers beside it."""

    summary: ClassVar[str] = "table 2 of ZEST: statistics (zest/competence has those that ask models)"
    recipe: ClassVar[Recipe] = ZestTablesRecipe()

    def run(self, recipe: ZestTablesRecipe, seed: int, out: Path | None) -> list[Table]:
        return [statistics_table(open_suite(recipe.suite, seed=seed, options=recipe.options))]


def statistics_table(suite: Suite) -> Table:
    """Table 2: how large the data are, and how answers and tasks are distributed."""
    columns: list[list[Value]] = []
    paper = printed("zest", "table-2").rows
    for split in ("train", "dev", "test"):
        columns.append(_statistics(suite, split) if split in suite.splits else [None] * len(paper))
    rows: list[tuple[Value, ...]] = []
    for index, (name, *published) in enumerate(paper):
        rows.append((name, *(column[index] for column in columns), *published))
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


TABLES = ZestTables()

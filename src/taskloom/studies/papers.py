"""What papers print and say, as data: their numbers, and their studies' settings beside their words.

`published_numbers/NAME.json` has tables and figures with their citation. `settings/NAME.toml` has the settings that the
studies of a paper share at each scale, those of each study on top, and `words`: what the paper says about a setting,
where, what that amounts to here, and why ours differs where it does.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import unknown_name
from taskloom.core.decode import read_json, read_toml
from taskloom.core.study import Table, Value
from taskloom.studies.frame import Expectation
from taskloom.studies.grid import SCALES, GridRecipe, Scale

_HERE = Path(__file__).parent


class PrintedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table or figure as it is printed.

    Attributes:
        where: "Table 8".
        columns: The names of its columns.
        rows: Its rows; null where the paper leaves a cell blank.
        note: What to know about the numbers: units, misprints.
    """

    where: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        if name not in self.columns:
            raise unknown_name("column", name, self.columns, where=self.where)
        return [row[self.columns.index(name)] for row in self.rows]

    def lookup(self, value: str, **keys: Value) -> Any:
        """The cell of a column in the first row whose other columns have these values; None where there is none."""
        places = {self.columns.index(name.replace("_", " ")): wanted for name, wanted in keys.items()}
        for row in self.rows:
            if all(row[place] == wanted for place, wanted in places.items()):
                return row[self.columns.index(value)]
        return None

    def pairs(self) -> list[tuple[Any, Any]]:
        """The rows of a table with two columns."""
        return [(first, second) for first, second in self.rows]

    def share(self, value: str, **keys: Value) -> float | None:
        """The same cell of a table in percent, as a share; None also where the table has no such column."""
        found = self.lookup(value, **keys) if value in self.columns else None
        return None if found is None else float(found) / 100

    def table(self, citation: str) -> Table:
        """The table as a study shows it."""
        return Table(f"{citation}, {self.where}, as printed", self.columns, self.rows, self.note)


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The printed numbers of one paper."""

    citation: str
    tables: dict[str, PrintedTable]


@cache
def paper(name: str) -> Paper:
    """A paper by the name of its file in `published_numbers/`."""
    known = {path.stem: path for path in (_HERE / "published_numbers").glob("*.json")}
    if name not in known:
        raise unknown_name("paper", name, known)
    return read_json(known[name], type=Paper)


def printed(name: str, table: str) -> PrintedTable:
    """A printed table: `printed("dyna-babi", "table-8")`."""
    tables = paper(name).tables
    if table not in tables:
        raise unknown_name("printed table", table, tables, where=name)
    return tables[table]


class PaperWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a paper says about a setting.

    Attributes:
        studies: The studies that it holds for; empty for a training recipe.
        key: The setting: `models`, `learners.*.options.epochs`, or `training.NAME` for a recipe of `-A recipe=NAME`.
        paper: What the paper says, in our words or few of its own.
        where: The section, table or figure.
        value: What the words amount to as a setting; of a training recipe, by option.
        why: Why ours differs; empty where it does not.
    """

    studies: tuple[str, ...] = ()
    key: str
    paper: str
    where: str
    value: Any
    why: str = ""


class StudyRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study: question, expectations, settings at each scale; `like` names another whose settings it has."""

    question: str
    expects: tuple[Expectation, ...] = ()
    like: str = ""
    smoke: dict[str, Any] = {}
    tiny: dict[str, Any] = {}
    paper: dict[str, Any] = {}


class PaperRecords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The studies of one paper."""

    citation: str
    studies: dict[str, StudyRecord]
    words: tuple[PaperWords, ...] = ()
    shared: dict[str, dict[str, Any]] = {}


@cache
def paper_records() -> dict[str, PaperRecords]:
    """The studies of every paper, by the name of its file."""
    return {path.stem: read_toml(path, type=PaperRecords) for path in sorted((_HERE / "settings").glob("*.toml"))}


def paper_of(study: str) -> PaperRecords:
    """The paper that a study repeats."""
    return next(paper for paper in paper_records().values() if study in paper.studies)


def scales_of(study: str, kind: type[GridRecipe]) -> dict[Scale, GridRecipe]:
    """The settings of a study at every scale."""
    paper = paper_of(study)
    record = paper.studies[paper.studies[study].like or study]

    def recipe(scale: Scale) -> GridRecipe:
        own = getattr(record, scale)
        shared = {key: value for key, value in paper.shared.get(scale, {}).items() if key in kind.__struct_fields__}
        learners = {**shared.get("learners", {}), **own.get("learners", {})}
        return msgspec.convert({**shared, **own, "learners": learners}, kind)

    return {scale: recipe(scale) for scale in SCALES}

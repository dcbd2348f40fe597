"""Numbers that papers print, as data with their citation, to stand beside ours."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from taskloom.core import unknown_name
from taskloom.core.study import Table, Value


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
    """A paper by the name of its file in `published/`."""
    folder = files("taskloom.studies").joinpath("published_numbers")
    known = {entry.name.removesuffix(".json"): entry for entry in folder.iterdir() if entry.name.endswith(".json")}
    if name not in known:
        raise unknown_name("paper", name, known)
    return msgspec.json.decode(known[name].read_bytes(), type=Paper)


def printed(name: str, table: str) -> PrintedTable:
    """A printed table: `printed("dyna-babi", "table-8")`."""
    tables = paper(name).tables
    if table not in tables:
        raise unknown_name("printed table", table, tables, where=name)
    return tables[table]

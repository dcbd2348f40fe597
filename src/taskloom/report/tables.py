"""Tables of a page: each says in its caption what its numbers are, and sorts by its headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.core.study import Table
from taskloom.figures import COLOURS
from taskloom.report.html import part
from taskloom.run.results import Group

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["FOLDED", "TableCell", "plain_table", "strip_table", "study_table"]

FOLDED = 30
"""Rows that a long table shows before it is unfolded."""
_MISSING = "–"


class TableCell(NamedTuple):
    """A cell: what it says, what it sorts by where that is a number, and where it leads."""

    text: str
    number: str = ""
    link: str = ""


def strip_table(
    anchor: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Sequence[str], Group, int]],
) -> Markup:
    """Scores with their intervals as strips, and every denominator.

    Args:
        anchor: The table's anchor.
        caption: What the numbers are: metric, estimand, protocol.
        columns: The names of the columns that name a row.
        rows: What names the row, its numbers, and the place of its colour.
    """
    shown = []
    for names, group, place in rows:
        estimate = group.estimate
        missing = estimate.value != estimate.value
        shown.append(
            {
                "names": names,
                "value": "–" if missing else f"{estimate.value:.3f}",
                "interval": f"{estimate.low:.3f} – {estimate.high:.3f}",
                "raw_low": f"{estimate.low:.6f}",
                "low": f"{100 * estimate.low:.1f}",
                "width": f"{100 * (estimate.high - estimate.low):.1f}",
                "place": None if missing else f"{100 * estimate.value:.1f}",
                "colour": COLOURS[place % len(COLOURS)],
                "counts": [estimate.n, group.truncated, group.errored, group.unparsed],
            }
        )
    return part("strips", anchor, caption, columns, shown, FOLDED if len(shown) > FOLDED else 0)


def plain_table(
    anchor: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[TableCell]],
    note: str = "",
    folded: int = 0,
    titled: bool = False,
) -> Markup:
    """Any table; `titled` where the caption is a title and not a sentence about the numbers."""
    numeric = [_numeric([row[place] for row in rows]) for place in range(len(columns))]
    return part("plain", anchor, caption, columns, rows, numeric, note, folded if len(rows) > folded else 0, titled)


def _numeric(column: Sequence[TableCell]) -> bool:
    """Whether a column holds numbers: its heading and its missing cells then stand above and below them."""
    return any(cell.number for cell in column) and all(cell.number or cell.text == _MISSING for cell in column)


def study_table(anchor: str, table: Table) -> Markup:
    """A study's table."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return plain_table(anchor, table.title, table.columns, rows, table.note, FOLDED, titled=True)


def _cell(cell: Any) -> TableCell:
    if cell is None:
        return TableCell(_MISSING)
    if isinstance(cell, bool):
        return TableCell("yes" if cell else "no")
    if isinstance(cell, float):
        return TableCell(f"{cell:.3f}", repr(cell))
    if isinstance(cell, int):
        return TableCell(f"{cell:,}", str(cell))
    return TableCell(str(cell))

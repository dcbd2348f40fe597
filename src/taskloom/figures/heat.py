"""Heat maps of two columns: colour is the score, strength is how much is known, frames mark what was trained."""

from __future__ import annotations

from typing import Any

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.layout import fit, on_shade, shade, short, width_of
from taskloom.figures.pen import FAINT, GRID, INK, Pen

FULL = 30
"""The number of answers from which a cell has its full colour."""


class HeatCell(msgspec.Struct, frozen=True):
    """A score with its denominator. `framed` cells were trained, say; None where that means nothing."""

    row: str
    column: str
    value: float
    low: float
    high: float
    n: int
    framed: bool | None = None


def strength(n: int, full: int = FULL) -> float:
    """How strong the colour of a cell is: a handful of answers must not shout as loud as a hundred."""
    return 0.15 + 0.85 * min(1.0, n / full)


def shade_bar(pen: Pen, x: float, y: float, width: float) -> None:
    """The colours from 0 to 1 with numbers below."""
    steps = 40
    for step in range(steps):
        pen.rect(x + step * width / steps, y, width / steps + 0.5, 9, fill=shade((step + 0.5) / steps))
    for value in (0.0, 0.5, 1.0):
        pen.text(x + value * width, y + 18, f"{value:g}", size=10, fill=FAINT, anchor="middle")


class HeatMap(Figure, frozen=True, kw_only=True):
    """A table in colour.

    Attributes:
        cells: The cells; rows and columns appear in the order in which they first turn up.
        column_order: Columns that come first, in this order, so that several maps can be compared.
        row_name, column_name: What rows and columns are.
        full: The number of answers from which a cell has its full colour.
        frame: What a frame means.
    """

    cells: tuple[HeatCell, ...]
    column_order: tuple[str, ...] = ()
    row_name: str = ""
    column_name: str = ""
    full: int = FULL
    frame: str = "trained"

    def columns(self) -> tuple[str, ...]:
        return (self.row_name or "row", self.column_name or "column", "value", "low", "high", "n", self.frame)

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.row, c.column, c.value, c.low, c.high, c.n, c.framed) for c in self.cells]

    def draw(self, width: float) -> Pen:
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        present = dict.fromkeys(cell.column for cell in self.cells)
        columns = list(dict.fromkeys([*(name for name in self.column_order if name in present), *present]))
        named = max((width_of(short(name, 30)) for name in (*rows, self.row_name)), default=0.0)
        left = min(0.4 * width, named + 12)
        slanted = max((width_of(short(name, 24), 11) for name in columns), default=0.0)
        step = min(64.0, max(34.0, (width - left - 10) / max(1, len(columns))))
        above = 16.0 if self.column_name else 0.0
        tall, top = 32.0, above + 8 + 0.58 * slanted + 8
        pen = Pen(left + step * len(columns) + 0.82 * slanted, top + tall * len(rows) + 44)
        for place, name in enumerate(columns):
            pen.text(left + (place + 0.45) * step, top - 8, short(name, 24), size=11, rotate=-35, title=name)
        for place, name in enumerate(rows):
            label = fit(short(name, 30), left - 10)
            pen.text(left - 8, top + (place + 0.5) * tall, label, anchor="end", title=name)
        if self.column_name:
            pen.text(left, 8, short(self.column_name, 40), size=11, fill=FAINT)
        if self.row_name:
            pen.text(left - 8, top - 8, fit(short(self.row_name, 30), left - 10), size=11, fill=FAINT, anchor="end")
        pen.rect(left, top, step * len(columns), tall * len(rows), fill=GRID, opacity=0.5)
        for cell in self.cells:
            if cell.value == cell.value:
                x, y = left + columns.index(cell.column) * step, top + rows.index(cell.row) * tall
                self._cell(pen, cell, (x, y, step, tall))
        shade_bar(pen, left, pen.height - 30, min(180.0, max(90.0, step * len(columns))))
        return pen

    def _cell(self, pen: Pen, cell: HeatCell, box: tuple[float, float, float, float]) -> None:
        x, y, wide, tall = box
        known = strength(cell.n, self.full)
        framed = "" if cell.framed is None else f", {self.frame}" if cell.framed else f", not {self.frame}"
        title = (
            f"{cell.row} × {cell.column}: {cell.value:.3f} [{cell.low:.3f}, {cell.high:.3f}], n = {cell.n:,}{framed}"
        )
        pen.rect(x + 0.75, y + 0.75, wide - 1.5, tall - 1.5, fill=shade(cell.value), opacity=known, title=title)
        if cell.framed:
            pen.rect(x + 3, y + 3, wide - 6, tall - 6, stroke=INK, line=1.5)
        letters = on_shade(cell.value, known)
        pen.text(x + wide / 2, y + tall / 2 - 5, f"{cell.value:.2f}", size=11, fill=letters, anchor="middle")
        pen.text(x + wide / 2, y + tall / 2 + 7, f"n {cell.n:,}", size=8.5, fill=letters, anchor="middle")

"""Heat maps: colour is the score, strength how much is known, a frame what a model was fitted to; and of a frontier.

A frontier has two pictures: which pairs of atoms fail where they meet, and how far below their prediction.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from taskloom.figures.base import (
    FAINT,
    GRID,
    INK,
    Figure,
    Pen,
    fit,
    on_shade,
    score_axis,
    shade,
    short,
    width_of,
    wrapped,
)

FULL = 30
"""The number of answers from which a cell has its full colour."""


class HeatCell(msgspec.Struct, frozen=True):
    """A score with its denominator. `framed`: fitted to, say; None where that means nothing."""

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
    frame: str = "fitted to"

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


_RED, _GREEN = "#B2182B", "#228833"
_SLIM = 480.0


class PairCell(msgspec.Struct, frozen=True):
    """What happens where two atoms meet, or, on the diagonal, with one atom alone.

    Attributes:
        first, second: The atoms.
        value: The share right where both meet and no other failing pattern does; None where no cell is free of them.
        low, high, n: Its interval and denominator.
        kind: "frontier" (fails although its parts are mastered), "inherited" (a mastered cell vouches for it), "asked".
        trained: Whether the combination occurs in training.
        link: Where its samples are.
    """

    first: str
    second: str
    value: float | None
    low: float = 0.0
    high: float = 1.0
    n: int = 0
    kind: Literal["frontier", "inherited", "asked"] = "asked"
    trained: bool | None = None
    link: str = ""


class PairMatrix(Figure, frozen=True, kw_only=True):
    """Atoms against atoms. Heavy frame: frontier. Dots: inherited. Dashed: not fitted to. Grey: nothing to tell."""

    atoms: tuple[str, ...]
    cells: tuple[PairCell, ...]

    def columns(self) -> tuple[str, ...]:
        return ("first", "second", "value", "low", "high", "n", "kind", "fitted")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.first, c.second, c.value, c.low, c.high, c.n, c.kind, c.trained) for c in self.cells]

    def draw(self, width: float) -> Pen:
        rank = {atom: number for number, atom in enumerate(self.atoms)}
        placed = [(cell, sorted((cell.first, cell.second), key=rank.__getitem__)) for cell in self.cells]
        # A part that meets only those after it has no row, one that meets only those before it no column.
        columns, rows = (sorted({pair[side] for _, pair in placed}, key=rank.__getitem__) for side in (0, 1))
        left = max((width_of(short(atom, 22)) for atom in rows), default=0.0) + 12
        slant = max((width_of(short(atom, 22), 11) for atom in columns), default=0.0)
        widest = max(1, len(rows), len(columns))
        step = min(64.0, max(26.0, (min(width, 560.0) - left - 0.55 * slant) / widest))
        bottom = 4 + step * len(rows)
        pen = Pen(left + step * len(columns) + 0.3 * slant + 8, bottom + 0.6 * slant + 58)
        for cell, (first, second) in placed:
            drawn = len(pen.shapes)
            self._cell(pen, cell, left + columns.index(first) * step, 4 + rows.index(second) * step, step)
            pen.leads_to(cell.link, drawn)
        for number, atom in enumerate(rows):
            pen.text(left - 8, 4 + (number + 0.5) * step, short(atom, 22), anchor="end", title=atom)
        for number, atom in enumerate(columns):
            pen.text(left + (number + 0.45) * step, bottom + 9, short(atom, 22), size=11, rotate=35, title=atom)
        self._key(pen, left, bottom + 0.6 * slant + 28)
        return pen

    def _cell(self, pen: Pen, cell: PairCell, x: float, y: float, step: float) -> None:
        names = cell.first if cell.first == cell.second else f"{cell.first} + {cell.second}"
        known = "not asked, or no cell without another failing pattern" if cell.value is None else (
            f"{cell.value:.2f} [{cell.low:.2f}, {cell.high:.2f}], n = {cell.n:,}"
        )  # fmt: skip
        trained = "" if cell.trained is None else ", fitted to" if cell.trained else ", not fitted to"
        title = f"{names}: {known}, {cell.kind}{trained}"
        strong = 1.0 if cell.kind == "inherited" else strength(cell.n, 16)
        fill = GRID if cell.value is None else shade(cell.value)
        faded = 1.0 if cell.value is None else strong
        pen.rect(x + 1, y + 1, step - 2, step - 2, fill=fill, opacity=faded, title=title)
        if cell.trained is False:
            pen.rect(x + 4, y + 4, step - 8, step - 8, stroke=INK, line=1.0, dash=(3, 3))
        if cell.kind == "frontier":
            pen.rect(x + 2, y + 2, step - 4, step - 4, stroke=INK, line=3.2, title=title)
        if cell.kind == "inherited":
            pen.circle(x + step / 2, y + step / 2, 2.5, fill=INK, title=title)
        elif cell.value is not None:
            size = 13 if step > 44 else 10
            pen.text(x + step / 2, y + step / 2 - (4 if step > 44 else 0), f"{cell.value:.2f}", size=size,
                     fill=on_shade(cell.value, strong), anchor="middle", bold=cell.kind == "frontier")  # fmt: skip
            if step > 44:
                pen.text(x + step / 2, y + step / 2 + 10, f"n {cell.n:,}", size=9,
                         fill=on_shade(cell.value, strong), anchor="middle")  # fmt: skip

    def _key(self, pen: Pen, x: float, y: float) -> None:
        shade_bar(pen, 8, y, 110)
        marks = [("frontier", 3.0, ()), ("not fitted to", 1.0, (3.0, 3.0))]
        kinds = {cell.kind for cell in self.cells}
        x = 138.0
        for name, line, dash in marks:
            if (name == "frontier" and "frontier" in kinds) or (
                name != "frontier" and any(cell.trained is False for cell in self.cells)
            ):
                pen.rect(x, y - 2, 14, 14, stroke=INK, line=line, dash=dash)
                pen.text(x + 20, y + 5, name, size=11, fill=FAINT)
                x += 30 + width_of(name, 11)
        pen.width = max(pen.width, x)


class PromiseRow(msgspec.Struct, frozen=True):
    """One claim: what two parts promise, and what was measured where they meet. One part alone stands twice."""

    name: str
    first: float
    second: float
    at_least: float
    at_most: float
    value: float
    low: float
    high: float
    n: int
    proved: bool = False


class PromisePlot(Figure, frozen=True, kw_only=True):
    """Promise against measured: green from p_A + p_B − 1 to min(p_A, p_B), ticks for the parts, red for the whole."""

    claims: tuple[PromiseRow, ...]

    def columns(self) -> tuple[str, ...]:
        return ("combination", "first", "second", "at_least", "at_most", "value", "low", "high", "n", "proved")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.name, c.first, c.second, c.at_least, c.at_most, c.value, c.low, c.high, c.n, c.proved)
                for c in self.claims]  # fmt: skip

    def draw(self, width: float) -> Pen:
        slim = width < _SLIM
        pen = Pen(width)
        labels = [short(claim.name, 38 if not slim else 44) for claim in self.claims]
        left = 10.0 if slim else min(0.46 * width, max(map(width_of, labels), default=0.0) + 14)
        right, step = width - (52 if slim else 60), 46.0 if slim else 32.0
        bottom = 6 + step * len(self.claims)
        score_axis(pen, left, right, 6, bottom, (0.0, 1.0))
        for number, (claim, label) in enumerate(zip(self.claims, labels, strict=True)):
            y = 6 + number * step
            pen.line(((0, y), (width, y)), GRID, 0.8)
            if slim:
                pen.text(0, y + 13, label, title=claim.name)
            else:
                pen.text(left - 12, y + step / 2, label, anchor="end", title=claim.name)
            self._claim(pen, claim, y + (32 if slim else step / 2), (left, right))
        said = "share right · green: expected from the parts · red: measured (filled where the drop is proved)"
        for number, line in enumerate(wrapped(said, width, 11)):
            pen.text(width / 2, bottom + 30 + 14 * number, line, size=11, fill=FAINT, anchor="middle")
            pen.height = bottom + 42 + 14 * number
        return pen

    def _claim(self, pen: Pen, claim: PromiseRow, y: float, ends: tuple[float, float]) -> None:
        left, right = ends

        def at(value: float) -> float:
            return left + value * (right - left)

        promise = f"{claim.name}: expected from the parts {claim.at_least:.2f} to {claim.at_most:.2f}"
        wide = max(3.0, at(claim.at_most) - at(claim.at_least))
        pen.rect(at(claim.at_least), y - 6, wide, 12, fill=_GREEN, opacity=0.35, title=promise)
        for part in (claim.first, claim.second):
            pen.line(((at(part), y - 9), (at(part), y + 9)), _GREEN, 2, title=promise)
        measured = f"{claim.name}: {claim.value:.2f} [{claim.low:.2f}, {claim.high:.2f}], n = {claim.n:,}"
        pen.line(((at(claim.low), y), (at(claim.high), y)), _RED, 3, title=measured)
        pen.circle(at(claim.value), y, 6, fill=_RED if claim.proved else "#ffffff", stroke=_RED, line=2, title=measured)
        pen.text(right + 12, y, f"{claim.value:.2f}", fill=INK, bold=True)

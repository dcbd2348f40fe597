"""The two pictures of a frontier: which pairs of atoms fail where they meet, and how far below their promise."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.heat import shade_bar, strength
from taskloom.figures.layout import on_shade, score_axis, shade, short, width_of, wrapped
from taskloom.figures.pen import FAINT, GRID, INK, Pen

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

"""Heat maps of two columns: colour is the score, strength is how much is known, frames mark what was trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.figures.base import INK, Figure, Notes, colour_map, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HeatCell", "HeatMap"]


class HeatCell(msgspec.Struct, frozen=True):
    """A score with its denominator. `framed` cells were trained, say; None where that means nothing."""

    row: str
    column: str
    value: float
    low: float
    high: float
    n: int
    framed: bool | None = None


class HeatMap(Figure, frozen=True, kw_only=True):
    """A table in colour.

    Attributes:
        cells: The cells; rows and columns appear in the order in which they first turn up.
        row_name, column_name: What rows and columns are.
        full: The number of answers from which a cell has its full colour.
    """

    cells: tuple[HeatCell, ...]
    row_name: str = ""
    column_name: str = ""
    full: int = 30

    def columns(self) -> tuple[str, ...]:
        return (self.row_name or "row", self.column_name or "column", "value", "low", "high", "n", "framed")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.row, c.column, c.value, c.low, c.high, c.n, c.framed) for c in self.cells]

    def _names(self) -> tuple[list[str], list[str]]:
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        return rows, list(dict.fromkeys(cell.column for cell in self.cells))

    def size(self) -> tuple[float, float]:
        rows, columns = self._names()
        return min(14.0, 3.0 + 0.72 * len(columns)), 1.4 + 0.42 * len(rows)

    def draw(self, axes: Axes, note: Notes) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize
        from matplotlib.patches import Rectangle

        rows, columns = self._names()
        places = {name: place for place, name in enumerate(rows)}, {name: place for place, name in enumerate(columns)}
        shades = colour_map()
        axes.set_facecolor("#eef0f2")
        for cell in self.cells:
            if cell.value != cell.value:
                continue
            x, y = places[1][cell.column], places[0][cell.row]
            # A handful of answers must not shout as loud as a hundred.
            strength = 0.25 + 0.75 * min(1.0, cell.n / self.full)
            box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=shades(cell.value), alpha=strength, edgecolor="white",
                            linewidth=1.5)  # fmt: skip
            note(box, f"{cell.row} × {cell.column}: {cell.value:.3f} [{cell.low:.3f}, {cell.high:.3f}], n = {cell.n:,}")
            axes.add_patch(box)
            if cell.framed:
                frame = Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, fill=False, edgecolor=INK, linewidth=1.6)
                axes.add_patch(frame)
            dark = (cell.value < 0.2 or cell.value > 0.85) and strength > 0.6
            axes.text(x, y, f"{cell.value:.2f}\nn {cell.n:,}", ha="center", va="center", fontsize=7,
                      color="white" if dark else INK, linespacing=1.1, in_layout=False)  # fmt: skip
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(columns)), [short(name) for name in columns], rotation=35, ha="right", color=INK)
        axes.set_yticks(range(len(rows)), [short(name) for name in rows])
        axes.set_xlabel(self.column_name)
        axes.set_ylabel(self.row_name)
        canvas = axes.get_figure()
        if canvas is not None:
            bar = canvas.colorbar(ScalarMappable(Normalize(0, 1), shades), ax=axes, fraction=0.03, pad=0.02)
            bar.outline.set_visible(False)
            bar.ax.tick_params(length=0, labelsize=8)

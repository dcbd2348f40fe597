"""Points in two dimensions, with the diagonal or a fitted line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.figures.base import COLOURS, FAINT, GRID, INK, Figure, Notes, colour, legend, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScatterPlot", "ScatterPoint"]

_LABELLED = 6


class ScatterPoint(msgspec.Struct, frozen=True):
    """A point. Its size grows with `n`; points of one series share a colour."""

    name: str
    x: float
    y: float
    n: int = 1
    series: str = ""


class ScatterPlot(Figure, frozen=True, kw_only=True):
    """Points, coloured by series; without series, by whether they lie above or below the diagonal.

    Attributes:
        points: The points.
        x_name, y_name: What the axes are.
        diagonal: Draw the line of equal values.
        fits: Fitted lines as (series, intercept, slope).
        unit: Both axes from 0 to 1.
    """

    points: tuple[ScatterPoint, ...]
    x_name: str
    y_name: str
    diagonal: bool = True
    fits: tuple[tuple[str, float, float], ...] = ()
    unit: bool = True

    def columns(self) -> tuple[str, ...]:
        return ("name", "series", self.x_name, self.y_name, "n")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(p.name, p.series, p.x, p.y, p.n) for p in self.points]

    def size(self) -> tuple[float, float]:
        return 5.2, 5.2

    def draw(self, axes: Axes, note: Notes) -> None:
        series = list(dict.fromkeys(point.series for point in self.points))
        if self.diagonal:
            axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 4)))
        biggest = max((point.n for point in self.points), default=1)
        for point in self.points:
            if len(series) > 1:
                shade = colour(series.index(point.series))
            else:
                shade = COLOURS[2] if point.y > point.x else COLOURS[1] if point.y < point.x else FAINT
            size = 4 + 8 * (point.n / biggest) ** 0.5
            (mark,) = axes.plot([point.x], [point.y], "o", color=shade, alpha=0.75, markersize=size, markeredgewidth=0)
            note(mark, f"{point.name}: {point.x:.3f}, {point.y:.3f}, n = {point.n:,}")
        ends = (0.0, 1.0) if self.unit else axes.get_xlim()
        for name, intercept, slope in self.fits:
            shade = colour(series.index(name)) if name in series else INK
            axes.plot(ends, [intercept + slope * end for end in ends], color=shade, linewidth=1.4)
        if self.diagonal:
            for point in sorted(self.points, key=lambda p: -abs(p.y - p.x))[:_LABELLED]:
                if abs(point.y - point.x) > 0.02:
                    axes.annotate(short(point.name), (point.x, point.y), xytext=(7, -3), textcoords="offset points",
                                  fontsize=8, color=INK)  # fmt: skip
        if self.unit:
            axes.set_xlim(-0.04, 1.04)
            axes.set_ylim(-0.04, 1.04)
            axes.set_aspect("equal")
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(short(self.x_name))
        axes.set_ylabel(short(self.y_name))
        legend(axes, series)

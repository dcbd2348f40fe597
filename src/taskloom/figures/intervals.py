"""Means with their intervals, one row per name, one colour per series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.figures.base import FAINT, GRID, INK, Figure, Notes, colour, legend, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["IntervalPlot", "IntervalPoint"]


class IntervalPoint(msgspec.Struct, frozen=True):
    """A mean with its interval. `published` marks a number of a paper, drawn as an open diamond without interval."""

    name: str
    value: float
    low: float
    high: float
    n: int = 0
    series: str = ""
    published: bool = False


class IntervalPlot(Figure, frozen=True, kw_only=True):
    """Dots with interval bars.

    Attributes:
        points: The means; rows and series appear in the order in which they first turn up.
        axis: What the values are.
        low, high: The ends of the axis.
        values: Whether the number stands beside each dot.
    """

    points: tuple[IntervalPoint, ...]
    axis: str = "score"
    low: float = 0.0
    high: float = 1.0
    values: bool = True

    def columns(self) -> tuple[str, ...]:
        return ("name", "series", "value", "low", "high", "n", "published")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(p.name, p.series, p.value, p.low, p.high, p.n, p.published) for p in self.points]

    def _names(self) -> list[str]:
        return list(dict.fromkeys(point.name for point in self.points))

    def _series(self) -> list[str]:
        return list(dict.fromkeys(point.series for point in self.points))

    def size(self) -> tuple[float, float]:
        per_row = max(0.36, 0.17 * len(self._series()))
        return 7.2, 0.9 + per_row * len(self._names())

    def draw(self, axes: Axes, note: Notes) -> None:
        names, series = self._names(), self._series()
        step = 0.8 / max(len(series), 1)
        for point in self.points:
            if point.value != point.value:
                continue
            place = series.index(point.series)
            y = names.index(point.name) + (place - (len(series) - 1) / 2) * step
            self._point(axes, note, point, y, colour(place if len(series) > 1 else 0))
        for line in range(1, len(names)):
            axes.axhline(line - 0.5, color=GRID, linewidth=0.6)
        axes.set_yticks(range(len(names)), [short(name) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
        span = self.high - self.low
        axes.set_xlim(self.low - 0.02 * span, self.high + 0.02 * span)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(self.axis)
        legend(axes, series)

    def _point(self, axes: Axes, note: Notes, point: IntervalPoint, y: float, shade: str) -> None:
        title = f"{point.name}{f', {point.series}' if point.series else ''}: {point.value:.3f}"
        if point.published:
            (mark,) = axes.plot([point.value], [y], "D", markersize=6, markerfacecolor="none", markeredgecolor=FAINT)
            note(mark, f"{title}, published")
        else:
            axes.plot([point.low, point.high], [y, y], color=shade, linewidth=4, alpha=0.3, solid_capstyle="round")
            (mark,) = axes.plot([point.value], [y], "o", color=shade, markersize=7)
            note(mark, f"{title} [{point.low:.3f}, {point.high:.3f}], n = {point.n:,}")
        if self.values:
            axes.annotate(
                f"{point.value:.2f}", (point.value, y), xytext=(0, 6), textcoords="offset points", ha="center",
                fontsize=8, color=FAINT if point.published else INK,
            )  # fmt: skip

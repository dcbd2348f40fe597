"""Lines over a number: learning curves, doses, scaling."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, log2, log10
from typing import Any, Literal

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.layout import colour, legend, ticks
from taskloom.figures.pen import FAINT, GRID, Pen

_MOST_DOTS = 40


class LinePoint(msgspec.Struct, frozen=True):
    """A point of a line; `low` and `high` where it has an interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    n: int = 0


class Line(msgspec.Struct, frozen=True):
    """A line. Lines of one name share a colour. `published` lines come from a paper and are drawn in grey."""

    name: str
    points: tuple[LinePoint, ...]
    dashed: bool = False
    published: bool = False


class LinePlot(Figure, frozen=True, kw_only=True):
    """Lines with bands.

    Attributes:
        lines: The lines.
        x_name, y_name: What the axes are.
        scale: How x is laid out; "doubling" puts 0, 1, 2, 4, 8 … at equal distances.
        low, high: The ends of y; None fits the data.
    """

    lines: tuple[Line, ...]
    x_name: str
    y_name: str = "score"
    scale: Literal["linear", "log", "doubling"] = "linear"
    low: float | None = 0.0
    high: float | None = 1.0

    def columns(self) -> tuple[str, ...]:
        return ("line", "published", "dashed", self.x_name, self.y_name, "low", "high", "n")

    def rows(self) -> list[tuple[Any, ...]]:
        return [
            (line.name, line.published, line.dashed, p.x, p.y, p.low, p.high, p.n)
            for line in self.lines
            for p in line.points
        ]

    def draw(self, width: float) -> Pen:
        pen = Pen(width)
        names = list(dict.fromkeys(line.name for line in self.lines if not line.published))
        top = legend(pen, names, 2.0) + 6
        left, right, bottom = 44.0, width - 10, top + (250 if width > 480 else 210)
        across, down = self._axes(pen, (left, right), (top, bottom))
        for line in self.lines:
            tint = FAINT if line.published else colour(names.index(line.name))
            self._line(pen, line, tint, across, down)
        pen.text((left + right) / 2, bottom + 30, self.x_name, size=11, fill=FAINT, anchor="middle")
        pen.text(12, (top + bottom) / 2, self.y_name, size=11, fill=FAINT, anchor="middle", rotate=-90)
        pen.height = bottom + 40
        return pen

    def _axes(
        self, pen: Pen, ends: tuple[float, float], heights: tuple[float, float]
    ) -> tuple[Callable[[float], float], Callable[[float], float]]:
        """Draw the grid; return where a number stands across and down."""
        (left, right), (top, bottom) = ends, heights
        points = [point for line in self.lines for point in line.points]
        drawn = (y for point in points for y in (point.y, point.low, point.high) if y is not None)
        y_values = [y for y in drawn if not isnan(y)] or [0.0, 1.0]
        low = min(y_values) if self.low is None else self.low
        high = max(y_values) if self.high is None else self.high
        high = high if high > low else low + 1
        places = [self._place(point.x) for point in points] or [0.0]
        first, last = min(places), max(places)
        span = (last - first) or 1.0

        def across(value: float) -> float:
            return left + 8 + (self._place(value) - first) / span * (right - left - 16)

        def down(value: float) -> float:
            return bottom - (value - low) / (high - low) * (bottom - top)

        for mark in ticks(low, high):
            pen.line(((left, down(mark)), (right, down(mark))), GRID)
            pen.text(left - 8, down(mark), f"{mark:g}", size=11, fill=FAINT, anchor="end")
        shown = sorted({point.x for point in points})
        if self.scale == "linear" or len(shown) > 12:
            ends_of = (shown[0], shown[-1]) if shown else (0.0, 1.0)
            shown = ticks(*ends_of, most=7)
        for mark in shown:
            pen.text(across(mark), bottom + 12, f"{mark:g}", size=11, fill=FAINT, anchor="middle")
        return across, down

    def _place(self, value: float) -> float:
        if self.scale == "log":
            return log10(value) if value > 0 else 0.0
        if self.scale == "doubling":
            return value if value < 1 else 1 + log2(value)
        return value

    def _within(self, value: float) -> float:
        """The end of a band, no farther than the axis goes."""
        floored = value if self.low is None else max(self.low, value)
        return floored if self.high is None else min(self.high, floored)

    def _line(
        self, pen: Pen, line: Line, tint: str, across: Callable[[float], float], down: Callable[[float], float]
    ) -> None:
        known = [point for point in line.points if point.y == point.y]
        banded = [(p.x, p.low, p.high) for p in known if p.low is not None and p.high is not None]
        if len(banded) > 1:
            above = [(across(x), down(self._within(high))) for x, _, high in banded]
            below = [(across(x), down(self._within(low))) for x, low, _ in reversed(banded)]
            pen.polygon([*above, *below], fill=tint, opacity=0.15)
        dash = (6.0, 4.0) if line.dashed or line.published else ()
        if len(known) > 1:
            pen.line([(across(p.x), down(p.y)) for p in known], tint, 2, dash=dash)
        for point in known if len(known) <= _MOST_DOTS else ():
            band = "" if point.low is None else f" [{point.low:.3f}, {point.high:.3f}]"
            counted = f", n = {point.n:,}" if point.n else ""
            title = f"{line.name} at {point.x:g}: {point.y:.3f}{band}{counted}"
            pen.circle(across(point.x), down(point.y), 3.5, fill=tint, title=title)

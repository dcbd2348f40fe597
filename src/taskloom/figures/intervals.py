"""Means with their intervals, one row per name, one colour per series."""

from __future__ import annotations

from typing import Any

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.layout import colour, fit, legend, score_axis, short, width_of
from taskloom.figures.pen import FAINT, GRID, INK, Pen

_SLIM = 480.0
"""Below this width names stand above their rows, not beside them."""


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
        values: Whether the number stands beside each row.
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

    def draw(self, width: float) -> Pen:
        names = list(dict.fromkeys(point.name for point in self.points))
        series = list(dict.fromkeys(point.series for point in self.points))
        slim = width < _SLIM
        pen = Pen(width)
        top = legend(pen, series, 2.0)
        labels = [short(name, 34) for name in names]
        left = 8.0 if slim else min(0.42 * width, max(map(width_of, labels), default=0.0) + 14)
        right = width - ((46 if slim else 118) if self.values else 10)
        head, lane = (17 if slim else 0), 19.0
        height = head + lane * len(series) + 7
        bottom = top + height * len(names)
        score_axis(pen, left, right, top, bottom, (self.low, self.high))
        for place, (name, label) in enumerate(zip(names, labels, strict=True)):
            y = top + place * height
            pen.line(((0, y), (width, y)), GRID, 0.8)
            if slim:
                pen.text(0, y + 12, fit(label, width), title=name)
            else:
                pen.text(left - 12, y + height / 2, fit(label, left - 14), anchor="end", title=name)
        for point in self.points:
            if point.value != point.value:
                continue
            lane_of = series.index(point.series)
            y = top + names.index(point.name) * height + head + 3.5 + (lane_of + 0.5) * lane
            self._point(pen, point, y, (left, right), colour(lane_of if len(series) > 1 else 0))
        pen.text((left + right) / 2, bottom + 28, self.axis, size=11, fill=FAINT, anchor="middle")
        pen.height = bottom + 38
        return pen

    def _point(self, pen: Pen, point: IntervalPoint, y: float, ends: tuple[float, float], tint: str) -> None:
        left, right = ends

        def at(value: float) -> float:
            return left + (value - self.low) / (self.high - self.low) * (right - left)

        title = f"{point.name}{f', {point.series}' if point.series else ''}: {point.value:.3f}"
        x = at(point.value)
        if point.published:
            diamond = ((x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6))
            pen.polygon(diamond, stroke=FAINT, line=1.5, title=f"{title}, published")
        else:
            title += f" [{point.low:.3f}, {point.high:.3f}], n = {point.n:,}"
            pen.rect(at(point.low), y - 4, max(1.0, at(point.high) - at(point.low)), 8, fill=tint, opacity=0.3,
                     title=title)  # fmt: skip
            pen.circle(x, y, 5.5, fill=tint, title=title)
        # A published number shares its lane with the measured one, whose value is written; hovering shows both.
        alone = not point.published or all(
            other.published or (other.name, other.series) != (point.name, point.series) for other in self.points
        )
        if self.values and alone:
            # Rounded first: a value next to nothing is 0.00, not -0.00.
            pen.text(
                right + 12, y, f"{round(point.value, 2) + 0.0:.2f}", fill=FAINT if point.published else INK, bold=True
            )
            if point.n and right < pen.width - 60:
                pen.text(right + 46, y, f"n {point.n:,}", size=11, fill=FAINT)

"""Points in two dimensions, with the diagonal or a fitted line."""

from __future__ import annotations

from typing import Any

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.layout import COLOURS, colour, fit, legend, short, ticks, width_of
from taskloom.figures.pen import FAINT, GRID, INK, Pen

_LABELLED = 8
_LARGEST = 460.0
_RADIUS = 9.0
"""That of the largest point."""
_NUMBERS = 48.0
"""The room for the numbers of the axis."""
_LINE = 12.0
"""The height of a label."""


class ScatterPoint(msgspec.Struct, frozen=True):
    """A point. Its size grows with `n`; points of one series share a colour; intervals are drawn as a cross."""

    name: str
    x: float
    y: float
    n: int = 1
    series: str = ""
    x_interval: tuple[float, float] | None = None
    y_interval: tuple[float, float] | None = None


class ScatterPlot(Figure, frozen=True, kw_only=True):
    """Points, coloured by series; without series, by whether they lie above or below the diagonal, if there is one.

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
        ends = ("x low", "x high", "y low", "y high") if self._intervals() else ()
        return ("name", "series", self.x_name, self.y_name, "n", *ends)

    def rows(self) -> list[tuple[Any, ...]]:
        none = (None, None)
        if not self._intervals():
            return [(p.name, p.series, p.x, p.y, p.n) for p in self.points]
        return [
            (p.name, p.series, p.x, p.y, p.n, *(p.x_interval or none), *(p.y_interval or none)) for p in self.points
        ]

    def _intervals(self) -> bool:
        return any(point.x_interval or point.y_interval for point in self.points)

    def _ends(self, values: list[float]) -> tuple[float, float]:
        if self.unit or not values:
            return 0.0, 1.0
        low, high = min(values), max(values)
        # A single value is set in a frame of its own size; what cannot be below 0 has no axis there.
        edge = (high - low) / 20 or abs(high) / 2 or 0.5
        return max(0.0, low - edge) if low >= 0 else low - edge, high + edge

    def draw(self, width: float) -> Pen:
        side = min(width, _LARGEST)
        pen = Pen(side)
        series = list(dict.fromkeys(point.series for point in self.points))
        x_ends = self._ends([x for p in self.points for x in (p.x, *(p.x_interval or ()))])
        y_ends = self._ends([y for p in self.points for y in (p.y, *(p.y_interval or ()))])
        if self.diagonal:
            # Equal values lie on a diagonal only where both axes are alike.
            x_ends = y_ends = min(x_ends[0], y_ends[0]), max(x_ends[1], y_ends[1])
        numbers = max((width_of(f"{mark:g}", 11) for mark in ticks(*y_ends)), default=0.0)
        top, left = legend(pen, series, 2.0) + 10, max(_NUMBERS, 30 + numbers)
        right, bottom = side - 12, top + side - 60

        def across(value: float) -> float:
            return left + 6 + (value - x_ends[0]) / (x_ends[1] - x_ends[0]) * (right - left - 12)

        def down(value: float) -> float:
            return bottom - 6 - (value - y_ends[0]) / (y_ends[1] - y_ends[0]) * (bottom - top - 12)

        for mark in ticks(*x_ends):
            pen.line(((across(mark), top), (across(mark), bottom)), GRID)
            pen.text(across(mark), bottom + 12, f"{mark:g}", size=11, fill=FAINT, anchor="middle")
        for mark in ticks(*y_ends):
            pen.line(((left, down(mark)), (right, down(mark))), GRID)
            pen.text(left - 7, down(mark), f"{mark:g}", size=11, fill=FAINT, anchor="end")
        if self.diagonal:
            pen.line([(across(end), down(end)) for end in x_ends], FAINT, 1, dash=(5, 5))
        for name, intercept, slope in self.fits:
            line = [(across(x), down(intercept + slope * x)) for x in x_ends]
            pen.line(line, colour(series.index(name)) if name in series else INK, 1.5)
        self._points(pen, series, across, down)
        pen.text((left + right) / 2, bottom + 30, short(self.x_name, 48), size=11, fill=FAINT, anchor="middle")
        pen.text(12, (top + bottom) / 2, short(self.y_name, 48), size=11, fill=FAINT, anchor="middle", rotate=-90)
        pen.height = bottom + 40
        return pen

    def _points(self, pen: Pen, series: list[str], across: Any, down: Any) -> None:
        biggest = max((point.n for point in self.points), default=1)
        for point in self.points:
            if len(series) > 1:
                tint = colour(series.index(point.series))
            elif not self.diagonal:
                tint = colour(0)
            else:
                tint = COLOURS[2] if point.y > point.x else COLOURS[1] if point.y < point.x else FAINT
            x, y = across(point.x), down(point.y)
            if point.x_interval:
                pen.line([(across(end), y) for end in point.x_interval], tint, 1.2)
            if point.y_interval:
                pen.line([(x, down(end)) for end in point.y_interval], tint, 1.2)
            title = f"{point.name}: {point.x:.3f}, {point.y:.3f}, n = {point.n:,}"
            radius = 3 + (_RADIUS - 3) * (point.n / max(1, biggest)) ** 0.5
            pen.circle(x, y, radius, fill=tint, opacity=0.75, title=title)
        if self.diagonal:
            self._labels(pen, across, down)

    def _labels(self, pen: Pen, across: Any, down: Any) -> None:
        """Names beside the points farthest from the diagonal, or all where they are few.

        None covers another, nor a point.
        """
        places = ((across(point.x), down(point.y)) for point in self.points)
        taken: list[tuple[float, float, float]] = [(x - _RADIUS, x + _RADIUS, y) for x, y in places]
        lowest = max(down(point.y) for point in self.points)
        for point in sorted(self.points, key=lambda p: -abs(p.y - p.x))[:_LABELLED]:
            if abs(point.y - point.x) <= 0.02 and len(self.points) > _LABELLED:
                continue
            x, y = across(point.x), down(point.y)
            # On the right where the whole name fits, else where more of it does.
            before, after = x - 10 - _NUMBERS, pen.width - x - 10
            beyond = width_of(point.name, 11) > after and before > after
            label = fit(point.name, before if beyond else after, 11)
            size = width_of(label, 11)
            left = x - 10 - size if beyond else x + 10
            while any(abs(y - other) < _LINE and left < end and start < left + size for start, end, other in taken):
                # Below the lowest points stand the numbers of the axis.
                y += _LINE if down(point.y) < lowest - _LINE else -_LINE
            taken.append((left, left + size, y))
            pen.text(x - 10 if beyond else x + 10, y, label, size=11, anchor="end" if beyond else "start",
                     title=point.name)  # fmt: skip

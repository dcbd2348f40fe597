"""Plots: means with their intervals, lines over a number, points in two dimensions, and counts."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, isnan, log2, log10, sqrt
from typing import Any, Literal

import msgspec

from taskloom.figures.base import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    LIGHT,
    Figure,
    Pen,
    colour,
    fit,
    legend,
    score_axis,
    short,
    ticks,
    width_of,
    wrapped,
)

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
        top = legend(pen, series)
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
        top = legend(pen, names) + 6
        numbers = max((width_of(f"{mark:g}", 11) for mark in ticks(*self._ends())), default=0.0)
        left, right, bottom = max(44.0, 28 + numbers), width - 10, top + (250 if width > 480 else 210)
        across, down = self._axes(pen, (left, right), (top, bottom))
        for line in self.lines:
            tint = FAINT if line.published else colour(names.index(line.name))
            self._line(pen, line, tint, across, down)
        pen.text((left + right) / 2, bottom + 30, self.x_name, size=11, fill=FAINT, anchor="middle")
        pen.text(12, (top + bottom) / 2, self.y_name, size=11, fill=FAINT, anchor="middle", rotate=-90)
        pen.height = bottom + 40
        return pen

    def _ends(self) -> tuple[float, float]:
        """The ends of the vertical axis."""
        drawn = (y for line in self.lines for p in line.points for y in (p.y, p.low, p.high) if y is not None)
        values = [y for y in drawn if not isnan(y)] or [0.0, 1.0]
        low = min(values) if self.low is None else self.low
        high = max(values) if self.high is None else self.high
        return low, high if high > low else low + 1

    def _axes(
        self, pen: Pen, ends: tuple[float, float], heights: tuple[float, float]
    ) -> tuple[Callable[[float], float], Callable[[float], float]]:
        """Draw the grid; return where a number stands across and down."""
        (left, right), (top, bottom) = ends, heights
        points = [point for line in self.lines for point in line.points]
        low, high = self._ends()
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
        top, left = legend(pen, series) + 10, max(_NUMBERS, 30 + numbers)
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


_LANE = 17.0
_GAP = 6.0
_SMALL, _TINY = 11.0, 9.0


class Count(msgspec.Struct, frozen=True):
    """How many there are of something."""

    name: str
    n: int


class _CountFigure(Figure, frozen=True, kw_only=True):
    """Counts in the order in which they are drawn; `unit` says of what."""

    counts: tuple[Count, ...]
    unit: str = "tasks"

    def columns(self) -> tuple[str, ...]:
        return ("name", self.unit)

    def rows(self) -> list[tuple[Any, ...]]:
        return [(count.name, count.n) for count in self.counts]

    def _title(self, count: Count) -> str:
        return f"{count.name}: {count.n:,} {self.unit}"


class CountPlot(_CountFigure, frozen=True, kw_only=True):
    """A bar for every count, with its name and number. On a log scale a bar for 1 is still to be seen."""

    scale: Literal["log", "linear"] = "log"

    def draw(self, width: float) -> Pen:
        pen = Pen(width)
        labels = [short(count.name, 34) for count in self.counts]
        left = min(0.45 * width, max((width_of(label, _SMALL) for label in labels), default=0.0) + 10)
        right = width - 44
        most = max((count.n for count in self.counts), default=1)
        bottom = 4 + _LANE * len(self.counts)
        decades = max(1, ceil(log10(most)) if most > 1 else 1)

        def at(n: float) -> float:
            part = n / most if self.scale == "linear" else (log10(n) + 0.15) / (decades + 0.15)
            return left + part * (right - left)

        marks = ticks(0, most) if self.scale == "linear" else [10.0**power for power in range(decades + 1)]
        for mark in marks:
            pen.line(((at(mark), 4), (at(mark), bottom)), GRID)
            pen.text(at(mark), bottom + 11, f"{mark:,.0f}", size=_SMALL, fill=FAINT, anchor="middle")
        for place, (count, label) in enumerate(zip(self.counts, labels, strict=True)):
            y = 4 + place * _LANE
            pen.text(left - 8, y + _LANE / 2, label, size=_SMALL, anchor="end", title=count.name)
            end = at(count.n) if count.n else left
            pen.rect(left, y + 3, end - left, _LANE - 6, fill=colour(0), title=self._title(count))
            pen.text(end + 5, y + _LANE / 2, f"{count.n:,}", size=_SMALL, fill=FAINT)
        pen.text((left + right) / 2, bottom + 27, self.unit, size=_SMALL, fill=FAINT, anchor="middle")
        pen.height = bottom + 38
        return pen


class BubblePlot(_CountFigure, frozen=True, kw_only=True):
    """A bubble for every count, in rows, with its name below it: how wide a collection is at a glance."""

    def draw(self, width: float) -> Pen:
        pen = Pen(width)
        most = max((count.n for count in self.counts), default=1)
        largest = min(46.0, width / 8)
        x, top, row, row_height = 0.0, 2.0, 0.0, 0.0
        for count in self.counts:
            radius = max(3.0, largest * sqrt(count.n / most))
            cell = max(2 * radius, 58.0)
            lines = wrapped(count.name, cell + 2, _TINY)
            height = 2 * radius + 11 * len(lines) + _GAP
            if x and x + cell > width:
                x, top, row_height = 0.0, top + row_height, 0.0
            row = row if x else 2 * radius
            row_height = max(row_height, row + 11 * len(lines) + _GAP, height)
            centre, floor = x + cell / 2, top + max(row, 2 * radius)
            pen.circle(centre, floor - radius, radius, fill=colour(0), opacity=0.85, title=self._title(count))
            inside = radius > width_of(f"{count.n:,}", _SMALL) * 0.6
            if inside:
                pen.text(centre, floor - radius, f"{count.n:,}", size=_SMALL, fill=LIGHT, anchor="middle")
            for number, line in enumerate(lines):
                pen.text(centre, floor + 8 + 11 * number, line, size=_TINY, anchor="middle", title=self._title(count))
            x += cell + _GAP
        pen.height = top + row_height + 2
        return pen

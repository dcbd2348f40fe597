"""How many of each: bars in rows, and bubbles whose areas are the counts."""

from __future__ import annotations

from math import ceil, log10, sqrt
from typing import Any, Literal

import msgspec

from taskloom.figures.base import Figure
from taskloom.figures.layout import LIGHT, colour, short, ticks, width_of, wrapped
from taskloom.figures.pen import FAINT, GRID, Pen

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

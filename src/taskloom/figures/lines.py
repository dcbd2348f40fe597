"""Lines over a number: learning curves, doses, scaling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from taskloom.figures.base import FAINT, GRID, Figure, Notes, colour, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Line", "LinePlot", "LinePoint"]


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

    def size(self) -> tuple[float, float]:
        return 7.2, 3.8

    def draw(self, axes: Axes, note: Notes) -> None:
        names = list(dict.fromkeys(line.name for line in self.lines if not line.published))
        if self.scale == "log":
            axes.set_xscale("log")
        elif self.scale == "doubling":
            axes.set_xscale("symlog", base=2, linthresh=1)
        for line in self.lines:
            shade = FAINT if line.published else colour(names.index(line.name))
            style: Any = (0, (4, 3)) if line.dashed or line.published else "-"
            x, y = [p.x for p in line.points], [p.y for p in line.points]
            banded = [p for p in line.points if p.low is not None and p.high is not None]
            if banded:
                axes.fill_between([p.x for p in banded], [p.low or 0.0 for p in banded],
                                  [p.high or 0.0 for p in banded], color=shade, alpha=0.15, linewidth=0)  # fmt: skip
            marker = "" if len(line.points) > 40 else "o"
            axes.plot(x, y, color=shade, linewidth=1.8, linestyle=style)
            for point in line.points if marker else ():
                (mark,) = axes.plot([point.x], [point.y], marker, color=shade, markersize=5)
                band = "" if point.low is None else f" [{point.low:.3f}, {point.high:.3f}]"
                note(
                    mark, f"{line.name} at {point.x:g}: {point.y:.3f}{band}" + (f", n = {point.n:,}" if point.n else "")
                )
        if self.low is not None and self.high is not None:
            span = self.high - self.low
            axes.set_ylim(self.low - 0.03 * span, self.high + 0.03 * span)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(self.x_name)
        axes.set_ylabel(self.y_name)
        legend(axes, names)

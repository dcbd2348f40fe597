"""The plots of a report, as SVG that needs nothing else.

All figures share one look: text stays text (it can be searched, and scales on a phone), colours can be
told apart by colour-blind readers, every mean has its interval, and every cell its denominator.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.core import missing_extra
from taskloom.core.metric import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "Curve", "curve_figure", "facet_figure", "forest_figure", "heat_figure", "scatter_figure"]

# Paul Tol's bright scheme: distinct under the common forms of colour blindness.
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA3377", "#CCBB44", "#66CCEE", "#555555", "#EE8866")
INK, FAINT, GRID = "#1f2933", "#7b8794", "#e4e7eb"
_LONGEST_LABEL = 40
_LEGEND_LETTERS = 90
"""How many letters fit side by side over a figure; a legend that is wider is cut off."""


class Curve(NamedTuple):
    """A learning curve: a score per number of updates."""

    name: str
    updates: Sequence[float]
    scores: Sequence[float]
    dashed: bool = False


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    try:
        from matplotlib import rcParams
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "report", "drawing figures") from None
    rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "taskloom",
            "font.family": "sans-serif",
            "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
            "font.size": 10,
            "text.color": INK,
            "axes.labelcolor": INK,
            "xtick.color": FAINT,
            "ytick.color": INK,
        }
    )
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.subplots()
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


def _svg(figure: Figure, title: str) -> str:
    """The figure as an SVG element that fills its container and tells screen readers what it shows."""
    from html import escape

    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    head, rest = text.split(">", 1)
    words = [word for word in head.split() if not word.startswith(("width=", "height="))]
    # A small figure stays small on a wide screen; any figure shrinks on a phone.
    widest = round(float(figure.get_figwidth()) * 130)
    return f'{" ".join(words)} style="max-width:{widest}px" role="img" aria-label="{escape(title, quote=True)}">{rest}'


def _short(label: str) -> str:
    # A dollar sign would start mathematics.
    text = label.replace("$", r"\$").replace("\n", " ")
    if len(text) <= _LONGEST_LABEL:
        return text
    # What tells two long names apart mostly stands at their ends.
    head = _LONGEST_LABEL // 3
    return f"{text[:head]}…{text[head + 1 - _LONGEST_LABEL :]}"


def _score_axis(axes: Axes, low: float = 0.0) -> None:
    axes.set_xlim(low - 0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1] if low == 0 else axes.get_xticks())
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def forest_figure(
    rows: Sequence[tuple[str, Estimate]], title: str, published: Mapping[str, float] | None = None
) -> str:
    """One line per run: its score as a dot, its interval as a bar. Published scores stand below as open diamonds."""
    lines = dict(published or {})
    figure, axes = _figure(7.2, 0.7 + 0.36 * len(rows) + 0.26 * len(lines))
    for place, (_, estimate) in enumerate(rows):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(
            [estimate.low, estimate.high], [place, place], color=colour, linewidth=5, alpha=0.3, solid_capstyle="round"
        )
        if estimate.value == estimate.value:
            axes.plot([estimate.value], [place], "o", color=colour, markersize=8)
            axes.annotate(
                f"{estimate.value:.2f}", (estimate.value, place), xytext=(0, 9), textcoords="offset points",
                ha="center", fontsize=8.5, color=INK,
            )  # fmt: skip
    places = [len(rows) + 0.72 * index for index in range(len(lines))]
    for height, value in zip(places, lines.values(), strict=True):
        axes.axvline(value, color=GRID, linewidth=0.8, linestyle=":", zorder=0)
        axes.plot([value], [height], "D", markersize=6, markerfacecolor="none", markeredgecolor=FAINT)
        axes.annotate(
            f"{value:.2f}", (value, height), xytext=(8, -3), textcoords="offset points", fontsize=8, color=FAINT
        )
    axes.set_yticks([*range(len(rows)), *places], [_short(name) for name in (*(name for name, _ in rows), *lines)])
    axes.set_ylim((places[-1] + 0.6) if places else len(rows) - 0.4, -0.75)
    _score_axis(axes)
    axes.set_xlabel("score")
    return _svg(figure, title)


def facet_figure(groups: Mapping[str, Mapping[str, Estimate]], facet: str) -> str:
    """Scores by the values of one facet, one colour per run. Numbers become a line, names become rows."""
    values = list(dict.fromkeys(value for run in groups.values() for value in run))
    if len(values) > 2 and all(_is_number(value) for value in values):
        return _facet_lines(groups, facet)
    runs = list(groups)
    step = 0.8 / max(len(runs), 1)
    figure, axes = _figure(7.2, 0.8 + len(values) * max(0.34, 0.17 * len(runs)))
    for place, value in enumerate(values):
        for index, run in enumerate(runs):
            estimate = groups[run].get(value)
            if estimate is None or estimate.value != estimate.value:
                continue
            y = place + (index - (len(runs) - 1) / 2) * step
            colour = COLOURS[index % len(COLOURS)]
            axes.plot(
                [estimate.low, estimate.high], [y, y], color=colour, linewidth=3.5, alpha=0.3, solid_capstyle="round"
            )
            axes.plot([estimate.value], [y], "o", color=colour, markersize=6, label=run if place == 0 else None)
    for line in range(1, len(values)):
        axes.axhline(line - 0.5, color=GRID, linewidth=0.8)
    counts = {value: max(run[value].n for run in groups.values() if value in run) for value in values}
    axes.set_yticks(range(len(values)), [f"{_short(value)}  ({counts[value]:,})" for value in values])
    axes.set_ylim(len(values) - 0.5, -0.5)
    _score_axis(axes)
    axes.set_xlabel(f"score by {facet} (n)")
    _legend(axes, runs)
    return _svg(figure, f"score by {facet}")


def _facet_lines(groups: Mapping[str, Mapping[str, Estimate]], facet: str) -> str:
    figure, axes = _figure(7.2, 3.4)
    for index, (_, by_value) in enumerate(groups.items()):
        shown = [(float(v), e) for v, e in by_value.items() if _is_number(v) and e.value == e.value]
        shown.sort(key=lambda pair: pair[0])
        x = [value for value, _ in shown]
        colour = COLOURS[index % len(COLOURS)]
        axes.fill_between(
            x, [e.low for _, e in shown], [e.high for _, e in shown], color=colour, alpha=0.15, linewidth=0
        )
        axes.plot(x, [e.value for _, e in shown], "o-", color=colour, markersize=5, linewidth=1.8)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_xlabel(facet)
    axes.set_ylabel("score")
    _whole_ticks(axes)
    _legend(axes, list(groups))
    return _svg(figure, f"score by {facet}")


def _whole_ticks(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _legend(axes: Axes, runs: Sequence[str]) -> None:
    if len(runs) < 2:
        return
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="o", linestyle="", color=COLOURS[i % len(COLOURS)], label=_short(run))
        for i, run in enumerate(runs)
    ]
    longest = max(len(_short(run)) for run in runs)
    columns = max(1, min(3, len(runs), _LEGEND_LETTERS // (longest + 5)))
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, frameon=False, fontsize=9)


def heat_figure(cells: Mapping[tuple[str, str], Estimate], rows_name: str, columns_name: str, title: str) -> str:
    """A heat map of two facets. Each cell shows the score and how many instances are behind it."""
    import numpy as np

    rows = list(dict.fromkeys(key[0] for key in cells))
    columns = list(dict.fromkeys(key[1] for key in cells))
    values = np.full((len(rows), len(columns)), np.nan)
    for (row, column), estimate in cells.items():
        values[rows.index(row), columns.index(column)] = estimate.value
    width = min(11.0, 2.4 + 0.72 * len(columns))
    figure, axes = _figure(width, 1.2 + 0.42 * len(rows))
    edges = np.arange(len(columns) + 1) - 0.5, np.arange(len(rows) + 1) - 0.5
    axes.set_facecolor("#eef0f2")
    axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=_colour_map(), vmin=0, vmax=1, edgecolor="white", linewidth=1.5
    )
    axes.invert_yaxis()
    for (row, column), estimate in cells.items():
        if estimate.value != estimate.value:
            continue
        dark = estimate.value < 0.2 or estimate.value > 0.85
        axes.text(
            columns.index(column), rows.index(row), f"{estimate.value:.2f}\nn {estimate.n:,}", ha="center", va="center",
            fontsize=7, color="white" if dark else INK, linespacing=1.1, in_layout=False,
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), [_short(name) for name in columns], rotation=35, ha="right", color=INK)
    axes.set_yticks(range(len(rows)), [_short(name) for name in rows])
    axes.set_xlabel(columns_name)
    axes.set_ylabel(rows_name)
    return _svg(figure, title)


def _colour_map() -> Any:
    """Red for failing, pale for half, blue for solved."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = ["#B2182B", "#EF8A62", "#FDF3E7", "#92C5DE", "#2166AC"]
    return LinearSegmentedColormap.from_list("taskloom", shades, N=25)


def scatter_figure(points: Sequence[tuple[str, float, float, int]], first: str, second: str) -> str:
    """Each group (a task, a facet's value) at its scores in two runs; above the line the second run is better."""
    figure, axes = _figure(5.0, 5.0)
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 4)))
    biggest = max((n for *_, n in points), default=1)
    for _, x, y, n in points:
        colour = COLOURS[2] if y > x else COLOURS[1] if y < x else FAINT
        axes.plot([x], [y], "o", color=colour, alpha=0.75, markersize=4 + 8 * (n / biggest) ** 0.5, markeredgewidth=0)
    labelled = sorted(points, key=lambda point: -abs(point[2] - point[1]))[:6]
    for name, x, y, _ in labelled:
        if abs(y - x) > 0.02:
            axes.annotate(_short(name), (x, y), xytext=(7, -3), textcoords="offset points", fontsize=8, color=INK)
    axes.set_xlim(-0.04, 1.04)
    axes.set_ylim(-0.04, 1.04)
    axes.set_aspect("equal")
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(_short(first))
    axes.set_ylabel(_short(second))
    return _svg(figure, f"{second} against {first}")


def curve_figure(curves: Sequence[Curve], title: str) -> str:
    """Learning curves: score by number of updates; dashed lines are on training data."""
    figure, axes = _figure(7.2, 3.6)
    names = list(dict.fromkeys(curve.name for curve in curves))
    for curve in curves:
        colour = COLOURS[names.index(curve.name) % len(COLOURS)]
        style = (0, (4, 3)) if curve.dashed else "-"
        axes.plot(curve.updates, curve.scores, color=colour, linewidth=1.8, linestyle=style)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_xlabel("updates   (solid: unseen data, dashed: training data)")
    axes.set_ylabel("score")
    _legend(axes, names)
    return _svg(figure, title)

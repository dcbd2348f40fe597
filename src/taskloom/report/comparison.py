"""Runs side by side: differences with intervals and tests, which of them hold together, and what could be seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.report.choose import choose_facets
from taskloom.report.html import card, chooser, figure, heading, part, slug
from taskloom.run.pool import compare_runs
from taskloom.run.results import Run
from taskloom.score.stats import Comparison, estimand, holm_sentence

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["Outcomes", "Side", "compare_sides", "comparison_card"]

_MOST_PAIRED = 12
"""With more sides than this each is compared with the best only."""
_MOST_SHOWN = 12


class Side(NamedTuple):
    """One side of a comparison: a run, or several that differ in their seeds alone."""

    name: str
    runs: Sequence[Run]


class Outcomes(NamedTuple):
    """Every comparison of some sides: the two sides, and how the second compares with the first."""

    pairs: list[tuple[Side, Side, Comparison]]

    def sentences(self) -> list[str]:
        """What can be said about all differences together, and what could have been seen."""
        usable = [(first.name, second.name, outcome) for first, second, outcome in self.pairs if outcome.n]
        apart = "; ".join(
            f"{outcome.unpaired:,} answers of {second.name} against {first.name}"
            for first, second, outcome in self.pairs
            if outcome.unpaired
        )
        left = [f"Left out, because the other run was not asked the same question: {apart}."] if apart else []
        if not usable:
            return left
        largest = max(outcome.detectable for _, _, outcome in usable)
        smallest = min(outcome.detectable for _, _, outcome in usable)
        if smallest >= 1:
            seen = "Given how much these runs disagree between tasks, no difference could be found with 80 % power."
        else:
            between = f"{smallest:.3f}" if f"{smallest:.3f}" == f"{largest:.3f}" else f"{smallest:.3f} to {largest:.3f}"
            seen = f"Given how much these runs disagree, 80 % power needs a true difference of {between}."
        return [holm_sentence(usable), seen, *left]


def compare_sides(sides: Sequence[Side]) -> Outcomes:
    """Every side with every other one, or with the best where there are many."""
    pairs = list(combinations(sides, 2))
    if len(sides) > _MOST_PAIRED:
        best = max(sides, key=lambda side: side.runs[0].overall().estimate.value)
        pairs = [(other, best) for other in sides if other is not best]
    return Outcomes([(first, second, compare_runs(first.runs, second.runs)) for first, second in pairs])


def comparison_card(outcomes: Outcomes, anchor: str) -> Markup | str:
    """The comparisons, the clearest differences first."""
    panes = []
    usable = [pair for pair in outcomes.pairs if pair[2].n]
    for first, second, outcome in sorted(usable, key=lambda pair: pair[2].p_value)[:_MOST_SHOWN]:
        dots = _dots(first.runs[0], second.runs[0])
        asked = f"{outcome.n:,} shared instances of {outcome.tasks:,} task{'s' if outcome.tasks > 1 else ''}"
        rest = (
            f"[{outcome.low:+.3f}, {outcome.high:+.3f}], p = {outcome.p_value:.3g}; "
            f"{estimand(outcome.weigh, first.runs[0].metric().name)}, on {asked}; "
            f"better on {outcome.better:,}, worse on {outcome.worse:,}. A dot per {dots}, "
            f"above the diagonal where {second.name} is better."
        )
        text = part("comparison", second.name, first.name, f"{outcome.difference:+.3f}", rest)
        name = f"{second.name} against {first.name}"
        points = tuple(_points(first.runs[0], second.runs[0], dots))
        drawn = ScatterPlot(title=name, points=points, x_name=first.name, y_name=second.name)
        panes.append((name, figure(drawn, f"{anchor}-{slug(name)}", text)))
    if not panes:
        notes = [part("note", text) for text in outcomes.sentences()]
        return card(heading(3, "Two runs, side by side", anchor), *notes) if notes else ""
    left = f"The {_MOST_SHOWN} clearest of {len(usable)} comparisons." if len(usable) > _MOST_SHOWN else ""
    lines = [part("note", text) for text in (*outcomes.sentences(), left) if text]
    return card(heading(3, "Two runs, side by side", anchor), *lines, chooser(f"{anchor}-runs", "runs", panes))


def _dots(first: Run, second: Run) -> str:
    """What a dot stands for: a task; where there is one task only, a value of the facet that divides it best."""
    if len(first.tasks) == 1:
        return next(iter(choose_facets([first, second], ()).drawn), "task")
    return "task"


def _points(first: Run, second: Run, by: str) -> list[ScatterPoint]:
    one, two = first.by_facet(by), second.by_facet(by)
    points = []
    for key in one.keys() & two.keys():
        a, b = one[key].estimate, two[key].estimate
        if a.n and b.n:
            points.append(ScatterPoint(key[0], a.value, b.value, a.n))
    return sorted(points, key=lambda point: point.name)

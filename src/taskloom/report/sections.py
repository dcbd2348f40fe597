"""The parts of a suite's section: facets, heat maps, curves, tasks, and what was run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
from markupsafe import Markup

from taskloom.adapt.curves import Point, read_curve
from taskloom.core.yaml12 import encode_yaml
from taskloom.figures import IntervalPlot, IntervalPoint, Line, LinePlot, LinePoint, ScatterPlot, ScatterPoint
from taskloom.report.choose import Facets, choose_facets, is_number, score_sums, varied
from taskloom.report.html import card, chooser, data_block, figure, heading, part, slug, strip_table
from taskloom.run.plan import fitted_here
from taskloom.run.results import Group, Run, proof_of
from taskloom.score.stats import Comparison, estimand, holm_sentence
from taskloom.studies.pool import compare_runs

_MOST_ROWS = 24
"""A facet with more values than this is a table that sorts and unfolds, not a picture."""

Names = Mapping[int, str]


def caption_of(runs: Sequence[Run], what: str) -> str:
    """What the numbers of a table are: metric, estimand, protocol, intervals."""
    protocols = dict.fromkeys(str(run.plan.protocol.get("name") or run.plan.encoding.get("name")) for run in runs)
    headlines = dict.fromkeys(name for run in runs for name in run.columns.codes("headline").labels)
    estimands = dict.fromkeys(run.estimand for run in runs)
    asked = f"protocol {', '.join(protocols)}; {', '.join(headlines)} reading"
    return f"{what}: {'; '.join(estimands)}; {asked}; 95 % intervals."


def facet_card(runs: Sequence[Run], names: Names, facets: Facets, anchor: str) -> Markup | str:
    """Scores by every facet, the most telling first."""
    panes = []
    for facet in facets.drawn:
        groups = {names[id(run)]: _groups(run, facet) for run in runs if facet in run.facet_names()}
        panes.append((facet, _facet_pane(runs, groups, facet, f"{anchor}-facet-{slug(facet)}")))
    if not panes:
        return ""
    left = ""
    if facets.left_out:
        listed = "; ".join(f"{name} ({reason})" for name, reason in facets.left_out.items())
        left = part("note", f"Not drawn: {listed}. --facet NAME draws them.")
    title = heading(3, "Score by facet", f"{anchor}-facets")
    return card(title, chooser(f"{anchor}-facet", "facet", panes), left)


def _groups(run: Run, facet: str) -> dict[str, Group]:
    return {key[0]: group for key, group in run.by_facet(facet).items()}


def _facet_pane(runs: Sequence[Run], groups: Mapping[str, Mapping[str, Group]], facet: str, anchor: str) -> Markup:
    values = list(dict.fromkeys(value for run in groups.values() for value in run))
    caption = caption_of(runs, f"score by {facet}")
    if len(values) > 2 and all(is_number(value) for value in values):
        lines = [Line(name, _line(by_value)) for name, by_value in groups.items()]
        return figure(LinePlot(title=f"score by {facet}", lines=tuple(lines), x_name=facet, caption=caption), anchor)
    if len(values) <= _MOST_ROWS:
        points = [
            IntervalPoint(value, each.value, each.low, each.high, each.n, name)
            for value in values
            for name, by_value in groups.items()
            if value in by_value and (each := by_value[value].estimate).n
        ]
        title = f"score by {facet}"
        return figure(IntervalPlot(title=title, points=tuple(points), axis=title, caption=caption), anchor)
    rows = [
        ((value, name), by_value[value], place)
        for value in values
        for place, (name, by_value) in enumerate(groups.items())
        if value in by_value
    ]
    return strip_table(anchor, caption, (facet, "run"), rows)


def _line(by_value: Mapping[str, Group]) -> tuple[LinePoint, ...]:
    shown = sorted((float(value), group.estimate) for value, group in by_value.items() if group.estimate.n)
    return tuple(LinePoint(value, each.value, each.low, each.high, each.n) for value, each in shown)


def heat_card(runs: Sequence[Run], names: Names, pairs: Sequence[tuple[str, str]], anchor: str) -> Markup | str:
    """Heat maps of two facets, one per run and pair."""
    panes = []
    for rows, columns in pairs:
        for run in varied(runs) or runs[:1]:
            if rows in run.facet_names() and columns in run.facet_names():
                title = f"{rows} × {columns} · {names[id(run)]}"
                panes.append((title, _heat(run, rows, columns, title, anchor, names[id(run)])))
    if not panes:
        return ""
    title = heading(3, "Heat map of two facets", f"{anchor}-heat")
    told = any("novel" in run.facet_names() and fitted_here(run.plan) for run in runs)
    frames = "Framed: among the rows it was fitted to; dashed: not among them. " if told else ""
    note = part("note", f"Fainter: fewer answers. {frames}A cell leads to its samples.")
    return card(title, chooser(f"{anchor}-map", "facets and run", panes), note)


def _heat(run: Run, rows: str, columns: str, title: str, anchor: str, name: str = "") -> Markup:
    groups = run.by_facet(rows, columns)
    trained = _trained(run, rows, columns)
    row_names = list(dict.fromkeys(key[0] for key in groups))
    column_names = list(dict.fromkeys(key[1] for key in groups))
    row_place = {name: place for place, name in enumerate(row_names)}
    column_place = {name: place for place, name in enumerate(column_names)}
    cells = []
    for key, group in groups.items():
        each = group.estimate
        value = None if each.value != each.value else round(each.value, 6)
        place = (row_place[key[0]], column_place[key[1]])
        cells.append((*place, value, round(each.low, 6), round(each.high, 6), each.n, trained.get(key)))
    data = {"row_name": rows, "column_name": columns, "rows": row_names, "columns": column_names, "cells": cells,
            "samples": anchor, "run": name}  # fmt: skip
    caption = caption_of([run], title)
    return part("heat", f"{anchor}-heat-{slug(title)}", title, caption, data_block(data))


def _trained(run: Run, rows: str, columns: str) -> dict[tuple[str, ...], bool]:
    """Whether the answers of each cell are of combinations that the model was fitted to, where that is known."""
    if "novel" not in run.facet_names() or not fitted_here(run.plan):
        return {}
    found: dict[tuple[str, ...], bool] = {}
    for (row, column, novel), _ in score_sums(run, rows, columns, "novel").items():
        if novel in ("True", "False"):
            # A cell is framed as trained only if everything in it is.
            found[row, column] = found.get((row, column), True) and novel == "False"
    return found


def curve_card(runs: Sequence[Run], names: Names, anchor: str) -> Markup | str:
    """Learning curves that adaptations left beside their runs."""
    curves = [curve for run in runs for curve in read_curves(run.folder, names[id(run)])]
    if not curves:
        return ""
    drawn = LinePlot(title="Learning curves", lines=tuple(curves), x_name="updates",
                     caption="Score by number of updates. Solid: unseen data. Dashed: training data.")  # fmt: skip
    return card(heading(3, "Learning curves", f"{anchor}-curves"), figure(drawn, f"{anchor}-curve"))


def task_card(runs: Sequence[Run], names: Names, anchor: str) -> Markup | str:
    """Every task of every run, where there are several."""
    if max(len(run.columns.codes("task").labels) for run in runs) < 2:
        return ""
    rows = [((group.name, names[id(run)]), group, place) for place, run in enumerate(runs) for group in run.by_task()]
    caption = caption_of(runs, "score of each task")
    title = heading(3, "Tasks", f"{anchor}-tasks")
    return card(title, strip_table(f"{anchor}-task-table", caption, ("task", "run"), rows))


def plan_card(runs: Sequence[Run], names: Names, anchor: str) -> Markup:
    """What was run, with the command that does it again."""
    parts = []
    for run in runs:
        plan: dict[str, Any] = msgspec.to_builtins(run.plan)
        command = plan.pop("command")
        text = encode_yaml(plan)
        hashes = "".join(f"{name}: {value}\n" for name, value in proof_of(run).items())
        parts.append(part("provenance", names[id(run)], command, hashes + text))
    return card(heading(3, "What was run", f"{anchor}-plan"), *parts)


Series: TypeAlias = list[tuple[int, float]]
"""Scores by number of updates."""


def read_curves(folder: Path, name: str) -> list[Line]:
    """The curves of a run's adaptation: on unseen data, and on training data. One per task becomes their mean."""
    alone = folder / "adaptation" / "curve.jsonl"
    paths = [alone] if alone.is_file() else sorted((folder / "adaptation" / "lanes").glob("*/curve.jsonl"))
    lanes = [points for points in map(read_curve, paths) if points]
    if len(lanes) > 1:
        name = f"{name} (mean of {len(lanes)} tasks)"
    # Development data stands in for unseen data only where no test scores were taken along the way.
    unseen = "test" if any("test" in point.scores for points in lanes for point in points) else "dev"
    curves = []
    for split, dashed in ((unseen, False), ("train", True)):
        shown = _mean([series for points in lanes if (series := _series(points, split))])
        if shown:
            curves.append(Line(name, tuple(LinePoint(x, y) for x, y in shown), dashed))
    return curves


def _series(points: Sequence[Point], split: str) -> Series:
    return [(point.update, point.scores[split]) for point in points if split in point.scores]


def _mean(lanes: Sequence[Series]) -> Series:
    """The mean at every update at which one of them was looked at; who has stopped stays where it was."""
    updates = sorted({update for series in lanes for update, _ in series})
    return [(update, sum(_at(series, update) for series in lanes) / len(lanes)) for update in updates]


def _at(series: Series, update: int) -> float:
    return series[max(0, bisect_right(series, update, key=lambda point: point[0]) - 1)][1]


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

"""The parts of a suite's section: facets, heat maps, curves, tasks, what was run; what to draw if none is named."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
from markupsafe import Markup

from taskloom.core import ensure_known
from taskloom.core.display import counted
from taskloom.core.yaml12 import encode_yaml
from taskloom.figures import IntervalPlot, IntervalPoint, Line, LinePlot, LinePoint, ScatterPlot, ScatterPoint
from taskloom.report.html import card, chooser, data_block, figure, heading, part, slug, strip_table
from taskloom.run.plan import fitted_here
from taskloom.run.results import Group, Run, proof_of
from taskloom.score.stats import Comparison, estimand, holm_sentence
from taskloom.studies.contrasts import compare_runs

MOST_FACETS = 12
MOST_PAIRS = 3
MOST_CELLS = 6_000
_MOST_NUMBERS = 24
_MOST_CROSSED = 8
MOST_VALUES = 20_000
_MOST_SHARE = 0.5


def is_number(text: str) -> bool:
    """Whether a value of a facet is a number."""
    try:
        return float(text) == float(text)
    except ValueError:
        return False


class Facets(NamedTuple):
    """What was chosen to draw, and what was left out with the reason."""

    drawn: list[str]
    left_out: dict[str, str]


def varied(runs: Sequence[Run]) -> list[Run]:
    """The runs whose scores are not all the same; the others look alike in every figure."""
    return [run for run in runs if len(np.unique(run.values()[~np.isnan(run.values())])) > 1]


def facet_spread(run: Run, *names: str) -> float:
    """How much scores differ between the groups of some facets, beyond what chance explains."""
    groups = score_sums(run, *names).values()
    count = sum(n for n, _ in groups)
    if not count:
        return 0.0
    mean = fsum(total for _, total in groups) / count
    noise = mean * (1 - mean)
    return fsum(n * (total / n - mean) ** 2 - noise for n, total in groups) / count


def score_sums(run: Run, *names: str) -> dict[tuple[str, ...], tuple[int, float]]:
    """Answers that count, and the sum of their scores, by the facets' values: cheaper than estimates."""
    if any(name not in run.facet_names() for name in names):
        return {}
    scores = run.values() if run.errors == "leave-out" else np.nan_to_num(run.values(), nan=0.0)
    found = {}
    for key, rows in run.rows_by(*names).items():
        own = scores[rows]
        own = own[~np.isnan(own)]
        if len(own):
            found[key] = (len(own), float(own.sum()))
    return found


def _values(runs: Sequence[Run], facet: str) -> dict[str, int]:
    """Every value of a facet with the number of answers behind it."""
    found: dict[str, int] = defaultdict(int)
    for run in runs:
        for (value,), (n, _) in score_sums(run, facet).items():
            found[value] += n
    return found


def choose_facets(runs: Sequence[Run], wanted: Sequence[str]) -> Facets:
    """The facets asked for, or all that divide the answers, the ones that divide the scores most first.

    Raises:
        UserError: A facet that no row has (with the nearest names).
    """
    known = sorted({name for run in runs for name in run.facet_names()})
    for name in wanted:
        ensure_known("facet", name, known)
    if wanted:
        return Facets(list(dict.fromkeys(wanted)), {})
    left_out: dict[str, str] = {}
    telling = []
    for name in known:
        reason = _why_not(runs, name)
        if reason is None:
            telling.append(name)
        elif reason:
            left_out[name] = reason
    spread = {name: sum(facet_spread(run, name) for run in varied(runs)) for name in telling}
    telling.sort(key=lambda name: (-spread[name], name))
    left_out |= dict.fromkeys(telling[MOST_FACETS:], "divides the scores less")
    return Facets(telling[:MOST_FACETS], left_out)


def _why_not(runs: Sequence[Run], name: str) -> str | None:
    """Why a facet is not drawn; "" where there is nothing to see, None where it is."""
    many = max(len(run.facet_values(name)) for run in runs if name in run.facet_names())
    if many > MOST_VALUES:
        return f"{many:,} values"
    values = _values(runs, name)
    if len(values) < 2:
        return ""
    if name == "answer":
        # Grouping by the right answer shows what a model likes to say, not what it knows.
        return "is the right answer"
    if len(values) > _MOST_SHARE * sum(values.values()) / len(runs):
        return f"{len(values):,} values, hardly any twice"
    if len(values) > _MOST_NUMBERS and all(map(is_number, values)):
        return f"{len(values):,} different numbers"
    return None


def choose_pairs(
    runs: Sequence[Run], facets: Sequence[str], wanted: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs asked for, or those of the shown facets that say more together than either says alone."""
    if wanted:
        return list(wanted)
    counts = {name: len(_values(runs, name)) for name in facets}
    shown = varied(runs)
    found: list[tuple[float, tuple[str, str]]] = []
    for pair in combinations(facets[:_MOST_CROSSED], 2):
        first, second = sorted(pair, key=lambda name: -counts[name])  # the longer one stands upright
        if counts[first] * counts[second] > MOST_CELLS:
            continue
        cells = max(len(score_sums(run, first, second)) for run in runs)
        # As many cells as values means that one facet decides the other: nothing to see.
        if cells <= max(counts[first], counts[second]):
            continue
        gain = sum(
            facet_spread(run, first, second) - max(facet_spread(run, first), facet_spread(run, second)) for run in shown
        )
        found.append((gain, (first, second)))
    return [pair for _, pair in sorted(found, key=lambda item: (-item[0], item[1]))[:MOST_PAIRS]]


_MOST_NAMED = 3
"""Runs that differ in more settings than this are named after their folders, whose names a person chose."""


def distinct_names(runs: Sequence[Run]) -> dict[int, str]:
    """A name for every run (by its `id`) that no other run of the same suite has."""
    alike: dict[tuple[str, bool, str], list[Run]] = defaultdict(list)
    for run in runs:
        # A probe stands in a section of its own.
        alike[run.plan.suite, bool(run.plan.streams), run.name].append(run)
    names: dict[int, str] = {}
    for (_, _, name), group in alike.items():
        labels = [""] if len(group) == 1 else _labels(group)
        for run, label in zip(group, labels, strict=True):
            names[id(run)] = f"{name} ({label})" if label else name
    return names


def _labels(group: Sequence[Run]) -> list[str]:
    all_settings = [_settings(run) for run in group]
    keys = list(dict.fromkeys(key for settings in all_settings for key in settings))
    varied = [key for key in keys if len({repr(settings.get(key)) for settings in all_settings}) > 1]
    labels = [", ".join(f"{key}={settings.get(key)}" for key in varied) for settings in all_settings]
    clear = len(varied) <= _MOST_NAMED and len(set(labels)) == len(labels)
    return labels if clear else [run.folder.name for run in group]


def _settings(run: Run) -> dict[str, Any]:
    """The settings of a run that a sweep may vary, the most telling ones first."""
    plan = run.plan
    adaptation = {key: value for key, value in plan.adaptation.items() if key != "name"}
    task = {"task": plan.recipe.get("only_task")}
    recipe = {key: value for key, value in plan.recipe.items() if key != "only_task"}
    rest = {"run_seed": plan.run_seed, "seed": plan.data_seed, "split": plan.split, "limit": plan.limit}
    # What one word means in two places is the adaptation's; a suite's own comes last.
    return {**task, **adaptation, **rest, **{f"suite.{key}": value for key, value in recipe.items()}}


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
        asked = [run for run in runs if facet in run.facet_names()]
        groups = {names[id(run)]: {key[0]: group for key, group in run.by_facet(facet).items()} for run in asked}
        panes.append((facet, facet_pane(runs, groups, facet, f"{anchor}-facet-{slug(facet)}")))
    if not panes:
        return ""
    left = ""
    if facets.left_out:
        listed = "; ".join(f"{name} ({reason})" for name, reason in facets.left_out.items())
        left = part("note", f"Not drawn: {listed}. --facet NAME draws them.")
    title = heading(3, "Score by facet", f"{anchor}-facets")
    return card(title, chooser(f"{anchor}-facet", "facet", panes), left)


def facet_pane(runs: Sequence[Run], groups: Mapping[str, Mapping[str, Group]], facet: str, anchor: str) -> Markup:
    """Scores by one facet: a line, points or a table, by the kind and number of values."""
    values = list(dict.fromkeys(value for run in groups.values() for value in run))
    caption = caption_of(runs, f"score by {facet}")
    if len(values) > 2 and all(is_number(value) for value in values):
        lines = [Line(name, line_pane(by_value)) for name, by_value in groups.items()]
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


def line_pane(by_value: Mapping[str, Group]) -> tuple[LinePoint, ...]:
    """Points of a line over a facet of numbers."""
    shown = sorted((float(value), group.estimate) for value, group in by_value.items() if group.estimate.n)
    return tuple(LinePoint(value, each.value, each.low, each.high, each.n) for value, each in shown)


def heat_card(runs: Sequence[Run], names: Names, pairs: Sequence[tuple[str, str]], anchor: str) -> Markup | str:
    """Heat maps of two facets, one per run and pair."""
    panes = []
    for rows, columns in pairs:
        for run in varied(runs) or runs[:1]:
            if rows in run.facet_names() and columns in run.facet_names():
                title = f"{rows} × {columns} · {names[id(run)]}"
                panes.append((title, heat_map(run, rows, columns, title, anchor, names[id(run)])))
    if not panes:
        return ""
    title = heading(3, "Heat map of two facets", f"{anchor}-heat")
    told = any("novel" in run.facet_names() and fitted_here(run.plan) for run in runs)
    frames = "Framed: among the rows it was fitted to; dashed: not among them. " if told else ""
    note = part("note", f"Fainter: fewer answers. {frames}A cell leads to its samples.")
    return card(title, chooser(f"{anchor}-map", "facets and run", panes), note)


def heat_map(run: Run, rows: str, columns: str, title: str, anchor: str, name: str = "") -> Markup:
    """Scores by two facets."""
    groups = run.by_facet(rows, columns)
    trained = trained_cells(run, rows, columns)
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


def trained_cells(run: Run, rows: str, columns: str) -> dict[tuple[str, ...], bool]:
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
    if not paths:
        return []
    from taskloom.adapt.curves import read_curve

    lanes = [points for points in map(read_curve, paths) if points]
    if len(lanes) > 1:
        name = f"{name} (mean of {len(lanes)} tasks)"
    # Development data stands in for unseen data only where no test scores were taken along the way.
    unseen = "test" if any("test" in point.scores for points in lanes for point in points) else "dev"
    curves = []
    for split, dashed in ((unseen, False), ("train", True)):
        scored = ([(p.update, p.scores[split]) for p in points if split in p.scores] for points in lanes)
        shown = mean_curve([series for series in scored if series])
        if shown:
            curves.append(Line(name, tuple(LinePoint(x, y) for x, y in shown), dashed))
    return curves


def mean_curve(lanes: Sequence[Series]) -> Series:
    """The mean at every update at which one of them was looked at; who has stopped stays where it was."""
    updates = sorted({update for series in lanes for update, _ in series})
    return [(update, sum(curve_at(series, update) for series in lanes) / len(lanes)) for update in updates]


def curve_at(series: Series, update: int) -> float:
    """The value of a curve when it was last measured."""
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
        dots = task_dots(first.runs[0], second.runs[0])
        asked = f"{counted(outcome.n, 'shared instance')} of {counted(outcome.tasks, 'task')}"
        rest = (
            f"[{outcome.low:+.3f}, {outcome.high:+.3f}], p = {outcome.p_value:.3g}; "
            f"{estimand(outcome.weigh, first.runs[0].metric().name)}, on {asked}; "
            f"better on {outcome.better:,}, worse on {outcome.worse:,}. A dot per {dots}, "
            f"above the diagonal where {second.name} is better."
        )
        text = part("comparison", second.name, first.name, f"{outcome.difference:+.3f}", rest)
        name = f"{second.name} against {first.name}"
        points = tuple(scatter_points(first.runs[0], second.runs[0], dots))
        drawn = ScatterPlot(title=name, points=points, x_name=first.name, y_name=second.name)
        panes.append((name, figure(drawn, f"{anchor}-{slug(name)}", text)))
    if not panes:
        notes = [part("note", text) for text in outcomes.sentences()]
        return card(heading(3, "Two runs, side by side", anchor), *notes) if notes else ""
    left = f"The {_MOST_SHOWN} clearest of {len(usable)} comparisons." if len(usable) > _MOST_SHOWN else ""
    lines = [part("note", text) for text in (*outcomes.sentences(), left) if text]
    return card(heading(3, "Two runs, side by side", anchor), *lines, chooser(f"{anchor}-runs", "runs", panes))


def task_dots(first: Run, second: Run) -> str:
    """What a dot stands for: a task; where there is one task only, a value of the facet that divides it best."""
    if len(first.tasks) == 1:
        return next(iter(choose_facets([first, second], ()).drawn), "task")
    return "task"


def scatter_points(first: Run, second: Run, by: str) -> list[ScatterPoint]:
    """Groups that both runs answered, with the mean of each run."""
    one, two = first.by_facet(by), second.by_facet(by)
    points = []
    for key in one.keys() & two.keys():
        a, b = one[key].estimate, two[key].estimate
        if a.n and b.n:
            points.append(ScatterPoint(key[0], a.value, b.value, a.n))
    return sorted(points, key=lambda point: point.name)

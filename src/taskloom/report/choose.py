"""Which facets and pairs of facets to draw, where none is named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from taskloom.core import unknown_name
from taskloom.run.results import Run

MOST_FACETS = 12
MOST_PAIRS = 3
MOST_CELLS = 6_000
_MOST_NUMBERS = 24
_MOST_PAIRED = 8
_MOST_VALUES = 20_000
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


def _spread(run: Run, *names: str) -> float:
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
        if name not in known:
            raise unknown_name("facet", name, known)
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
    spread = {name: sum(_spread(run, name) for run in varied(runs)) for name in telling}
    telling.sort(key=lambda name: (-spread[name], name))
    left_out |= dict.fromkeys(telling[MOST_FACETS:], "divides the scores less")
    return Facets(telling[:MOST_FACETS], left_out)


def _why_not(runs: Sequence[Run], name: str) -> str | None:
    """Why a facet is not drawn; "" where there is nothing to see, None where it is."""
    many = max(len(run.facet_values(name)) for run in runs if name in run.facet_names())
    if many > _MOST_VALUES:
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
    for pair in combinations(facets[:_MOST_PAIRED], 2):
        first, second = sorted(pair, key=lambda name: -counts[name])  # the longer one stands upright
        if counts[first] * counts[second] > MOST_CELLS:
            continue
        cells = max(len(score_sums(run, first, second)) for run in runs)
        # As many cells as values means that one facet decides the other: nothing to see.
        if cells <= max(counts[first], counts[second]):
            continue
        gain = sum(_spread(run, first, second) - max(_spread(run, first), _spread(run, second)) for run in shown)
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

"""What to call runs where several have the same model and adaptation: by what differs in their settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from taskloom.run.results import Run

__all__ = ["distinct_names"]

_MOST_NAMED = 3
"""Runs that differ in more settings than this are named after their folders, whose names somebody chose."""


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

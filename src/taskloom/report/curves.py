"""Learning curves that adaptations left beside their runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from taskloom.adapt.curves import Point, read_curve
from taskloom.figures import Line, LinePoint

__all__ = ["read_curves"]

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

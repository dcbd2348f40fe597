"""Learning curves that adaptations left beside their runs."""

from __future__ import annotations

from pathlib import Path

from taskloom.adapt.curves import read_curve
from taskloom.report.figures import Curve

__all__ = ["read_curves"]


def read_curves(folder: Path, name: str) -> list[Curve]:
    """The curves of a run's adaptation: on unseen data, and on training data."""
    path = folder / "adaptation" / "curve.jsonl"
    if not path.is_file():
        return []
    points = read_curve(path)
    # Development data stands in for unseen data only where no test scores were taken along the way.
    unseen = "test" if any("test" in point.scores for point in points) else "dev"
    curves = []
    for split, dashed in ((unseen, False), ("train", True)):
        shown = [(point.update, point.scores[split]) for point in points if split in point.scores]
        if shown:
            curves.append(Curve(name, [x for x, _ in shown], [y for _, y in shown], dashed))
    return curves

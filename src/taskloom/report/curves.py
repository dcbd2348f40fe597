"""Learning curves that adaptations left beside their runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.report.figures import Curve

__all__ = ["read_curves"]


def read_curves(folder: Path, name: str) -> list[Curve]:
    """The curves of a run's adaptation: on unseen data, and on training data."""
    path = folder / "adaptation" / "curve.jsonl"
    if not path.is_file():
        return []
    points: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line:
            continue
        try:
            points.append(msgspec.json.decode(line, type=dict[str, Any]))
        except msgspec.DecodeError as error:
            raise UserError(f"this point of the curve is damaged: {error}", where=f"{path}:{number}") from None
    curves: list[Curve] = []
    for key, dashed in (("test", False), ("dev", False), ("train", True)):
        shown = [(point["updates"], point[key]) for point in points if point.get(key) is not None]
        # Development data stands in for unseen data only where no test scores were taken along the way.
        if shown and not (key == "dev" and curves):
            curves.append(Curve(name, [x for x, _ in shown], [y for _, y in shown], dashed))
    return curves

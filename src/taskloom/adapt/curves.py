"""Learning curves: one line per evaluation, and what can be read off them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.adaptation import AdaptationError
from taskloom.core.decode import decode_json, read_bytes
from taskloom.store.atomic import disk_errors, write_atomically


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """One evaluation.

    Attributes:
        update: Updates done.
        epoch: Passes over the training examples done.
        loss: Mean training loss per token since the point before; None at the start.
        scores: Mean score by split (`train` is adaptability by memorising, `test` by generalising).
        counts: How many rows each mean is over.
        learning_rate: The rate of the last update.
        wall: Seconds of training and evaluation so far, those of earlier processes included.
        cpu: The same in CPU seconds.
        best: The splits for which this was the best point so far.
    """

    update: int
    epoch: float
    loss: float | None = None
    scores: dict[str, float] = {}
    counts: dict[str, int] = {}
    learning_rate: float = 0.0
    wall: float = 0.0
    cpu: float = 0.0
    best: tuple[str, ...] = ()

    def key(self) -> str:
        """A hash of everything but the times: equal for equal training."""
        return content_hash(msgspec.structs.replace(self, wall=0.0, cpu=0.0))


class Curve:
    """A curve on disk, appended to point by point."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.points: list[Point] = []

    def resume(self, update: int, writes: bool) -> None:
        """Take over the points up to an update; later ones will be computed again."""
        self.points = [point for point in read_curve(self.path) if point.update <= update]
        if writes:
            write_atomically(self.path, b"".join(msgspec.json.encode(point) + b"\n" for point in self.points))

    def append(self, point: Point) -> None:
        """Add a point and see it safely on disk."""
        self.points.append(point)
        with disk_errors(self.path), self.path.open("ab") as file:
            file.write(msgspec.json.encode(point) + b"\n")
            file.flush()
            os.fsync(file.fileno())


def read_curve(path: Path) -> list[Point]:
    """The points of a curve file. A last line cut short by a crash is left out.

    Raises:
        AdaptationError: A line in the middle cannot be read.
    """
    if not path.exists():
        return []
    lines = read_bytes(path).split(b"\n")
    points: list[Point] = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            points.append(decode_json(line, where=f"{path}:{number}", type=Point, what="this line"))
        except UserError as error:
            if number == len(lines):
                break
            raise AdaptationError(
                f"not a point of a curve: {error.message}",
                where=f"{path}, line {number}",
                hint=f"remove {path.parent} to start this adaptation again",
            ) from None
    return points


def updates_to(points: Iterable[Point], split: str, thresholds: Sequence[float]) -> dict[str, int | None]:
    """The first update at which a split's score reached each threshold; None where it never did."""
    found: dict[str, int | None] = {f"{threshold:g}": None for threshold in thresholds}
    for point in points:
        for threshold in thresholds:
            key = f"{threshold:g}"
            if found[key] is None and point.scores.get(split, -1.0) >= threshold:
                found[key] = point.update
    return found

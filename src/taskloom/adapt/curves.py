"""Learning curves: one line per evaluation, and what can be read off them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    lines = read_bytes(path).split(b"\n") if path.exists() else []
    points: list[Point] = []
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        try:
            with whole_or_again(where, path.parent, "not a point of a curve: "):
                points += [decode_json(line, where=where, type=Point, what="this line")] if line else []
        except AdaptationError:
            if number < len(lines):
                raise
    return points


@contextmanager
def whole_or_again(where: str | Path, directory: Path, what: str = "") -> Iterator[None]:
    """Say of a damaged file of an adaptation how the adaptation is started again."""
    try:
        yield
    except UserError as error:
        hint = f"remove {directory} to start this adaptation again"
        raise AdaptationError(f"{what}{error.message}", where=str(where), hint=hint) from None


def load_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The tensors, the facts and the hash of a checkpoint.

    Raises:
        AdaptationError: The file is missing, cut, damaged, or not one of ours.
    """
    from taskloom.models.tensors import load_tensors

    with whole_or_again(path, path.parent):
        return load_tensors(path)


def updates_to(points: Iterable[Point], split: str, thresholds: Sequence[float]) -> dict[str, int | None]:
    """The first update at which a split's score reached each threshold; None where it never did."""
    found: dict[str, int | None] = {f"{threshold:g}": None for threshold in thresholds}
    for point in points:
        for threshold in thresholds:
            key = f"{threshold:g}"
            if found[key] is None and point.scores.get(split, -1.0) >= threshold:
                found[key] = point.update
    return found

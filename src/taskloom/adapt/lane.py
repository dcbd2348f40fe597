"""One adaptation among those trained together: its data, its curve, its best checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from taskloom.adapt.curves import Curve, Point, load_checkpoint, updates_to, whole_or_again
from taskloom.adapt.data import BatchSchedule, Material
from taskloom.adapt.settings import TrainingSettings
from taskloom.adapt.store import RESULT, STORY, WEIGHTS
from taskloom.core import UserError
from taskloom.core.adaptation import AdaptationError
from taskloom.core.decode import decode_json, read_json
from taskloom.models.tensors import save_tensors
from taskloom.store.atomic import write_atomically

if TYPE_CHECKING:
    from taskloom.adapt.readers import Features

BEST = "best.safetensors"
"""The files of an adaptation: the kept weights, the best so far, what came of it, and what it is."""

State: TypeAlias = Literal["running", "finished", "patience", "perfect", "diverged"]


class LaneState(msgspec.Struct):
    """How far a lane is; goes into the checkpoint that an adaptation continues from."""

    state: State = "running"
    best: dict[str, float] = {}
    best_update: dict[str, int] = {}
    waited: int = 0
    points: int = 0
    loss_sum: float = 0.0
    loss_count: int = 0


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an adaptation, in `result.json`.

    Attributes:
        state: finished, patience (stopped early), perfect, or diverged.
        updates: Updates done.
        best: The best score by split.
        best_update: Where it was.
        final: The scores of the last evaluation.
        updates_to: For train and test, the first update at each threshold.
        wall: Seconds in all.
        cpu: CPU seconds in all.
        message: What went wrong, if something did.
        examples: How many examples it was trained on.
        dropped: How many were left out, by reason.
        kept: The update that the kept weights are of.
    """

    state: State
    updates: int
    best: dict[str, float]
    best_update: dict[str, int]
    final: dict[str, float]
    updates_to: dict[str, dict[str, int | None]]
    wall: float
    cpu: float
    message: str = ""
    examples: int = 0
    dropped: dict[str, int] = {}
    kept: int = 0


@dataclass
class Lane:
    """The bookkeeping of one adaptation.

    Attributes:
        name: What to call it in messages.
        material: Its examples and watched rows.
        features: Its examples as the model reads them.
        plan: Its batches.
        directory: Where its curve, checkpoints and result go.
        settings: Patience, thresholds and the like.
        dropped: How many examples were left out, by reason.
        writes: Whether this process writes (one of several does).
    """

    name: str
    material: Material
    features: list[Features]
    plan: BatchSchedule
    directory: Path
    settings: TrainingSettings
    dropped: dict[str, int]
    writes: bool = True

    def __post_init__(self) -> None:
        self.curve = Curve(self.directory / "curve.jsonl")
        self.at = LaneState()
        # Where nothing of dev is watched, and where the last state may diverge, train decides.
        self._chooser = "dev" if self.settings.keep == "dev" and "dev" in self.material.watched else "train"
        self._best: tuple[dict[str, Any], int] | None = None
        self._unsaved = False

    def resume(self, update: int, at: LaneState | None = None) -> None:
        """Start from the curve up to an update (-1 for none of it) and from what was known then."""
        self.at = at or LaneState()
        self.curve.resume(update, self.writes)
        if len(self.curve.points) < self.at.points:
            raise AdaptationError(
                f"the curve has {len(self.curve.points)} points but the checkpoint expects {self.at.points}",
                where=str(self.curve.path),
                hint=f"remove {self.directory} to start this adaptation again",
            )
        if self.at.state == "running" and self._chooser in self.at.best:
            tensors, facts, _ = load_checkpoint(self.directory / BEST)
            self._best = tensors, int(facts["update"])

    @property
    def best(self) -> dict[str, Any]:
        """The best weights so far; empty where there are none."""
        return {} if self._best is None else self._best[0]

    def record(self, point: Point, tensors: dict[str, Any]) -> None:
        """Take in an evaluation: the curve, the best weights so far, whether to go on.

        The best weights stay in memory until a checkpoint is written: what goes to disk must not grow with the number
        of evaluations.
        """
        improved, kept = [], []
        for split in ("train", "dev"):
            score, best = point.scores.get(split), self.at.best.get(split, -1.0)
            if score is None or score < best:
                continue
            if score > best:
                improved.append(split)
            # The first to reach a score has it, unless that was the model before training.
            if score > best or self.at.best_update[split] == 0:
                self.at.best[split] = score
                self.at.best_update[split] = point.update
                kept.append(split)
        point = msgspec.structs.replace(point, best=tuple(kept))
        if self._chooser in kept and self.writes:
            copies = {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}
            self._best, self._unsaved = (copies, point.update), True
        if self.writes:
            self.curve.append(point)
        else:
            self.curve.points.append(point)
        self.at.points = len(self.curve.points)
        self._decide(point, "dev" in improved or "dev" not in point.scores)

    def _decide(self, point: Point, better: bool) -> None:
        self.at.waited = 0 if better else self.at.waited + 1
        watched = [point.scores[split] for split in ("train", "dev") if split in point.scores]
        if self.settings.stop_when_perfect and watched and min(watched) >= 1.0:
            self.at.state = "perfect"
        elif point.update >= self.plan.total:
            self.at.state = "finished"
        elif self.settings.patience is not None and self.at.waited >= self.settings.patience:
            self.at.state = "patience"

    def save_best(self) -> None:
        """Write the best weights so far, for a checkpoint to continue from."""
        if self.writes and self._unsaved and self._best is not None:
            save_tensors(self.directory / BEST, self._best[0], {"update": self._best[1]})
            self._unsaved = False

    def finish(self, updates: int, tensors: dict[str, Any] | None, *, wall: float, cpu: float, message: str) -> None:
        """Write the weights that are kept and the result; `tensors` are the last ones, None if they are not numbers."""
        if not self.writes:
            return
        last = self.settings.keep == "last" and tensors is not None
        kept = (tensors, updates) if last or self._best is None else self._best
        if kept[0] is not None:
            save_tensors(self.directory / WEIGHTS, kept[0], {"update": kept[1]})
        (self.directory / BEST).unlink(missing_ok=True)
        self._best = None
        points = self.curve.points
        result = Result(
            state=self.at.state,
            updates=updates,
            best=self.at.best,
            best_update=self.at.best_update,
            final=points[-1].scores if points else {},
            updates_to={split: updates_to(points, split, self.settings.thresholds) for split in ("train", "test")},
            wall=wall,
            cpu=cpu,
            message=message,
            examples=len(self.material.train),
            dropped=self.dropped,
            kept=kept[1],
        )
        write_atomically(self.directory / RESULT, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def read_result(directory: Path) -> Result | None:
    """The result of a finished adaptation, None while there is none."""
    path = directory / RESULT
    if not path.exists():
        return None
    with whole_or_again(path, directory, "not the result of an adaptation: "):
        return read_json(path, type=Result)


def has_begun(directory: Path) -> bool:
    """Whether an adaptation in this folder came as far as its first evaluation."""
    return next(directory.rglob("curve.jsonl"), None) is not None


def claim(directory: Path, story: dict[str, Any]) -> None:
    """Make the directory ours, or make sure that what is in it was made by the same command.

    Raises:
        UserError: It holds another adaptation, with the keys in which they differ.
    """
    path = directory / STORY
    text = msgspec.json.encode(story, order="deterministic")
    if path.exists() and has_begun(directory):
        with whole_or_again(path, directory):
            known = read_json(path)
        new = decode_json(text, where=path)
        if known != new:
            odd = _differences(known, new)
            raise UserError(
                f"this folder contains another adaptation; it differs in {', '.join(odd[:4])}",
                where=str(directory),
                hint="use the command it was started with, or another folder",
            )
        return
    write_atomically(path, msgspec.json.format(text) + b"\n")


def _differences(old: Any, new: Any, path: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [odd for key in keys for odd in _differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))]
    return [] if old == new else [path or "everything"]

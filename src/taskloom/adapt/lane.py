"""One adaptation among those trained together: its data, its curve, its best checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.adapt.base import AdaptationError
from taskloom.adapt.checkpoint import load_tensors, save_tensors
from taskloom.adapt.curves import Curve, Point, updates_to
from taskloom.adapt.data import Material, Plan
from taskloom.adapt.settings import Trained
from taskloom.core import UserError
from taskloom.store.atomic import write_atomically

__all__ = ["Lane", "Progressed", "Result", "State", "claim", "has_begun", "read_result"]

State: TypeAlias = Literal["running", "finished", "patience", "perfect", "diverged"]


class Progressed(msgspec.Struct):
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


class Lane:
    """The bookkeeping of one adaptation.

    Args:
        name: What to call it in messages.
        material: Its examples and watched rows.
        plan: Its batches.
        directory: Where its curve, checkpoints and result go.
        settings: Patience, thresholds and the like.
        writes: Whether this process writes (one of several does).
    """

    def __init__(
        self, name: str, material: Material, plan: Plan, directory: Path, *, settings: Trained, writes: bool = True
    ) -> None:
        self.name = name
        self.material = material
        self.plan = plan
        self.directory = directory
        self.curve = Curve(directory / "curve.jsonl")
        self.at = Progressed()
        self._settings = settings
        self._writes = writes

    def resume(self, update: int, at: Progressed | None = None) -> None:
        """Start from the curve up to an update (-1 for none of it) and from what was known then."""
        self.at = at or Progressed()
        self.curve.resume(update, self._writes)
        if len(self.curve.points) < self.at.points:
            raise AdaptationError(
                f"the curve has {len(self.curve.points)} points where the checkpoint knows of {self.at.points}",
                where=str(self.curve.path),
                hint=f"remove {self.directory} to start this adaptation again",
            )

    def record(self, point: Point, tensors: dict[str, Any]) -> None:
        """Take in an evaluation: the curve, the best checkpoints, whether to go on."""
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
        if self._writes:
            for split in kept:
                save_tensors(self.directory / f"best-{split}.safetensors", tensors, {"update": point.update})
            self.curve.append(point)
        else:
            self.curve.points.append(point)
        self.at.points = len(self.curve.points)
        self._decide(point, "dev" in improved or "dev" not in point.scores)

    def _decide(self, point: Point, better: bool) -> None:
        self.at.waited = 0 if better else self.at.waited + 1
        watched = [point.scores[split] for split in ("train", "dev") if split in point.scores]
        if self._settings.stop_when_perfect and watched and min(watched) >= 1.0:
            self.at.state = "perfect"
        elif point.update >= self.plan.total:
            self.at.state = "finished"
        elif self._settings.patience is not None and self.at.waited >= self._settings.patience:
            self.at.state = "patience"

    def finish(self, updates: int, tensors: dict[str, Any] | None, *, wall: float, cpu: float, message: str) -> None:
        """Write the last checkpoint and the result."""
        if not self._writes:
            return
        if tensors is not None:
            save_tensors(self.directory / "final.safetensors", tensors, {"update": updates})
        points = self.curve.points
        result = Result(
            state=self.at.state,
            updates=updates,
            best=self.at.best,
            best_update=self.at.best_update,
            final=points[-1].scores if points else {},
            updates_to={split: updates_to(points, split, self._settings.thresholds) for split in ("train", "test")},
            wall=wall,
            cpu=cpu,
            message=message,
        )
        write_atomically(self.directory / "result.json", msgspec.json.format(msgspec.json.encode(result)) + b"\n")

    def kept(self, keep: str) -> tuple[dict[str, Any], str]:
        """The tensors (and their hash) of the checkpoint to use.

        Raises:
            AdaptationError: The file is missing or damaged.
        """
        names = {"dev": "best-dev", "train": "best-train", "last": "final"}
        result = read_result(self.directory)
        # Without rows of dev nothing was best on them, and what diverged has no end worth keeping.
        never = result is not None and (
            (keep == "dev" and "dev" not in result.best) or (keep == "last" and result.state == "diverged")
        )
        name = names["train" if never else keep]
        tensors, _, total = load_tensors(self.directory / f"{name}.safetensors")
        return tensors, total


def read_result(directory: Path) -> Result | None:
    """The result of a finished adaptation, None while there is none."""
    path = directory / "result.json"
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except msgspec.DecodeError as error:
        raise AdaptationError(
            f"not the result of an adaptation: {error}", where=str(path), hint=f"remove {directory} to start again"
        ) from None


def has_begun(directory: Path) -> bool:
    """Whether an adaptation in this folder came as far as its first evaluation."""
    return next(directory.rglob("curve.jsonl"), None) is not None


def claim(directory: Path, story: dict[str, Any]) -> None:
    """Make the directory ours, or make sure that what is in it was made by the same command.

    Raises:
        UserError: It holds another adaptation, with the keys in which they differ.
    """
    path = directory / "adaptation.json"
    text = msgspec.json.encode(story, order="deterministic")
    if path.exists() and has_begun(directory):
        try:
            known = msgspec.json.decode(path.read_bytes())
        except msgspec.DecodeError as error:
            raise AdaptationError(
                f"cannot be read: {error}", where=str(path), hint=f"remove {directory} to start again"
            ) from None
        new = msgspec.json.decode(text)
        if known != new:
            odd = _differences(known, new)
            raise UserError(
                f"this folder holds another adaptation; it differs in {', '.join(odd[:4])}",
                where=str(directory),
                hint="give the command it was started with, or another folder",
            )
        return
    write_atomically(path, msgspec.json.format(text) + b"\n")


def _differences(old: Any, new: Any, path: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [odd for key in keys for odd in _differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))]
    return [] if old == new else [path or "everything"]

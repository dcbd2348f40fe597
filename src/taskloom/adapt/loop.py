"""The training loop of every adaptation, for one lane or many in one batch.

Nothing in it depends on when it was started: batches come from a plan, random numbers (dropout) from a
key of the update, and all else from the checkpoint. A killed process therefore continues to the very
same curve.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from math import cos, isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from taskloom.adapt.change import WeightChange
from taskloom.adapt.curves import Point, load_checkpoint
from taskloom.adapt.lane import Lane, LaneState
from taskloom.adapt.readers import Features
from taskloom.adapt.settings import TrackerName, TrainingSettings
from taskloom.ask import ask_for_scores
from taskloom.core import Progress, UserError, digest, missing_extra
from taskloom.core.adaptation import AdaptationError
from taskloom.core.model import Generation
from taskloom.core.secrets import scrub
from taskloom.models.runtime import is_out_of_memory
from taskloom.models.tensors import (
    first_difference,
    optimiser_tensors,
    restore_optimiser,
    save_tensors,
    spread_as,
    whole,
)

if TYPE_CHECKING:
    from taskloom.adapt.train import Fitting


def make_optimiser(settings: TrainingSettings, parameters: Sequence[Any]) -> Any:
    """A torch optimiser over the parameters."""
    rate, decay = settings.learning_rate, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(parameters, lr=rate, weight_decay=decay)
    if settings.optimiser == "adafactor":
        return torch.optim.Adafactor(parameters, lr=rate, weight_decay=decay)
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    # The fused kernel is 5 to 10 % faster here and knows the usual devices only.
    fused = all(parameter.device.type in ("cpu", "cuda") for parameter in parameters)
    return kind(parameters, lr=rate, weight_decay=decay, fused=fused)


def learning_rate(settings: TrainingSettings, update: int, total: int) -> float:
    """The rate of an update, counted from 0: a rise over the warm-up, then the schedule down to the end."""
    warmup = settings.warmup if settings.warmup >= 1 else settings.warmup * total
    if update < warmup:
        return settings.learning_rate * (update + 1) / (warmup + 1)
    if settings.schedule == "constant":
        return settings.learning_rate
    left = 1.0 - (update - warmup) / max(total - warmup, 1.0)
    if settings.schedule == "linear":
        return settings.learning_rate * left
    return settings.learning_rate * 0.5 * (1.0 + cos(pi * (1.0 - left)))


@contextmanager
def open_tracker(
    name: TrackerName, run: str, folder: Path, settings: Mapping[str, Any]
) -> Iterator[Callable[[Point, str], None] | None]:
    """A function that hands every point of a curve to a tracker of accelerate's; None for none.

    `run` is what the tracker calls the training, `folder` where it puts files, if it has any.

    Raises:
        UserError: The tracker, or accelerate, is not installed, or it cannot start.
    """
    if name == "none":
        yield None
        return
    try:
        from accelerate import PartialState
        from accelerate.tracking import LOGGER_TYPE_TO_CLASS
    except ImportError:
        raise missing_extra("accelerate", "train", f"-A tracker={name}") from None
    kind = LOGGER_TYPE_TO_CLASS[name]
    # Some trackers log through accelerate, which wants to know first who is the main process.
    PartialState()
    # W&B refuses slashes in names, and TensorBoard makes folders of them.
    called = re.sub(r"[^\w.-]+", "-", run).strip("-.")
    try:
        inner = kind(called, folder) if kind.requires_logging_directory else kind(called)
        if hasattr(inner, "start"):
            inner.start()
        inner.store_init_configuration({key: _plain(value) for key, value in settings.items()})
    except (ImportError, NameError, AttributeError) as error:
        raise UserError(f"{name} is not installed: {error}", where="-A tracker", hint=f"pip install {name}") from None
    except Exception as error:  # noqa: BLE001
        # What a tracker asks for (an account, a server, a key) is for the user to settle.
        reason = scrub(f"{type(error).__name__}: {error}").splitlines()[0][:300]
        raise UserError(f"{name} does not start: {reason}", where="-A tracker") from None

    def log(point: Point, lane: str) -> None:
        start = f"{lane}/" if lane else ""
        values: dict[str, float] = {f"{start}{split}": score for split, score in point.scores.items()}
        values[f"{start}learning_rate"] = point.learning_rate
        if point.loss is not None:
            values[f"{start}loss"] = point.loss
        inner.log(values, step=point.update)

    try:
        yield log
    finally:
        inner.finish()


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)


LOGGER = logging.getLogger("taskloom.adapt")

_RESUME = "checkpoint.safetensors"

_SPARE_TOKENS = 8
"""How much longer than the longest answer trained on an answer may get at an evaluation."""

CPU_TOKENS = 2_304
"""Tokens of many lanes that go through a CPU at once: what a pass makes of more falls out of its caches.

Measured with 64 lanes of tiny/t5-1m, CPU milliseconds per update of all with 32, 64, 128 and 256 rows at a time: soft
prompts of 4 examples (35 tokens a row) 378, 352, 380, 398; of 16 examples 1504, 1449, 1541, 1666; LoRAs of 4 examples
(17 tokens a row) 241, 210, 197, 219.
"""


class _CheckpointFacts(msgspec.Struct):
    """The facts in a checkpoint to continue from. `running` names the lanes in the order of their tensors."""

    update: int
    evaluated: bool
    piece: int
    wall: float
    cpu: float
    running: list[str]
    lanes: dict[str, LaneState]


class Loop:
    """Trains a change of a model on one or more lanes with equally many updates.

    Args:
        fitting: The adaptation: model, recipe, seed, and this process among those that train together.
        change: The tensors that are trained, one set per lane.
        lanes: The adaptations; each has as many updates per epoch as the others.
        progress: Advanced by one per update.
    """

    def __init__(
        self, fitting: Fitting, change: WeightChange, lanes: Sequence[Lane], progress: Progress | None = None
    ) -> None:
        self.model, self.reader, self.settings = fitting.model, fitting.reader, fitting.settings
        self.change, self._seed, self._workers, self._progress = change, fitting.seed, fitting.workers, progress
        self._lanes, self._running = list(lanes), list(lanes)
        self._path = lanes[0].directory / _RESUME
        self.tracker: Callable[[Point, str], None] | None = None
        self._optimiser = make_optimiser(self.settings, list(change.parameters().values()))
        self.updates = 0
        self._evaluated = False
        self._piece = self.settings.batch * len(lanes)
        if self.model.device.type == "cpu":
            self._piece = min(self._piece, self.settings.batch * self._lanes_at_once())
        self._wall = self._cpu = 0.0
        self._total, self._interval = lanes[0].plan.total, lanes[0].plan.interval

    def _lanes_at_once(self) -> int:
        """How many lanes go through a CPU together, each with a whole batch of usual length."""
        lengths = [item.length for lane in self._lanes for item in lane.features]
        usual = sum(lengths) / len(lengths) + self.settings.own_tokens()
        return max(1, int(CPU_TOKENS / (usual * self.settings.batch)))

    def run(self) -> None:
        """Train until every lane has finished, stopped or diverged; continue where a checkpoint says."""
        self._start_clock()
        if self._path.exists():
            self._resume()
        else:
            for lane in self._lanes:
                lane.resume(-1)
        if self._workers.sharded:
            # A first pass outside of any evaluation lays out how the parts of a sharded model are put together.
            with torch.no_grad():
                self.reader.losses(self._lanes[0].features[:1], [()])
        saved_at = time.monotonic()
        while self._running:
            due = self.updates % self._interval == 0 or self.updates >= self._total
            if due and not self._evaluated:
                self._evaluate()
                continue
            self.step()
            self._evaluated = False
            if self._workers.agree(time.monotonic() - saved_at > 60 * self.settings.checkpoint_minutes):
                saved_at = self._save()
        if self._workers.main:
            self._path.unlink(missing_ok=True)

    # One update.

    def step(self) -> None:
        batch = [
            (place, lane.features[index])
            for place, lane in enumerate(self._running)
            for index in lane.plan.batch(self.updates)
        ]
        weights = [0.0] * len(self._running)
        for place, item in batch:
            weights[place] += item.weight
        losses = self._gradients(batch, weights)
        self._workers.add_gradients(self.change.parameters().values())
        losses = self._workers.add(losses)
        norms = self._workers.norms(self.change.norms())
        lost = [p for p, loss in enumerate(losses) if not (isfinite(loss) and isfinite(float(norms[p])))]
        if lost:
            self._drop_diverged(lost, losses, norms.tolist())
            if not self._running:
                return
            kept = [place for place in range(len(losses)) if place not in lost]
            norms, losses = norms[kept], [losses[place] for place in kept]
        if self.settings.clip:
            self.change.scale_gradients((self.settings.clip / (norms + 1e-6)).clamp(max=1.0))
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate(self.settings, self.updates, self._total)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        for lane, loss in zip(self._running, losses, strict=True):
            lane.at.loss_sum += loss
            lane.at.loss_count += 1
        self.updates += 1
        if self._progress is not None:
            self._progress.advance(note=f"loss {sum(losses) / len(losses):.3f}")

    def _gradients(self, batch: list[tuple[int, Features]], weights: list[float]) -> list[float]:
        """Add up the gradient of every lane's mean loss, in pieces that fit into memory."""
        self.model.module.train(self.settings.dropout)
        mine = [(place, item, 1.0 / weights[place]) for place, item in self._workers.share(batch)]
        mine += [(*batch[0], 0.0)] * self._workers.missing(batch)
        while True:
            self._optimiser.zero_grad(set_to_none=True)
            # A key of its own for each update and process makes dropout repeatable after a restart.
            torch.manual_seed(int.from_bytes(digest("update", self._seed, self.updates, self._workers.rank)[:7], "big"))
            try:
                losses = [0.0] * len(self._running)
                for start in range(0, len(mine), self._piece):
                    self._backward(mine[start : start + self._piece], losses)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                self._shrink(min(self._piece, len(mine)))
            else:
                return losses

    def _backward(self, piece: list[tuple[int, Features, float]], losses: list[float]) -> None:
        places = [place for place, _, _ in piece]
        self.change.select(places)
        prefixes = [self.change.prefix(place) for place in places]
        device = self.model.device
        mixed = self.settings.precision == "bf16"
        with torch.autocast(device.type, torch.bfloat16) if mixed else nullcontext():
            sums = self.reader.losses([item for _, item, _ in piece], prefixes)
        scaled = sums * torch.tensor([factor for _, _, factor in piece], device=sums.device)
        scaled.sum().backward()
        for place, value in zip(places, scaled.tolist(), strict=True):
            losses[place] += value

    def _shrink(self, rows: int) -> None:
        self._optimiser.zero_grad(set_to_none=True)
        self.model.release()
        if rows <= 1:
            raise AdaptationError(
                "one example alone does not fit into memory",
                hint="-A max_input=… cuts long inputs; --adapt lora or prompt-tune needs less than finetune",
            )
        self._piece = rows // 2
        LOGGER.warning("out of memory with %d rows; continuing with %d at a time", rows, self._piece)

    def _drop_diverged(self, lost: list[int], losses: list[float], norms: list[float]) -> None:
        for place in lost:
            lane = self._running[place]
            lane.at.state = "diverged"
            what, value = ("gradient", norms[place]) if isfinite(losses[place]) else ("loss", losses[place])
            message = f"the {what} became {value} at update {self.updates + 1}"
            LOGGER.warning("%s: %s; stopped", lane.name, message)
            self._close(lane, None, message)
        self._keep([place for place in range(len(self._running)) if place not in lost])

    def _keep(self, places: list[int]) -> None:
        """Go on with some of the running lanes."""
        if places and len(places) < len(self._running):
            self.change.keep(places, self._optimiser)
        self._running = [self._running[place] for place in places]

    # Looking, and writing down.

    def _evaluate(self) -> None:
        # Not the optimiser's own, which a continued adaptation has not set yet.
        rate = learning_rate(self.settings, self.updates - 1, self._total) if self.updates else 0.0
        everyone = self._all_scores()
        for place, lane in enumerate(self._running):
            scores = everyone[place]
            count = lane.at.loss_count
            wall, cpu = self._clock()
            point = Point(
                update=self.updates,
                epoch=self.updates / lane.plan.per_epoch,
                loss=lane.at.loss_sum / count if count else None,
                scores={split: sum(values) / len(values) for split, values in scores.items()},
                counts={split: len(values) for split, values in scores.items()},
                learning_rate=rate,
                wall=wall,
                cpu=cpu,
            )
            lane.at.loss_sum, lane.at.loss_count = 0.0, 0
            lane.record(point, self.change.tensors(place))
            if self.tracker is not None:
                self.tracker(point, lane.name if len(self._lanes) > 1 else "")
        self._evaluated = True
        for place, lane in enumerate(self._running):
            if lane.at.state != "running":
                self._close(lane, self.change.tensors(place), "")
        self._keep([place for place, lane in enumerate(self._running) if lane.at.state == "running"])

    def _all_scores(self) -> list[dict[str, list[float]]]:
        """The scores of every running lane, asked in one go where their answers have equally much room."""
        alike: dict[int, list[int]] = {}
        for place, lane in enumerate(self._running):
            alike.setdefault(self._room(lane), []).append(place)
        found: dict[int, dict[str, list[float]]] = {}
        for places in alike.values():
            found.update(zip(places, self._scores(places), strict=True))
        return [found[place] for place in range(len(self._running))]

    def _scores(self, places: list[int]) -> list[dict[str, list[float]]]:
        """The scores of some lanes on their watched rows, all splits and lanes asked in one go."""
        lanes = [self._running[place] for place in places]
        owners = {
            id(request): place
            for place, lane in zip(places, lanes, strict=True)
            for rows in lane.material.watched.values()
            for request in rows
        }
        everything = [request for lane in lanes for rows in lane.material.watched.values() for request in rows]
        asking = (
            self.change.answering(self.model, places[0])
            if len(places) == 1
            else self.change.answering_each(self.model, lambda request: owners[id(request)])
        )
        with asking:
            generation = Generation(max_tokens=self._room(lanes[0]))
            found = self._workers.ask(
                self.model.module, everything, lambda rows: ask_for_scores(self.model, rows, generation)
            )
        scores = iter(found)
        return [
            {split: [next(scores) for _ in rows] for split, rows in lane.material.watched.items()} for lane in lanes
        ]

    def _room(self, lane: Lane) -> int:
        """Tokens for an answer: a model that does not know yet when to stop need not go on to the end."""
        longest = max(len(item.target) for item in lane.features)
        return min(self.settings.max_output, longest + _SPARE_TOKENS)

    def _close(self, lane: Lane, tensors: dict[str, Any] | None, message: str) -> None:
        wall, cpu = self._clock()
        lane.finish(self.updates, tensors, wall=wall, cpu=cpu, message=message)

    def _start_clock(self) -> None:
        self._wall_start, self._cpu_start = time.monotonic(), time.process_time()

    def _clock(self) -> tuple[float, float]:
        """Wall and CPU seconds so far, those of earlier processes included."""
        wall = self._wall + time.monotonic() - self._wall_start
        return round(wall, 3), round(self._cpu + time.process_time() - self._cpu_start, 3)

    def _save(self) -> float:
        if not self._running or not (self._workers.main or self._workers.sharded):
            return time.monotonic()
        tensors = {f"change/{name}": whole(value.detach()) for name, value in self.change.parameters().items()}
        tensors.update(optimiser_tensors(self._optimiser))
        if self._workers.main:
            # First what the checkpoint speaks of, so that a killed process never leaves one without the other.
            for lane in self._running:
                lane.save_best()
            wall, cpu = self._clock()
            facts = _CheckpointFacts(
                update=self.updates,
                evaluated=self._evaluated,
                piece=self._piece,
                wall=wall,
                cpu=cpu,
                running=[lane.name for lane in self._running],
                lanes={lane.name: lane.at for lane in self._lanes},
            )
            save_tensors(self._path, tensors, msgspec.to_builtins(facts))
        return time.monotonic()

    def _resume(self) -> None:
        """Continue from the checkpoint.

        Raises:
            AdaptationError: It is damaged, or belongs to another adaptation.
        """
        tensors, facts, _ = load_checkpoint(self._path)
        try:
            saved = msgspec.convert(facts, _CheckpointFacts)
            self._restore(saved, tensors)
        except (msgspec.ValidationError, ValueError, KeyError) as error:
            raise AdaptationError(
                f"the checkpoint belongs to another adaptation: {error}",
                where=str(self._path),
                hint=f"remove {self._path.parent} to start this adaptation again",
            ) from None
        if self._progress is not None:
            self._progress.skip(saved.update)
        LOGGER.info("continuing at update %d", saved.update)

    def _restore(self, saved: _CheckpointFacts, tensors: dict[str, Any]) -> None:
        self.updates, self._evaluated, self._piece = saved.update, saved.evaluated, saved.piece
        self._wall, self._cpu = saved.wall, saved.cpu
        if saved.lanes.keys() != {lane.name for lane in self._lanes}:
            raise ValueError(f"it is about {', '.join(saved.lanes)}")
        # Saved before an evaluation that is due, killed after it: its point is there and will be made again.
        known = saved.update if saved.evaluated else saved.update - 1
        for lane in self._lanes:
            lane.resume(known, saved.lanes[lane.name])
        self._keep([place for place, lane in enumerate(self._lanes) if lane.name in set(saved.running)])
        own = {f"change/{name}": parameter for name, parameter in self.change.parameters().items()}
        found = {name: tensor for name, tensor in tensors.items() if not name.startswith("optimiser/")}
        best = [(lane.best, self.change.tensors(place)) for place, lane in enumerate(self._running) if lane.best]
        for theirs, ours in ((found, own), *best):
            if problem := first_difference(theirs, ours):
                raise ValueError(problem)
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(spread_as(tensors[name], parameter))
        restore_optimiser(self._optimiser, tensors)

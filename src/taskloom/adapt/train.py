"""Fitting a model by training: gather the data, train lanes, put the kept weights into the model."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt import store
from taskloom.adapt.change.base import WeightChange
from taskloom.adapt.data import BatchSchedule, TaskRows, gather
from taskloom.adapt.lane import Lane, Result, claim, load_weights, read_result
from taskloom.adapt.loop import Loop
from taskloom.adapt.readers import DropReason, Features, reader_for
from taskloom.adapt.recall import begin, recall, write_model
from taskloom.adapt.settings import TrainingSettings, matching_tasks
from taskloom.adapt.track import open_tracker
from taskloom.adapt.workers import Workers
from taskloom.core import Progress, Suite, UserError, content_hash, digest
from taskloom.core.adaptation import AdaptationError, adapted_identity
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model
from taskloom.models.local import LocalModel
from taskloom.store.atomic import sole_writer

LOGGER = logging.getLogger("taskloom.adapt")

_TRAINING = 3
"""Raised when the same settings would no longer give the same weights."""

_AFTERWARDS = ("checkpoint_minutes", "lanes", "tracker")
"""Options that change how the work is done, and nothing of what comes out."""


def lane_directory(directory: Path, task: str) -> Path:
    """Where the adaptation to one task of many goes: a readable name that no other task has."""
    readable = re.sub(r"[^\w.-]+", "-", task).strip("-.")[:60]
    return directory / "lanes" / f"{readable}-{digest('lane', task).hex()[:6]}"


def lane_tasks(settings: TrainingSettings, suite: Suite, rows: TaskRows) -> list[str | None]:
    """The task of each lane: one lane for all (None), or one per task of the training splits."""
    if not settings.per_task:
        return [None]
    wanted = matching_tasks(suite.tasks, settings.tasks, f"{suite.name}: -A tasks")
    there = {task for split in settings.splits for task in rows.tasks(split)}
    return [task for task in suite.tasks if task in there & wanted]


def adaptation_story(
    settings: TrainingSettings, model: Model, suite: Suite, encoding: Encoding, seed: int
) -> dict[str, Any]:
    """Everything that decides what comes out of an adaptation."""
    options = {key: value for key, value in settings.describe().items() if key not in _AFTERWARDS}
    return {
        "training": _TRAINING,
        "adaptation": options,
        "seed": seed,
        "suite": {"name": suite.name, "identity": suite.identity},
        "encoding": encoding.describe(),
        "model": msgspec.to_builtins(model.identity),
    }


@dataclass(frozen=True)
class PreparedLane:
    """A lane that is ready to be trained."""

    lane: Lane
    features: list[Features]


class Fitting:
    """One call of an adaptation: the data, the lanes, the training, the adapted model.

    Args:
        settings: The recipe.
        model: The model to start from; consumed.
        suite: The data.
        encoding: How a row becomes a prompt.
        directory: Curves, checkpoints, results.
        seed: The seed of the adaptation.
        shared: Whether what is trained goes to the store, or may come from there.

    Raises:
        UserError: The model cannot be trained, or not on this suite.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        model: Model,
        suite: Suite,
        encoding: Encoding,
        directory: Path,
        *,
        seed: int,
        shared: bool = True,
    ) -> None:
        settings.check(model, suite)
        if not isinstance(model, LocalModel):
            raise UserError(f"{model.identity.name} has no local weights to train", hint="use an hf/ or tiny/ model")
        begin(model, suite, settings.splits)
        self.settings, self.model, self.suite, self.encoding = settings, model, suite, encoding
        self.directory, self.seed = directory, seed
        self.reader = reader_for(model, settings.label_smoothing, settings.own_tokens())
        self._shared = shared
        self._base = model.identity
        self._rows = TaskRows(suite)
        self._workers = Workers()
        if self._workers.sharded and settings.name != "finetune":
            raise UserError(
                f"sharding (--use_fsdp) is for fine-tuning; --adapt {settings.name} trains too little to need it",
                hint="accelerate launch without --use_fsdp shares the work of it",
            )
        self._workers.place(model.module)

    def run(self, progress: Progress | None = None) -> Model:
        """Train what is not trained yet, and return the model with the weights that the settings keep."""
        story = adaptation_story(self.settings, self.model, self.suite, self.encoding, self.seed)
        key = content_hash(story)
        with ExitStack() as held:
            if self._workers.main:
                held.enter_context(sole_writer(self.directory, (self.directory / "lanes").glob("*")))
                claim(self.directory, story)
                if self._shared:
                    held.enter_context(store.locked(key))
                    if not (self.directory / store.MODEL).is_file() and store.fetch(key, self.directory):
                        LOGGER.info("%s was trained before; using it from the store", self.settings.name)
            self._workers.wait()
            lanes = self._trained(progress)
            self._workers.wait()
            for name, home in lanes:
                _refuse_diverged(name, home, read_result(home), alone=len(lanes) == 1)
            if self._workers.main:
                places = {name: str(home.relative_to(self.directory)) for name, home in lanes}
                write_model(
                    self.directory,
                    self.model,
                    self.settings,
                    self.seed,
                    base=self._base,
                    lanes=places if self.settings.per_task else None,
                )
                if self._shared:
                    store.keep(key, self.directory)
            self._workers.wait()
        return self._adapted(lanes)

    def _trained(self, progress: Progress | None) -> list[tuple[str, Path]]:
        """Train every lane that is not finished; the name and folder of each lane."""
        tasks = lane_tasks(self.settings, self.suite, self._rows)
        homes = {task: self.directory if task is None else lane_directory(self.directory, task) for task in tasks}
        if any(read_result(home) is None for home in homes.values()):
            lanes = [self.prepare(task) for task in tasks]
            for cohort in _cohorts(lanes, self.settings.lanes):
                self._train(cohort, progress)
        return [(task or self.suite.name, home) for task, home in homes.items()]

    def prepare(self, task: str | None) -> PreparedLane:
        """The lane of one task (or of all): its examples, tokenised, and its plan."""
        settings, reader = self.settings, self.reader
        material = gather(settings, self.suite, self.encoding, self.model, seed=self.seed, task=task, rows=self._rows)
        read = [(example, reader.features(example, settings)) for example in material.train]
        kept = [(example, found) for example, found in read if isinstance(found, Features)]
        dropped = Counter(found.value for _, found in read if isinstance(found, DropReason))
        name = task or self.suite.name
        _report_dropped(dropped, len(read), name)
        material = replace(material, train=[example for example, _ in kept])
        features = [found for _, found in kept]
        names = [example.request.task.name for example in material.train]
        watched = sum(map(len, material.watched.values()))
        plan = BatchSchedule(settings, names, [item.length for item in features], self.seed, watched)
        home = self.directory if task is None else lane_directory(self.directory, task)
        home.mkdir(parents=True, exist_ok=True)
        lane = Lane(name, material, plan, home, settings=settings, dropped=dropped, writes=self._workers.main)
        return PreparedLane(lane, features)

    def loop(self, cohort: list[PreparedLane], change: WeightChange, progress: Progress | None = None) -> Loop:
        """The training loop of lanes that share every batch."""
        return Loop(
            self.model,
            change,
            [item.lane for item in cohort],
            [item.features for item in cohort],
            reader=self.reader,
            settings=self.settings,
            seed=self.seed,
            directory=cohort[0].lane.directory,
            workers=self._workers,
            progress=progress,
        )

    def change(self, lanes: int) -> WeightChange:
        """The tensors to train, put into the model."""
        return self.settings.make_change(self.model, lanes, self.seed)

    def _train(self, cohort: list[PreparedLane], progress: Progress | None) -> None:
        first = cohort[0].lane
        label = first.name if len(cohort) == 1 else f"{len(cohort)} tasks"
        with self._workers.sharding(self.model):
            change = self.change(len(cohort))
            with progress or Progress(f"{self.settings.name}: {label}", first.plan.total, unit="updates") as bar:
                self._tracked(self.loop(cohort, change, bar), label)
            change.remove()

    def _tracked(self, loop: Loop, label: str) -> None:
        settings = self.settings.describe()
        name = self.settings.tracker if self._workers.main else "none"
        tracker = open_tracker(name, f"{self._base.name} {self.settings.name} {label}", self.directory, settings)
        loop.tracker = tracker
        try:
            loop.run()
        finally:
            if tracker is not None:
                tracker.close()

    def _adapted(self, lanes: list[tuple[str, Path]]) -> Model:
        """The model with every lane's kept weights."""
        hashes = [load_weights(home)[1] for _, home in lanes]
        weights = hashes[0] if len(hashes) == 1 else content_hash(hashes)
        identity = adapted_identity(self._base, self.settings, self.seed, weights, keep=self.settings.keep)
        return recall(self.model, self.settings, self.seed, lanes, identity)


def _report_dropped(dropped: Counter[str], total: int, name: str) -> None:
    for reason, count in sorted(dropped.items()):
        LOGGER.warning("%s: %d of %d training examples are left out: %s", name, count, total, reason)
    if total and dropped.total() == total:
        reason = dropped.most_common(1)[0][0]
        raise UserError(
            f"none of the {total} training examples can be used: {reason}",
            where=name,
            hint="-A overlong=cut trains on what fits; a larger -A max_input lets more in",
        )


def _cohorts(lanes: list[PreparedLane], most: int) -> Iterable[list[PreparedLane]]:
    """Lanes that can share every batch: those with equally many updates, in groups of at most `most`.

    Cohorts in which every lane is done are left out; one that was interrupted comes back as it was.
    """
    alike: dict[int, list[PreparedLane]] = {}
    for item in lanes:
        alike.setdefault(len(item.features), []).append(item)
    for group in alike.values():
        for start in range(0, len(group), most):
            cohort = group[start : start + most]
            if any(read_result(item.lane.directory) is None for item in cohort):
                yield cohort


def _refuse_diverged(name: str, home: Path, result: Result | None, *, alone: bool) -> None:
    """One adaptation that failed is an error; among many it keeps its last good weights."""
    if alone and result is not None and result.state == "diverged":
        raise AdaptationError(
            f"{result.message}; what was learned before is in {home}",
            where=name,
            hint="a smaller -A learning_rate, or -A clip=1.0",
        )

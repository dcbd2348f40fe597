"""Fitting a model by training: gather the data, train lanes, put the kept weights into the model.

Several trainings (other learning rates, other seeds) may be asked for; the best on dev is then the adapted model.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt import store
from taskloom.adapt.change import WeightChange
from taskloom.adapt.data import BatchSchedule, TaskRows, gather
from taskloom.adapt.lane import Lane, Result, claim, read_result
from taskloom.adapt.loop import Loop, open_tracker
from taskloom.adapt.opened import absorb, recall, write_model
from taskloom.adapt.readers import DropReason, Features, reader_for
from taskloom.adapt.settings import TrainingSettings, matching_tasks
from taskloom.adapt.workers import Workers
from taskloom.core import Progress, Suite, UserError, content_hash, digest
from taskloom.core.adaptation import AdaptationError
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model
from taskloom.models.local import LocalModel
from taskloom.store.atomic import sole_writer, write_atomically

LOGGER = logging.getLogger("taskloom.adapt")

_TRAINING = 3
"""Raised when the same settings would no longer give the same weights."""

_AFTERWARDS = ("checkpoint_minutes", "lanes", "tracker")
"""Options that change how the work is done, and nothing of what comes out."""


def lane_directory(directory: Path, task: str | None) -> Path:
    """Where the adaptation to one task of many goes: a readable name that no other task has. All tasks need none."""
    if task is None:
        return directory
    readable = re.sub(r"[^\w.-]+", "-", task).strip("-.")[:60]
    return directory / "lanes" / f"{readable}-{digest('lane', task).hex()[:6]}"


class Trial(msgspec.Struct, frozen=True):
    """One training among several; `trials.json` lists them with what came of each."""

    name: str
    rate: float
    restart: int
    state: str = ""
    split: str = ""
    score: float | None = None
    update: int | None = None
    chosen: bool = False


def trials_of(settings: TrainingSettings) -> Iterator[Trial]:
    """Every training that the settings ask for."""
    for rate, restart in product(settings.rates or (settings.learning_rate,), range(settings.restarts)):
        yield Trial(f"rate-{rate:g}-start-{restart}", rate, restart)


class Fitting:
    """One call of an adaptation: the data, the lanes or trials, the training, the adapted model.

    The arguments are those of `Adaptation.adapt`; `shared` says whether what is trained goes to the store, or may come
    from there.

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
        if settings.rates and settings.trials == 1:
            settings = msgspec.structs.replace(settings, learning_rate=settings.rates[0], rates=())
        settings.check(model, suite)
        if not isinstance(model, LocalModel):
            raise UserError(f"{model.identity.name} has no local weights to train", hint="use an hf/ or tiny/ model")
        self.workers = Workers()
        self._check_workers(settings)
        model.prepare(suite)
        if "adaptation" in model.identity.settings:
            # What was adapted before grows by the new words and labels.
            absorb(model)
            model.extend(model.new_in(suite, settings.splits))
        self.settings, self.model, self.suite, self.encoding = settings, model, suite, encoding
        self.directory, self.seed = directory, seed
        self.reader = reader_for(model, settings.label_smoothing, settings.own_tokens())
        self._shared = shared
        self._base = model.identity
        self._rows = TaskRows(suite)
        self.workers.place(model.module)

    def _check_workers(self, settings: TrainingSettings) -> None:
        if settings.trials > 1 and self.workers.count > 1:
            raise UserError(
                "a search over several trainings must run in one process",
                where="-A rates, -A restarts",
                hint="taskloom sweep … -G adapt.learning_rate=[…] runs them in parallel",
            )
        if self.workers.sharded and settings.name != "finetune":
            raise UserError(
                f"sharding (--use_fsdp) is for fine-tuning; --adapt {settings.name} trains too little to need it",
                hint="accelerate launch without --use_fsdp shares the work of it",
            )

    def _story(self) -> dict[str, Any]:
        """Everything that decides what comes out of the adaptation."""
        options = {key: value for key, value in self.settings.describe().items() if key not in _AFTERWARDS}
        return {
            "training": _TRAINING,
            "adaptation": options,
            "seed": self.seed,
            "suite": {"name": self.suite.name, "identity": self.suite.identity},
            "encoding": self.encoding.describe(),
            "model": msgspec.to_builtins(self.model.identity),
        }

    def run(self, progress: Progress | None = None) -> Model:
        """Train what is not trained yet, and return the model with the weights that the settings keep."""
        story = self._story()
        key = content_hash(story)
        with ExitStack() as held:
            if self.workers.main:
                held.enter_context(sole_writer(self.directory, (self.directory / "lanes").glob("*")))
                claim(self.directory, story)
                if self._shared:
                    held.enter_context(store.locked(key))
                    if not (self.directory / store.MODEL).is_file() and store.fetch(key, self.directory):
                        LOGGER.info("%s was trained before; using it from the store", self.settings.name)
            self.workers.wait()
            adapted, described = self._best_trial(progress) if self.settings.trials > 1 else self._lanes(progress)
            if self.workers.main:
                write_model(self.directory, self.model, self.settings, self.seed, base=self._base, **described)
                if self._shared:
                    store.keep(key, self.directory)
            self.workers.wait()
        return adapted

    # One training: a lane for all tasks, or one for each.

    def _lanes(self, progress: Progress | None) -> tuple[Model, dict[str, Any]]:
        """Train every lane that is not finished; the model with their weights, and where they are."""
        homes = {task: lane_directory(self.directory, task) for task in self._lane_tasks()}
        if any(read_result(home) is None for home in homes.values()):
            for cohort in _cohorts([self.prepare(task) for task in homes], self.settings.lanes):
                self._train(cohort, progress)
        lanes = {task or self.suite.name: home for task, home in homes.items()}
        self.workers.wait()
        for name, home in lanes.items() if len(lanes) == 1 else ():
            _refuse_diverged(name, home, read_result(home))
        places = {name: str(home.relative_to(self.directory)) for name, home in lanes.items()}
        adapted = recall(self.model, self.settings, self.seed, lanes, self._base)
        return adapted, {"lanes": places} if self.settings.per_task else {}

    def _lane_tasks(self) -> list[str | None]:
        """The task of each lane: one lane for all (None), or one per task of the training splits."""
        if not self.settings.per_task:
            return [None]
        wanted = matching_tasks(self.suite.tasks, self.settings.tasks, f"{self.suite.name}: -A tasks")
        there = {task for split in self.settings.splits for task in self._rows.tasks(split)}
        return [task for task in self.suite.tasks if task in there & wanted]

    def prepare(self, task: str | None) -> Lane:
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
        home = lane_directory(self.directory, task)
        home.mkdir(parents=True, exist_ok=True)
        return Lane(name, material, features, plan, home, settings, dict(dropped), self.workers.main)

    def loop(self, cohort: list[Lane], change: WeightChange, progress: Progress | None = None) -> Loop:
        """The training loop of lanes that share every batch."""
        return Loop(self, change, cohort, progress)

    def change(self, lanes: int) -> WeightChange:
        """The tensors to train, put into the model."""
        return self.settings.make_change(self.model, lanes, self.seed)

    def _train(self, cohort: list[Lane], progress: Progress | None) -> None:
        first, settings = cohort[0], self.settings
        label = first.name if len(cohort) == 1 else f"{len(cohort)} tasks"
        with self.workers.sharding(self.model):
            change = self.change(len(cohort))
            with progress or Progress(f"{settings.name}: {label}", first.plan.total, unit="updates") as bar:
                loop = self.loop(cohort, change, bar)
                tracker = settings.tracker if self.workers.main else "none"
                name = f"{self._base.name} {settings.name} {label}"
                with open_tracker(tracker, name, self.directory, settings.describe()) as loop.tracker:
                    loop.run()
            change.remove()

    # Several trainings to choose among.

    def _best_trial(self, progress: Progress | None) -> tuple[Model, dict[str, Any]]:
        """Train every trial that is not finished; the best one, and where it is."""
        # Each trial starts from the same weights; one copy of them outlives all trials.
        start = {name: value.detach().clone() for name, value in self.model.module.state_dict().items()}
        for trial in trials_of(self.settings):
            if read_result(self._home(trial)) is None:
                try:
                    self._fitting(trial, start).run(progress)
                except AdaptationError as error:
                    # One rate that is too high says nothing about the others.
                    if read_result(self._home(trial)) is None:
                        raise
                    LOGGER.warning("%s: %s", trial.name, error)
        best = self._choose()
        return self._fitting(best, start).run(), {"trial": f"trials/{best.name}"}

    def _home(self, trial: Trial) -> Path:
        return self.directory / "trials" / trial.name

    def _fitting(self, trial: Trial, start: dict[str, Any]) -> Fitting:
        """The training of one trial, from the weights that all trials start from."""
        model = self.model
        if model.change is not None:
            model.change.remove()
            model.change, model.prefix = None, ()
        model.module.load_state_dict(start)
        model.identity = self._base
        seed = self.seed
        if trial.restart:
            seed = int.from_bytes(digest("restart", self.seed, trial.restart)[:4], "big")
            # What an earlier adaptation learned is no random start.
            if "adaptation" not in self._base.settings:
                model.redraw(trial.restart)
        settings = msgspec.structs.replace(self.settings, learning_rate=trial.rate, rates=(), restarts=1)
        home = self._home(trial)
        home.mkdir(parents=True, exist_ok=True)
        return Fitting(settings, model, self.suite, self.encoding, home, seed=seed, shared=False)

    def _choose(self) -> Trial:
        """The best trial on dev, the first of equals; `trials.json` says why, and the weights of the others go."""
        done = [self._judged(trial, read_result(self._home(trial))) for trial in trials_of(self.settings)]
        sound = [trial for trial in done if trial.score is not None and trial.state != "diverged"]
        if not sound:
            raise AdaptationError(
                f"all {len(done)} trainings diverged", where=str(self.directory), hint="smaller -A rates"
            )
        best = max(sound, key=lambda trial: trial.score or 0.0)
        listed = [msgspec.structs.replace(trial, chosen=trial.name == best.name) for trial in done]
        write_atomically(self.directory / "trials.json", msgspec.json.format(msgspec.json.encode(listed)) + b"\n")
        for trial in done:
            if trial.name != best.name:
                (self._home(trial) / store.WEIGHTS).unlink(missing_ok=True)
        return best

    def _judged(self, trial: Trial, result: Result | None) -> Trial:
        if result is None:
            raise AdaptationError("a trial has no result", where=str(self._home(trial)))
        split = "dev" if "dev" in result.best else "train"
        more: dict[str, Any] = {"score": result.best.get(split), "update": result.best_update.get(split)}
        return msgspec.structs.replace(trial, state=result.state, split=split, **more)


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


def _cohorts(lanes: list[Lane], most: int) -> Iterable[list[Lane]]:
    """Lanes that can share every batch: those with equally many updates, in groups of at most `most`.

    Cohorts in which every lane is done are left out; one that was interrupted comes back as it was.
    """
    alike: dict[int, list[Lane]] = {}
    for lane in lanes:
        alike.setdefault(len(lane.features), []).append(lane)
    for group in alike.values():
        for start in range(0, len(group), most):
            cohort = group[start : start + most]
            if any(read_result(lane.directory) is None for lane in cohort):
                yield cohort


def _refuse_diverged(name: str, home: Path, result: Result | None) -> None:
    """An adaptation that failed alone is an error; among many it keeps its last good weights."""
    if result is not None and result.state == "diverged":
        raise AdaptationError(
            f"{result.message}; what was learned before is in {home}",
            where=name,
            hint="a smaller -A learning_rate, or -A clip=1.0",
        )

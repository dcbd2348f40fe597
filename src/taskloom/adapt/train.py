"""Fitting a model by training: gather the data, train lanes, put the chosen checkpoint into the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from taskloom.adapt.base import AdaptationError, adapted_identity
from taskloom.adapt.change.base import Change
from taskloom.adapt.data import Plan, TaskRows, gather
from taskloom.adapt.lane import Lane, Result, claim, read_result
from taskloom.adapt.loop import Loop
from taskloom.adapt.readers import Features, reader_for
from taskloom.adapt.settings import Trained, matching_tasks
from taskloom.adapt.workers import Workers
from taskloom.core import Progress, Suite, UserError, content_hash, digest
from taskloom.encode.base import Encoding
from taskloom.models.base import Generation, Model, Output, Request
from taskloom.models.local import LocalModel
from taskloom.store.atomic import sole_writer

__all__ = ["Fitting", "MakeChange", "Prepared", "RoutedModel", "lane_directory", "lane_tasks"]

MakeChange: TypeAlias = Callable[[LocalModel, int], Change]
"""(model, lanes) -> the tensors to train, put into the model."""

# Options that choose among results without changing any of them.
_AFTERWARDS = ("keep", "checkpoint_minutes")


class RoutedModel(Model):
    """One frozen model with an adaptation of its own for each task."""

    cacheable = False
    """Two tasks may ask with the same words and deserve different answers."""

    def __init__(self, model: LocalModel, change: Change, lanes: dict[str, int]) -> None:
        self._model, self._change, self._lanes = model, change, lanes
        self.identity, self.limits, self.tokenizer = model.identity, model.limits, model.tokenizer

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        groups: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(request.task.name, []).append(index)
        outputs: dict[int, Output] = {}
        for task, places in groups.items():
            if task not in self._lanes:
                raise UserError(f"nothing was adapted to task {task}", where=self.identity.name)
            with self._change.answering(self._model, self._lanes[task]):
                answers = self._model.generate([requests[place] for place in places], generation)
            outputs.update(zip(places, answers, strict=True))
        return [outputs[index] for index in range(len(requests))]

    def render(self, prompt: Any) -> str:
        return self._model.render(prompt)

    def close(self) -> None:
        self._model.close()


def lane_directory(directory: Path, task: str) -> Path:
    """Where the adaptation to one task of many goes: a readable name that no other task has."""
    readable = re.sub(r"[^\w.-]+", "-", task).strip("-.")[:60]
    return directory / "lanes" / f"{readable}-{digest('lane', task).hex()[:6]}"


def lane_tasks(settings: Trained, suite: Suite, rows: TaskRows) -> list[str | None]:
    """The task of each lane: one lane for all (None), or one per task of the training split."""
    if not settings.per_task:
        return [None]
    wanted = matching_tasks(suite.tasks, settings.tasks, f"{suite.name}: -A tasks")
    return [task for task in rows.tasks(settings.split) if task in wanted]


def _story(settings: Trained, model: Model, suite: Suite, encoding: Encoding, seed: int) -> dict[str, Any]:
    """Everything that decides what comes out of an adaptation."""
    options = {key: value for key, value in settings.describe().items() if key not in _AFTERWARDS}
    identity = {key: value for key, value in msgspec.to_builtins(model.identity).items() if key != "settings"}
    return {
        "adaptation": options,
        "seed": seed,
        "suite": {"name": suite.name, "seed": suite.seed, "recipe": content_hash(dict(suite.recipe))},
        "encoding": encoding.describe(),
        "model": identity,
    }


@dataclass(frozen=True)
class Prepared:
    """A lane that is ready to be trained."""

    lane: Lane
    features: list[Features]


class Fitting:
    """One call of an adaptation: the data, the lanes, the training, the adapted model.

    Args:
        settings: The recipe.
        make_change: (model, lanes) -> the tensors to train, put into the model.
        model: The model to start from; consumed.
        suite: The data.
        encoding: How a row becomes a prompt.
        directory: Curves, checkpoints, results.
        seed: The seed of the adaptation.

    Raises:
        UserError: The model cannot be trained, or not on this suite.
    """

    def __init__(
        self,
        settings: Trained,
        make_change: MakeChange,
        model: Model,
        suite: Suite,
        encoding: Encoding,
        directory: Path,
        *,
        seed: int,
    ) -> None:
        settings.check(model, suite)
        if not isinstance(model, LocalModel):
            raise UserError(f"{model.identity.name} holds no weights here to train", hint="use an hf/ or tiny/ model")
        model.prepare(suite)
        self.settings, self.model, self.suite, self.encoding = settings, model, suite, encoding
        self.directory, self.seed = directory, seed
        self.reader = reader_for(model, settings.label_smoothing, settings.own_tokens())
        self._make_change = make_change
        self._base = model.identity
        self._rows = TaskRows(suite)
        self._workers = Workers()
        self._workers.place(model.module)

    def run(self, progress: Progress | None = None) -> Model:
        """Train what is not trained yet, and return the model with the checkpoints that the settings keep."""
        with sole_writer(self.directory) if self._workers.main else nullcontext():
            return self._run(progress)

    def _run(self, progress: Progress | None) -> Model:
        if self._workers.main:
            claim(self.directory, _story(self.settings, self.model, self.suite, self.encoding, self.seed))
        lanes = [self.prepare(task) for task in lane_tasks(self.settings, self.suite, self._rows)]
        for cohort in _cohorts(lanes, self.settings.lanes):
            self._train(cohort, progress)
        self._workers.wait()
        return self._adapted([item.lane for item in lanes])

    def prepare(self, task: str | None) -> Prepared:
        """The lane of one task (or of all): its examples, tokenised, and its plan."""
        settings, reader = self.settings, self.reader
        material = gather(settings, self.suite, self.encoding, self.model, seed=self.seed, task=task, rows=self._rows)
        features = [reader.features(example, settings.max_input, settings.max_output) for example in material.train]
        names = [example.request.task.name for example in material.train]
        plan = Plan(settings, names, [item.length for item in features], self.seed)
        home = self.directory if task is None else lane_directory(self.directory, task)
        home.mkdir(parents=True, exist_ok=True)
        name = task or self.suite.name
        return Prepared(Lane(name, material, plan, home, settings=settings, writes=self._workers.main), features)

    def loop(self, cohort: list[Prepared], change: Change, progress: Progress | None = None) -> Loop:
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

    def _train(self, cohort: list[Prepared], progress: Progress | None) -> None:
        change = self._make_change(self.model, len(cohort))
        first = cohort[0].lane
        label = first.name if len(cohort) == 1 else f"{len(cohort)} tasks"
        with progress or Progress(f"{self.settings.name}: {label}", first.plan.total, unit="updates") as bar:
            self.loop(cohort, change, bar).run()
        change.remove()

    def _adapted(self, lanes: list[Lane]) -> Model:
        """The model with every lane's chosen checkpoint."""
        change = self._make_change(self.model, len(lanes))
        hashes = []
        for place, lane in enumerate(lanes):
            _refuse_diverged(lane, read_result(lane.directory), alone=len(lanes) == 1)
            tensors, total = lane.kept(self.settings.keep)
            try:
                change.load(place, tensors)
            except ValueError as error:
                where = str(lane.directory)
                raise AdaptationError(f"the checkpoint belongs to another model: {error}", where=where) from None
            hashes.append(total)
            if self._workers.main:
                change.export(place, lane.directory, self.model)
        self.model.module.eval()
        weights = hashes[0] if len(hashes) == 1 else content_hash(hashes)
        self.model.identity = adapted_identity(self._base, self.settings, self.seed, weights, keep=self.settings.keep)
        if not self.settings.per_task:
            change.settle(self.model, 0)
            return self.model
        return RoutedModel(self.model, change, {lane.name: place for place, lane in enumerate(lanes)})


def _cohorts(lanes: list[Prepared], most: int) -> Iterable[list[Prepared]]:
    """Lanes that can share every batch: those with equally many updates, at most so many at once.

    Cohorts in which every lane is done are left out; one that was interrupted comes back as it was.
    """
    alike: dict[int, list[Prepared]] = {}
    for item in lanes:
        alike.setdefault(len(item.features), []).append(item)
    for group in alike.values():
        for start in range(0, len(group), most):
            cohort = group[start : start + most]
            if any(read_result(item.lane.directory) is None for item in cohort):
                yield cohort


def _refuse_diverged(lane: Lane, result: Result | None, *, alone: bool) -> None:
    """One adaptation that failed is an error; among many it keeps its last good checkpoint."""
    if alone and result is not None and result.state == "diverged":
        raise AdaptationError(
            f"{result.message}; what was learned before is in {lane.directory}",
            where=lane.name,
            hint="a smaller -A learning_rate, or -A clip=1.0",
        )

"""Fitting a model by training: gather the data, train lanes, put the chosen checkpoint into the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.base import AdaptationError, adapted_identity
from taskloom.adapt.change.base import Change
from taskloom.adapt.data import Plan, gather, matching_tasks
from taskloom.adapt.lane import Lane, Result, claim, read_result
from taskloom.adapt.loop import Loop
from taskloom.adapt.readers import Features, Reader, reader_for
from taskloom.adapt.settings import Trained
from taskloom.adapt.workers import Workers, is_helper
from taskloom.core import Progress, Suite, UserError, content_hash, digest
from taskloom.encode.base import Encoding
from taskloom.models.base import Generation, Model, Output, Request
from taskloom.models.local import LocalModel

__all__ = ["RoutedModel", "fit", "lane_directory", "lane_tasks"]

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


def lane_tasks(settings: Trained, suite: Suite) -> list[tuple[str, ...]]:
    """The tasks of each lane: one lane for all (no names), or one per task of the training split."""
    if not settings.per_task:
        return [()]
    wanted = matching_tasks(suite.tasks, settings.tasks, f"{suite.name}: -A tasks")
    present = dict.fromkeys(row.task for row in suite.rows(settings.split) if row.task in wanted)
    return [(task,) for task in present]


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


class _Prepared(msgspec.Struct):
    """A lane that is ready to be trained."""

    lane: Lane
    features: list[Features]


def fit(
    settings: Trained,
    make_change: Callable[[LocalModel, int], Change],
    model: Model,
    suite: Suite,
    encoding: Encoding,
    directory: Path,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Model:
    """Train, and return the model with the checkpoint that the settings keep.

    Args:
        settings: The recipe.
        make_change: (model, lanes) -> the tensors to train, put into the model.
        model: The model to start from; consumed.
        suite: The data.
        encoding: How a row becomes a prompt.
        directory: Curves, checkpoints, results.
        seed: The seed of the adaptation.
        progress: Advanced by one per update.

    Raises:
        AdaptationError: The loss is not a number, memory is too small, a checkpoint is damaged.
    """
    settings.check(model, suite)
    if not isinstance(model, LocalModel):
        raise UserError(f"{model.identity.name} holds no weights here to train", hint="use an hf/ or tiny/ model")
    model.prepare(suite)
    base = model.identity
    workers = Workers()
    workers.place(model.module)
    if workers.main:
        claim(directory, _story(settings, model, suite, encoding, seed))
    reader = reader_for(model, settings.label_smoothing)
    lanes = []
    for tasks in lane_tasks(settings, suite):
        home = lane_directory(directory, tasks[0]) if tasks else directory
        lanes.append(_prepare(settings, model, suite, encoding, home, reader, seed, tasks, workers))
    for cohort in _cohorts(lanes, settings.lanes):
        _train(cohort, settings, make_change, model, reader, directory, seed, workers, progress)
    workers.wait()
    return _adapted(settings, make_change, model, base, [item.lane for item in lanes], seed)


def _prepare(
    settings: Trained,
    model: LocalModel,
    suite: Suite,
    encoding: Encoding,
    home: Path,
    reader: Reader,
    seed: int,
    tasks: tuple[str, ...],
    workers: Workers,
) -> _Prepared:
    material = gather(settings, suite, encoding, model, seed=seed, tasks=tasks)
    features = [reader.features(example, settings.max_input, settings.max_output) for example in material.train]
    names = [example.request.task.name for example in material.train]
    plan = Plan(settings, names, [item.length for item in features], seed)
    home.mkdir(parents=True, exist_ok=True)
    lane = Lane(tasks[0] if tasks else suite.name, material, plan, home, settings=settings, writes=workers.main)
    return _Prepared(lane, features)


def _cohorts(lanes: list[_Prepared], most: int) -> Iterable[list[_Prepared]]:
    """Lanes that can share every batch: those with equally many updates, at most so many at once.

    Cohorts in which every lane is done are left out; one that was interrupted comes back as it was.
    """
    alike: dict[int, list[_Prepared]] = {}
    for item in lanes:
        alike.setdefault(len(item.features), []).append(item)
    for group in alike.values():
        for start in range(0, len(group), most):
            cohort = group[start : start + most]
            if any(read_result(item.lane.directory) is None for item in cohort):
                yield cohort


def _train(
    cohort: list[_Prepared],
    settings: Trained,
    make_change: Callable[[LocalModel, int], Change],
    model: LocalModel,
    reader: Reader,
    directory: Path,
    seed: int,
    workers: Workers,
    progress: Progress | None,
) -> None:
    lanes = [item.lane for item in cohort]
    change = make_change(model, len(cohort))
    label = lanes[0].name if len(lanes) == 1 else f"{len(lanes)} tasks"
    bar = progress or Progress(f"{settings.name}: {label}", lanes[0].plan.total, unit="updates")
    with bar:
        Loop(
            model,
            change,
            lanes,
            [item.features for item in cohort],
            reader=reader,
            settings=settings,
            seed=seed,
            directory=lanes[0].directory,
            workers=workers,
            progress=bar,
        ).run()
    change.remove()


def _adapted(
    settings: Trained,
    make_change: Callable[[LocalModel, int], Change],
    model: LocalModel,
    base: Any,
    lanes: list[Lane],
    seed: int,
) -> Model:
    """The model with every lane's chosen checkpoint."""
    change = make_change(model, len(lanes))
    hashes = []
    for place, lane in enumerate(lanes):
        _refuse_diverged(lane, read_result(lane.directory), alone=len(lanes) == 1)
        tensors, total = lane.kept(settings.keep)
        try:
            change.load(place, tensors)
        except ValueError as error:
            raise AdaptationError(
                f"the checkpoint belongs to another model: {error}", where=str(lane.directory)
            ) from None
        hashes.append(total)
        if not is_helper():
            change.export(place, lane.directory, model)
    model.module.eval()
    weights = hashes[0] if len(hashes) == 1 else content_hash(hashes)
    model.identity = adapted_identity(base, settings, seed, weights, keep=settings.keep)
    if not settings.per_task:
        change.settle(model, 0)
        return model
    return RoutedModel(model, change, {lane.name: place for place, lane in enumerate(lanes)})


def _refuse_diverged(lane: Lane, result: Result | None, *, alone: bool) -> None:
    """One adaptation that failed is an error; among many it keeps its last good checkpoint."""
    if alone and result is not None and result.state == "diverged":
        raise AdaptationError(
            f"{result.message}; what was learned before is in {lane.directory}",
            where=lane.name,
            hint="a smaller -A learning_rate, or -A clip=1.0",
        )

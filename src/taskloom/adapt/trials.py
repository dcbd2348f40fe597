"""Several trainings to choose among: other learning rates, other seeds. The best on dev is the adapted model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt import store
from taskloom.adapt.lane import Result, claim, read_result
from taskloom.adapt.recall import begin, write_model
from taskloom.adapt.settings import TrainingSettings
from taskloom.adapt.store import WEIGHTS
from taskloom.adapt.train import Fitting, adaptation_story
from taskloom.adapt.workers import Workers
from taskloom.core import Progress, Suite, UserError, content_hash, digest
from taskloom.core.adaptation import AdaptationError
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model
from taskloom.models.local import LocalModel
from taskloom.store.atomic import sole_writer, write_atomically

LOGGER = logging.getLogger("taskloom.adapt")


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


def fit(
    settings: TrainingSettings,
    model: Model,
    suite: Suite,
    encoding: Encoding,
    directory: Path,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Model:
    """The model fitted as the settings say, by one training or the best of several."""
    if settings.trials == 1:
        single = (
            msgspec.structs.replace(settings, learning_rate=settings.rates[0], rates=()) if settings.rates else settings
        )
        return Fitting(single, model, suite, encoding, directory, seed=seed).run(progress)
    return _Trials(settings, model, suite, encoding, directory, seed).run(progress)


class _Trials:
    def __init__(
        self, settings: TrainingSettings, model: Model, suite: Suite, encoding: Encoding, directory: Path, seed: int
    ) -> None:
        settings.check(model, suite)
        if not isinstance(model, LocalModel):
            raise UserError(f"{model.identity.name} has no local weights to train", hint="use an hf/ or tiny/ model")
        if Workers().count > 1:
            raise UserError(
                "a search over several trainings must run in one process",
                where="-A rates, -A restarts",
                hint="taskloom sweep … -G adapt.learning_rate=[…] runs them in parallel",
            )
        begin(model, suite, settings.splits)
        self.settings, self.model, self.suite, self.encoding = settings, model, suite, encoding
        self.directory, self.seed = directory, seed
        self._base = model.identity
        # Each trial starts from the same weights; one copy of them outlives all trials.
        self._start = {name: value.detach().clone() for name, value in model.module.state_dict().items()}

    def run(self, progress: Progress | None) -> Model:
        story = adaptation_story(self.settings, self.model, self.suite, self.encoding, self.seed)
        key = content_hash(story)
        with sole_writer(self.directory), store.locked(key):
            claim(self.directory, story)
            if not (self.directory / store.MODEL).is_file():
                store.fetch(key, self.directory)
            for trial in trials_of(self.settings):
                if read_result(self._home(trial)) is None:
                    self._train(trial, progress)
            best = self._choose()
            adapted = self._fitting(best).run()
            place = f"trials/{best.name}"
            write_model(self.directory, self.model, self.settings, self.seed, base=self._base, trial=place)
            store.keep(key, self.directory)
        return adapted

    def _home(self, trial: Trial) -> Path:
        return self.directory / "trials" / trial.name

    def _fitting(self, trial: Trial) -> Fitting:
        """The training of one trial, from the weights that all trials start from."""
        model = self.model
        if model.change is not None:
            model.change.remove()
            model.change, model.prefix = None, ()
        model.module.load_state_dict(self._start)
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

    def _train(self, trial: Trial, progress: Progress | None) -> None:
        try:
            self._fitting(trial).run(progress)
        except AdaptationError as error:
            # One rate that is too high says nothing about the others.
            if read_result(self._home(trial)) is None:
                raise
            LOGGER.warning("%s: %s", trial.name, error)

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
                (self._home(trial) / WEIGHTS).unlink(missing_ok=True)
        return best

    def _judged(self, trial: Trial, result: Result | None) -> Trial:
        if result is None:
            raise AdaptationError("a trial has no result", where=str(self._home(trial)))
        split = "dev" if "dev" in result.best else "train"
        more: dict[str, Any] = {"score": result.best.get(split), "update": result.best_update.get(split)}
        return msgspec.structs.replace(trial, state=result.state, split=split, **more)

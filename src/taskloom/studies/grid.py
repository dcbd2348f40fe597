"""The grid of a study: which runs it needs, as data.

An arm is one run together with the factors that name it in tables. Arms are plain values: nothing is opened or
trained to list them, so a grid can be counted, costed and cut before anything happens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom import __version__
from taskloom.adapt.make import make_adaptation
from taskloom.adapt.store import training_cost
from taskloom.core import Count, EmptySuiteError, Positive, Progress, Recipe, Suite, UserError, content_hash, open_suite
from taskloom.core.secrets import public
from taskloom.core.study import Value
from taskloom.run.finished_runs import is_finished, runs_folder
from taskloom.run.results import Run, load_run
from taskloom.run.session import RunSettings
from taskloom.studies.sweep import FinishedJob, Job, JobEngine, carry_out

Scale: TypeAlias = Literal["smoke", "tiny", "paper"]

SCALES: dict[Scale, str] = {
    "smoke": "seconds, one seed: whether everything runs",
    "tiny": "two cores and at most 12 minutes: packaged and tiny models, three seeds at least",
    "paper": "the paper's models, sizes and training (docs/studies.md lists where it differs)",
}


WITHOUT_WEIGHTS = ("mock/", "reading/", "human/", "outputs/")
"""How the names of models begin that cannot be trained and cost nothing."""


class Learner(Recipe, frozen=True, kw_only=True):
    """How one model is fitted.

    Attributes:
        adapt: finetune, prompt-tune, lora, in-context or none.
        options: Options of the adaptation (`recipe` names a paper's).
        model_options: Options of the model.
        run: Further fields of its runs: how it is decoded, how its prompts are written.
    """

    adapt: str = "finetune"
    options: dict[str, Any] = {}
    model_options: dict[str, Any] = {}
    run: dict[str, Any] = {}


class GridRecipe(Recipe, frozen=True, kw_only=True):
    """What every study that runs models has.

    Attributes:
        models: The models that are compared; `--model` replaces them.
        seeds: How often everything is repeated, with other data and another training.
        more: Further repetitions where the first leave an expectation open.
        limit: At most this many test instances of each task; 0 for all.
        learners: How each model is fitted, by name; `*` serves models that are not named.
    """

    models: tuple[str, ...] = ()
    seeds: Positive = 3
    more: Count = 0
    limit: Count = 0
    learners: dict[str, Learner] = {}

    def replicates(self, seed: int) -> range:
        """The seeds of the data, counted up from the first."""
        return range(seed, seed + self.seeds)

    def arm_of(
        self,
        model: str,
        suite: str,
        seed: int,
        factors: dict[str, Value],
        *,
        options: Mapping[str, Any] | None = None,
        after: Arm | None = None,
        **more: Any,
    ) -> Arm:
        """An arm on a suite with these recipe keys; `more` are fields of its run.

        Where weights change in the arm `after` which it is asked, it asks what became of them; else the model by name.
        """
        fitted = after if after is not None and after.trains else None
        run = self.settings(model, seed, **more) if fitted is None else self.asked(seed, **more)
        return Arm(factors=factors, suite=suite, options=dict(options or {}), seed=seed, run=run, after=fitted)

    def settings(self, model: str, seed: int, **more: Any) -> RunSettings:
        """The run of a model, fitted as its learner says or by the `adapt` given; further fields replace the rest."""
        learner = Learner() if "adapt" in more else self.learner(model)
        options = {**learner.options, **more.pop("adapt_options", {})}
        return RunSettings(
            **{
                "model": model,
                "model_options": learner.model_options,
                "adapt": learner.adapt,
                "adapt_options": options,
                "run_seed": seed,
                "limit": self.limit or None,
                "cache": False,  # processes that share a cache of answers would wait for each other
                **learner.run,
                **more,
            }
        )

    def asked(self, seed: int, **more: Any) -> RunSettings:
        """The run of a model that another arm has fitted."""
        return RunSettings(**{"model": "", "run_seed": seed, "limit": self.limit or None, "cache": False, **more})

    def learner(self, *names: str) -> Learner:
        """How a model is fitted: by the first of some names, or else as all are."""
        found = next((self.learners[name] for name in (*names, "*") if name in self.learners), None)
        if found is None:
            raise UserError(
                f"the study does not know how to fit {names[-1]}",
                where="learners",
                hint="-T 'learners.*={adapt: finetune, options: {epochs: 3}}'",
            )
        return found


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a study.

    Attributes:
        factors: What tables call it: {"model": "tiny/entnet", "trained on": "concat-t7"}.
        suite: The suite that is asked (and, where the run adapts, trained on).
        options: Keys of its recipe.
        task: Only this task of the suite.
        seed: The seed of the data.
        run: Everything else of the run.
        after: The arm whose adapted model this one asks or trains on; it takes the place of `run.model`.
    """

    factors: dict[str, Value]
    suite: str
    options: dict[str, Any] = {}
    task: str | None = None
    seed: int = 0
    run: RunSettings
    after: Arm | None = None

    @property
    def draw(self) -> int:
        """Which draw of training examples it uses."""
        return int(self.run.adapt_options.get("draw", 0))

    @property
    def trains(self) -> bool:
        """Whether weights change in it."""
        return self.run.adapt not in ("none", "in-context")

    def line(self) -> Iterator[Arm]:
        """The arms that have to be done before this one, the first of all first, and this one."""
        if self.after is not None:
            yield from self.after.line()
        yield self


def unique(arms: Iterable[Arm]) -> list[Arm]:
    """Arms with everything that has to be done before them, each once, in an order that can be carried out."""
    found: dict[bytes, Arm] = {}
    for arm in arms:
        for one in arm.line():
            found.setdefault(msgspec.json.encode(one), one)
    return list(found.values())


_LISTED = 12
"""How many members of a list are printed; of a longer one the first three stand for all."""


def cuts(recipe: Recipe, paper: Recipe) -> list[str]:
    """In which settings a recipe differs from the one at paper scale, in words."""
    said = []
    models = getattr(recipe, "models", ())
    for key in recipe.__struct_fields__:
        here, there = getattr(recipe, key), getattr(paper, key)
        # How many seeds there may be at most is no size of an experiment.
        if here == there or key == "more":
            continue
        if key == "learners":
            # Learners without a slash are named by a paradigm, which every model is fitted by.
            by_paradigm = {name for name in here if name != "*" and "/" not in name}
            used = {model if model in here else "*" for model in models} | by_paradigm
            said += [
                f"{key}.{name}: {_learner(here[name])}"
                for name in sorted(used & here.keys())
                if here[name] != there.get(name)
            ]
        else:
            # Nothing, be it a number or a list, leaves what the suite or the paper's recipe has.
            said.append(f"{key}: {shown(here)}; paper scale: {shown(there) if there else 'as in the paper'}")
    return said


def _learner(learner: Learner) -> str:
    # Where updates are counted, the number of epochs only has to be out of their way.
    silent = {"epochs"} if "updates" in learner.options else set()
    options = {key: value for key, value in learner.options.items() if key not in silent}
    said = f"{learner.adapt} with {shown(options)}" if options else learner.adapt
    return f"{said}; the model with {shown(learner.model_options)}" if learner.model_options else said


def shown(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, Mapping):
        # A key is known by its name, so it is hidden where the name still stands beside it.
        return ", ".join(f"{key}={shown(inner)}" for key, inner in public(dict(value)).items()) or "none"
    if isinstance(value, list | tuple):
        said = ["/".join(map(shown, one)) if isinstance(one, list | tuple) else shown(one) for one in value]
        more = f", … ({len(said)} in all)" if len(said) > _LISTED else ""
        return ", ".join(said[: 3 if more else None]) + more or "none"
    return str(value)


_UNDECIDED = ("command", "batch_size", "cache")
"""Settings of a run that change nothing in its records."""


class InProcess(JobEngine):
    """Carries out jobs one by one in this process: no start-up cost, and no second core."""

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        for job in jobs:
            yield carry_out(job)


class RunStore:
    """Runs in one folder.

    Args:
        root: The folder (`TASKLOOM_RUNS`, else `runs` in the cache folder); made when the first run begins.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or runs_folder()).resolve()
        self._suites: dict[str, Suite] = {}
        self._keys: dict[bytes, str] = {}

    def suite(self, arm: Arm) -> Suite:
        """The suite of an arm, all its tasks included."""
        name = content_hash((arm.suite, arm.seed, arm.options))
        if name not in self._suites:
            self._suites[name] = open_suite(arm.suite, seed=arm.seed, options=arm.options)
        return self._suites[name]

    def possible(self, arms: Iterable[Arm]) -> tuple[list[Arm], list[str]]:
        """The arms whose suites have tasks, and the names of suites without any.

        A paper's list may hold tasks for which the words and facts at hand give no example: the study is about the
        others, and says so. Of suites that differ in their seed alone the first is opened.
        """
        known: dict[bytes, bool] = {}

        def fits(arm: Arm) -> bool:
            named = msgspec.json.encode((arm.suite, arm.options))
            if named not in known:
                try:
                    # Tasks are built on access; one is enough.
                    known[named] = next(iter(self.suite(arm).tasks), None) is not None
                except EmptySuiteError:
                    known[named] = False
            return known[named]

        listed = list(arms)
        kept = [arm for arm in listed if all(map(fits, arm.line()))]
        return kept, list(dict.fromkeys(arm.suite for arm in listed if not fits(arm)))

    def key(self, arm: Arm) -> str:
        """What decides the records of an arm: rows, model, adaptation with its defaults, protocol and seeds."""
        encoded = msgspec.json.encode(arm)
        if encoded not in self._keys:
            said = self._job(arm, "").settings()["run"]
            settings = {name: value for name, value in said.items() if name not in _UNDECIDED}
            settings["adapt_options"] = make_adaptation(arm.run.adapt, arm.run.adapt_options).describe()
            before = self.key(arm.after) if arm.after is not None else ""
            self._keys[encoded] = content_hash((__version__, self.suite(arm).identity, arm.task, settings, before))
        return self._keys[encoded]

    def place(self, arm: Arm) -> Path:
        """The folder of an arm's run."""
        model = next(arm.line()).run.model
        words = (arm.suite.rpartition("/")[2], arm.task or "", model, *(one.run.adapt for one in arm.line()))
        readable = "-".join(re.sub(r"[^\w.]+", "-", word).strip("-.")[-20:] for word in words if word)
        return self.root / f"{readable}-{self.key(arm)[:12]}"

    def _job(self, arm: Arm, model: str) -> Job:
        run = msgspec.structs.replace(arm.run, model=model or arm.run.model)
        return Job(suite=arm.suite, seed=arm.seed, options=arm.options, task=arm.task, run=run, reuse=True)

    def job(self, arm: Arm) -> Job:
        """The arm as something that a worker can do."""
        model = f"run/{self.place(arm.after)}" if arm.after is not None else ""
        job = self._job(arm, model)
        return msgspec.structs.replace(job, folder=str(self.place(arm)), home=str(Path.cwd()))

    def has(self, arm: Arm) -> bool:
        """Whether the run of an arm is finished."""
        return is_finished(self.place(arm))

    def load(self, arm: Arm) -> Run:
        """The finished run of an arm."""
        return load_run(self.place(arm))

    def fill(self, arms: Sequence[Arm], engine: JobEngine) -> Counter[str]:
        """Carry out the arms that are not on the shelf yet, with everything they come after.

        Returns:
            How many runs were there before ("found"), the CPU seconds of their trainings ("saved"), and how many were
            carried out ("done").

        Raises:
            UserError: Some failed, after everything else was done.
        """
        wanted = unique(arms)
        waves: dict[int, dict[Path, Arm]] = {}
        for arm in wanted:
            waves.setdefault(len(list(arm.line())), {})[self.place(arm)] = arm
        counts: Counter[str] = Counter(found=0, done=0, saved=0)
        failed: dict[Path, str] = {}
        with Progress("runs", sum(map(len, waves.values())), unit="runs") as progress:
            for depth in sorted(waves):
                waiting = [arm for place, arm in waves[depth].items() if not is_finished(place)]
                counts["found"] += len(waves[depth]) - len(waiting)
                before = [place for place, arm in waves[depth].items() if arm.trains and arm not in waiting]
                counts["saved"] += sum(round(training_cost(place / "adaptation")) for place in before)
                progress.skip(len(waves[depth]) - len(waiting))
                ready = [arm for arm in waiting if not any(self.place(one) in failed for one in arm.line())]
                failed.update({self.place(arm): "the run it comes after failed" for arm in waiting if arm not in ready})
                jobs = {job.id: (job, arm) for job, arm in ((self.job(arm), arm) for arm in ready)}
                for item in engine.run([job for job, _ in jobs.values()], 1) if jobs else ():
                    if item.state == "done" and is_finished(self.place(jobs[item.id][1])):
                        counts["done"] += 1
                    else:
                        failed[self.place(jobs[item.id][1])] = item.error or "some of its answers failed"
                    progress.advance(note=item.id)
        if failed:
            place, reason = next(iter(failed.items()))
            raise UserError(
                f"{len(failed):,} of {sum(map(len, waves.values())):,} runs failed; the first: {reason}",
                where=str(place),
                hint="the same command tries only these again",
            )
        return counts

"""One run from settings: open the model, adapt it, ask, log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.base import Adaptation, make_adaptation
from taskloom.core import Suite, UserError, is_helper, resolve, unknown_name
from taskloom.encode.base import Encoding, make_encoding
from taskloom.models.base import Generation, Model, open_model
from taskloom.run.cache import ResponseCache, default_cache_folder
from taskloom.run.execute import Outcome, execute
from taskloom.run.judge import Judge
from taskloom.run.log import RunLog
from taskloom.run.plan import Plan, check_folder, environment, save_plan
from taskloom.run.results import Run, load_run
from taskloom.store.atomic import disk_errors
from taskloom.store.write import tasks_hash

__all__ = ["RunSettings", "go", "run_suite"]


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs besides its suite and folder. Options are those of the named parts."""

    model: str
    model_options: dict[str, Any] = {}
    adapt: str = "none"
    adapt_options: dict[str, Any] = {}
    encoding: str = "plain"
    encoding_options: dict[str, Any] = {}
    split: str | None = None
    limit: int | None = None
    batch_size: int | None = None
    generation: dict[str, Any] = {}
    run_seed: int = 0
    scorer: str | None = None
    extractor: str | None = None
    cache: bool = True
    command: str = ""


def go(suite: Suite, folder: Path, settings: RunSettings) -> Outcome:
    """Run a model on a suite, or continue a run that was broken off.

    Everything that can be refused is refused before the model is opened or the folder touched.
    """
    split = settings.split or suite.default_split()
    if split not in suite.splits:
        raise unknown_name("split", split, suite.splits, where=suite.name)
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"a limit is 1 or more, not {settings.limit}", where="--limit")
    if settings.batch_size is not None and settings.batch_size < 1:
        raise UserError(f"a batch has 1 or more requests, not {settings.batch_size}", where="--batch-size")
    judge = Judge(list(suite.tasks.values()), settings.scorer, settings.extractor)
    encoding = make_encoding(settings.encoding, settings.encoding_options)
    adaptation = make_adaptation(settings.adapt, settings.adapt_options)
    generation = resolve(Generation(), settings.generation, where="generation")
    model = open_model(settings.model, settings.model_options)
    try:
        adaptation.check(model, suite)
        adaptation.check_asked(suite, split)
        if is_helper():
            # It trains with the others; asking and writing is the main process's.
            adaptation.adapt(model, suite, encoding, folder / "adaptation", seed=settings.run_seed)
            return Outcome(0, 0, 0, 0, 0, False)
        asked_with = adaptation.wrap(encoding, suite, settings.run_seed)
        plan = _plan(suite, split, model, asked_with, adaptation, generation, settings)
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        check_folder(plan, folder)
        with RunLog(folder) as log:
            save_plan(plan, list(suite.tasks.values()), folder)
            model = _adapted(model, suite, encoding, adaptation, folder, settings)
            return execute(
                suite, split, model, asked_with, judge, log,
                generation=generation, limit=settings.limit, batch=settings.batch_size,
                cache=_cache(model, generation, asked_with, settings),
            )  # fmt: skip
    finally:
        model.close()


def run_suite(suite: Suite, *, model: str, folder: str | Path, **settings: Any) -> Run:
    """Run a model on a suite from Python and read the log back.

    Args:
        suite: What to ask.
        model: `provider/name`.
        folder: The run's folder; an unfinished run in it continues.
        **settings: The fields of `RunSettings`.

    Example:
        >>> suite = open_suite("babi/task-1", seed=7)
        >>> run = run_suite(suite, model="mock/majority", folder="runs/majority", limit=100)
        >>> print(run.overall().estimate)
    """
    known = RunSettings.__struct_fields__
    for name in settings:
        if name not in known:
            raise unknown_name("setting", name, known, where="run_suite")
    go(suite, Path(folder), RunSettings(model=model, **settings))
    return load_run(Path(folder))


def _adapted(
    model: Model, suite: Suite, encoding: Encoding, adaptation: Adaptation, folder: Path, settings: RunSettings
) -> Model:
    if adaptation.name in ("none", "in-context"):
        return model
    directory = folder / "adaptation"
    with disk_errors(directory):
        directory.mkdir(exist_ok=True)
    return adaptation.adapt(model, suite, encoding, directory, seed=settings.run_seed)


def _cache(model: Model, generation: Generation, encoding: Encoding, settings: RunSettings) -> ResponseCache | None:
    if not (settings.cache and model.cacheable):
        return None
    return ResponseCache(default_cache_folder(), model.identity, generation, encoding.describe())


def _plan(
    suite: Suite,
    split: str,
    model: Model,
    encoding: Encoding,
    adaptation: Adaptation,
    generation: Generation,
    settings: RunSettings,
) -> Plan:
    return Plan(
        suite=suite.name,
        data_seed=suite.seed,
        recipe=msgspec.to_builtins(dict(suite.recipe)),
        tasks_hash=tasks_hash(suite.tasks),
        split=split,
        limit=settings.limit,
        model=msgspec.to_builtins(model.identity),
        encoding=encoding.describe(),
        generation=msgspec.to_builtins(generation),
        adaptation=adaptation.describe(),
        run_seed=settings.run_seed,
        scorer=settings.scorer,
        extractor=settings.extractor,
        environment=environment(),
        command=settings.command,
        notes=msgspec.to_builtins(dict(suite.notes)),
    )

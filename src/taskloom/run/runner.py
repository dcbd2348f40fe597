"""One run from settings: open the model, adapt it, ask, log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Suite, UserError, is_helper, open_suite, unknown_name
from taskloom.core.model import Model
from taskloom.models.function import named_model
from taskloom.run.execute import Outcome, execute
from taskloom.run.known import adopt, remember
from taskloom.run.log import RunLog
from taskloom.run.plan import check_folder, save_plan
from taskloom.run.results import Run, load_run
from taskloom.run.session import RunSettings, Session, open_session
from taskloom.run.shards import shard_of
from taskloom.score.match import named_scorer
from taskloom.store.atomic import disk_errors
from taskloom.store.remote import is_address, stored

LOGGER = logging.getLogger(__name__)


def launch(
    suite: Suite, folder: str | Path, settings: RunSettings, *, reuse: bool = False, model: Model | None = None
) -> Outcome:
    """Run a model on a suite, or continue a run that was broken off.

    Everything that can be refused is refused before the folder is touched.

    Args:
        suite: What to ask.
        folder: The run's folder, also on object storage (`s3://…`).
        settings: Model, adaptation, protocol and the rest.
        reuse: Take over the log of a finished run of the same plan, wherever it lies.
        model: The model of the settings, opened already; it stays open. For several runs of one that is slow to load.
    """
    if is_address(folder):
        with stored(folder) as copy:
            return launch(suite, copy, settings, reuse=reuse, model=model)
    folder = Path(folder)
    split = settings.split or suite.default_split()
    if split not in suite.splits:
        raise unknown_name("split", split, suite.splits, where=suite.name)
    shard = shard_of(settings.shard)
    session = open_session(suite, settings, model)
    try:
        adaptation = session.adaptation
        adaptation.check(session.model, suite)
        adaptation.check_asked(suite, split)
        session.check_weights(split)
        if is_helper():
            # It trains with the others; asking and writing is the main process's.
            adaptation.adapt(session.model, suite, session.encoding, folder / "adaptation", seed=settings.run_seed)
            return Outcome(0, 0, 0, 0, 0, False)
        if session.choice is not None:
            LOGGER.info("%s", session.choice.sentence())
        encoding = session.asked_with()
        plan = session.plan(encoding, split)
        check_folder(plan, folder)
        known = session.model.reproducible
        if reuse and known and adopt(plan, folder):
            LOGGER.info("reusing the log of %s, which was run before", session.model.identity.name)
        with RunLog(folder, settings.samples) as log:
            save_plan(plan, list(suite.tasks.values()), folder)
            session.model = _adapted(session, folder)
            outcome = execute(
                suite, split, session.model, encoding, session.judge, log,
                generation=session.generation, limit=settings.limit, cache=session.cache(encoding),
                stamp=session.stamp, weights=session.weights, shard=shard,
            )  # fmt: skip
        if known and not outcome.errored:
            remember(plan, folder)
        return outcome
    finally:
        if model is None:
            session.close()


def run_suite(
    suite: Suite | str | Path,
    *,
    model: str | Callable[[str], Any],
    folder: str | Path,
    model_options: Mapping[str, Any] | None = None,
    adapt: str = "none",
    adapt_options: Mapping[str, Any] | None = None,
    protocol: str = "auto",
    wordings: int = 1,
    examples: int | None = None,
    form: str | None = None,
    encoding: str | None = None,
    encoding_options: Mapping[str, Any] | None = None,
    split: str | None = None,
    limit: int | None = None,
    batch_size: int | None = None,
    generation: Mapping[str, Any] | None = None,
    run_seed: int = 0,
    samples: int = 1,
    weights: Mapping[str, Any] | None = None,
    scorer: str | Callable[..., Any] | None = None,
    scorer_options: Mapping[str, Any] | None = None,
    reader: str | None = None,
    cache: bool = True,
    shard: str = "",
) -> Run:
    """Run a model on a suite and return the run.

    Args:
        suite: What to ask: a suite, or anything that `open_suite` opens.
        model: `provider/name`, or a function of the prompt that returns the answer; it may be asynchronous.
        folder: The run's folder; an unfinished run in it is resumed.
        model_options: Options of the model (`-M`).
        adapt: How to adapt the model first: none, in-context, finetune, prompt-tune, lora.
        adapt_options: Options of the adaptation (`-A`).
        protocol: How the model is asked: auto, chat, base, fitted, paper, bare.
        wordings: The number of wordings of the instruction.
        examples: The number of solved examples in prompts (the protocol's by default).
        form: The form of answers: line, schema or none (the protocol's by default).
        encoding: An encoding to use instead of the protocol's.
        encoding_options: Options of the encoding (`-E`).
        split: Which split to ask (test by default).
        limit: At most this many instances of each task.
        batch_size: Requests per call.
        generation: max_tokens, temperature and so on.
        run_seed: The seed for sampling, examples and training.
        samples: Answers per instance.
        weights: Answering by likelihood and probability mass.
        scorer: The scorer to use for all tasks; or a function (answer, targets) or (answer, targets, task) that
            returns a score in [0, 1].
        scorer_options: Options of the scorer (`-S`).
        reader: The reader to use for all tasks.
        cache: Whether answers may come from the cache.
        shard: "i/n" to ask every n-th row only, from the i-th on (`merge_runs` makes one run of all shards).

    Example:
        >>> from taskloom import run_suite
        >>> run = run_suite("babi/task-1", model="mock/oracle", folder="runs/oracle", limit=100)
        >>> run.overall().estimate.value
        1.0
    """
    if not isinstance(suite, Suite):
        suite = open_suite(suite)
    given = {
        "model_options": model_options,
        "adapt": adapt,
        "adapt_options": adapt_options,
        "protocol": protocol,
        "wordings": wordings,
        "examples": examples,
        "form": form,
        "encoding": encoding,
        "encoding_options": encoding_options,
        "split": split,
        "limit": limit,
        "batch_size": batch_size,
        "generation": generation,
        "run_seed": run_seed,
        "samples": samples,
        "weights": weights,
        "scorer": named_scorer(scorer) if callable(scorer) else scorer,
        "scorer_options": scorer_options,
        "reader": reader,
        "cache": cache,
        "shard": shard,
    }
    settings: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    try:
        # Python callers mistype as well as the command line does: a limit of "5" is refused here, in a sentence.
        called = named_model(model) if callable(model) else model
        checked = msgspec.convert({"model": called, **settings}, RunSettings)
    except msgspec.ValidationError as error:
        raise UserError(str(error), where="run_suite") from None
    launch(suite, folder, checked)
    return load_run(folder)


def _adapted(session: Session, folder: Path) -> Model:
    if session.adaptation.name in ("none", "in-context"):
        return session.model
    directory = folder / "adaptation"
    with disk_errors(directory):
        directory.mkdir(exist_ok=True)
    return session.adaptation.adapt(
        session.model, session.suite, session.encoding, directory, seed=session.settings.run_seed
    )

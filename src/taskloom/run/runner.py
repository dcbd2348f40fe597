"""One run from settings: open the model, adapt it, ask, log."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import msgspec

from taskloom.ask import Judge, Meter, ResponseCache, ask, make_request, spending_now
from taskloom.core import (
    EmptySuiteError,
    Progress,
    Row,
    Suite,
    UserError,
    ensure_known,
    is_helper,
    open_suite,
    question_digests,
    row_digests,
)
from taskloom.core.calls import explained
from taskloom.core.encoding import Encoding
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.models.likelihood import Weights
from taskloom.run.finished_runs import adopt, remember
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import check_folder, save_plan
from taskloom.run.record import Record, make_record
from taskloom.run.results import Run, load_run
from taskloom.run.session import RunOptions, RunSettings, Session, ask_settings, open_session
from taskloom.run.shards import shard_of
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
    ensure_known("split", split, suite.splits, where=suite.name)
    if not has_rows(suite, split):
        others = [f"--split {name} has some" for name in suite.splits if has_rows(suite, name)]
        raise EmptySuiteError(f"there are no rows in {split}", where=suite.name, hint=others[0] if others else None)
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


@explained
def run_suite(
    suite: Suite | str | Path,
    *,
    model: str | Model | Callable[[str], Any],
    folder: str | Path,
    **settings: Unpack[RunOptions],
) -> Run:
    """Run a model on a suite and return the run.

    Args:
        suite: What to ask: a suite, or anything that `open_suite` opens.
        model: `provider/name`, what `open_model` opened, or a function of the prompt that returns the answer; it may
            be asynchronous.
        folder: The run's folder; an unfinished run in it is resumed.
        **settings: How to ask, as the options of `taskloom run` say it:
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
    asked, ready = ask_settings(model, settings)
    launch(suite, folder, asked, model=ready)
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


_ENOUGH = 20
"""Answers after which it is said that most of them are cut off."""


_HASHED = 64
"""Questions that are drawn and hashed together."""


class Outcome(NamedTuple):
    """What a run did: how many records in each state, how many were there before, how many came from the cache."""

    scored: int
    truncated: int
    errored: int
    resumed: int
    cached: int
    repaired: bool


def has_rows(suite: Suite, split: str) -> bool:
    """Whether there is anything to ask; a row is drawn only where the size is not known."""
    size = suite.splits[split]
    return next(suite.rows(split, limit=1), None) is not None if size is None else size > 0


def chosen_rows(suite: Suite, split: str, limit: int | None) -> Iterator[tuple[Row, str]]:
    """The rows a run asks, with hashes where they are stored: all of a split, or the first `limit` of each task."""
    if limit is None:
        yield from suite.hashed_rows(split)
        return
    taken: Counter[str] = Counter()
    full = 0
    for row, digits in suite.hashed_rows(split):
        if taken[row.task] < limit:
            taken[row.task] += 1
            full += taken[row.task] == limit
            yield row, digits
        if full == len(suite.tasks):
            return


class Questions:
    """The questions of a run that have no answer yet, with what their records need."""

    def __init__(
        self, suite: Suite, rows: Iterator[tuple[int, tuple[Row, str]]], model: Model, encoding: Encoding, log: RunLog
    ) -> None:
        self._suite = suite
        self._rows = rows
        self._model = model
        self._encoding = encoding
        self._log = log
        self._hashes: dict[int, tuple[str, str]] = {}
        self.resumed = 0

    def __iter__(self) -> Iterator[tuple[int, Request]]:
        log = self._log
        for index, row, digits, question in self._hashed():
            request: Request | None = None
            for sample in range(log.samples):
                place = log.place(index, sample)
                state = log.places.state(place)
                if state is not None and not log.places.same_row(place, digits):
                    raise self._other_row(row)
                if state is not None and state != "errored":
                    self.resumed += 1
                    continue
                self._hashes[place] = digits, question
                request = request or make_request(self._suite.tasks[row.task], row, self._encoding, self._model)
                yield place, msgspec.structs.replace(request, sample=sample) if sample else request

    def _hashed(self) -> Iterator[tuple[int, Row, str, str]]:
        """The rows with the hashes of row and question, which are made for several at once."""
        while numbered := list(islice(self._rows, _HASHED)):
            rows = [row for _, (row, _) in numbered]
            stored = numbered[0][1][1] != ""
            wholes = [digits for _, (_, digits) in numbered] if stored else [each.hex() for each in row_digests(rows)]
            for (index, (row, _)), whole, asked in zip(numbered, wholes, question_digests(rows), strict=True):
                yield index, row, whole, asked.hex()

    def hashes_at(self, place: int) -> tuple[str, str]:
        """The hashes of row and question asked at a place; asked for once."""
        return self._hashes.pop(place)

    def _other_row(self, row: Row) -> UserError:
        return UserError(
            f"the log and the suite have different rows at {row.task}/{row.instance.id}",
            where=str(self._log.folder),
            hint="the data changed since the run began: name another folder with -o",
        )


def execute(
    suite: Suite,
    split: str,
    model: Model,
    encoding: Encoding,
    judge: Judge,
    log: RunLog,
    *,
    generation: Generation,
    limit: int | None = None,
    cache: ResponseCache | None = None,
    stamp: dict[str, Any] | None = None,
    weights: Weights | None = None,
    shard: tuple[int, int] | None = None,
) -> Outcome:
    """Ask every row that the log does not hold a score for, and append each answer as soon as it is scored.

    Failures of the model are records, not exceptions: the run goes on, and the same command asks only them again.
    `stamp` holds further fields of every record (protocol, headline); `weights` says how answers are found,
    and `shard` (i of n, from 0) that only every n-th row is asked.
    """
    model.prepare(suite)
    if (limits := spending_now()) is not None and log.places:
        limits.spent += fsum(record.tokens.get("cost") or 0.0 for record in read_records(log.folder))
    rows = islice(enumerate(chosen_rows(suite, split, limit)), *((*shard[:1], None, shard[1]) if shard else (None,)))
    questions = Questions(suite, rows, model, encoding, log)
    size = suite.splits[split] if limit is None and shard is None else None
    with Progress(
        f"{model.identity.name} on {suite.name}", None if size is None else size * log.samples, unit="asked"
    ) as progress:
        progress.skip(len(log.places) - log.places.count("errored"))
        meter = Meter(_most(suite, split, limit, shard, log.samples))
        cut = _CutAnswers(generation.max_tokens)

        def record(place: int, request: Request, output: Output) -> Record:
            index, sample = divmod(place, log.samples)
            row, question = questions.hashes_at(place)
            return make_record(
                request, output, judge.assess(request, output), shown=model.render(request.prompt), index=index,
                row=row, question=question, sample=sample, wording=request.prompt.wording, **stamp or {},
            )  # fmt: skip

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            records = [record(*each) for each in group]
            log.append(records)
            meter.add(output for _, _, output in group)
            if warning := cut.seen(records):
                progress.say(warning)
            progress.advance(len(records), note=running_score(records))

        ask(model, questions, generation, keep, known=cache, weights=weights)
    log.finish()
    count = log.places.count
    hits = cache.hits if cache else 0
    return Outcome(count("scored"), count("truncated"), count("errored"), questions.resumed, hits, log.repaired > 0)


def _most(suite: Suite, split: str, limit: int | None, shard: tuple[int, int] | None, samples: int) -> int | None:
    """How many questions a run has at most; None where that is not known before they are drawn."""
    size = suite.splits[split]
    tasks = None if limit is None else limit * len(suite.tasks)
    known = [number for number in (size, tasks) if number is not None]
    return min(known) * samples // (shard[1] if shard else 1) if known else None


class _CutAnswers:
    """Says once, while there is still something to save, that most answers are cut off."""

    def __init__(self, limit: int) -> None:
        self._limit, self._asked, self._cut, self._said = limit, 0, 0, False

    def seen(self, records: Sequence[Record]) -> str:
        """A warning where more than half of the answers so far are cut; "" where not, or said before."""
        self._asked += len(records)
        self._cut += sum(record.state == "truncated" for record in records)
        if self._said or self._asked < _ENOUGH or 2 * self._cut <= self._asked:
            return ""
        self._said = True
        return (
            f"{self._cut:,} of the first {self._asked:,} answers are cut off after {self._limit:,} tokens: "
            f"to stop and ask again, press Ctrl-C and give --max-tokens {4 * self._limit} and another folder"
        )


def running_score(records: Sequence[Record]) -> str:
    """The mean score of the last batch, in words."""
    scores = [record.score for record in records if record.score is not None]
    return f"last batch {sum(scores) / len(scores):.2f}" if scores else "last batch failed"

"""Scoring a log again, with other scorers and readers, without running the model."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from taskloom.ask.judge import Headline, Judge
from taskloom.core import Instance, Task, UserError
from taskloom.core.calls import explained
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
from taskloom.run.log import RunLog, has_records, log_files, read_records
from taskloom.run.plan import FORMAT, PLAN, RESULTS, TASKS, load_plan, load_tasks, save_plan
from taskloom.run.record import Record
from taskloom.run.results import Run, load_run
from taskloom.run.sealed import latest_seal, remove_unlisted, seal_names
from taskloom.store.atomic import clear_halves, disk_errors, half_name, is_half, lock_folder, sync
from taskloom.store.ownership import sha256

BATCH = 1_000


def rescored_folder(folder: Path, *names: str | None) -> Path:
    """Where the second opinion of a run goes: a run folder of its own inside the run's."""
    parts = [re.sub(r"[^A-Za-z0-9.-]+", "-", part) for part in names if part]
    return folder / "scores" / ("+".join(parts) or "default")


def rescore(
    folder: str | Path,
    scorer: str | None = None,
    reader: str | None = None,
    scorer_options: Mapping[str, Any] | None = None,
) -> Path:
    """Judge every raw output of a run again; the run's own records stay as they are.

    Args:
        folder: The run.
        scorer: A scorer for all tasks, else each task's own.
        reader: "lenient" or "strict" for the reading that counts, or a strict reader for all tasks by name.
        scorer_options: Options of the scorers.

    Returns:
        A folder that reports read like any other run.
    """
    folder = Path(folder)
    plan, tasks = load_plan(folder), load_tasks(folder)
    options = dict(scorer_options or {})
    headline: Headline | None = None if reader is None else "lenient" if reader == "lenient" else "strict"
    strict = None if reader in ("lenient", "strict") else reader
    strict = strict or plan.strict_reader
    judge = Judge(tasks.values(), scorer, strict, scorer_options=options, lenient=READERS.get("lenient"))
    target = rescored_folder(folder, scorer, reader, *(f"{key}-{value}" for key, value in options.items()))
    if headline is not None:
        plan = msgspec.structs.replace(plan, protocol={**plan.protocol, "headline": headline, "reader": strict})
    plan = msgspec.structs.replace(plan, format=FORMAT, scorer=scorer, scorer_options=options, reader=strict)
    with _replacing_run(target) as scratch:
        save_plan(plan, list(tasks.values()), scratch)
        with RunLog(scratch, plan.samples) as log:
            judged = _judged(folder, judge, tasks, headline)
            while batch := list(islice(judged, BATCH)):
                log.append(batch)
            log.finish()
    return target


@explained
def score(
    run: Run | str | Path, scorer: str | None = None, *, reader: str | None = None, options: Mapping[str, Any] = {}
) -> Run:
    """A run scored again, from the outputs in its log; no model is asked.

    Args:
        run: The run or its folder. It stays as it is: the result is a run below its folder.
        scorer: A scorer for all tasks, else each task's own.
        reader: "lenient", "strict", or the name of a strict reader.
        options: Options of the scorer.

    Example:
        >>> from taskloom import run_suite, score
        >>> run = run_suite("babi/task-1", model="mock/majority", folder="runs/majority", limit=20)
        >>> score(run, "normalised").overall().estimate.n
        20
    """
    folder = run.folder if isinstance(run, Run) else Path(run)
    return load_run(rescore(folder, scorer, reader, options))


@contextmanager
def _replacing_run(target: Path) -> Iterator[Path]:
    """A scratch folder whose files take the place of a run's once all of them are whole.

    Raises:
        UserError: The folder holds something else than a run, or another process writes there.
    """
    with lock_folder(target), disk_errors(target):
        if (target / PLAN).exists():
            load_plan(target)  # refuses what is no plan of ours
        elif has_records(target) or any((target / name).exists() for name in (TASKS, RESULTS)):
            raise UserError("this folder contains something other than a run", where=str(target), hint="move it away")
        clear_halves(target)
        for left in target.parent.iterdir():
            if is_half(left.name) and left.name.startswith(f".{target.name}."):
                remove_scratch(left)
        scratch = target.parent / half_name(target.name)
        scratch.mkdir()
        try:
            yield scratch
            _move_run(scratch, target)
        finally:
            remove_scratch(scratch)


def _move_run(scratch: Path, target: Path) -> None:
    """Put a sealed run in the place of another: data, plan, and the manifest last, which fits no other plan."""
    seal = latest_seal(scratch)
    if seal is None:
        raise UserError("nothing was scored", where=str(target))
    manifests = seal_names(scratch)
    data = [file for part in seal.parts for file in part.files.values()]
    for name, digits in data:
        if (target / name).exists() and sha256(target / name) != digits:
            raise UserError("this file was not written by a run, so it was left unchanged", where=str(target / name))
    # Whatever of this a power cut keeps, data is there before its manifest, and the plan says that it is ours.
    for names in ((*(name for name, _ in data), PLAN), (TASKS, *manifests)):
        for name in names:
            (scratch / name).replace(target / name)
        sync(target)
    for old in (*log_files(target), *(target / name for name in seal_names(target) if name not in manifests)):
        old.unlink(missing_ok=True)
    remove_unlisted(target, seal)


def remove_scratch(scratch: Path) -> None:
    """Remove the folder of an interrupted scoring."""
    shutil.rmtree(scratch, ignore_errors=True)  # its name was made up above, so nothing in it is anybody else's


def _judged(folder: Path, judge: Judge, tasks: Mapping[str, Task], headline: Headline | None) -> Iterator[Record]:
    for record in read_records(folder):
        yield judge_again(record, judge, tasks[record.task], headline)


def judge_again(
    record: Record, judge: Judge, task: Task, headline: Headline | None = None, prompt: Prompt | None = None
) -> Record:
    """The record as this judge sees it; `headline` changes the reading that counts, `prompt` is its very prompt."""
    if record.state == "errored":
        return msgspec.structs.replace(record, scorer=judge.scorer(task), headline=headline or record.headline)
    instance = Instance(record.id, "", record.targets, record.facets)
    output = Output(record.raw, "truncated" if record.state == "truncated" else "complete")
    found = judge.assess(Request(prompt or Prompt(record.prompt), task, instance), output)
    return msgspec.structs.replace(
        record,
        state=found.state,
        scorer=found.scorer,
        headline=headline or record.headline,
        strict=found.strict,
        lenient=found.lenient if found.lenient is not None else record.lenient,
    )

"""Sweeps: a grid of runs, carried out by an engine, with a log that lets it continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.core import Progress, Suite, UserError, content_hash, resolve, unknown_name
from taskloom.core.catalog import ADAPTATIONS, MODELS
from taskloom.core.decode import decode_json, read_bytes, read_json
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, full_model_name
from taskloom.core.secrets import is_secret_name
from taskloom.store.atomic import append_lines, make_folder, sole_writer, write_atomically
from taskloom.studies.engines import FinishedJob, Job, JobEngine

LOG = "sweep.jsonl"
JOBS = "jobs.json"

GRID_PARTS = ("adapt", "model", "encoding", "suite")
"""Parts whose options a grid may vary (`adapt.learning_rate`)."""

GRID_KEYS = ("seed", "run_seed", "encoding", "split")
"""What else a grid may vary."""


def expand(
    suites: Sequence[str],
    models: Sequence[str],
    adaptations: Sequence[str],
    *,
    base: Job,
    grid: Mapping[str, Sequence[Any]],
    tasks: Mapping[str, Sequence[str]],
) -> list[Job]:
    """Every combination as a job.

    Args:
        suites: Suite names or bundle folders.
        models: Model names.
        adaptations: Adaptation names.
        base: What all jobs have in common.
        grid: Values by key: `adapt.KEY`, `model.KEY`, `encoding.KEY`, `suite.KEY`, or one of `GRID_KEYS`.
        tasks: For a suite, the tasks that get a job each; none for one job with all of them.
    """
    jobs: dict[str, Job] = {}
    everyone: list[str | None] = [None]
    numbered = [list(enumerate(values, start=1)) for values in grid.values()]
    for suite, model, adapt, values in product(suites, models, adaptations, product(*numbered)):
        job = msgspec.structs.replace(
            base, suite=suite, run=msgspec.structs.replace(base.run, model=model, adapt=adapt)
        )
        for key, (number, value) in zip(grid, values, strict=True):
            job = _with(job, key, value)
            if is_secret_name(key):
                # Jobs that differ in a key alone are different jobs, and nothing of the key may tell them apart.
                job = msgspec.structs.replace(job, variant=" ".join(filter(None, (job.variant, f"{key} {number}"))))
        job = _fitting(job, adaptations)
        for task in tasks.get(suite) or everyone:
            made = msgspec.structs.replace(job, task=task)
            jobs[made.id] = made
    return list(jobs.values())


def _fitting(job: Job, adaptations: Sequence[str]) -> Job:
    """Leave out options that only other adaptations of the sweep have; what none has stays, to be refused."""
    known = {name: {"recipe", *ADAPTATIONS.get(name).__struct_fields__} for name in adaptations}
    others = set().union(*known.values()) - known[job.run.adapt]
    kept = {key: value for key, value in job.run.adapt_options.items() if key.replace("-", "_") not in others}
    return msgspec.structs.replace(job, run=msgspec.structs.replace(job.run, adapt_options=kept))


def _with(job: Job, key: str, value: Any) -> Job:
    replace = msgspec.structs.replace
    if key in ("seed", "run_seed"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise UserError(f"a seed is a whole number, not {value!r}", where=f"-G {key}")
        if key == "seed":
            return replace(job, seed=value)
        generation = {**job.run.generation, "seed": value}
        return replace(job, run=replace(job.run, run_seed=value, generation=generation))
    if key in ("encoding", "split"):
        if not isinstance(value, str):
            raise UserError(f"a name, not {value!r}", where=f"-G {key}")
        return replace(job, run=replace(job.run, **{key: value}))
    part, dot, option = key.partition(".")
    if not dot or part not in GRID_PARTS:
        known = [*GRID_KEYS, *(f"{part}.KEY" for part in GRID_PARTS)]
        raise unknown_name("grid key", key, known, where="-G")
    if part == "suite":
        return replace(job, options={**job.options, option: value})
    field = f"{part}_options"
    return replace(job, run=replace(job.run, **{field: {**getattr(job.run, field), option: value}}))


def check_jobs(jobs: Sequence[Job]) -> None:
    """Refuse what could be refused job by job before the first one starts: names, options, types, splits.

    Raises:
        UserError: With the part of the job that is wrong.
    """
    suites: dict[str, Suite] = {}
    for job in jobs:
        adaptation = make_adaptation(job.run.adapt, job.run.adapt_options)
        if job.run.encoding is not None:
            make_encoding(job.run.encoding, job.run.encoding_options)
        resolve(Generation(), job.run.generation, where="generation")
        provider, _, name = full_model_name(job.run.model).partition("/")
        resolve(MODELS.get(provider).options(name), job.run.model_options, where=job.run.model)
        if job.run.limit is not None and job.run.limit < 1:
            raise UserError(f"a limit must be 1 or more, not {job.run.limit}", where="--limit")
        key = content_hash((job.suite, job.seed, msgspec.to_builtins(job.options)))
        if key not in suites:
            suites[key] = msgspec.structs.replace(job, task=None).open()
        suite = suites[key]
        wanted = [job.run.split or suite.default_split(), *getattr(adaptation, "splits", ())]
        for split in wanted:
            if split not in suite.splits:
                raise unknown_name("split", split, suite.splits, where=suite.name)


def read_finished(folder: Path) -> dict[str, FinishedJob]:
    """What came of each job so far, the newest line of each; a damaged line is left out, and its job done again."""
    path = folder / LOG
    found: dict[str, FinishedJob] = {}
    for line in read_bytes(path).split(b"\n") if path.exists() else ():
        try:
            item = decode_json(line, where=str(path), type=FinishedJob, what="this line")
        except UserError:
            continue
        found[item.id] = item
    return found


def sweep(jobs: Sequence[Job], folder: Path, engine: JobEngine, *, retries: int = 1) -> dict[str, FinishedJob]:
    """Carry out the jobs that are not done yet; each is on disk as soon as it ends.

    Returns:
        What came of every job, by id.

    Raises:
        UserError: Another sweep is at work in the folder, or what is in it cannot be read.
    """
    with sole_writer(folder, [folder / "jobs" / job.id for job in jobs]):
        return _sweep(jobs, folder, engine, retries)


def _sweep(jobs: Sequence[Job], folder: Path, engine: JobEngine, retries: int) -> dict[str, FinishedJob]:
    make_folder(folder / "jobs")
    finished = read_finished(folder)
    if (folder / LOG).exists() and not finished and not (folder / JOBS).exists():
        # A torn first line can be ours only where the list of jobs is, which is written before it.
        raise UserError(
            "this file was not written by a sweep of Taskloom, so it was left unchanged",
            where=str(folder / LOG),
            hint="name another folder with -o",
        )
    done = {name: item for name, item in finished.items() if item.state == "done"}
    placed = [
        msgspec.structs.replace(job, folder=str((folder / "jobs" / job.id).resolve()), home=str(Path.cwd()))
        for job in jobs
    ]
    _tell_jobs(folder, placed)
    waiting = [job for job in placed if job.id not in done]
    results = {job.id: done[job.id] for job in placed if job.id in done}
    if not waiting:
        return results
    with Progress("sweep", len(placed), unit="jobs") as progress:
        progress.skip(len(results))
        for item in _logged(engine.run(waiting, retries), folder / LOG):
            results[item.id] = item
            progress.advance(note=item.id if item.state == "done" else f"{item.id} failed")
    return results


def _tell_jobs(folder: Path, jobs: Sequence[Job]) -> None:
    """Which job is in which folder, for people and reports."""
    settings = {job.id: job.settings() for job in jobs}
    path = folder / JOBS
    if path.exists():
        try:
            known = read_json(path, type=dict[str, dict[str, Any]])
        except UserError as error:
            raise UserError(
                f"the list of jobs is damaged: {error.message}",
                where=str(path),
                hint="delete the file; it will be written again",
            ) from None
        if odd := next((name for name, job in known.items() if not {"suite", "run"} <= job.keys()), None):
            raise UserError(
                f"{odd!r} is not a job: something else wrote this file", where=str(path), hint="choose another -o"
            )
        settings = {**known, **settings}
    write_atomically(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")


def _logged(items: Iterator[FinishedJob], path: Path) -> Iterator[FinishedJob]:
    for item in items:
        append_lines(path, msgspec.json.encode(item) + b"\n", lasting=True)
        yield item

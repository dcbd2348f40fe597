"""`taskloom sweep`: many runs and adaptations at once, on all cores or on a cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.core.display import counted
from taskloom.core.secrets import public
from taskloom.core.study import Table, Value

_UNLIKE = (
    "The jobs were not asked in the same way (column asked: protocol and reading), so their order depends on that as "
    "well as on the models. --protocol asks all of them in the same way."
)


def run(args: argparse.Namespace) -> int:
    """Sweep, print one row per job; 1 if some failed."""
    from taskloom.studies.sweep import open_engine, sweep

    if args.retries < 0:
        raise UserError(f"0 or more, not {args.retries}", where="--retries")
    grid: dict[str, list[Any]] = args.grid
    for key, value in grid.items():
        if not isinstance(value, list) or not value:
            raise UserError(f"{key} needs a list of values, for example -G '{key}=[1, 2]'", where="-G")
    jobs = _jobs(args, grid)
    folder = Path(args.output)
    if args.dry_run:
        print("\n".join(job.id for job in jobs))
        return 0
    engine = open_engine(
        args.engine, workers=args.jobs, address=args.address, gpus=args.gpus, shared=not args.no_shared_disk
    )
    finished = sweep(jobs, folder, engine, retries=args.retries)
    failed = [item for item in finished.values() if item.state != "done"]
    if args.json:
        print(msgspec.json.encode(finished).decode())
    else:
        print(job_table(jobs, finished, list(grid)).markdown())
        print(f"\n{len(finished) - len(failed):,} of {counted(len(jobs), 'job')} done, in {folder}")
    for item in failed:
        print(f"failed: {item.id} after {item.attempts}: {item.error}", file=sys.stderr)
    if failed:
        print("the same command tries only these again", file=sys.stderr)
    return 1 if failed else 0


def _jobs(args: argparse.Namespace, grid: dict[str, list[Any]]) -> list[Any]:
    from taskloom.core.secrets import public_command
    from taskloom.run.session import RunSettings
    from taskloom.studies.sweep import Job, check_jobs, expand

    settings = RunSettings(
        model=args.model[0],
        model_options=args.model_options,
        adapt_options=args.adapt_options,
        protocol=args.protocol,
        encoding=args.encoding,
        encoding_options=args.encoding_options,
        split=args.split,
        limit=args.limit,
        generation={**({} if args.max_tokens is None else {"max_tokens": args.max_tokens}), "seed": args.run_seed},
        run_seed=args.run_seed,
        # Processes that share a response cache would wait for each other; every job asks its own questions.
        cache=False,
        command=public_command(["taskloom", *sys.argv[1:]]),
    )
    base = Job(suite="", seed=args.seed, options=args.settings, run=settings)
    tasks: dict[str, list[str]] = {}
    for suite in args.suites:
        # Opening every suite now finds misspelt names before anything is started.
        opened = msgspec.structs.replace(base, suite=suite).open()
        if args.each_task:
            tasks[suite] = list(opened.tasks)
    jobs = expand(args.suites, args.model, args.adapt or ["none"], base=base, grid=grid, tasks=tasks)
    check_jobs(jobs)
    return jobs


def job_table(jobs: list[Any], finished: dict[str, Any], varied: list[str]) -> Table:
    """A row per finished job: its settings, its score, how it was asked."""
    rows: list[tuple[Value, ...]] = []
    for job in jobs:
        item = finished[job.id]
        overall = item.results.get("overall", {})
        low, high = overall.get("interval", (None, None))
        values = [flag_value(job, key) for key in varied]
        protocol = item.results.get("protocol") or {}
        asked = f"{protocol.get('name') or '–'}, {protocol.get('headline') or 'strict'}"
        rows.append(
            (job.suite, job.task or "all", job.run.model, job.run.adapt, *values, asked, overall.get("value"), low,
             high, overall.get("n"), item.wall, item.state)
        )  # fmt: skip
    columns = ("suite", "task", "model", "adapt", *varied, "asked", "score", "low", "high", "n", "seconds", "state")
    said = dict.fromkeys(str(item.results["estimand"]) for item in finished.values() if "estimand" in item.results)
    notes = [f"metric: {'; '.join(said)}; 95 % intervals"] if said else []
    notes += [_UNLIKE] if len({row[4 + len(varied)] for row in rows}) > 1 else []
    return Table("Sweep", columns, tuple(rows), "\n\n".join(notes))


def flag_value(job: Any, key: str) -> Value:
    """What a job has for a varied key; nothing where its adaptation knows no such option."""
    from taskloom.core.secrets import is_secret_name

    if is_secret_name(key):
        # Which of the given ones it is, never what it is.
        return next((part for part in job.variant.split(key)[1:]), "").split()[0] if key in job.variant else None
    part, _, option = key.partition(".")
    if option:
        options = job.options if part == "suite" else getattr(job.run, f"{part}_options")
        return str(public({option: options.get(option)})[option]) if option in options else None
    return str(job.seed if key == "seed" else getattr(job.run, key))

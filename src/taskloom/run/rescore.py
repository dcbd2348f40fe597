"""Scoring a log again, with other scorers and extractors, without running the model."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from taskloom.core import Instance, Task
from taskloom.encode.base import Prompt
from taskloom.models.base import Output, Request
from taskloom.run.judge import Judge
from taskloom.run.log import RunLog, latest_records
from taskloom.run.plan import load_plan, load_tasks, save_plan
from taskloom.run.record import Record

__all__ = ["rescore", "rescored_folder"]


def rescored_folder(folder: Path, scorer: str | None, extractor: str | None) -> Path:
    """Where the second opinion of a run goes: a run folder of its own inside the run's."""
    parts = [re.sub(r"[^A-Za-z0-9.-]+", "-", part) for part in (scorer, extractor) if part]
    return folder / "scores" / ("+".join(parts) or "default")


def rescore(folder: Path, scorer: str | None = None, extractor: str | None = None) -> Path:
    """Judge every raw output of a run again; the run's own records stay as they are.

    Args:
        folder: The run.
        scorer: A scorer for all tasks, else each task's own.
        extractor: An extractor for all tasks, else each task's own.

    Returns:
        A folder that reports read like any other run.
    """
    plan, tasks = load_plan(folder), load_tasks(folder)
    judge = Judge(list(tasks.values()), scorer, extractor)
    records = [_judge_again(record, judge, tasks[record.task]) for record in latest_records(folder)]
    target = rescored_folder(folder, scorer, extractor)
    target.mkdir(parents=True, exist_ok=True)
    for old in ("run.json", "records.jsonl"):
        (target / old).unlink(missing_ok=True)
    save_plan(msgspec.structs.replace(plan, scorer=scorer, extractor=extractor), list(tasks.values()), target)
    with RunLog(target) as log:
        log.append(records)
    return target


def _judge_again(record: Record, judge: Judge, task: Task) -> Record:
    if record.state == "errored":
        return msgspec.structs.replace(record, scorer=judge.scorer(task))
    instance = Instance(record.id, "", record.targets, record.facets)
    output = Output(record.raw, "truncated" if record.state == "truncated" else "complete")
    fresh = judge.record(Request(Prompt(record.prompt), task, instance), output, record.prompt)
    return msgspec.structs.replace(
        fresh, prompt_hash=record.prompt_hash, raw_length=record.raw_length, tokens=record.tokens
    )

"""Runs of known scores, written through the log like any other."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf, Instance, Instruction, Task, question_hash, row_hash, tasks_hash
from taskloom.run.log import LOGS, OLD_LOG, RunLog, log_files, read_records
from taskloom.run.plan import Plan, save_plan
from taskloom.run.record import Record, encode_record
from taskloom.run.results import Run, load_run
from taskloom.run.sealed import latest_seal
from taskloom.store.seal import seal_line

Scores = list[tuple[str, str, float | None]]


def record(index: int, task: str, asked: str, score: float | None, sample: int = 0, **more: Any) -> Record:
    """The answer to a question, which is named by its text."""
    instance = Instance(f"{task}-{index}", asked, AnyOf(("yes",)))
    return Record(
        task=task, id=instance.id, index=index, row=row_hash(task, instance), question=question_hash(task, instance),
        sample=sample, state="errored" if score is None else "scored", strict=ScoredReading("yes", score),
        scorer="exact", raw="yes", raw_length=3, targets=instance.targets, prompt=asked, prompt_hash=asked, **more,
    )  # fmt: skip


def made_run(folder: Path, answers: Scores, samples: int = 1, errors: str = "leave-out", **plan: Any) -> Run:
    """A finished run of (task, question, score); a question of several samples stands several times in a row."""
    names = list(dict.fromkeys(task for task, *_ in answers))
    tasks = [Task(name, Instruction("Answer.")) for name in names]
    settings: dict[str, Any] = {
        "suite": "x/y", "data_seed": 1, "recipe": {}, "split": "test", "limit": None, "model": {"name": "m"},
        "encoding": {"name": "plain"}, "generation": {}, "adaptation": {"name": "none"}, "run_seed": 0, "scorer": None,
    }  # fmt: skip
    hashed = tasks_hash({task.name: task for task in tasks})
    save_plan(Plan(**{**settings, **plan}, tasks_hash=hashed, samples=samples), tasks, _made(folder))
    with RunLog(folder, samples) as log:
        log.append([record(n // samples, *answer, sample=n % samples) for n, answer in enumerate(answers)])
        log.finish()
    return load_run(folder, errors)  # type: ignore[arg-type]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def chain(folder: Path) -> str:
    """The hash over all records of a finished run: equal runs have equal chains."""
    seal = latest_seal(folder)
    assert seal is not None and not log_files(folder, seal), f"{folder} is not finished"
    return seal.chain


def old_log(folder: Path, records: Iterable[Record], *, closed: bool = True) -> Path:
    """A run's records as versions before sealed columns wrote them, one line each with its checksum at the end."""
    lines = [_old_line(msgspec.json.encode(record)) for record in records]
    if closed:
        lines.append(_old_line(msgspec.json.encode({"end": {"records": len(lines), "chain": ""}})))
    path = folder / OLD_LOG
    path.write_bytes(b"".join(lines))
    return path


def _old_line(body: bytes) -> bytes:
    return body[:-1] + b',"sum":"' + blake2b(body[:-1], digest_size=8).hexdigest().encode() + b'"}\n'


def torn_log(folder: Path, kept: int, tail: bytes = b"") -> Path:
    """Turn a finished run into one that was killed after some records, with these bytes at the end of its log."""
    records = list(read_records(folder))[:kept]
    for path in (*folder.glob("*.parquet"), *folder.glob("manifest-*.json")):
        path.unlink()
    path = folder / LOGS / "0123456789abcdef.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(seal_line(encode_record(record)) for record in records) + tail)
    return path

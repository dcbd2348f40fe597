"""One job of a sweep: a suite, a run, a folder. Plain data, so that it can travel to any worker."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.base import make_adaptation
from taskloom.adapt.settings import Trained
from taskloom.core import Row, Suite, UserError, content_hash, open_suite, unknown_name
from taskloom.models.secrets import public_options
from taskloom.run.go import RunSettings, go
from taskloom.run.results import load_run, write_results
from taskloom.store.bundle import Bundle, is_bundle

__all__ = ["Job", "JobReport", "carry_out", "estimate_cost", "only_task"]

_UNKNOWN_ROWS = 1000
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([mb])\b", re.IGNORECASE)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to run.

    Attributes:
        suite: A suite's name or a bundle's folder.
        seed: The seed of the data.
        options: Recipe keys of the suite.
        task: Only this task of the suite.
        run: Model, adaptation, encoding and the rest.
        folder: The folder of its run.
        home: Where the sweep was started; relative paths of suites and models are meant from there.
    """

    suite: str
    seed: int = 0
    options: dict[str, Any] = {}
    task: str | None = None
    run: RunSettings
    folder: str = ""
    home: str = ""

    @property
    def id(self) -> str:
        """A readable name that no other job has."""
        told = self.told()
        told["run"].pop("command")
        parts = (Path(self.suite).name, self.task or "", self.run.model, self.run.adapt)
        words = "-".join(re.sub(r"[^\w.]+", "-", part).strip("-.")[-24:] for part in parts if part)
        return f"{words}-{content_hash(told)[:8]}"

    def told(self) -> dict[str, Any]:
        """The job as it may be written down: without where it is on this machine, and without keys."""
        data = {key: value for key, value in msgspec.to_builtins(self).items() if key not in ("folder", "home")}
        data["run"]["model_options"] = public_options(data["run"]["model_options"])
        return data

    def open(self) -> Suite:
        """The suite of the job."""
        path = Path(self.suite)
        bundled = path.is_dir() and is_bundle(path)
        suite = Bundle(path).suite() if bundled else open_suite(self.suite, seed=self.seed, options=self.options)
        return suite if self.task is None else only_task(suite, self.task)


class JobReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker tells about a job. `files` go along where workers share no disk."""

    results: dict[str, Any] = {}
    error: str = ""
    mistake: bool = False
    worker: str = ""
    wall: float = 0.0
    files: dict[str, bytes] = {}


def only_task(suite: Suite, task: str) -> Suite:
    """The suite with one of its tasks."""
    if task not in suite.tasks:
        raise unknown_name("task", task, suite.tasks, where=suite.name)

    def draw(split: str) -> Iterator[Row]:
        return (row for row in suite.draw(split) if row.task == task)

    return replace(
        suite,
        recipe={**suite.recipe, "only_task": task},
        tasks={task: suite.tasks[task]},
        splits=dict.fromkeys(suite.splits),
        draw=draw,
    )


def carry_out(job: Job) -> JobReport:
    """Do a job in this process. Mistakes and accidents are told, not raised: the sweep goes on."""
    start = time.monotonic()
    worker = f"{socket.gethostname()}:{os.getpid()}"
    folder = Path(job.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Who looks at a running sweep sees which process works on what.
        (folder / "worker.txt").write_text(f"{worker}\n", encoding="utf-8")
        go(job.open(), folder, job.run)
        results = write_results(load_run(folder))
    except UserError as error:
        return JobReport(error=str(error), mistake=True, worker=worker, wall=time.monotonic() - start)
    except Exception as error:  # noqa: BLE001 - whatever a job does wrong is one line of the sweep's log
        text = f"{type(error).__name__}: {error}"
        return JobReport(error=text, worker=worker, wall=time.monotonic() - start)
    return JobReport(results=results, worker=worker, wall=round(time.monotonic() - start, 3))


def estimate_cost(job: Job) -> float:
    """A rough figure of what a job costs, to start long ones first: examples seen times the model's size."""
    sizes = [float(number) * (1000 if unit.lower() == "b" else 1) for number, unit in _SIZE.findall(job.run.model)]
    size = max(sizes, default=1.0)
    adaptation = make_adaptation(job.run.adapt, job.run.adapt_options)
    if not isinstance(adaptation, Trained):
        return size
    rows = job.open().splits.get(adaptation.split) or _UNKNOWN_ROWS
    examples = adaptation.epochs * min(rows, adaptation.shots or rows)
    if adaptation.updates is not None:
        examples = min(examples, float(adaptation.updates * adaptation.batch))
    return size * examples

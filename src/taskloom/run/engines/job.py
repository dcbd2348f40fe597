"""One job of a sweep: a suite, a run, a folder. Plain data, so that it can travel to any worker."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Suite, UserError, content_hash, open_suite
from taskloom.core.secrets import public, public_options, scrub
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.atomic import FolderInUseError

_UNKNOWN_ROWS = 1000
_HELD_SECONDS, _LOOK_AGAIN = 60.0, 0.5
_HERE = ("folder", "home", "reuse")
"""Fields of a job that are about this machine, not about what is run."""
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
        variant: Tells jobs apart that differ in something secret alone, without saying what: "model.api_key 2".
        reuse: Whether the log of a finished run of the same plan may be taken over.
    """

    suite: str
    seed: int = 0
    options: dict[str, Any] = {}
    task: str | None = None
    run: RunSettings
    folder: str = ""
    home: str = ""
    variant: str = ""
    reuse: bool = False

    @property
    def id(self) -> str:
        """A readable name that no other job has."""
        settings = self.settings()
        settings["run"].pop("command")
        parts = (Path(self.suite).name, self.task or "", self.run.model, self.run.adapt)
        words = "-".join(re.sub(r"[^\w.]+", "-", part).strip("-.")[-24:] for part in parts if part)
        return f"{words}-{content_hash(settings)[:8]}"

    def settings(self) -> dict[str, Any]:
        """The job as it may be written down: without where it is on this machine, and without keys."""
        data = {key: value for key, value in msgspec.to_builtins(self).items() if key not in _HERE}
        if not self.variant:
            del data["variant"]
        data["run"]["model_options"] = public_options(data["run"]["model_options"])
        settings: dict[str, Any] = public(data)
        return settings

    def open(self) -> Suite:
        """The suite of the job."""
        suite = open_suite(self.suite, seed=self.seed or None, options=self.options)
        return suite if self.task is None else suite.only_task(self.task)


class JobReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker tells about a job. `files` go along where workers share no disk."""

    results: dict[str, Any] = {}
    error: str = ""
    mistake: bool = False
    worker: str = ""
    wall: float = 0.0
    files: dict[str, bytes] = {}


def carry_out(job: Job) -> JobReport:
    """Do a job in this process. Mistakes and accidents are reported, not raised: the sweep goes on."""
    start = time.monotonic()
    worker = f"{socket.gethostname()}:{os.getpid()}"
    folder = Path(job.folder)
    try:
        _launch_when_free(job.open(), folder, job.run, reuse=job.reuse)
        results = write_results(load_run(folder))
    except UserError as error:
        return JobReport(error=str(error), mistake=True, worker=worker, wall=time.monotonic() - start)
    except Exception as error:  # noqa: BLE001 - whatever a job does wrong is one line of the sweep's log
        text = scrub(f"{type(error).__name__}: {error}")
        return JobReport(error=text, worker=worker, wall=time.monotonic() - start)
    return JobReport(results=results, worker=worker, wall=round(time.monotonic() - start, 3))


def _launch_when_free(suite: Suite, folder: Path, settings: RunSettings, *, reuse: bool) -> None:
    """Run a job; where a worker of a killed sweep still holds its folder, wait until that has noticed.

    A cluster ends the workers of a lost driver by itself, but takes a while for it.
    """
    deadline = time.monotonic() + _HELD_SECONDS
    while True:
        try:
            launch(suite, folder, settings, reuse=reuse)
        except FolderInUseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return


def estimate_cost(job: Job) -> float:
    """A rough figure of what a job costs, to start long ones first: examples seen times the model's size."""
    sizes = [float(number) * (1000 if unit.lower() == "b" else 1) for number, unit in _SIZE.findall(job.run.model)]
    size = max(sizes, default=1.0)
    adaptation = make_adaptation(job.run.adapt, job.run.adapt_options)
    if not isinstance(adaptation, TrainingSettings):
        return size
    sizes_of = job.open().splits
    rows = sum(sizes_of.get(split) or _UNKNOWN_ROWS for split in adaptation.splits)
    examples = adaptation.epochs * min(rows, adaptation.shots or rows)
    if adaptation.updates is not None:
        examples = min(examples, float(adaptation.updates * adaptation.batch))
    return size * examples

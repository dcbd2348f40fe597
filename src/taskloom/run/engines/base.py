"""The contract between a sweep and what carries out its jobs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.run.engines.job import Job

ENGINES = ("local", "ray")


class FinishedJob(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job; one line of a sweep's log.

    Attributes:
        id: The job.
        state: "done", or "failed" after the last attempt.
        attempts: How often it was started.
        results: The numbers of its run, as `taskloom run --json` gives them.
        error: Why it failed, in a sentence.
        worker: Host and process that ended it.
        wall: Seconds of the last attempt.
    """

    id: str
    state: str
    attempts: int = 1
    results: dict[str, Any] = {}
    error: str = ""
    worker: str = ""
    wall: float = 0.0


class JobEngine(ABC):
    """Carries out jobs, each in a process of its own thread, and survives the death of any of them."""

    @abstractmethod
    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        """Carry out jobs, the costly ones first; yields each as it ends.

        Args:
            jobs: What to do.
            retries: How often a job is started again after its process died or something unforeseen
                happened. A user's mistake is not tried again: it would be the same.
        """


def open_engine(name: str, *, workers: int | None, address: str | None, gpus: float, shared: bool) -> JobEngine:
    """An engine by name.

    Args:
        name: "local" or "ray".
        workers: Processes at once (local); None for one per core.
        address: The Ray cluster; None starts one on this machine.
        gpus: GPUs of the machine (local) or per job (ray).
        shared: Whether all workers see this machine's disk (ray).

    Raises:
        UserError: No such engine, no workers, or fewer than no GPUs.
    """
    if workers is not None and workers < 1:
        raise UserError(f"1 or more processes, not {workers}", where="--jobs", hint="leave it out for one per core")
    if not 0 <= gpus < float("inf"):
        raise UserError(f"0 or more, not {gpus:g}", where="--gpus")
    if name == "local":
        from taskloom.run.engines.local import LocalEngine

        return LocalEngine(workers or 0, int(gpus))
    if name == "ray":
        from taskloom.run.engines.ray import RayEngine

        return RayEngine(address, workers=workers or 0, gpus=gpus, shared=shared)
    raise unknown_name("engine", name, ENGINES, where="--engine")

"""A light pool of processes on this machine.

Each worker is one process with one thread: two threads per model gain little on an idle machine and
lose a lot on a busy one. A worker that dies (memory, a signal) costs its own job one attempt and nobody
else anything; a new one takes its place.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import connection, get_context
from typing import Any

import msgspec

from taskloom.core.parallel import leave_with_parent, worker_environment
from taskloom.run.engines.base import FinishedJob, JobEngine
from taskloom.run.engines.job import Job, JobReport, carry_out, estimate_cost

_DONE = b""


def _serve(pipe: Any, gpu: str | None) -> None:
    """A worker: takes jobs until there are no more, or nobody is left to give any."""
    # Ctrl-C is for the sweep, which ends its workers; each of them would print a traceback of its own.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    leave_with_parent()
    decode = msgspec.json.Decoder(Job).decode
    try:
        while data := pipe.recv_bytes():
            pipe.send_bytes(msgspec.msgpack.encode(carry_out(decode(data))))
    except (EOFError, OSError):
        # The sweep is gone. There is nobody to tell, and a traceback on its terminal would help nobody.
        os._exit(1)


class _Worker:
    def __init__(self, gpu: str | None) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: Any = context.Process(target=_serve, args=(theirs, gpu), daemon=True)
        self.gpu = gpu
        self.job: Job | None = None
        self.attempt = 0
        with worker_environment():
            self.process.start()
        theirs.close()

    def give(self, job: Job, attempt: int) -> None:
        self.job, self.attempt = job, attempt
        self.pipe.send_bytes(msgspec.json.encode(job))

    def stop(self) -> None:
        """End the process; one that is at work is terminated."""
        if self.job is None and self.process.is_alive():
            self.pipe.send_bytes(_DONE)
        else:
            self.process.terminate()
        self.process.join(timeout=10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


class LocalEngine(JobEngine):
    """Processes of this machine.

    Args:
        workers: How many at once; 0 for one per core (or per GPU, where GPUs are given).
        gpus: How many GPUs to spread the workers over.
    """

    def __init__(self, workers: int = 0, gpus: int = 0) -> None:
        self._workers = workers or gpus or len(os.sched_getaffinity(0))
        self._gpus = gpus

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        waiting = deque((job, 1) for job in sorted(jobs, key=lambda job: (-estimate_cost(job), job.id)))
        slots = [str(slot % self._gpus) if self._gpus else None for slot in range(min(self._workers, len(waiting)))]
        pool = [_Worker(gpu) for gpu in slots]
        try:
            for worker in pool:
                worker.give(*waiting.popleft())
            while any(worker.job is not None for worker in pool):
                busy = [worker for worker in pool if worker.job is not None]
                ready = set(connection.wait([worker.pipe for worker in busy]))
                for worker in busy:
                    if worker.pipe in ready:
                        yield from self._collect(worker, pool, waiting, retries)
        finally:
            for worker in pool:
                worker.stop()

    def _collect(
        self, worker: _Worker, pool: list[_Worker], waiting: deque[tuple[Job, int]], retries: int
    ) -> Iterator[FinishedJob]:
        """Take a worker's report (or notice its death) and give it the next job."""
        job, attempt = worker.job, worker.attempt
        assert job is not None
        try:
            report = msgspec.msgpack.decode(worker.pipe.recv_bytes(), type=JobReport)
        except (EOFError, OSError):
            worker.process.join()
            report = JobReport(error=f"its process died (exit code {worker.process.exitcode})")
            worker.stop()
            fresh = _Worker(worker.gpu)
            pool[pool.index(worker)] = fresh
            worker = fresh
        worker.job = None
        if report.error and not report.mistake and attempt <= retries:
            waiting.appendleft((job, attempt + 1))
        else:
            yield finished(job, attempt, report)
        if waiting:
            worker.give(*waiting.popleft())


def finished(job: Job, attempt: int, report: JobReport) -> FinishedJob:
    """The line of the log for a job that will not be tried again."""
    return FinishedJob(
        id=job.id,
        state="failed" if report.error else "done",
        attempts=attempt,
        results=report.results,
        error=report.error,
        worker=report.worker,
        wall=round(report.wall, 3),
    )

"""Jobs on a Ray cluster, or on one that is started on this machine for the occasion."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.parallel import connect
from taskloom.run.engines.base import FinishedJob, JobEngine
from taskloom.run.engines.job import Job, JobReport, carry_out, estimate_cost
from taskloom.run.engines.local import finished

_SENT_BACK = (".json", ".jsonl", ".parquet", ".txt")


def _work(data: bytes, shared: bool) -> bytes:
    """What a Ray worker does with a job."""
    job = msgspec.json.decode(data, type=Job)
    if job.home and Path(job.home).is_dir():
        # A worker stands where its cluster was started.
        os.chdir(job.home)
    if shared:
        return msgspec.msgpack.encode(carry_out(job))
    with tempfile.TemporaryDirectory(prefix="taskloom-") as folder:
        report = carry_out(msgspec.structs.replace(job, folder=folder))
        # Logs and curves go home; weights are large and stay away.
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.suffix in _SENT_BACK
        }
        return msgspec.msgpack.encode(msgspec.structs.replace(report, files=files))


class RayEngine(JobEngine):
    """A Ray cluster.

    Args:
        address: Where it is ("auto", "ray://head:10001", "10.0.0.1:6379"); None is
            that of RAY_ADDRESS, or one that is started here.
        workers: CPUs of a cluster started here; 0 for all.
        gpus: GPUs each job asks for.
        shared: Whether the workers see this machine's disk. If not, logs are sent back.
    """

    def __init__(self, address: str | None = None, *, workers: int = 0, gpus: float = 0.0, shared: bool = True) -> None:
        self._gpus, self._shared = gpus, shared
        self._ray, self._ours = connect(address, workers)

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        ray = self._ray
        # Ray's own retries would start a job again without our knowing; attempts are counted here.
        remote = ray.remote(num_cpus=1, num_gpus=self._gpus, max_retries=0)(_work)
        waiting = deque((job, 1) for job in sorted(jobs, key=lambda job: (-estimate_cost(job), job.id)))
        at_work: dict[Any, tuple[Job, int]] = {}
        most = max(2 * int(ray.cluster_resources().get("CPU", 1)), 2)
        try:
            while waiting or at_work:
                # A short queue on the cluster keeps the costly jobs first and new nodes busy at once.
                while waiting and len(at_work) < most:
                    job, attempt = waiting.popleft()
                    at_work[remote.remote(msgspec.json.encode(job), self._shared)] = (job, attempt)
                ready, _ = ray.wait(list(at_work), num_returns=1)
                for reference in ready:
                    job, attempt = at_work.pop(reference)
                    report = self._report(reference, job)
                    if report.error and not report.mistake and attempt <= retries:
                        waiting.append((job, attempt + 1))
                    else:
                        yield finished(job, attempt, report)
        finally:
            for reference in at_work:
                ray.cancel(reference, force=True)
            if self._ours:
                ray.shutdown()

    def _report(self, reference: Any, job: Job) -> JobReport:
        try:
            report = msgspec.msgpack.decode(self._ray.get(reference), type=JobReport)
        except self._ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines()
            return JobReport(error=f"its worker died ({type(error).__name__}: {lines[0] if lines else ''})")
        for name, data in report.files.items():
            path = Path(job.folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return report

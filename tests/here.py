"""An engine without processes, for tests in which the processes of a sweep are not what is tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from taskloom.studies.sweep import FinishedJob, Job, JobEngine, carry_out


class Here(JobEngine):
    """Carries jobs out one by one in this process, which has imported what they need."""

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        for job in jobs:
            yield carry_out(job)

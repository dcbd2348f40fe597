"""Where the jobs of a sweep run: processes of this machine, or a Ray cluster."""

from taskloom.run.engines.base import FinishedJob, JobEngine, open_engine

__all__ = ["FinishedJob", "JobEngine", "open_engine"]

"""Where the jobs of a sweep run: processes of this machine, or a Ray cluster."""

from taskloom.run.engines.base import Engine, Finished, open_engine

__all__ = ["Engine", "Finished", "open_engine"]

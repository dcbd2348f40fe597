"""Running models on suites: plan, execute, log, resume."""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

"""Running models on suites: plan, execute, log, resume.

In: a suite, a model and settings.
Out: a folder with a plan, a log and its columns; resumed by the same call.
"""

from taskloom.lazy import lazy_names, make_callable

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
make_callable(__name__, "taskloom.run.runner", "run_suite")

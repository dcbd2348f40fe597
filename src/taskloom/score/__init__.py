"""Scorers, extractors, metrics and statistics: from an answer to a number with an interval.

In: raw output, acceptable answers and a task.
Out: readings, scores and estimates with intervals. Models are unknown here.

The package can be called: `taskloom.score(...)`.
"""

from taskloom.lazy import lazy_names, make_callable

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
make_callable(__name__, "taskloom.run.rescore", "score")

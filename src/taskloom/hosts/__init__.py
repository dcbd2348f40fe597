"""Doors to the tools of others: datasets, trainers and harnesses take suites, and their logs come back as runs.

In: suites, and the logs of other tools.
Out: data sets, tasks and rewards of those tools, and runs made of their logs.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

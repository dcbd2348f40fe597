"""Suites on disk.

In: suites and recipes.
Out: bundles on disk, frames and cached results, written completely or not at all and proved when read.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

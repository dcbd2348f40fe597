"""Encodings: from a task and an instance to exactly what a model sees.

In: a task and an instance.
Out: the prompt that a model sees.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

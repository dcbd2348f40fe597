"""The nouns of the house: instances, instructions, tasks, suites, recipes, registries, random keys.

In: plain values, and the classes that other rooms derive.
Out: the contracts (Family, Scorer, Model ...), suites by name, registries, errors, random keys. It imports no other
room.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

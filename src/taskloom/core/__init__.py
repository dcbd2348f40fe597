"""The nouns of the house: instances, instructions, tasks, suites, recipes, registries, random keys."""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

"""The frontier: the smallest combinations that fail although their parts are mastered, with error control."""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

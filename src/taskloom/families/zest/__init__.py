"""ZEST: tasks as questions over passages, and whether a model can do the whole task."""

from taskloom.families.zest.family import FAMILY

__all__ = ["FAMILY"]

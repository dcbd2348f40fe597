"""SETI: systematicity in textual inference (Fu and Frank 2023)."""

from taskloom.families.seti.family import FAMILY

__all__ = ["FAMILY"]

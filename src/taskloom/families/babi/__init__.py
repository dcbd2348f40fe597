"""The story world: all twenty bAbI tasks and Dyna-bAbI's compositional splits."""

from taskloom.families.babi.family import FAMILY, BabiFamily

__all__ = ["FAMILY", "BabiFamily"]

"""Every dataset of reasoning-gym as a suite."""

from taskloom.families.gym.family import FAMILY

__all__ = ["FAMILY"]

"""What an adaptation changes in a model: all weights, a soft prompt, or low-rank additions."""

from taskloom.adapt.change.base import WeightChange
from taskloom.adapt.change.full import FullChange
from taskloom.adapt.change.low_rank import LowRank
from taskloom.adapt.change.soft_prompt import SoftPrompts

__all__ = ["FullChange", "LowRank", "SoftPrompts", "WeightChange"]

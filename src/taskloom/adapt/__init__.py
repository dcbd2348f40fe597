"""Ways to fit a model to a suite: none, in-context, finetune, prompt-tune, lora."""

from taskloom.adapt.base import Adaptation, AdaptationError, make_adaptation

__all__ = ["Adaptation", "AdaptationError", "make_adaptation"]

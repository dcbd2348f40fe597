"""Ways to fit a model to a suite: none, in-context, finetune, prompt-tune, lora."""

from taskloom.adapt.make import make_adaptation
from taskloom.core.adaptation import Adaptation, AdaptationError

__all__ = ["Adaptation", "AdaptationError", "make_adaptation"]

"""Ways to fit a model to a suite: none, in-context, finetune, prompt-tune, lora."""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

"""Ways to fit a model to a suite: none, in-context, finetune, prompt-tune, lora.

In: a model, a suite and options.
Out: an adapted model, kept under everything that decides it, so that nothing is trained twice.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

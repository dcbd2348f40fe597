"""What the studies of Super-NaturalInstructions share: the collection, and how models are tuned on it."""

from __future__ import annotations

from typing import Any

import msgspec

from taskloom.core.study import Value
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Learner, Scale

PAPER = "Wang et al. (2022), Super-NaturalInstructions"

LEARNS: dict[str, Any] = {"models": ("packaged/smollm2",), "encoding": "superni/def"}
"""The smallest model that learns from instructions within minutes, and the shortest instructions it can do with."""
_INSTANCES = 20
"""Instances of a training task at tiny scale. Named as shots too, so that trainings on all of them are one run."""
_WORDS = 3
"""Tokens of an answer at the scale of smoke: nearly all its time would go into answers that are never looked at."""
_NOTHING = 0.05
"""ROUGE-L below which models only share a word with the reference by chance."""
_SHORT: dict[str, Any] = {"epochs": 1e6, "keep": "last", "dev": "none", "max_output": 24, "overlong": "cut",
                          "evaluate_limit": 8, "schedule": "linear"}  # fmt: skip


class CollectionRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of Super-NaturalInstructions has.

    Attributes:
        suite: A collection with training and test tasks.
        options: Keys of its recipe.
        encoding: How instruction and instance are written.
        max_tokens: Tokens of an answer.
    """

    suite: str = "superni/embedded"
    options: dict[str, Any] = msgspec.field(default_factory=lambda: {"languages": ["English"], "families": False})
    encoding: str = "superni/def-pos2"
    max_tokens: int = 24


def scale_of(scale: Scale) -> dict[str, Any]:
    """Sizes, seeds, models and learners at a scale."""
    english: dict[str, Any] = {"languages": ["English"], "families": False}
    if scale == "smoke":
        few = Learner(
            options={**_SHORT, "updates": 2, "batch": 4, "shots": 1, "evaluate_updates": 2, "max_output": _WORDS}
        )
        small = {"instances": 2, "dev_instances": 1, "tasks": 4, **english}
        return {"models": ("tiny/t5-1m",), "seeds": 1, "limit": 1, "max_tokens": _WORDS, "options": small,
                "learners": {"*": few}}  # fmt: skip
    if scale == "tiny":
        tuned = Learner(options={**_SHORT, "updates": 15, "batch": 8, "learning_rate": 0.002, "evaluate_updates": 15})
        # Small updates: what is learned first is the form of answers, and that takes updates rather than examples.
        packaged = Learner(
            adapt="lora",
            options={**_SHORT, "updates": 20, "batch": 2, "learning_rate": 0.004, "evaluate_updates": 20,
                     "evaluate_limit": 1, "shots": _INSTANCES},
        )  # fmt: skip
        return {
            **LEARNS, "seeds": 3, "limit": 1, "max_tokens": 12,
            "learners": {**dict.fromkeys(LEARNS["models"], packaged), "*": tuned},
            "options": {"instances": _INSTANCES, "oracle_instances": _INSTANCES, **english},
        }  # fmt: skip
    tuned = Learner(options={"recipe": "tk-instruct"})
    return {"models": ("hf/google/t5-xl-lm-adapt",), "seeds": 5, "limit": 100, "max_tokens": 128,
            "options": {"oracle_instances": 1000, **english}, "learners": {"*": tuned}}  # fmt: skip


def too_weak(frame: Frame) -> list[str]:
    """A sentence for every model whose best mean is next to nothing: what it was tuned on then makes no difference."""
    said = []
    for (model,), part in frame.by("model").items():
        best = max(run_score(part, arm) for arm in part.arms())
        if best < _NOTHING:
            said.append(
                f"{model} never scores more than {best:.3f} ROUGE-L on unseen tasks, so this page says nothing about "
                "what helps: that takes a larger model (--model)."
            )
    return said


def run_score(frame: Frame, arm: Arm) -> float:
    """The mean of one run."""
    return frame.where(lambda one: one.arm is arm).mean().value


def collection_arm(
    recipe: CollectionRecipe, model: str, seed: int, factors: dict[str, Value], *, after: Arm | None = None, **more: Any
) -> Arm:
    """A run on the test tasks of the collection, scored by ROUGE-L; `options` replaces keys of the collection."""
    options = {**recipe.options, **more.pop("options", {})}
    fields = {
        "encoding": recipe.encoding, "split": "test", "scorer": "rouge-l",
        "generation": {"max_tokens": recipe.max_tokens}, **more,
    }  # fmt: skip
    run = recipe.settings(model, seed, **fields) if after is None else recipe.asked(seed, **fields)
    return Arm(factors=factors, suite=recipe.suite, options=options, seed=seed, run=run, after=after)

"""What the studies of SETI share: learners by scale."""

from __future__ import annotations

from typing import Any

from taskloom.studies.grid import Learner, Scale

PAPER = "Fu and Frank (2023), SETI"

PUBLISHED_MODELS = (
    "hf/google-bert/bert-large-cased", "hf/FacebookAI/roberta-large", "hf/albert/albert-xlarge-v2",
    "hf/facebook/bart-large", "hf/google-t5/t5-large", "hf/openai-community/gpt2-medium",
)  # fmt: skip

_SHORT: dict[str, Any] = {"epochs": 1e6, "batch": 16, "keep": "last", "evaluate_limit": 20, "schedule": "linear"}


def at_scale(scale: Scale, *, updates: int = 160) -> dict[str, Any]:
    """Sizes, seeds and learners at a scale."""
    if scale == "paper":
        return {"seeds": 5, "learners": {"*": Learner(options={"recipe": "seti"})}}
    if scale == "smoke":
        few = Learner(options={"updates": 2, "batch": 8, "evaluate_limit": 8, "keep": "last"})
        return {"seeds": 1, "limit": 24, "learners": {"*": few}}
    # Development data has the compositions of training: it is soon solved and cannot choose among checkpoints.
    # After 40 updates a BERT of 1M parameters still answers everything alike, with either label.
    tiny = Learner(options={**_SHORT, "updates": updates, "evaluate_updates": updates, "learning_rate": 7e-4})
    packaged = Learner(options={**_SHORT, "updates": updates, "evaluate_updates": updates, "learning_rate": 1e-4})
    return {"seeds": 3, "limit": 60, "learners": {"packaged/minilm": packaged, "*": tiny}}

"""What the studies of TaskBench500 share: paradigms, and how small models are fitted by them."""

from __future__ import annotations

from typing import Any

from taskloom.studies.grid import GridRecipe, Scale

PAPER = "Li et al. (2022), TaskBench500"

PARADIGMS = {
    "full fine-tuning": ("finetune", False),
    "full prompt-tuning": ("prompt-tune", False),
    "32-shot fine-tuning": ("finetune", True),
    "32-shot prompt-tuning": ("prompt-tune", True),
}
"""The paper's four: an adaptation, and whether it sees 32 examples only."""


class WordRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of TaskBench500 has.

    Attributes:
        updates: Updates of fine-tuning; 0 for the paper's recipe.
        batch: Examples of an update; 0 for the paper's recipe.
        tokenizer: The vocabulary of a tiny model: whole words make a pair one token each.
        suite_options: Keys of the recipe of every suite: `resources`, say, a folder with the paper's own words.
    """

    updates: int = 0
    batch: int = 0
    tokenizer: str = "words"
    suite_options: dict[str, Any] = {}


def paradigm_options(recipe: WordRecipe, adapt: str, model: str) -> dict[str, Any]:
    """Fields of a run that fits a model by an adaptation."""
    given = {"tokenizer": recipe.tokenizer} if model.startswith("tiny/") else {}
    if not recipe.updates:
        return {"adapt": adapt, "adapt_options": {"recipe": "taskbench"}, "model_options": given}
    options: dict[str, Any] = {
        "updates": recipe.updates, "epochs": 1e6, "batch": recipe.batch or 32, "max_output": 8,
        "evaluate_updates": max(1, recipe.updates // 4),
    }  # fmt: skip
    # Rates at which models of a million parameters learn within so few updates.
    options["learning_rate"] = 0.003 if adapt == "finetune" else 0.3
    return {"adapt": adapt, "adapt_options": options, "model_options": given}


def scale_of(scale: Scale) -> dict[str, Any]:
    """Seeds and lengths at a scale."""
    found: dict[Scale, dict[str, Any]] = {
        "smoke": {"seeds": 1, "updates": 2, "batch": 16, "limit": 8},
        "tiny": {"seeds": 3, "updates": 30, "batch": 32, "limit": 40},
        "paper": {"seeds": 4},
    }
    return found[scale]

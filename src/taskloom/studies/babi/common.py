"""What the studies of Dyna-bAbI share: sizes, learners, and the arms that train on one split and ask another.

All of them train on the same splits with the same settings, so that what one of them has trained serves the others.
"""

from __future__ import annotations

from typing import Any

from taskloom.core.study import Value
from taskloom.studies.grid import Arm, GridRecipe, Learner, Scale

PAPER = "Tamari et al. (2022), Dyna-bAbI"

_MEMORY: dict[str, Any] = {"epochs": 1e6, "batch": 32, "evaluate_limit": 60, "keep": "last", "schedule": "linear"}
_LEARNERS: dict[Scale, dict[str, Learner]] = {
    "smoke": {"*": Learner(options={"updates": 2, "batch": 8, "evaluate_limit": 8, "keep": "last"})},
    "tiny": {
        "tiny/entnet": Learner(options={**_MEMORY, "learning_rate": 0.01, "updates": 150, "evaluate_updates": 150}),
        "tiny/stm": Learner(options={**_MEMORY, "learning_rate": 0.003, "updates": 100, "evaluate_updates": 100}),
        # All mixtures have fewer than 160 words; the sixth of concat(T7) that has more takes most of the time.
        "tiny/bidaf": Learner(
            options={**_MEMORY, "learning_rate": 0.003, "updates": 150, "evaluate_updates": 150},
            model_options={"words": 160},
        ),
        "packaged/minilm": Learner(options={**_MEMORY, "learning_rate": 2e-4, "updates": 75, "evaluate_updates": 75}),
        "*": Learner(options={**_MEMORY, "learning_rate": 1e-3, "updates": 150, "evaluate_updates": 150}),
    },
    "paper": {
        "tiny/entnet": Learner(options={"recipe": "dyna-babi-memory", "restarts": 10}),
        "tiny/stm": Learner(options={"recipe": "dyna-babi-memory", "restarts": 10}),
        "*": Learner(options={"recipe": "dyna-babi"}),
    },
}
_PUBLISHED = {"entnet": "EntNet", "stm": "STM", "bidaf": "BiDAF", "roberta": "RoBERTa", "t5": "T5"}


class StoryStudyRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of Dyna-bAbI has.

    Attributes:
        groups: Groups of original tasks: t2, t7, t12.
        train, test: Stories to train on and to ask; 0 for as many as the paper has.
    """

    groups: tuple[str, ...] = ("t2",)
    train: int = 0
    test: int = 0

    def sizes(self, kind: str) -> dict[str, Any]:
        """Recipe keys of a split of this size."""
        if not self.train:
            return {}
        if kind in ("mix", "rephrase"):
            return {"dev": 0, "test": self.test}
        if kind == "inoculate":
            return {"dev": 100, "test": self.test}
        sizes = {"train": self.train, "dev": max(20, self.train // 20), "test": self.test, "mix": 0}
        # Two injected questions for every original one, about as many as the paper has.
        return {**sizes, "originals": self.train // 3} if kind == "inject" else sizes


def at_scale(scale: Scale) -> dict[str, Any]:
    """Sizes, seeds and learners at a scale; a study adds its models and groups."""
    sizes: dict[Scale, dict[str, Any]] = {
        "smoke": {"seeds": 1, "train": 60, "test": 24, "limit": 12},
        "tiny": {"seeds": 3, "train": 3000, "test": 300, "limit": 0},
        "paper": {"seeds": 5},
    }
    return {**sizes[scale], "learners": _LEARNERS[scale]}


def train_arm(recipe: StoryStudyRecipe, kind: str, group: str, model: str, seed: int, factors: dict[str, Value]) -> Arm:
    """Train on a split and ask its own test stories."""
    return Arm(
        factors={"model": model, "group": group, "trained": kind, **factors},
        suite=f"babi/{kind}-{group}",
        options=recipe.sizes(kind),
        seed=seed,
        run=recipe.settings(model, seed, split="test"),
    )


def ask_arm(recipe: StoryStudyRecipe, base: Arm, kind: str, group: str, **factors: Value) -> Arm:
    """Ask another split of the model that an arm has trained."""
    return Arm(
        factors={**base.factors, **factors},
        suite=f"babi/{kind}-{group}",
        options=recipe.sizes(kind),
        seed=base.seed,
        run=recipe.asked(base.run.run_seed, split="test"),
        after=base,
    )


def published_name(model: str) -> str:
    """What the paper calls a model of that kind; "" where it has none like it."""
    name = model.rpartition("/")[2].lower()
    return next((printed for part, printed in _PUBLISHED.items() if part in name), "")

"""What the studies of TaskBench500 share: tasks by name, and how models are fitted to them by paradigms."""

from __future__ import annotations

from typing import Any

import msgspec

from taskloom.algebra import signature
from taskloom.core.study import Value
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.published import names
from taskloom.studies.grid import Arm, GridRecipe, Learner

ALL = ("all",)
"""Stands for all tasks that the paper lists."""


class WordRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of TaskBench500 has. Its learners are named by adaptation, those of sequences apart.

    Attributes:
        pairs: Training examples.
        suite_options: Keys of the recipe of every suite: `resources`, say, a folder with the paper's own words.
    """

    pairs: int = 1000
    suite_options: dict[str, Any] = {}

    def arm(self, factors: dict[str, Value], how: str, task: str, seed: int, **more: Any) -> Arm:
        """A model fitted to one task by an adaptation; `options` go to the suite, `fitted` to the adaptation."""
        model = str(factors["model"])
        learner = self.paradigm(how, task)
        own = learner.model_options if model.startswith("tiny/") else {}
        fields = {
            "adapt": learner.adapt, "adapt_options": {**learner.options, **more.pop("fitted", {})},
            "model_options": {**own, **more.pop("model_options", {})}, **learner.run,
        }  # fmt: skip
        options = {**self.suite_options, "train": self.pairs, **more.pop("options", {})}
        run = msgspec.structs.replace(self.settings(model, seed, **fields), **more)
        return Arm(factors=factors, suite=f"taskbench/{task}", options=options, seed=seed, run=run)

    def paradigm(self, how: str, task: str) -> Learner:
        """How models are fitted to a task by an adaptation."""
        sequences = f"{how} of sequences" if signature(parse(task)).sequence else how
        return self.learners.get(sequences) or self.learner(how)


def listed(given: tuple[str, ...], part: str) -> tuple[str, ...]:
    """Tasks as they are named, or all atomic ones of a part of the paper's list."""
    if given != ALL:
        return given
    atomic = set(names("atomic"))
    return tuple(name for name in names(part) if name in atomic)

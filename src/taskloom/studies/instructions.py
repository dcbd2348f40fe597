"""Does tuning on instructions help with tasks never seen, and how far is it from the upper bound?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Recipe, Suite, UserError, open_suite
from taskloom.core.catalog import ADAPTATIONS
from taskloom.core.model import open_model
from taskloom.core.study import Study, Table, Value
from taskloom.studies.fitting import SETTLING, FittingRecipe, answer, estimate, fit, home, scores

__all__ = ["INSTRUCTIONS", "Instructions"]

_FITTED = {"": "nothing", "train": "other tasks", "oracle": "the test tasks, other instances"}
"""The split a model is fitted to, and what that means."""


class InstructionsRecipe(FittingRecipe, frozen=True, kw_only=True):
    """Settings of `adapt/instructions`.

    Attributes:
        suite: A collection of instructions with the splits `train`, `oracle` and `test`.
        settings: Keys of its recipe.
        encoding: How definition and instance are written.
        model: The model.
        adaptation: finetune as in the paper; lora is cheaper and milder to a small model.
        options: Further options of the adaptation.
        max_tokens: Tokens of an answer.
    """

    suite: str = "superni/embedded"
    settings: dict[str, Any] = msgspec.field(
        default_factory=lambda: {"oracle_instances": 50, "languages": ["English"], "families": False}
    )
    encoding: str = "superni/def"
    model: str = "packaged/smollm2"
    adaptation: str = "lora"
    options: dict[str, Any] = msgspec.field(default_factory=lambda: {"rank": 16})
    shots: int = 50
    updates: int = 150
    batch: int = 8
    learning_rate: float = 1e-3
    limit: int = 300
    max_tokens: int = 24


class Instructions(Study):
    """Table 3 of Super-NaturalInstructions in small: untuned, tuned on other tasks, fitted to the test tasks."""

    summary: ClassVar[str] = "unseen tasks before and after instruction tuning, and the oracle's upper bound"
    recipe: ClassVar[Recipe] = InstructionsRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, InstructionsRecipe)
        suite = open_suite(recipe.suite, seed=seed, options=recipe.settings)
        tasks = _comparable(suite)
        options = {**recipe.training(2), **SETTLING, "evaluate_limit": 40, "max_output": recipe.max_tokens}
        options.update(recipe.options)
        # Before minutes of asking the untuned model: say at once what cannot be trained.
        if not isinstance(ADAPTATIONS.get(recipe.adaptation), TrainingSettings):
            raise UserError(
                f"{recipe.adaptation} trains nothing", where="adaptation", hint="finetune, lora or prompt-tune"
            )
        make_adaptation(recipe.adaptation, options)
        rows: list[tuple[Value, ...]] = []
        with home(out) as folder:
            for split, fitted in _FITTED.items():
                model = open_model(recipe.model)
                spent: tuple[Value, ...] = (0, 0.0, 0.0)
                if split:
                    chosen = {**options, "split": split}
                    model, result = fit(model, suite, recipe.adaptation, chosen, folder / split, seed, recipe.encoding)
                    spent = (result.updates, result.wall, result.cpu)
                said = answer(
                    model, suite, recipe.limit, tasks=tasks, encoding=recipe.encoding, max_tokens=recipe.max_tokens
                )
                rows.append((fitted, *estimate(scores(said, "rouge-l")), estimate(scores(said))[0], *spent))
        columns = ("fitted to", "ROUGE-L", "low", "high", "n", "own score", "updates", "seconds", "CPU seconds")
        note = f"{recipe.model} + {recipe.adaptation}, {recipe.encoding}; {len(tasks)} test tasks, none in training"
        return [Table("Unseen tasks from instructions", columns, tuple(rows), note)]


def _comparable(suite: Suite) -> frozenset[str]:
    """The test tasks that the oracle has data of, so that all rows of the table are about the same."""
    missing = [split for split in ("train", "oracle", "test") if split not in suite.splits]
    if missing:
        raise UserError(
            f"{suite.name} has no split {missing[0]!r}", hint="-T settings.oracle_instances=50 adds the oracle's"
        )
    return frozenset(row.task for row in suite.rows("oracle"))


INSTRUCTIONS = Instructions()

"""Unseen tasks from instructions: heuristics, untuned, tuned on other tasks, and the oracle (Table 3, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Table, Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Learner, Scale
from taskloom.studies.published import printed

__all__ = ["UNSEEN", "Unseen", "UnseenRecipe"]

PAPER = "Wang et al. (2022), Super-NaturalInstructions"
_COPY = ("mock/copy-input", "mock/copy-demo")
_PRINTED = {"mock/copy-input": "copying the input", "mock/copy-demo": "copying a demonstration"}
_ROWS = {"untuned": "", "tuned on other tasks": "train", "oracle": "oracle"}


class UnseenRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `superni/unseen`.

    Attributes:
        suite: A collection with the splits train, oracle and test.
        options: Keys of its recipe.
        encoding: How instruction and instance are written.
        fitted: Which rows of the table: untuned, tuned on other tasks, oracle.
        max_tokens: Tokens of an answer.
    """

    suite: str = "superni/embedded"
    options: dict[str, Any] = msgspec.field(
        default_factory=lambda: {"oracle_instances": 50, "languages": ["English"], "families": False}
    )
    encoding: str = "superni/def-pos2"
    fitted: tuple[str, ...] = tuple(_ROWS)
    max_tokens: int = 24


_SHORT: dict[str, Any] = {"epochs": 1e6, "keep": "last", "max_output": 24, "overlong": "cut", "evaluate_limit": 24}


class Unseen(Experiment):
    """ROUGE-L on test tasks, overall, by category, and by task against the better copying heuristic."""

    name: ClassVar[str] = "superni/unseen"
    summary: ClassVar[str] = "does tuning on instructions help with tasks never seen (Table 3, Figures 4, 11, 12)?"
    paper: ClassVar[str] = PAPER
    needs: ClassVar[str] = "the packaged smollm2 at tiny scale"
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": UnseenRecipe(
            models=("tiny/t5-1m",), seeds=1, limit=1, fitted=("untuned", "tuned on other tasks"),
            options={"instances": 2, "dev_instances": 1, "tasks": 4, "languages": ["English"], "families": False},
            learners={"*": Learner(options={**_SHORT, "updates": 2, "batch": 4, "shots": 1})},
        ),
        "tiny": UnseenRecipe(
            models=("packaged/smollm2",), seeds=3, limit=2,
            learners={"*": Learner(adapt="lora", options={**_SHORT, "updates": 60, "batch": 8, "shots": 50, "rank": 16,
                                                          "evaluate_updates": 60, "schedule": "linear"})},
        ),
        "paper": UnseenRecipe(
            models=("hf/google/t5-xl-lm-adapt",), seeds=5, limit=100, max_tokens=128,
            learners={"*": Learner(options={"recipe": "tk-instruct"})},
        ),
    }  # fmt: skip
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: UnseenRecipe, seed: int) -> Iterator[Arm]:
        for data in range(seed, seed + recipe.seeds):
            for model in _COPY:
                yield _arm(recipe, model, "heuristic", data, {"adapt": "none"})
            for model in recipe.models:
                for fitted in recipe.fitted:
                    split = _ROWS[fitted]
                    more = {"adapt_options": {"split": split, "dev": "none"}} if split else {"adapt": "none"}
                    yield _arm(recipe, model, fitted, data, more)

    def analyse(self, frame: Frame, recipe: UnseenRecipe) -> Findings:
        table = printed("superni", "table-3")
        rows: list[tuple[Value, ...]] = []
        for (model, fitted), part in frame.by("model", "fitted").items():
            paper = table.lookup("English", method=_PRINTED.get(str(model), ""))
            rows.append((model, fitted, *estimate_cells(part.mean()), None if paper is None else paper / 100))
        points = tuple(
            IntervalPoint(str(category), mean.value, mean.low, mean.high, mean.n, f"{model}, {fitted}")
            for (category, model, fitted), part in frame.by("category", "model", "fitted").items()
            for mean in (part.mean(),)
        )
        checks = []
        for model in recipe.models:
            kinds = {str(fitted): part for (fitted,), part in frame.where(model=model).by("fitted").items()}
            for better, worse in (("tuned on other tasks", "untuned"), ("oracle", "tuned on other tasks")):
                if better in kinds and worse in kinds:
                    claim = f"{model} {better} does better than {worse} on tasks never seen"
                    checks.append(above(claim, contrast(kinds[better], kinds[worse]), source="Table 3"))
        columns = ("model", "fitted", "ROUGE-L", "low", "high", "n", "published")
        return Findings(
            tables=[Table("Unseen tasks", columns, tuple(rows), f"Published: {PAPER}, {table.where}."), _tasks(frame)],
            figures=[IntervalPlot(title="Unseen tasks by category", points=points, axis="ROUGE-L", values=False)],
            checks=checks,
        )


def _tasks(frame: Frame) -> Table:
    """Each task's score less that of the better copying heuristic, as in Figures 11 and 12."""
    copied: dict[Value, float] = {}
    for (task, _), part in frame.where(fitted="heuristic").by("task", "model").items():
        copied[task] = max(copied.get(task, 0.0), part.mean().value)
    fitted = frame.where(lambda one: one.value("fitted") != "heuristic")
    rows = tuple(
        (model, how, task, mean.value, copied.get(task), mean.value - copied.get(task, 0.0), mean.n)
        for (model, how, task), part in fitted.by("model", "fitted", "task").items()
        for mean in (part.mean(),)
    )
    columns = ("model", "fitted", "task", "ROUGE-L", "better heuristic", "difference", "n")
    return Table("Tasks against copying", columns, rows)


def _arm(recipe: UnseenRecipe, model: str, fitted: str, seed: int, more: dict[str, Any]) -> Arm:
    run = recipe.settings(
        model, seed, encoding=recipe.encoding, split="test", scorer="rouge-l",
        generation={"max_tokens": recipe.max_tokens}, **more,
    )  # fmt: skip
    return Arm(
        factors={"model": model, "fitted": fitted}, suite=recipe.suite, options=recipe.options, seed=seed, run=run
    )


UNSEEN = Unseen()

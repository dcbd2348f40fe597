"""Unseen tasks from instructions: heuristics, untuned, tuned on other tasks, and the oracle (Table 3, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Table, Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.superni.common import PAPER, CollectionRecipe, collection_arm, scale_of

__all__ = ["UNSEEN", "Unseen", "UnseenRecipe"]

_COPY = ("mock/copy-input", "mock/copy-demo")
_PRINTED = {"mock/copy-input": "copying the input", "mock/copy-demo": "copying a demonstration"}
_ROWS = {"untuned": "", "tuned on other tasks": "train", "oracle": "oracle"}


class UnseenRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/unseen`.

    Attributes:
        fitted: Which rows of the table: untuned, tuned on other tasks, oracle.
    """

    fitted: tuple[str, ...] = tuple(_ROWS)


class Unseen(Experiment):
    """ROUGE-L on test tasks, overall, by category, and by task against the better copying heuristic."""

    name: ClassVar[str] = "superni/unseen"
    summary: ClassVar[str] = "does tuning on instructions help with tasks never seen (Table 3, Figures 4, 11, 12)?"
    paper: ClassVar[str] = PAPER
    needs: ClassVar[str] = "the packaged smollm2 at tiny scale"
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": UnseenRecipe(fitted=("untuned", "tuned on other tasks"), **scale_of("smoke")),
        "tiny": UnseenRecipe(**scale_of("tiny")),
        "paper": UnseenRecipe(**scale_of("paper")),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: UnseenRecipe, seed: int) -> Iterator[Arm]:
        for data in range(seed, seed + recipe.seeds):
            for model in _COPY:
                yield collection_arm(recipe, model, data, {"model": model, "fitted": "heuristic"}, adapt="none")
            for model in recipe.models:
                for fitted in recipe.fitted:
                    split = _ROWS[fitted]
                    more: dict[str, Any] = {"adapt_options": {"split": split}} if split else {"adapt": "none"}
                    yield collection_arm(recipe, model, data, {"model": model, "fitted": fitted}, **more)

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


UNSEEN = Unseen()

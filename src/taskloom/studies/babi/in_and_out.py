"""In and out of distribution: what models trained on the original tasks make of their mixtures (Table 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.studies.babi.common import PAPER, StoryRecipe, ask_arm, at_scale, published_name, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed

__all__ = ["IN_AND_OUT", "InAndOut"]

_NAMES = {"concat": "in distribution", "mix": "out of it"}


class InAndOut(Experiment):
    """Trained on concat(T), asked concat(T) and mix(T)."""

    name: ClassVar[str] = "babi/in-and-out"
    summary: ClassVar[str] = "do models that solve the original bAbI tasks solve mixtures of them (Table 3)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": StoryRecipe(models=("tiny/entnet",), **at_scale("smoke")),
        "tiny": StoryRecipe(models=("tiny/entnet", "tiny/bidaf"), groups=("t7",), **at_scale("tiny")),
        "paper": StoryRecipe(
            models=("tiny/entnet", "tiny/stm", "tiny/bidaf", "hf/FacebookAI/roberta-large", "hf/google-t5/t5-base"),
            groups=("t2", "t7", "t12"),
            **at_scale("paper"),
        ),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: StoryRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for group in recipe.groups:
                for data in range(seed, seed + recipe.seeds):
                    base = train_arm(recipe, "concat", group, model, data, {"asked": "concat"})
                    yield base
                    yield ask_arm(recipe, base, "mix", group, asked="mix")

    def analyse(self, frame: Frame, recipe: StoryRecipe) -> Findings:
        table = printed("dyna-babi", "table-3")
        rows: list[tuple[Value, ...]] = []
        points: list[IntervalPoint] = []
        for (model, group, asked), part in frame.by("model", "group", "asked").items():
            mean = part.over_seeds()
            named = published_name(str(model))
            paper = table.lookup(named, group=group, asked=asked) if named else None
            rows.append((model, group, _NAMES[str(asked)], *estimate_cells(mean), paper and paper / 100))
            place, series = f"{model}, {group}", _NAMES[str(asked)]
            points.append(IntervalPoint(place, mean.value, mean.low, mean.high, mean.n, series))
            if paper:
                points.append(IntervalPoint(place, paper / 100, paper / 100, paper / 100, 0, series, published=True))
        figure = IntervalPlot(
            title="In and out of distribution",
            points=tuple(points),
            axis="accuracy",
            caption="Trained on concat; asked its own test stories and mix. Diamonds: the paper's model of that kind.",
        )
        columns = ("model", "group", "asked", "accuracy", "low", "high", "n", "published")
        note = f"Published: {PAPER}, {table.where}, for a model of that kind, trained longer on more stories."
        return Findings(
            tables=[scored_table("Accuracy in and out of distribution", columns, rows, note=note)],
            figures=[figure],
            checks=_checks(frame),
        )


def _checks(frame: Frame) -> list[Check]:
    found = []
    for (model, group), part in frame.by("model", "group").items():
        fall = contrast(part.where(asked="concat"), part.where(asked="mix"))
        found.append(above(f"{model} falls from concat({group}) to mix({group})", fall, source="Table 3"))
    return found


IN_AND_OUT = InAndOut()

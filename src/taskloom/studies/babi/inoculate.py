"""Small doses of mixtures after the original tasks: too hard to learn, or never shown (Figure 7)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Value
from taskloom.figures import Line, LinePlot, LinePoint
from taskloom.studies.babi.common import PAPER, StoryRecipe, ask_arm, at_scale, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale

__all__ = ["INOCULATE", "Inoculate", "InoculateRecipe"]


class InoculateRecipe(StoryRecipe, frozen=True, kw_only=True):
    """Settings of `babi/inoculate`.

    Attributes:
        doses: Stories of the mixture to train on afterwards; 0 for none.
        updates: Updates on a dose; 0 for as many as before it.
    """

    doses: tuple[int, ...] = (0, 100, 200, 300, 400, 500)
    updates: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.doses or min(self.doses) < 0:
            raise ValueError(f"doses must be 0 or more, not {self.doses}")


class Inoculate(Experiment):
    """Trained on concat(T), then on a dose of mix(T); asked both."""

    name: ClassVar[str] = "babi/inoculate"
    summary: ClassVar[str] = "how many stories of a mixture does a model need that knows its parts (Figure 7)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": InoculateRecipe(models=("tiny/entnet",), doses=(0, 8), **at_scale("smoke")),
        "tiny": InoculateRecipe(
            models=("tiny/bidaf",), groups=("t7",), doses=(0, 100, 500), updates=50, **at_scale("tiny")
        ),
        "paper": InoculateRecipe(models=("hf/google-t5/t5-base",), groups=("t7",), **at_scale("paper")),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: InoculateRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for group in recipe.groups:
                for data in range(seed, seed + recipe.seeds):
                    base = train_arm(recipe, "concat", group, model, data, {"asked": "concat", "dose": 0})
                    for dose in recipe.doses:
                        known = base
                        if dose:
                            known = _dosed(recipe, base, group, dose)
                            yield known
                        else:
                            yield ask_arm(recipe, base, "inoculate", group, asked="mix")
                        yield ask_arm(recipe, known, "concat", group, asked="concat") if dose else base

    def analyse(self, frame: Frame, recipe: InoculateRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        lines, checks = [], []
        for (model, group), part in frame.by("model", "group").items():
            for (asked,), inner in part.by("asked").items():
                means = {
                    int(str(dose)): few.over_seeds() for (dose,), few in sorted(inner.by("dose").items(), key=_dose)
                }
                rows += [(model, group, asked, dose, *estimate_cells(mean)) for dose, mean in means.items()]
                points = tuple(LinePoint(dose, m.value, m.low, m.high, m.n) for dose, m in means.items())
                lines.append(Line(f"{model}, {group}, asked {asked}", points, dashed=asked == "concat"))
            mixed, most = part.where(asked="mix"), max(recipe.doses)
            if most and 0 in recipe.doses:
                gain = contrast(mixed.where(dose=most), mixed.where(dose=0))
                claim = f"{most} stories of mix({group}) help {model} on other stories of it"
                checks.append(above(claim, gain, source="Figure 7"))
        figure = LinePlot(
            title="Inoculation", lines=tuple(lines), x_name="stories of the mixture", y_name="accuracy",
            caption="Full lines: the mixture; dashed: the original tasks, which may be forgotten.",
        )  # fmt: skip
        columns = ("model", "group", "asked", "dose", "accuracy", "low", "high", "n")
        return Findings(tables=[scored_table("Accuracy by dose", columns, rows)], figures=[figure], checks=checks)


def _dose(item: tuple[tuple[Value, ...], Frame]) -> int:
    return int(str(item[0][0]))


def _dosed(recipe: InoculateRecipe, base: Arm, group: str, dose: int) -> Arm:
    """The model of an arm trained on a dose of the mixture, and asked other stories of it."""
    learner = recipe.learner(base.run.model)
    # The dose chooses nothing but itself: a dev split of the mixture would be a dose of its own.
    options = {**learner.options, "dose": dose, "dev": "none"}
    if recipe.updates:
        options |= {"updates": recipe.updates, "evaluate_updates": recipe.updates}
    run = recipe.asked(base.run.run_seed, split="test", adapt=learner.adapt, adapt_options=options)
    dosed = ask_arm(recipe, base, "inoculate", group, asked="mix", dose=dose)
    return msgspec.structs.replace(dosed, run=run)


INOCULATE = Inoculate()

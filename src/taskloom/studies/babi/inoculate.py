"""Small doses of mixtures after the original tasks: too hard to learn, or never shown (Figure 7)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

import msgspec

from taskloom.figures import LinePlot
from taskloom.studies.babi.common import PAPER, StoryStudyRecipe, ask_arm, at_scale, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.scores import expected, measure


class InoculationRecipe(StoryStudyRecipe, frozen=True, kw_only=True):
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
        "smoke": InoculationRecipe(models=("tiny/entnet",), doses=(0, 8), **at_scale("smoke")),
        "tiny": InoculationRecipe(
            models=("tiny/bidaf",), groups=("t7",), doses=(0, 100, 500), updates=50, **at_scale("tiny")
        ),
        "paper": InoculationRecipe(models=("hf/google-t5/t5-base",), groups=("t7",), **at_scale("paper")),
    }

    def grid(self, recipe: InoculationRecipe, seed: int) -> Iterator[Arm]:
        for model, group, data in product(recipe.models, recipe.groups, recipe.replicates(seed)):
            base = train_arm(recipe, "concat", group, model, data, {"asked": "concat", "dose": 0})
            for dose in recipe.doses:
                if dose:
                    known = _dosed(recipe, base, group, dose)
                    yield known
                    yield ask_arm(recipe, known, "concat", group, asked="concat")
                else:
                    yield ask_arm(recipe, base, "inoculate", group, asked="mix")
                    yield base

    def analyse(self, frame: Frame, recipe: InoculationRecipe) -> Findings:
        scores = measure(frame, "model", "group", "asked", "dose").nested(dose=int)
        figure = LinePlot(
            title="Inoculation", x_name="stories of the mixture", y_name="accuracy",
            lines=tuple(scores.lines("dose", "{model}, {group}, asked {asked}", lambda key: key["asked"] == "concat")),
            caption="Full lines: the mixture; dashed: the original tasks, which may be forgotten.",
        )  # fmt: skip
        most = max(recipe.doses)
        checks = expected(
            frame, f"{most} stories of mix({{group}}) help {{model}} on other stories of it", "model", "group",
            more={"asked": "mix", "dose": most}, less={"asked": "mix", "dose": 0}, source="Figure 7",
        )  # fmt: skip
        return Findings(tables=[scores.table("Accuracy by dose")], figures=[figure], checks=checks if most else [])


def _dosed(recipe: InoculationRecipe, base: Arm, group: str, dose: int) -> Arm:
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

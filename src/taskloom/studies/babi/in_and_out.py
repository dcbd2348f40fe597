"""In and out of distribution: what models trained on the original tasks make of their mixtures (Table 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

from taskloom.studies.babi.common import PAPER, StoryStudyRecipe, ask_arm, at_scale, published_name, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import Keys, expected, measure

_NAMES = {"concat": "in distribution", "mix": "out of it"}


class InAndOut(Experiment):
    """Trained on concat(T), asked concat(T) and mix(T)."""

    name: ClassVar[str] = "babi/in-and-out"
    summary: ClassVar[str] = "do models that solve the original bAbI tasks solve mixtures of them (Table 3)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": StoryStudyRecipe(models=("tiny/entnet",), **at_scale("smoke")),
        "tiny": StoryStudyRecipe(models=("tiny/entnet", "tiny/bidaf"), groups=("t7",), **at_scale("tiny")),
        "paper": StoryStudyRecipe(
            models=("tiny/entnet", "tiny/stm", "tiny/bidaf", "hf/FacebookAI/roberta-large", "hf/google-t5/t5-base"),
            groups=("t2", "t7", "t12"),
            **at_scale("paper"),
        ),
    }

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for model, group, data in product(recipe.models, recipe.groups, recipe.replicates(seed)):
            base = train_arm(recipe, "concat", group, model, data, {"asked": "concat"})
            yield base
            yield ask_arm(recipe, base, "mix", group, asked="mix")

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-3")

        def paper(key: Keys) -> float | None:
            return table.share(published_name(key["model"]), group=key["group"], asked=key["asked"])

        scores = measure(frame, "model", "group", "asked", published=paper).named(asked=_NAMES)
        note = f"Published: {PAPER}, {table.where}, for a model of that kind, trained longer on more stories."
        return Findings(
            tables=[scores.table("Accuracy in and out of distribution", note=note)],
            figures=[
                scores.intervals(
                    "In and out of distribution", "{model}, {group}", "{asked}",
                    caption="Trained on concat; asked its own test stories and mix. "
                    "Diamonds: the paper's model of that kind.",
                )
            ],
            checks=expected(
                frame, "{model} falls from concat({group}) to mix({group})", "model", "group",
                more={"asked": "concat"}, less={"asked": "mix"}, source="Table 3",
            ),
        )  # fmt: skip


IN_AND_OUT = InAndOut()

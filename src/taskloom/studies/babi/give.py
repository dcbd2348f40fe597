"""Questions whose support holds a GIVE event, after training on the original tasks (Table 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

import msgspec

from taskloom.studies.babi.common import PAPER, StoryStudyRecipe, ask_arm, at_scale, published_name, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above
from taskloom.studies.frame import Frame, Observation, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import Keys, measure


def has_give(one: Observation) -> bool:
    """Whether a GIVE event is among the supporting facts."""
    return "give" in str(one.facets.get("composition") or "").split("+")


class Give(Experiment):
    """Trained on concat(T7), asked mix(T7), by number of supporting facts and whether GIVE is among them."""

    name: ClassVar[str] = "babi/give"
    summary: ClassVar[str] = "do models compose GIVE events, whose places the original tasks never ask (Table 9)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": StoryStudyRecipe(
            models=("tiny/entnet",), groups=("t7",), **{**at_scale("smoke"), "test": 60, "limit": 0}
        ),
        "tiny": StoryStudyRecipe(models=("tiny/bidaf",), groups=("t7",), **at_scale("tiny")),
        "paper": StoryStudyRecipe(
            models=("tiny/bidaf", "hf/FacebookAI/roberta-large", "hf/google-t5/t5-base"),
            groups=("t7",),
            **at_scale("paper"),
        ),
    }

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for model, group, data in product(recipe.models, recipe.groups, recipe.replicates(seed)):
            base = train_arm(recipe, "concat", group, model, data, {"asked": "concat"})
            yield ask_arm(recipe, base, "mix", group, asked="mix")

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-9")

        def paper(key: Keys) -> float | None:
            return table.share(published_name(key["model"]), support=key["support_size"], with_give=key["give"])

        scores = measure(frame, "model", "support_size", computed={"give": has_give}, published=paper)
        scores = scores.nested(support_size=int, give=bool)
        named = scores.named(
            give={False: "without GIVE", True: "with GIVE"},
            support_size={size: f"{size} fact{'' if size == 1 else 's'}" for size in frame.values("support_size")},
        )
        figure = named.intervals("Questions with and without GIVE", "{model}, {support_size}", "{give}")
        if any(point.published for point in figure.points):
            figure = msgspec.structs.replace(figure, caption="Diamonds: the paper's model of that kind.")
        return Findings(
            tables=[
                scores.table(
                    "Accuracy with and without GIVE",
                    columns={"support_size": "supporting facts", "give": "with GIVE"},
                    note=f"Published: {PAPER}, {table.where}.",
                )
            ],
            figures=[figure],
            checks=[check for (model,), part in frame.by("model").items() for check in _check(str(model), part)],
        )


def _check(model: str, part: Frame) -> list[Check]:
    """Compared at equal numbers of supporting facts: GIVE needs more of them."""
    sizes = {one.facets.get("support_size") for one in part if has_give(one)}
    both = part.where(lambda one: one.facets.get("support_size") in sizes)
    without, with_give = both.where(lambda one: not has_give(one)), both.where(has_give)
    if not without or not with_give:
        return []
    claim = f"{model} does worse with GIVE among the supporting facts than without it among as many"
    return [above(claim, contrast(without, with_give), source="Table 9")]


GIVE = Give()

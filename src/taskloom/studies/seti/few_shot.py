"""How many examples of a missing rule it takes: doses of compositions on the three non-trivial tasks (Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

from taskloom.figures import LinePlot
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.scores import expected, measure
from taskloom.studies.seti.common import PAPER, PUBLISHED_MODELS, at_scale

SETTINGS = ("task1-nontrivial", "task2-nontrivial", "task3-nontrivial-natural")


class FewShotRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `seti/few-shot`.

    Attributes:
        settings_asked: The settings of the benchmark.
        doses: Compositions that are added to the training data.
        size: How many sentence pairs: small, or paper.
    """

    settings_asked: tuple[str, ...] = SETTINGS
    doses: tuple[int, ...] = (0, 1, 2, 4, 8, 16, 32, 64, 128)
    size: str = "small"


class FewShot(Experiment):
    """Trained with a dose of the compositions that the setting holds back."""

    name: ClassVar[str] = "seti/few-shot"
    summary: ClassVar[str] = "do as many examples suffice as there are rules never seen (Figure 2)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": FewShotRecipe(
            models=("tiny/bert-1m",), settings_asked=("task2-nontrivial",), doses=(0, 8), **at_scale("smoke")
        ),
        "tiny": FewShotRecipe(
            models=("tiny/bert-1m",), settings_asked=SETTINGS[1:], doses=(0, 16, 128), **at_scale("tiny")
        ),
        "paper": FewShotRecipe(models=PUBLISHED_MODELS, size="paper", **at_scale("paper")),
    }

    def grid(self, recipe: FewShotRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for dose in recipe.doses:
                added = {"split": "train+few", "dose": dose} if dose else {}
                yield Arm(
                    factors={"model": model, "setting": setting, "dose": dose},
                    suite=f"seti/{setting}",
                    options={"size": recipe.size},
                    seed=data,
                    run=recipe.settings(model, data, adapt_options=added),
                )

    def analyse(self, frame: Frame, recipe: FewShotRecipe) -> Findings:
        unseen = {
            setting: max(int(one.facets.get("unseen_rules") or 0) for one in part)
            for (setting,), part in frame.by("setting").items()
        }
        rules = {setting: f"{count} rule{'' if count == 1 else 's'}" for setting, count in unseen.items()}
        computed = {"unseen rules": lambda one: unseen[one.value("setting")], "dose": lambda one: one.value("dose")}
        scores = measure(frame, "model", "setting", computed=computed).nested(dose=int)
        called = scores.named(setting={setting: f"{setting}: {rules[setting]} unseen" for setting in unseen})
        figure = LinePlot(
            title="Few examples of missing rules", x_name="compositions added", y_name="accuracy", scale="doubling",
            lines=tuple(called.lines("dose", "{setting}, {model}" if len(recipe.models) > 1 else "{setting}")),
        )  # fmt: skip
        most = max(frame.values("dose"), key=lambda dose: int(str(dose)))
        checks = expected(
            frame, f"{most} examples help {{model}} on {{setting}}", "model", "setting",
            more={"dose": most}, less={"dose": 0}, source="Figure 2",
        )  # fmt: skip
        return Findings(
            tables=[scores.table("Accuracy by dose")],
            figures=[figure],
            checks=checks if most else [],
            sentences=[f"{setting} holds back {said}." for setting, said in rules.items()],
        )


FEW_SHOT = FewShot()

"""How many examples of a missing rule it takes: doses of compositions on the three non-trivial tasks (Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Value
from taskloom.figures import Line, LinePlot, LinePoint
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.seti.common import PAPER, PUBLISHED_MODELS, at_scale

__all__ = ["FEW_SHOT", "FewShot", "FewShotRecipe"]

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
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: FewShotRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for setting in recipe.settings_asked:
                for data in range(seed, seed + recipe.seeds):
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
        rows: list[tuple[Value, ...]] = []
        lines, checks, said = [], [], []
        for (model, setting), part in frame.by("model", "setting").items():
            unseen = max(int(one.facets.get("unseen_rules") or 0) for one in part)
            means = {int(str(dose)): few.over_seeds() for (dose,), few in part.by("dose").items()}
            rows += [(model, setting, unseen, dose, *estimate_cells(means[dose])) for dose in sorted(means)]
            points = tuple(LinePoint(dose, m.value, m.low, m.high, m.n) for dose, m in sorted(means.items()))
            rules = f"{unseen} rule{'' if unseen == 1 else 's'}"
            lines.append(Line(f"{setting}: {rules} unseen" + _of(model, recipe), points))
            said.append(f"{setting} holds back {rules}.")
            most = max(means)
            if 0 in means and most:
                gain = contrast(part.where(dose=most), part.where(dose=0))
                checks.append(above(f"{most} examples help {model} on {setting}", gain, source="Figure 2"))
        figure = LinePlot(
            title="Few examples of missing rules", lines=tuple(lines), x_name="compositions added", y_name="accuracy",
            scale="doubling",
        )  # fmt: skip
        columns = ("model", "setting", "unseen rules", "dose", "accuracy", "low", "high", "n")
        table = scored_table("Accuracy by dose", columns, rows)
        return Findings(tables=[table], figures=[figure], checks=checks, sentences=list(dict.fromkeys(said)))


def _of(model: Value, recipe: FewShotRecipe) -> str:
    return f", {model}" if len(recipe.models) > 1 else ""


FEW_SHOT = FewShot()

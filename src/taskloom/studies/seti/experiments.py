"""The experiments of SETI: unseen compositions against seen ones (Figure 1), and doses of missing rules (Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from taskloom.core import open_suite
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.families.seti.shortcuts import VerbProbe, accuracies, inference_probes
from taskloom.figures import LinePlot
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe
from taskloom.studies.scores import expected, measure

_VERB = "task3-nontrivial-verb"
_SHORTCUT = 0.9
"""The share of right answers from which a shortcut may be said to answer a setting."""
_PARTS = ("model", "setting", "veridical", "natural", "natural_entailed")


class InferenceRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of SETI has.

    Attributes:
        settings_asked: The settings of the benchmark.
        size: How many sentence pairs: small, or paper.
        sick: The folder with SICK, whose sentence pairs the paper has; empty to generate them.
    """

    settings_asked: tuple[str, ...] = (
        "task1-trivial", "task1-nontrivial", "task2-trivial", "task2-nontrivial", "task3-trivial", _VERB,
        "task3-nontrivial-natural",
    )  # fmt: skip
    size: str = "small"
    sick: str = ""

    def arm(self, model: str, setting: str, seed: int, end: str = "", **more: Any) -> Arm:
        """A training on a setting, asked its test; `adapt_options` go to the training, the rest are factors."""
        source = {"source": "sick", "path": self.sick} if self.sick else {}
        fitted = more.pop("adapt_options", {})
        return Arm(
            factors={"model": model, "setting": setting, **more}, suite=f"seti/{setting}{end}",
            options={"size": self.size, **source}, seed=seed, run=self.settings(model, seed, adapt_options=fitted),
        )  # fmt: skip


class SystematicityRecipe(InferenceRecipe, frozen=True, kw_only=True):
    """Settings of `seti/systematicity`.

    Attributes:
        probed: At most this many rows for each shortcut; 0 for none of them.
    """

    probed: int = 2000


class Systematicity(Experiment, study="seti/systematicity", settings=SystematicityRecipe):
    """Each setting trained and tested by itself: on unseen compositions, and on one random mixture."""

    def grid(self, recipe: SystematicityRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for tested, end in (("compositional", ""), ("in distribution", "-id")):
                yield recipe.arm(model, setting, data, end, tested=tested)

    def analyse(self, frame: Frame, recipe: SystematicityRecipe) -> Findings:
        scores = measure(frame, "model", "setting", "tested")
        checks = expected(
            frame.where(lambda one: "nontrivial" in str(one.value("setting"))),
            "{model} falls on unseen compositions of {setting}", "model", "setting",
            more={"tested": "in distribution"}, less={"tested": "compositional"}, source="Figure 1",
        )  # fmt: skip
        shortcuts = _shortcuts(frame, recipe)
        verb = shortcuts.get((_VERB, VerbProbe.name))
        if verb is not None:
            claim = "the verb alone answers task 3 by verb, so that solving it shows no composition"
            checks.append(above(claim, verb, _SHORTCUT, source="section 5.1"))
        tables = [
            scores.table("Accuracy by setting"),
            measure(frame.where(tested="compositional"), *_PARTS).table("Which compositions"),
        ]
        if shortcuts:
            found = tuple((*key, *estimate_cells(estimate)) for key, estimate in shortcuts.items())
            columns = ("setting", "shortcut", "accuracy", "low", "high", "seeds")
            tables.append(scored_table("What shortcuts alone give, on unseen compositions", columns, found))
        series = "{model}, {tested}" if len(recipe.models) > 1 else "{tested}"
        return Findings(
            tables=tables,
            figures=[scores.intervals("Systematicity", "{setting}", series)],
            checks=checks,
            sentences=explained(frame, shortcuts),
        )


def explained(frame: Frame, shortcuts: Mapping[tuple[Value, ...], Estimate]) -> list[str]:
    """A sentence for every model that does well on unseen compositions which a shortcut answers too."""
    said = []
    for (model, setting), part in frame.where(tested="compositional").by("model", "setting").items():
        right = part.over_seeds()
        names = [str(name) for (asked, name), one in shortcuts.items() if asked == setting and one.low > _SHORTCUT]
        if names and right.low > _SHORTCUT:
            said.append(
                f"{model} answers {right.value:.3f} of the unseen compositions of {setting}, but so do shortcuts "
                f"({'; '.join(names)}): that shows no composition."
            )
    return said


def _shortcuts(frame: Frame, recipe: SystematicityRecipe) -> dict[tuple[Value, ...], Estimate]:
    """The accuracy of every shortcut on unseen compositions, by setting, over seeds."""
    if not recipe.probed:
        return {}
    found: dict[tuple[Value, ...], list[float]] = {}
    asked = {(arm.factors["setting"], arm.seed): arm for arm in frame.where(tested="compositional").arms()}
    for (setting, _), arm in asked.items():
        suite = open_suite(arm.suite, seed=arm.seed, options=arm.options)
        for probe, value in accuracies(suite, inference_probes(), most=recipe.probed).items():
            found.setdefault((setting, probe), []).append(value)
    return {key: over_seeds(values, recipe.probed) for key, values in found.items()}


class FewShotRecipe(InferenceRecipe, frozen=True, kw_only=True):
    """Settings of `seti/few-shot`.

    Attributes:
        doses: Compositions that are added to the training data.
    """

    settings_asked: tuple[str, ...] = ("task1-nontrivial", "task2-nontrivial", "task3-nontrivial-natural")
    doses: tuple[int, ...] = (0, 1, 2, 4, 8, 16, 32, 64, 128)


class FewShot(Experiment, study="seti/few-shot", settings=FewShotRecipe):
    """Trained with a dose of the compositions that the setting holds back."""

    def grid(self, recipe: FewShotRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for dose in recipe.doses:
                added = {"split": "train+few", "dose": dose} if dose else {}
                yield recipe.arm(model, setting, data, dose=dose, adapt_options=added)

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


SYSTEMATICITY, FEW_SHOT = Systematicity(), FewShot()

"""Seven settings of SETI, compositional and in distribution, with what shortcuts alone would give (Figure 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, ClassVar

from taskloom.core import open_suite
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.families.seti.shortcuts import VerbProbe, accuracies, inference_probes
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.scores import expected, measure
from taskloom.studies.seti.common import PAPER, PUBLISHED_MODELS, at_scale

SETTINGS = (
    "task1-trivial", "task1-nontrivial", "task2-trivial", "task2-nontrivial", "task3-trivial",
    "task3-nontrivial-verb", "task3-nontrivial-natural",
)  # fmt: skip
_VERB = "task3-nontrivial-verb"


class SystematicityRecipe(GridRecipe, frozen=True, kw_only=True):
    """Settings of `seti/systematicity`.

    Attributes:
        settings_asked: The settings of the benchmark.
        size: How many sentence pairs: small, or paper.
        probed: At most this many rows for each shortcut; 0 for none of them.
    """

    settings_asked: tuple[str, ...] = SETTINGS
    size: str = "small"
    probed: int = 2000


class Systematicity(Experiment):
    """Each setting trained and tested by itself: on unseen compositions, and on one random mixture."""

    name: ClassVar[str] = "seti/systematicity"
    summary: ClassVar[str] = "do models infer from unseen compositions, or only from those trained on (Figure 1)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": SystematicityRecipe(
            models=("tiny/bert-1m",), settings_asked=("task2-nontrivial", _VERB), probed=200, **at_scale("smoke")
        ),
        "tiny": SystematicityRecipe(
            models=("tiny/bert-1m",),
            settings_asked=("task2-nontrivial", _VERB, "task3-nontrivial-natural"),
            **at_scale("tiny"),
        ),
        "paper": SystematicityRecipe(models=PUBLISHED_MODELS, size="paper", **at_scale("paper")),
    }

    def grid(self, recipe: SystematicityRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for tested, end in (("compositional", ""), ("in distribution", "-id")):
                yield Arm(
                    factors={"model": model, "setting": setting, "tested": tested},
                    suite=f"seti/{setting}{end}",
                    options={"size": recipe.size},
                    seed=data,
                    run=recipe.settings(model, data),
                )

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
            checks.append(above(claim, verb, _SHORTCUT, source="shortcut probe"))
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
            sentences=_explained(frame, shortcuts),
        )


def _explained(frame: Frame, shortcuts: Mapping[tuple[Value, ...], Estimate]) -> list[str]:
    """A sentence for every model that does well on unseen compositions which a shortcut answers too."""
    said = []
    for (model, setting), part in frame.where(tested="compositional").by("model", "setting").items():
        right = part.over_seeds()
        names = [
            str(name) for (asked, name), found in shortcuts.items() if asked == setting and found.low > _SHORTCUT
        ]  # fmt: skip
        if names and right.low > _SHORTCUT:
            said.append(
                f"{model} answers {right.value:.3f} of the unseen compositions of {setting}, but so do shortcuts "
                f"({'; '.join(names)}): that shows no composition."
            )
    return said


_SHORTCUT = 0.9
"""The share of right answers from which a shortcut may be said to answer a setting."""
_PARTS = ("model", "setting", "veridical", "natural", "natural_entailed")


def _shortcuts(frame: Frame, recipe: SystematicityRecipe) -> dict[tuple[Value, ...], Estimate]:
    """The accuracy of every shortcut on unseen compositions, by setting, over seeds."""
    if not recipe.probed:
        return {}
    found: dict[tuple[Value, ...], list[float]] = {}
    done: set[tuple[Any, ...]] = set()
    for arm in frame.where(tested="compositional").arms():
        setting = arm.factors["setting"]
        if (setting, arm.seed) in done:
            continue
        done.add((setting, arm.seed))
        suite = open_suite(arm.suite, seed=arm.seed, options=arm.options)
        for probe, value in accuracies(suite, inference_probes(), most=recipe.probed).items():
            found.setdefault((setting, probe), []).append(value)
    return {key: over_seeds(values, recipe.probed) for key, values in found.items()}


SYSTEMATICITY = Systematicity()

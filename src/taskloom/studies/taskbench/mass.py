"""Unions of two tasks in equal parts: does a model put more probability on the easier one (Figure 4)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from taskloom.core.study import Table, Value
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.studies.analysis.mass import Sides, side_shares, split_sides
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, estimate_cells
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.taskbench.common import PAPER, WordRecipe, paradigm_options, scale_of

_ALL = (
    *(f"{name}[{code}]" for code in ("eng", "spa") for name in ("antonyms", "synonyms", "hyponyms", "entailments")),
    *(f"random-seed{seed}[eng]" for seed in range(4)),
    "child", "father", "mother", "country of citizenship", "languages spoken written or signed", "place of birth",
    "occupation",
)  # fmt: skip
"""Every atom about words, and those about people."""


class MassRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/mass`.

    Attributes:
        atoms: Tasks of which every two on the same things make a union: words of one language, or entities.
        adaptations: finetune, prompt-tune.
        pairs: Training examples.
    """

    atoms: tuple[str, ...] = (
        "antonyms[eng]",
        "synonyms[eng]",
        "hyponyms[eng]",
        "entailments[eng]",
        "random-seed0[eng]",
    )
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")
    pairs: int = 1000


def _pairs(recipe: MassRecipe) -> list[tuple[str, str]]:
    named = enumerate(recipe.atoms)
    return [(a, b) for place, a in named for b in recipe.atoms[place + 1 :] if _domain(a) == _domain(b)]


def _union(first: str, second: str) -> str:
    return f"union({first}, {second})"


def _domain(atom: str) -> str:
    """What a task is about: words of the language that its name ends with, or entities."""
    return atom.partition("[")[2][:3]


class MassStudy(Experiment):
    """Atoms by themselves say which side is easier; balanced unions say where the mass goes."""

    name: ClassVar[str] = "taskbench/mass"
    summary: ClassVar[str] = "does a model trained on two tasks alike favour the easier one (Figure 4)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": MassRecipe(
            models=("tiny/t5-1m",), atoms=("antonyms[eng]", "synonyms[eng]"), adaptations=("finetune",), pairs=40,
            **scale_of("smoke"),
        ),
        "tiny": MassRecipe(
            models=("tiny/t5-1m",), atoms=("antonyms[eng]", "synonyms[eng]", "random-seed0[eng]"),
            adaptations=("finetune",), pairs=200, **scale_of("tiny"),
        ),
        "paper": MassRecipe(models=("hf/google/t5-v1_1-base",), atoms=_ALL, **scale_of("paper")),
    }  # fmt: skip

    def grid(self, recipe: MassRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for adapt in recipe.adaptations:
                for data in recipe.replicates(seed):
                    for atom in recipe.atoms:
                        yield _arm(recipe, model, adapt, atom, data)
                    for first, second in _pairs(recipe):
                        yield _arm(recipe, model, adapt, _union(first, second), data, (first, second))

    def analyse(self, frame: Frame, recipe: MassRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        shares: list[tuple[Value, ...]] = []
        checks: list[Check] = []
        figures = []
        for (model, adapt), part in frame.by("model", "adaptation").items():
            for mass, ending in _MASSES.items():
                found = _sides(part, recipe, ending)
                rows += [(model, adapt, mass, *one, one.share) for one in found]
                share = side_shares(found)
                shares.append((model, adapt, mass, *estimate_cells(share)))
                claim = f"{model} by {adapt} puts more mass on the easier side, taking {mass}"
                checks.append(above(claim, share, 0.5, source="Figure 4"))
                points = tuple(ScatterPoint(one.union, one.harder_mass, one.easier_mass, one.n) for one in found)
                title = f"Mass on the easier and the harder side, {mass}: {model}, {adapt}"
                # The mass of a few answers among all words may be tiny: the axes follow it.
                names = ("harder side", "easier side")
                figures.append(
                    ScatterPlot(
                        title=title, points=points, x_name=names[0], y_name=names[1], unit=False,
                        caption="One point for each union. Above the line (green) the easier side has more mass.",
                    )
                )  # fmt: skip
        columns = ("easier", "harder", "easier mass", "harder mass", "inputs", "share")
        note = "Mean probability over inputs, each counted once; an answer of both sides counts for both."
        said = "Mean over unions, each counted once; 95 % intervals over unions. One half favours neither side."
        return Findings(
            tables=[
                Table("Mass by union", ("model", "adaptation", "mass", "union", *columns), tuple(rows), note),
                Table(
                    "The easier side's share",
                    ("model", "adaptation", "mass", "share", "low", "high", "unions"),
                    tuple(shares),
                    said,
                ),
            ],
            figures=figures,
            checks=checks,
            sentences=_unmoved(rows),
        )


_NOTHING = 0.01
"""The probability below which a side has next to none."""


def _unmoved(rows: Sequence[tuple[Value, ...]]) -> list[str]:
    """A sentence for each model that gives next to no probability to the answers of either side."""
    most: dict[tuple[Value, Value], float] = {}
    for model, adapt, _mass, _union, _easier, _harder, *masses, _inputs, _share in rows:
        most[model, adapt] = max(most.get((model, adapt), 0.0), *(float(str(one)) for one in masses))
    return [
        f"{model} by {adapt} gives no side more than {found:.4f} of the probability: it has not learned the unions, so "
        "this shows little about what it favours."
        for (model, adapt), found in most.items()
        if found < _NOTHING
    ]


_MASSES = {"all answers": "", "the best answer": " best"}
"""The two variants: everything on a side, or its likeliest answer alone."""


def _sides(part: Frame, recipe: MassRecipe, ending: str) -> list[Sides]:
    scores = {str(task): inner.mean().value for (task,), inner in part.by("expression asked").items()}
    found = []
    for first, second in _pairs(recipe):
        if not {first, second, _union(first, second)} <= scores.keys():
            continue
        union = part.where(lambda one: one.value("expression asked") == _union(first, second))  # noqa: B023
        masses = [
            {first: one.record.mass[f"first{ending}"], second: one.record.mass[f"second{ending}"]}
            for one in union
            if {f"first{ending}", f"second{ending}"} <= one.record.mass.keys()
        ]
        found.append(split_sides(f"{first} ∪ {second}", (first, second), scores, masses))
    return found


def _arm(recipe: MassRecipe, model: str, adapt: str, task: str, seed: int, sides: tuple[str, str] | None = None) -> Arm:
    fields = paradigm_options(recipe, adapt, model)
    options = {**fields["adapt_options"], "evaluate_limit": 50, "dev": "none", "keep": "last"}
    run = msgspec.structs.replace(recipe.settings(model, seed, **fields), adapt_options=options)
    suite = {**recipe.suite_options, "train": recipe.pairs, "dev": 0}
    if sides is not None:
        run = msgspec.structs.replace(run, weights={"mass": True})
        suite = {**suite, "balanced": True}
    factors: dict[str, Value] = {"model": model, "adaptation": adapt, "expression asked": task}
    return Arm(factors=factors, suite=f"taskbench/{task}", options=suite, seed=seed, run=run)


MASS = MassStudy()

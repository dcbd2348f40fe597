"""What is memorised and how fast (Figures 2 and 6), and which of two tasks a union favours (Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import nan
from typing import NamedTuple

from taskloom.adapt.curves import Point
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.families.taskbench.language import short
from taskloom.families.taskbench.published import pairs
from taskloom.figures import Line, LinePlot, LinePoint, ScatterPlot, ScatterPoint
from taskloom.studies.analysis import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, below, estimate_cells, figure_words, table_of
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm
from taskloom.studies.taskbench.compose import ALL, WordRecipe, listed

_FACTORS = ("model", "start", "adaptation", "labels", "kind")


class MemoriseRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/memorise`.

    Attributes:
        tasks: Tasks by kind, or all atomic ones of the paper.
        adaptations: The paradigms compared.
        conditions: How weights start (pretrained, untrained) and which labels are learned: original, or permuted, where
            every input has the answers of another, so that nothing but memory helps. Random pairs are never permuted.
        pretraining: Updates of pre-training of a tiny model that starts pretrained.
    """

    tasks: dict[str, tuple[str, ...]] = {}
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")
    conditions: tuple[tuple[str, str], ...] = (("untrained", "original"),)
    pretraining: int = 1500


class Memorise(Experiment, study="taskbench/memorise", settings=MemoriseRecipe):
    """Training pairs known along training, by kind of task and paradigm."""

    by_heart = True

    def grid(self, recipe: MemoriseRecipe, seed: int) -> Iterator[Arm]:
        for model, (kind, given), adapt in product(recipe.models, recipe.tasks.items(), recipe.adaptations):
            # Random pairs are as good as permuted already: how weights start is all that can differ.
            conditions = recipe.conditions
            if kind == "random":
                conditions = tuple(dict.fromkeys((start, "original") for start, _ in conditions))
            for (start, labels), task, data in product(conditions, listed(given, kind), recipe.replicates(seed)):
                yield _memorising(
                    recipe, dict(zip(_FACTORS, (model, start, adapt, labels, kind), strict=True)), task, data
                )

    def prepare(self, recipe: MemoriseRecipe) -> None:
        """Pre-train the tiny models that start pretrained; what the cache has is not made again."""
        if any(start == "pretrained" for start, _ in recipe.conditions):
            from taskloom.models.tiny.pretrain import Pretraining, pretrain

            for model in recipe.models:
                if model.startswith("tiny/"):
                    pretrain(model.removeprefix("tiny/"), Pretraining(steps=recipe.pretraining), 0)

    def analyse(self, frame: Frame, recipe: MemoriseRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        lines: dict[str, list[Line]] = {}
        known: dict[tuple[Value, ...], Estimate] = {}
        for key, curves in frame.curves(*_FACTORS).items():
            model, start, adapt, labels, kind = key
            known[key] = over_seeds([best(curve, "train") for curve in curves], recipe.pairs)
            part = frame.where(**dict(zip(_FACTORS, key, strict=True)))
            rows.append((*key, *estimate_cells(known[key]), *estimate_cells(part.over_seeds()), *part.guessing()))
            drawn = [
                Line(f"{adapt}, {kind}", _course(curves, split), dashed=split == "test") for split in ("train", "test")
            ]
            lines.setdefault(f"{model}, {start}, {labels} labels", []).extend(line for line in drawn if line.points)
        figures = [
            LinePlot(lines=tuple(drawn), **figure_words("taskbench/memorised", name=name))
            for name, drawn in lines.items()
        ]
        table = table_of("taskbench/memorised", rows, factors=_FACTORS)
        return Findings(tables=[table], figures=figures, checks=_checks(known))


def _checks(known: Mapping[tuple[Value, ...], Estimate]) -> list[Check]:
    """What Figure 2 says of random pairs, and Figure 6 of permuted labels."""
    checks = []
    for (model, start, adapt, labels, kind), found in known.items():
        if kind != "random" and labels != "permuted":
            continue
        what = "random pairs" if kind == "random" else f"permuted {kind} pairs"
        source = "Figure 2" if kind == "random" else "Figure 6"
        if adapt == "finetune":
            checks.append(above(f"fine-tuning {start} {model} memorises {what}", found, 0.9, source=source))
        elif adapt == "prompt-tune":
            checks.append(below(f"prompt-tuning {start} {model} does not memorise {what}", found, 0.5, source=source))
    return checks


def best(curve: Sequence[Point], split: str) -> float:
    """The best score that a curve reaches on a split."""
    return max((point.scores[split] for point in curve if split in point.scores), default=0.0)


def _course(curves: Sequence[Sequence[Point]], split: str) -> tuple[LinePoint, ...]:
    """The mean of several curves; one that ended early, as nothing was left to learn, keeps its last score."""
    scored = [{point.update: point.scores[split] for point in curve if split in point.scores} for curve in curves]
    if not all(scored):
        return ()
    asked = min(point.counts.get(split, 0) for curve in curves for point in curve if split in point.scores)
    updates = sorted({update for one in scored for update in one})
    means = {u: over_seeds([one[max(seen for seen in one if seen <= u)] for one in scored], asked) for u in updates}
    return tuple(LinePoint(update, m.value, m.low, m.high, m.n) for update, m in means.items())


def _memorising(recipe: MemoriseRecipe, factors: dict[str, Value], task: str, seed: int) -> Arm:
    model, start = str(factors["model"]), factors["start"]
    given: dict[str, Value] = {}
    if start == "pretrained" and model.startswith("tiny/"):
        given = {"pretrained": str(recipe.pretraining), "tokenizer": "built-in"}
    elif start == "untrained" and model.startswith("hf/"):
        given = {"fresh": True, "seed": seed}
    # Other words cannot be known, so there is nothing that a dev split could choose by.
    fitted = {"keep": "train", "dev": "none", "holdout": 0.0, "evaluate_limit": recipe.pairs, "patience": None}
    options = {"dev": 0, "permuted": factors["labels"] == "permuted"}
    return recipe.arm(
        {**factors, "task name": task}, str(factors["adaptation"]), task, seed,
        options=options, fitted=fitted, model_options=given,
    )  # fmt: skip


class Sides(NamedTuple):
    """The mass on the easier and the harder side of one union, averaged over inputs that both sides answer."""

    union: str
    easier: str
    harder: str
    easier_mass: float
    harder_mass: float
    n: int

    @property
    def share(self) -> float:
        """The easier side's share of the mass on either; one half where both have the same, or none."""
        total = self.easier_mass + self.harder_mass
        return self.easier_mass / total if total else 0.5


def easier_side(scores: Mapping[str, float], first: str, second: str) -> tuple[str, str]:
    """The two sides, the one with the better generalisation of its own first; by name where they are equal."""
    ranked = sorted((first, second), key=lambda side: (-scores[side], side))
    return ranked[0], ranked[1]


def split_sides(
    union: str, sides: tuple[str, str], scores: Mapping[str, float], masses: Sequence[Mapping[str, float]]
) -> Sides:
    """The mass on each side of a union.

    Args:
        union: Its name.
        sides: The two tasks.
        scores: How well the same model generalises, by the same paradigm, on each task alone.
        masses: By input, the probability of each side's answers. An answer of both sides counts for both.
    """
    easier, harder = easier_side(scores, *sides)
    both = [mass for mass in masses if easier in mass and harder in mass]
    n = len(both)
    means = [sum(mass[side] for mass in both) / n if n else 0.0 for side in (easier, harder)]
    return Sides(union, easier, harder, means[0], means[1], n)


def side_shares(found: Sequence[Sides]) -> Estimate:
    """The easier side's mean share over unions, with Student's interval over them; nan of none."""
    shares = [sides.share for sides in found if sides.n]
    return over_seeds(shares, what="union") if shares else Estimate(nan, 0.0, 1.0, 0, 0, "too few unions")


class MassRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/mass`.

    Attributes:
        atoms: Tasks of which every two on the same things make a union, or all of the paper.
        adaptations: finetune, prompt-tune.
    """

    atoms: tuple[str, ...] = ALL
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")

    def unions(self) -> list[tuple[str, str, str]]:
        """Every union of two of the atoms that the language has, with its sides."""
        found = []
        for union in (one.expression for one in pairs(() if self.atoms == ALL else self.atoms)):
            first, second = (short(side) for side in getattr(union, "arguments", ()))
            found.append((short(union), first, second))
        return found


class MassStudy(Experiment, study="taskbench/mass", settings=MassRecipe):
    """Atoms by themselves say which side is easier; balanced unions say where the mass goes."""

    def grid(self, recipe: MassRecipe, seed: int) -> Iterator[Arm]:
        unions = recipe.unions()
        atoms = dict.fromkeys(side for _, *sides in unions for side in sides)
        for model, adapt, data in product(recipe.models, recipe.adaptations, recipe.replicates(seed)):
            named: dict[str, Value] = {"model": model, "adaptation": adapt}
            for atom in atoms:
                yield recipe.arm({**named, "expression asked": atom}, adapt, atom, data)
            for union, *_ in unions:
                factors = {**named, "expression asked": union}
                yield recipe.arm(factors, adapt, union, data, options={"balanced": True}, weights={"mass": True})

    def analyse(self, frame: Frame, recipe: MassRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        shares: list[tuple[Value, ...]] = []
        checks: list[Check] = []
        figures = []
        for (model, adapt), part in frame.by("model", "adaptation").items():
            for mass, ending in _MASSES.items():
                found = _sides(part, recipe, ending)
                rows += [(model, adapt, mass, *one, one.share, 0.5) for one in found]
                share = side_shares(found)
                shares.append((model, adapt, mass, *estimate_cells(share), 0.5))
                claim = f"{model} by {adapt} puts more mass on the easier side, taking {mass}"
                checks.append(above(claim, share, 0.5, source="Figure 4"))
                points = tuple(ScatterPoint(one.union, one.harder_mass, one.easier_mass, one.n) for one in found)
                words = figure_words("taskbench/mass", mass=mass, model=model, adapt=adapt)
                figures.append(ScatterPlot(points=points, **words))
        tables = [table_of("taskbench/mass", rows), table_of("taskbench/sides", shares)]
        return Findings(tables=tables, figures=figures, checks=checks, sentences=unmoved(rows))


_NOTHING = 0.01
"""The probability below which a side has next to none."""


def unmoved(rows: Sequence[tuple[Value, ...]]) -> list[str]:
    """A sentence for each model that gives next to no probability to the answers of either side."""
    most: dict[tuple[Value, Value], float] = {}
    for model, adapt, _mass, _union, _easier, _harder, *masses, _inputs, _share, _chance in rows:
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
    for name, first, second in recipe.unions():
        if not {first, second, name} <= scores.keys():
            continue
        union = part.where(lambda one: one.value("expression asked") == name)  # noqa: B023
        masses = [
            {first: one.record.mass[f"first{ending}"], second: one.record.mass[f"second{ending}"]}
            for one in union
            if {f"first{ending}", f"second{ending}"} <= one.record.mass.keys()
        ]
        found.append(split_sides(f"{first} ∪ {second}", (first, second), scores, masses))
    return found


MEMORISE, MASS = Memorise(), MassStudy()

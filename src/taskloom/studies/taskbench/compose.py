"""Composed tasks against their parts: adaptability by four paradigms, and lines through it (Tables 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Table, Value
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.studies.analysis.printed import mean_of
from taskloom.studies.analysis.regression import Line, fit_line
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, estimate_cells
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.taskbench.common import PAPER, PARADIGMS, WordRecipe, paradigm_options, scale_of

__all__ = ["COMPOSE", "Compose", "ComposeRecipe", "adaptability", "composed_points"]

_ENGLISH = ("antonyms[eng]", "synonyms[eng]", "hyponyms[eng]", "entailments[eng]")
_LEVELS = ("atomic", "word-level", "sequential")


class ComposeRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/compose` and `taskbench/predict`.

    Attributes:
        atoms: Atomic tasks; the parts of every composed one are among them.
        composed: Composed tasks.
        paradigms: full or 32-shot fine-tuning or prompt-tuning.
        pairs: Training examples of a full paradigm.
    """

    atoms: tuple[str, ...] = _ENGLISH
    composed: tuple[str, ...] = ()
    paradigms: tuple[str, ...] = tuple(PARADIGMS)
    pairs: int = 1000


def _unions(atoms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"union({a}, {b})" for place, a in enumerate(atoms) for b in atoms[place + 1 :])


SCALES: Mapping[Scale, GridRecipe] = {
    "smoke": ComposeRecipe(
        models=("tiny/t5-1m",), atoms=_ENGLISH[:3], composed=_unions(_ENGLISH[:3]), pairs=40,
        paradigms=("32-shot fine-tuning",), **scale_of("smoke"),
    ),
    "tiny": ComposeRecipe(
        models=("tiny/t5-1m",), composed=(*_unions(_ENGLISH), *(f"map{{{atom}}}" for atom in _ENGLISH)),
        paradigms=("full fine-tuning", "32-shot fine-tuning"), **{**scale_of("tiny"), "updates": 150},
    ),
    "paper": ComposeRecipe(
        models=("hf/google/t5-v1_1-base",),
        atoms=(*_ENGLISH, "child", "father", "mother", "creator", "influenced by", "named after"),
        composed=(
            *_unions((*_ENGLISH, "child", "father", "mother", "creator")),
            *(f"{a}({b})" for a in _ENGLISH for b in _ENGLISH if a != b),
            *(f"{a}({b})" for a in ("father", "mother", "child") for b in ("creator", "influenced by", "named after")),
            *(f"map{{{atom}}}" for atom in (*_ENGLISH, "child", "father", "mother", "creator")),
        ),
        **scale_of("paper"),
    ),
}  # fmt: skip


def adaptability(frame: Frame) -> dict[tuple[str, str, str], float]:
    """Generalisation by model, paradigm and task, over seeds and draws."""
    found = frame.by("model", "paradigm", "expression asked").items()
    return {(str(model), str(how), str(task)): part.mean().value for (model, how, task), part in found}


def composed_points(frame: Frame) -> dict[tuple[str, str, str], list[tuple[str, float, float]]]:
    """By model, paradigm and operator: each composed task with the mean of its parts and its own adaptability."""
    known = adaptability(frame)
    points: dict[tuple[str, str, str], list[tuple[str, float, float]]] = {}
    for (model, how, task), part in frame.by("model", "paradigm", "expression asked").items():
        facets = part.observations[0].facets
        atoms = [known.get((str(model), str(how), str(atom))) for atom in facets.get("derives_from", ())]
        if facets.get("operator") == "atomic" or None in atoms or not atoms:
            continue
        key = (str(model), str(how), str(facets["operator"]))
        points.setdefault(key, []).append((str(task), mean_of(atoms), known[key[0], key[1], str(task)]))
    return points


class Compose(Experiment):
    """Each task fitted by itself; composed tasks against the mean of their parts."""

    name: ClassVar[str] = "taskbench/compose"
    summary: ClassVar[str] = "do models that learn tasks learn compositions of them (Tables 1 and 3, Figures 3 and 5)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = SCALES
    recipe: ClassVar[Recipe] = SCALES["tiny"]

    def grid(self, recipe: ComposeRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for task in (*recipe.atoms, *recipe.composed):
                for paradigm in recipe.paradigms:
                    for data in range(seed, seed + recipe.seeds):
                        yield _arm(recipe, model, task, paradigm, data)

    def analyse(self, frame: Frame, recipe: ComposeRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        fits: list[tuple[Value, ...]] = []
        first, third = printed("taskbench", "table-1"), printed("taskbench", "table-3")
        checks: list[Check] = []
        for (model, how), part in frame.by("model", "paradigm").items():
            levels = part.grouped(lambda one: _level(one.facets))
            for level in (level for level in _LEVELS if level in levels):
                paper = first.lookup(level, paradigm=how)
                rows.append((model, how, level, *estimate_cells(levels[level].mean()), paper and paper / 100))
            if "word-level" in levels:
                fall = contrast(levels["atomic"], levels["word-level"])
                checks.append(above(f"{model} by {how} learns composed tasks less well", fall, source="Table 1"))
        figures = []
        for (model, how, operator), points in composed_points(frame).items():
            line = fit_line([x for _, x, _ in points], [y for *_, y in points])
            fits.append((model, how, operator, *_cells(line), third.lookup("slope", operator=operator, paradigm=how),
                         third.lookup("r2", operator=operator, paradigm=how)))  # fmt: skip
            checks.append(above(f"{operator} by {how} follows from its parts", line, source="Table 3"))
            figures.append(
                ScatterPlot(
                    title=f"{operator}, {how}: {model}", points=tuple(ScatterPoint(*point) for point in points),
                    x_name="mean of its parts", y_name="composed", fits=(("", line.intercept, line.slope),),
                )
            )  # fmt: skip
        columns = ("model", "paradigm", "level", "adaptability", "low", "high", "n", "published")
        drawn = ("model", "paradigm", "operator", "slope", "low", "high", "intercept", "r²", "tasks", "published slope",
                 "published r²")  # fmt: skip
        return Findings(
            tables=[
                Table("Adaptability by paradigm", columns, tuple(rows), f"Published: {PAPER}, {first.where}."),
                Table("Composed on atomic adaptability", drawn, tuple(fits), f"Published: {third.where}. {third.note}"),
                _every(frame),
            ],
            figures=[figure for figure in figures if figure.fits[0][1] == figure.fits[0][1]] or figures,
            checks=checks,
        )


def _level(facets: Mapping[str, object]) -> str:
    if facets.get("level") == "sequence":
        return "sequential"
    return "atomic" if facets.get("operator") == "atomic" else "word-level"


def _cells(line: Line) -> tuple[Value, ...]:
    numbers = (line.slope, line.slope_low, line.slope_high, line.intercept, line.r2)
    return (*(None if number != number else number for number in numbers), line.n)  # noqa: PLR0124 - nan


def _every(frame: Frame) -> Table:
    rows = tuple(
        (*key, part.observations[0].facets.get("operator"), *estimate_cells(part.mean()))
        for key, part in frame.by("model", "paradigm", "expression asked").items()
    )
    columns = ("model", "paradigm", "task", "operator", "adaptability", "low", "high", "n")
    return Table("Every task by paradigm", columns, rows)


def _arm(recipe: ComposeRecipe, model: str, task: str, paradigm: str, seed: int) -> Arm:
    adapt, few = PARADIGMS[paradigm]
    fields = paradigm_options(recipe, adapt, model)
    # Few-shot replicates differ in which examples are drawn, as the paper's do.
    extra = {"shots": 32, "draw": seed} if few else {}
    options = {**fields["adapt_options"], "evaluate_limit": 50, "dev": "none", "keep": "last", **extra}
    return Arm(
        factors={"model": model, "paradigm": paradigm, "expression asked": task},
        suite=f"taskbench/{task}",
        options={"train": recipe.pairs, "dev": 0},
        seed=seed,
        run=msgspec.structs.replace(recipe.settings(model, seed, **fields), adapt_options=options),
    )


COMPOSE = Compose()

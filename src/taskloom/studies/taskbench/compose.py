"""Composed tasks against their parts: adaptability by four paradigms, and lines through it (Tables 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from taskloom.algebra import facet
from taskloom.core.study import Table, Value
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.published import names
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.score.stats import student_quantile
from taskloom.studies.analysis.printed import mean_of
from taskloom.studies.analysis.regression import LeastSquares, fit_line
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, below
from taskloom.studies.frame import Contrast, Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import expected, measure
from taskloom.studies.taskbench.common import PAPER, PARADIGMS, WordRecipe, paradigm_options, scale_of

_ENGLISH = ("antonyms[eng]", "synonyms[eng]", "hyponyms[eng]", "entailments[eng]")
_PREDICATES = ("is-POS-noun[eng]", "is-POS-verb[eng]", "is-sentiment-positive[eng]")
_OPERATORS = ("chain", "union", "intersection", "land", "lor", "filter", "map", "map-filter")
"""Operators of composed tasks; the paper's scale has all tasks on its list."""
_SEPARATED = " with separators"
_PRINTED = {"chain": "chaining"}
"""What Table 3 calls an operator, where it has another name for it."""
_LEAST = 3
"""Fewer composed tasks say nothing about others."""
_LEVELS = ("atomic", "word-level", "sequential")


_FITTED = "Least squares over composed tasks, each counted once; 95 % intervals of the slope. Published:"


class ComposeRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/compose` and `taskbench/predict`.

    Attributes:
        atoms: Atomic tasks. A composed one some of whose parts are not among them lies on no line: of the paper's,
            that are those with `subclass of`, which Table 4 does not list.
        composed: Composed tasks.
        paradigms: full or 32-shot fine-tuning or prompt-tuning.
        pairs: Training examples of a full paradigm.
        separators: Whether mapped sequences have separators between their words, each way a training of its own.
    """

    atoms: tuple[str, ...] = _ENGLISH
    composed: tuple[str, ...] = ()
    paradigms: tuple[str, ...] = tuple(PARADIGMS)
    pairs: int = 1000
    separators: tuple[bool, ...] = (False,)


def _unions(atoms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"union({a}, {b})" for place, a in enumerate(atoms) for b in atoms[place + 1 :])


SCALES: Mapping[Scale, GridRecipe] = {
    "smoke": ComposeRecipe(
        models=("tiny/t5-1m",), atoms=_ENGLISH[:3], composed=_unions(_ENGLISH[:3]), pairs=40,
        paradigms=("32-shot fine-tuning",), **scale_of("smoke"),
    ),
    "tiny": ComposeRecipe(
        # Predicates too: no model of a million parameters learns to answer with words that it has never seen.
        models=("tiny/t5-1m",), atoms=(*_PREDICATES, "synonyms[eng]", "antonyms[eng]", "random-seed0[eng]"),
        composed=(
            *(f"{operator}({a}, {_PREDICATES[-1]})" for operator in ("land", "lor") for a in _PREDICATES[:-1]),
            *_unions(("synonyms[eng]", "antonyms[eng]")), f"filter{{{_PREDICATES[0]}}}", "map{synonyms[eng]}",
            f"map{{synonyms[eng]}}(filter{{{_PREDICATES[0]}}})",
        ),
        paradigms=("full fine-tuning",), pairs=200, **scale_of("tiny"),
    ),
    "paper": ComposeRecipe(
        models=("hf/google/t5-v1_1-base",),
        atoms=names("atomic"),
        composed=tuple(task for composed_by in _OPERATORS for task in names(composed_by)),
        separators=(False, True),
        **scale_of("paper"),
    ),
}  # fmt: skip


def adaptability(frame: Frame) -> dict[tuple[str, str, str], float]:
    """Generalisation by model, paradigm and task, over seeds and draws."""
    found = frame.by("model", "paradigm", "expression asked").items()
    return {(str(model), str(how), str(task)): part.mean().value for (model, how, task), part in found}


def _plain(task: object) -> str:
    """A task as its parts call it: names in files have no spaces and arrows."""
    return str(task).replace(" ", "_").replace("->", "-")


def composed_points(frame: Frame) -> dict[tuple[str, str, str], list[tuple[str, float, float]]]:
    """By model, paradigm and operator: each composed task with the mean of its parts and its own adaptability.

    Sequences with separators are tasks of their own, as in Table 3.
    """
    known = adaptability(frame.where(separated=False))
    by_part = {(model, how, _plain(task)): value for (model, how, task), value in known.items()}
    points: dict[tuple[str, str, str], list[tuple[str, float, float]]] = {}
    for (model, how, task, separated), part in frame.by("model", "paradigm", "expression asked", "separated").items():
        facets = part.observations[0].facets
        atoms = [by_part.get((str(model), str(how), _plain(atom))) for atom in facets.get("derives_from", ())]
        if facets.get("operator") == "atomic" or None in atoms or not atoms:
            continue
        key = (str(model), str(how), f"{facets['operator']}{_SEPARATED if separated else ''}")
        points.setdefault(key, []).append((str(task), mean_of(atoms), part.mean().value))
    return points


class Compose(Experiment):
    """Each task fitted by itself; composed tasks against the mean of their parts."""

    name: ClassVar[str] = "taskbench/compose"
    summary: ClassVar[str] = "do models that learn tasks learn compositions of them (Tables 1 and 3, Figures 3 and 5)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = SCALES

    def grid(self, recipe: ComposeRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for task in (*recipe.atoms, *recipe.composed):
                for paradigm in recipe.paradigms:
                    for separated in recipe.separators if facet(parse(task)) == "map" else (False,):
                        for data in recipe.replicates(seed):
                            yield _arm(recipe, model, task, paradigm, separated, data)

    def analyse(self, frame: Frame, recipe: ComposeRecipe) -> Findings:
        plain = frame.where(separated=False)
        first, third = printed("taskbench", "table-1"), printed("taskbench", "table-3")
        levels = measure(
            plain, "model", "paradigm", over="tasks", computed={"level": lambda one: _level(one.facets)},
            published=lambda key: first.share(key["level"], paradigm=key["paradigm"]),
        ).nested(level=_LEVELS.index)  # fmt: skip
        note = f"Published: {PAPER}, {first.where}."
        fits, figures, checks, few = _lines(frame)
        drawn = ("model", "paradigm", "operator", "slope", "low", "high", "intercept", "r²", "tasks", "published slope",
                 "published r²")  # fmt: skip
        tables = [
            levels.table("Adaptability by paradigm", metric="generalisation", column="adaptability", note=note),
            Table("Composed on atomic adaptability", drawn, tuple(fits), f"{_FITTED} {third.where}. {third.note}"),
            every_task(plain),
        ]
        both = _trained_both_ways(frame)
        if both:
            ways = measure(both, "model", "paradigm", "separated", over="tasks")
            title = "Sequences with and without separators"
            names = {"separated": "separators"}
            tables.append(ways.table(title, columns=names, metric="generalisation", column="adaptability"))
        helped = expected(
            both, "separators help {model} by {paradigm} on sequences", "model", "paradigm",
            more={"separated": True}, less={"separated": False}, source="section 4",
        )  # fmt: skip
        return Findings(tables=tables, figures=figures, checks=[*helped, *checks], sentences=few)


def _lines(frame: Frame) -> tuple[list[tuple[Value, ...]], list[ScatterPlot], list[Check], list[str]]:
    """Composed adaptability on that of the parts: rows of Table 3, Figure 3, checks, and what was too little."""
    third = printed("taskbench", "table-3")
    fits: list[tuple[Value, ...]] = []
    checks: list[Check] = []
    short: dict[str, list[str]] = {}
    drawn_points: dict[tuple[str, str], list[ScatterPoint]] = {}
    lines: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
    for (model, how, operator), points in composed_points(frame).items():
        line = fit_line([x for _, x, _ in points], [y for *_, y in points])
        row = {"operator": _PRINTED.get(operator, operator), "paradigm": how}
        fits.append((model, how, operator, *_cells(line), third.lookup("slope", **row), third.lookup("r2", **row)))
        drawn_points.setdefault((model, how), []).extend(ScatterPoint(*one, series=operator) for one in points)
        if line.n < _LEAST:
            short.setdefault(how, []).append(f"{operator} ({line.n})")
            continue
        lines.setdefault((model, how), []).append((operator, line.intercept, line.slope))
        checks.append(above(f"{operator} by {how} follows from its parts", line, source="Table 3"))
    for (model, how), placed in drawn_points.items():
        claim = f"{model} by {how} learns composed tasks less well than their parts"
        differences = [one.y - one.x for one in placed if not one.series.endswith(_SEPARATED)]
        checks.append(below(claim, over_tasks(differences), source="Table 1"))
    figures = [
        ScatterPlot(
            title=f"Composed tasks and their parts, {how}: {model}", points=tuple(placed),
            x_name="mean of its parts", y_name="composed", fits=tuple(lines.get((model, how), ())),
        )
        for (model, how), placed in drawn_points.items()
    ]  # fmt: skip
    few = [f"By {how}, these have too few tasks for a line: {', '.join(named)}." for how, named in short.items()]
    return fits, figures, checks, few


def over_tasks(differences: Sequence[float], *, least: int = _LEAST) -> Contrast:
    """The mean of differences, each task counted once, with Student's interval over at least so many tasks."""
    count = len(differences)
    mean = mean_of(differences)
    if count < least:
        return Contrast(mean, -1.0, 1.0, 1, f"{count} tasks are too few")
    spread = sum((one - mean) ** 2 for one in differences) / (count - 1) / count
    half = student_quantile(0.975, count - 1) * spread**0.5
    return Contrast(mean, mean - half, mean + half, count, f"t over {count} tasks")


def _level(facets: Mapping[str, object]) -> str:
    if facets.get("level") == "sequence":
        return "sequential"
    return "atomic" if facets.get("operator") == "atomic" else "word-level"


def _cells(line: LeastSquares) -> tuple[Value, ...]:
    numbers = (line.slope, line.slope_low, line.slope_high, line.intercept, line.r2)
    return (*(None if number != number else number for number in numbers), line.n)  # noqa: PLR0124 - nan


def every_task(frame: Frame) -> Table:
    """The table of task × paradigm, for further analyses."""
    scores = measure(frame, "model", "paradigm", "expression asked", "operator")
    names = {"expression asked": "task"}
    return scores.table("Every task by paradigm", columns=names, metric="generalisation", column="adaptability")


def _trained_both_ways(frame: Frame) -> Frame:
    """Sequences of models and paradigms that were trained with and without separators between their words."""
    sequences = frame.where(lambda one: _level(one.facets) == "sequential")
    parts = sequences.by("model", "paradigm").values()
    return Frame([one for part in parts if len(part.values("separated")) == 2 for one in part])


def _arm(recipe: ComposeRecipe, model: str, task: str, paradigm: str, separated: bool, seed: int) -> Arm:
    adapt, few = PARADIGMS[paradigm]
    fields = paradigm_options(recipe, adapt, model)
    # Few-shot replicates differ in which examples are drawn, as the paper's do.
    extra = {"shots": 32, "draw": seed} if few else {}
    options = {**fields["adapt_options"], "evaluate_limit": 50, "dev": "none", "keep": "last", **extra}
    return Arm(
        factors={"model": model, "paradigm": paradigm, "expression asked": task, "separated": separated},
        suite=f"taskbench/{task}",
        options={**recipe.suite_options, "train": recipe.pairs, "dev": 0, **({"separator": True} if separated else {})},
        seed=seed,
        run=msgspec.structs.replace(recipe.settings(model, seed, **fields), adapt_options=options),
    )


COMPOSE = Compose()

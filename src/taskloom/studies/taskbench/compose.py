"""Composed tasks against their parts (Tables 1 and 3), and adaptability predicted from what a task is (section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import isnan, log2
from typing import Any

import msgspec

from taskloom.algebra import facet, signature
from taskloom.core.study import Table, Value
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.published import names
from taskloom.figures import IntervalPlot, IntervalPoint, ScatterPlot, ScatterPoint
from taskloom.run.columns import grouped
from taskloom.sources.lexicon import default_lexicon
from taskloom.studies.analysis import centre, fit_line, held_out, mean_of
from taskloom.studies.experiment import Experiment, printed
from taskloom.studies.findings import Check, Findings, above, below, figure_words, table_of
from taskloom.studies.frame import Contrast, Frame, measure
from taskloom.studies.grid import Arm, GridRecipe

ALL = ("all",)
"""Stands for all tasks that the paper lists."""


class WordRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of TaskBench500 has. Its learners are named by adaptation, those of sequences apart.

    Attributes:
        pairs: Training examples.
        suite_options: Keys of the recipe of every suite: `resources`, say, a folder with the paper's own words.
    """

    pairs: int = 1000
    suite_options: dict[str, Any] = {}

    def arm(self, factors: dict[str, Value], how: str, task: str, seed: int, **more: Any) -> Arm:
        """A model fitted to one task by an adaptation; `options` go to the suite, `fitted` to the adaptation."""
        model = str(factors["model"])
        learner = self.learner(*([f"{how} of sequences"] if signature(parse(task)).sequence else []), how)
        own = learner.model_options if model.startswith("tiny/") else {}
        fields = {
            "adapt": learner.adapt, "adapt_options": {**learner.options, **more.pop("fitted", {})},
            "model_options": {**own, **more.pop("model_options", {})}, **learner.run,
        }  # fmt: skip
        options = {**self.suite_options, "train": self.pairs, **more.pop("options", {})}
        return self.arm_of(model, f"taskbench/{task}", seed, factors, options=options, **{**fields, **more})


def listed(given: tuple[str, ...], part: str) -> tuple[str, ...]:
    """Tasks as they are named, or all atomic ones of a part of the paper's list."""
    if given != ALL:
        return given
    atomic = set(names("atomic"))
    return tuple(name for name in names(part) if name in atomic)


_OPERATORS = ("chain", "union", "intersection", "land", "lor", "filter", "map", "map-filter")
_SEPARATED = " with separators"
_PRINTED = {"chain": "chaining"}
"""What Table 3 calls an operator, where it has another name for it."""
_MEASURED = "generalisation"
_LEAST = 3
"""Fewer composed tasks say nothing about others."""
_LEVELS = ("atomic", "word-level", "sequential")


PARADIGMS = {
    "full fine-tuning": ("finetune", False), "full prompt-tuning": ("prompt-tune", False),
    "32-shot fine-tuning": ("finetune", True), "32-shot prompt-tuning": ("prompt-tune", True),
}  # fmt: skip
"""The paper's four: an adaptation, and whether it sees few examples only."""


class ComposeRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/compose` and `taskbench/predict`.

    Attributes:
        atoms: Atomic tasks, or all of the paper. A composed task some of whose parts are not among them lies on no
            line: of the paper's, those with `subclass of`, which Table 4 does not list.
        composed: Composed tasks, or all of the paper.
        paradigms: full or 32-shot fine-tuning or prompt-tuning.
        few: Options of the training on few examples.
        separators: Whether mapped sequences have separators between their words, each way a training of its own.
    """

    atoms: tuple[str, ...] = ALL
    composed: tuple[str, ...] = ALL
    paradigms: tuple[str, ...] = ("full fine-tuning",)
    separators: tuple[bool, ...] = (False,)
    few: dict[str, Any] = msgspec.field(default_factory=lambda: {"shots": 32})

    def tasks(self) -> tuple[str, ...]:
        """All tasks, atomic ones first."""
        given = self.composed
        if given == ALL:
            given = tuple(task for composed_by in _OPERATORS for task in names(composed_by))
        return (*listed(self.atoms, "atomic"), *given)


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


class Compose(Experiment, study="taskbench/compose", settings=ComposeRecipe):
    """Each task fitted by itself; composed tasks against the mean of their parts."""

    def grid(self, recipe: ComposeRecipe, seed: int) -> Iterator[Arm]:
        for model, task, how in product(recipe.models, recipe.tasks(), recipe.paradigms):
            for separated in recipe.separators if facet(parse(task)) == "map" else (False,):
                for data in recipe.replicates(seed):
                    factors: dict[str, Value] = {
                        "model": model, "paradigm": how, "expression asked": task, "separated": separated,
                    }  # fmt: skip
                    adapt, few = PARADIGMS[how]
                    # Few-shot replicates differ in which examples are drawn, as the paper's do.
                    fitted = {**recipe.few, "draw": data} if few else {}
                    options = {"separator": True} if separated else {}
                    yield recipe.arm(factors, adapt, task, data, options=options, fitted=fitted)

    def analyse(self, frame: Frame, recipe: ComposeRecipe) -> Findings:
        plain = frame.where(separated=False)
        first, third = printed("taskbench", "table-1"), printed("taskbench", "table-3")
        levels = measure(
            plain, "model", "paradigm", over="tasks", computed={"level": lambda one: _level(one.facets)},
            published=lambda key: first.share(key["level"], paradigm=key["paradigm"]),
        ).nested(level=_LEVELS.index)  # fmt: skip
        fits, figures, checks, few = _lines(frame)
        tables = [
            levels.table("Adaptability by paradigm", metric=_MEASURED, column="adaptability", note=self.cited(first)),
            table_of("taskbench/lines", fits, published=f"{third.where}. {third.note}"),
            every_task(plain),
        ]
        both = _trained_both_ways(frame)
        if both:
            ways = measure(both, "model", "paradigm", "separated", over="tasks")
            title = "Sequences with and without separators"
            names = {"separated": "separators"}
            tables.append(ways.table(title, columns=names, metric="generalisation", column="adaptability"))
        return Findings(tables=tables, figures=figures, checks=[*self.checks(both), *checks], sentences=few)


def _lines(frame: Frame) -> tuple[list[tuple[Value, ...]], list[ScatterPlot], list[Check], list[str]]:
    """Composed adaptability on that of the parts: rows of Table 3, Figure 3, checks, and what was too little."""
    third = printed("taskbench", "table-3")
    composed = composed_points(frame)
    fitted = {key: fit_line([x for _, x, _ in points], [y for *_, y in points]) for key, points in composed.items()}
    fits: list[tuple[Value, ...]] = []
    for (model, how, operator), line in fitted.items():
        row = {"operator": _PRINTED.get(operator, operator), "paradigm": how}
        cells = line.cells("slope", "low", "high", "intercept", "r2")
        fits.append((model, how, operator, *cells, third.lookup("slope", **row), third.lookup("r2", **row)))
    known = {key: line for key, line in fitted.items() if line.n >= _LEAST}
    checks = [
        above(f"{operator} by {how} follows from its parts", line, source="Table 3")
        for (_, how, operator), line in known.items()
    ]
    figures = []
    every = ((key[:2], ScatterPoint(*one, series=key[2])) for key, points in composed.items() for one in points)
    for (model, how), placed in grouped(every).items():
        claim = f"{model} by {how} learns composed tasks less well than their parts"
        differences = [one.y - one.x for one in placed if not one.series.endswith(_SEPARATED)]
        checks.append(below(claim, over_tasks(differences), source="Table 1"))
        lines = [(key[2], line.intercept, line.slope) for key, line in known.items() if key[:2] == (model, how)]
        words = figure_words("taskbench/composed", how=how, model=model)
        figures.append(ScatterPlot(points=tuple(placed), fits=tuple(lines), **words))
    short = grouped((key[1], f"{key[2]} ({line.n})") for key, line in fitted.items() if key not in known)
    few = [f"By {how}, these have too few tasks for a line: {', '.join(named)}." for how, named in short.items()]
    return fits, figures, checks, few


def over_tasks(differences: Sequence[float], *, least: int = _LEAST) -> Contrast:
    """The mean of differences, each task counted once, with Student's interval over at least so many tasks."""
    count = len(differences)
    if count < least:
        return Contrast(mean_of(differences), -1.0, 1.0, 1, f"{count} tasks are too few: {least} would decide")
    mean, half = centre(differences)
    return Contrast(mean, mean - half, mean + half, count, f"t over {count} tasks")


def _level(facets: Mapping[str, object]) -> str:
    if facets.get("level") == "sequence":
        return "sequential"
    return "atomic" if facets.get("operator") == "atomic" else "word-level"


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


COMPOSE = Compose()


def features_of(part: Frame) -> dict[str, float | str]:
    """What a task is, without having been asked: kind, operator, depth, size of its domain, answers, common words."""
    facets = part.observations[0].facets
    outputs = [float(one.facets.get("outputs") or 0) for one in part]
    lengths = [float(len(one.record.targets.canonical())) for one in part]
    ranks = [rank for one in part for rank in _ranks(one.record.prompt, str(facets.get("language") or "eng"))]
    return {
        "category": str(facets.get("category")),
        "operator": str(facets.get("operator")),
        "depth": float(facets.get("depth") or 1),
        "inputs": float(facets.get("samples") or 0),
        "answers per input": sum(outputs) / len(outputs),
        "letters per answer": sum(lengths) / len(lengths),
        # By Zipf's law the logarithm of a rank falls as that of the frequency rises.
        "word frequency": -sum(map(log2, ranks)) / len(ranks) if ranks else 0.0,
    }


def _ranks(text: str, language: str) -> list[int]:
    """The places of a text's words in the list of common words; those that are not in it come last."""
    known = _common(language)
    return [known.get(word, len(known) + 1) for word in re.findall(r"[^\W\d_]+", text.lower())]


@cache
def _common(language: str) -> dict[str, int]:
    """Common words by rank, the most frequent first; the default lexicon has them of English and Spanish."""
    words = default_lexicon().common(language if language in ("eng", "spa") else "eng")
    return {word: rank for rank, word in enumerate(words, start=1)}


_PREDICTED = 20


class Predict(Experiment, study="taskbench/predict", settings=ComposeRecipe):
    """The runs of `taskbench/compose`, regressed on features of tasks and judged on tasks left out."""

    def grid(self, recipe: ComposeRecipe, seed: int) -> Iterator[Arm]:
        yield from COMPOSE.grid(recipe, seed)

    def analyse(self, frame: Frame, recipe: ComposeRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        weights: list[tuple[Value, ...]] = []
        points: list[IntervalPoint] = []
        checks: list[Check] = []
        frame = frame.where(separated=False)
        known = adaptability(frame)
        for (model, how), part in frame.by("model", "paradigm").items():
            tasks = {str(task): inner for (task,), inner in part.by("expression asked").items()}
            values = {task: known[str(model), str(how), task] for task in tasks}
            found = held_out({task: features_of(inner) for task, inner in tasks.items()}, values)
            # Where all tasks score the same, there is no variance to explain.
            r2 = None if isnan(found.r2) else found.r2
            rows.append((model, how, r2, found.error, found.baseline, found.n))
            weights += [(model, how, name, weight) for name, weight in found.weights.items()]
            series = f"{model}, {how}"
            points += [IntervalPoint(name, w, w, w, found.n, series) for name, w in found.weights.items()]
            claim = f"features predict {model} by {how} better than the mean of other tasks does"
            checks.append(above(claim, over_tasks(found.gains, least=_PREDICTED), source="section 3"))
        figure = IntervalPlot(points=tuple(points), **figure_words("taskbench/weights"))
        tables = [
            table_of("taskbench/predicted", rows, least=_PREDICTED),
            table_of("taskbench/weights", weights),
            every_task(frame),
        ]
        return Findings(tables=tables, figures=[figure], checks=checks)


PREDICT = Predict()

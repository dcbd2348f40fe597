"""Can adaptability be predicted from what a task is? The question that section 3 of TaskBench500 leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import isnan, log2
from typing import ClassVar

from taskloom.core.study import Table, Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.sources.lexicon import default_lexicon
from taskloom.studies.analysis.regression import held_out
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.taskbench.common import PAPER
from taskloom.studies.taskbench.compose import COMPOSE, SCALES, ComposeRecipe, adaptability, every_task, over_tasks


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


_LEAST = 20
_WEIGHTS = "Ridge regression over tasks, each counted once; numbers in standard deviations; without intervals."


class Predict(Experiment):
    """The runs of `taskbench/compose`, regressed on features of tasks and judged on tasks left out."""

    name: ClassVar[str] = "taskbench/predict"
    summary: ClassVar[str] = "can the adaptability of a task be predicted from what it is (section 3)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = SCALES

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
            found = held_out({task: features_of(inner) for task, inner in tasks.items()}, values, folds=5)
            # Where all tasks score the same, there is no variance to explain.
            r2 = None if isnan(found.r2) else found.r2
            rows.append((model, how, r2, found.error, found.baseline, found.n))
            weights += [(model, how, name, weight) for name, weight in found.weights.items()]
            series = f"{model}, {how}"
            points += [IntervalPoint(name, w, w, w, found.n, series) for name, w in found.weights.items()]
            claim = f"features predict {model} by {how} better than the mean of other tasks does"
            checks.append(above(claim, over_tasks(found.gains, least=_LEAST), source="section 3"))
        columns = ("model", "paradigm", "r² on tasks left out", "error", "error of the mean", "tasks")
        figure = IntervalPlot(
            title="What adds to adaptability", points=tuple(points), axis="weight of the feature", low=-0.5, high=0.5,
            caption="Ridge regression; numbers are in standard deviations. Points without intervals.",
        )  # fmt: skip
        note = (
            "Errors are means over tasks, each counted once. Five parts by a hash of the tasks' names; fewer than "
            f"{_LEAST} tasks decide nothing."
        )
        return Findings(
            tables=[
                Table("Predicted on tasks left out", columns, tuple(rows), note),
                Table("Weights of features", ("model", "paradigm", "feature", "weight"), tuple(weights), _WEIGHTS),
                every_task(frame),
            ],
            figures=[figure],
            checks=checks,
        )


PREDICT = Predict()

"""Can one metric stand for all? ROUGE-L against exact match where answers are labels (Figure 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.studies.analysis.correlation import Correlation, kendall, pearson
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Learner, Scale
from taskloom.studies.published import printed
from taskloom.studies.superni.common import LEARNS, PAPER, CollectionRecipe, collection_arm, scale_of

_SCORERS = ("rouge-l", "superni-exact")
_NAMES = ("ROUGE-L", "exact match")
_MOCKS = ("mock/oracle", "mock/majority", "mock/random", "mock/copy-demo", "mock/copy-input")
_EQUAL = (
    "Both metrics are equal at every point: here no answer shares a word with a label other than its own, so the "
    "agreement says little about longer answers."
)
_FIGURE_9 = "Pearson, accuracy and ROUGE-L on classification"


def _scale(scale: Scale, *models: str) -> CollectionRecipe:
    given = scale_of(scale)
    learners = {**given["learners"], **{mock: Learner(adapt="none") for mock in _MOCKS}}
    return CollectionRecipe(**{**given, "models": (*_MOCKS, *models), "learners": learners})


class MetricCheck(Experiment):
    """Every model asked once, scored twice, on the tasks whose answers are labels."""

    name: ClassVar[str] = "superni/metric-check"
    summary: ClassVar[str] = "does ROUGE-L rank models as accuracy does where answers are labels (Figure 9)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": _scale("smoke"),
        "tiny": _scale("tiny", *LEARNS["models"]),
        "paper": _scale("paper", "hf/google/t5-xl-lm-adapt"),
    }

    def grid(self, recipe: CollectionRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for data in recipe.replicates(seed):
                factors: dict[str, Value] = {"model": model, "scored by": _SCORERS[0]}
                base = collection_arm(recipe, model, data, factors)
                yield base
                again: dict[str, Value] = {"model": model, "scored by": _SCORERS[1]}
                if base.trains:
                    yield collection_arm(recipe, model, data, again, after=base, scorer=_SCORERS[1])
                else:
                    yield collection_arm(recipe, model, data, again, scorer=_SCORERS[1])

    def analyse(self, frame: Frame, recipe: CollectionRecipe) -> Findings:
        asked = frame.where(lambda one: bool(frame.run(one.arm).tasks[one.record.task].labels))
        points: dict[tuple[Value, Value], dict[Value, Estimate]] = {}
        for (model, category, scorer), part in (asked or frame).by("model", "category", "scored by").items():
            points.setdefault((model, category), {})[scorer] = part.mean()
        rows = [
            (*key, *(cell for scorer in _SCORERS for cell in estimate_cells(found[scorer])[:3]))
            for key, found in points.items()
        ]
        rouge, exact = ([found[scorer].value for found in points.values()] for scorer in _SCORERS)
        found = {"Pearson's r": pearson(rouge, exact), "Kendall's tau-b": kendall(rouge, exact)}
        paper = printed("superni", "figures").lookup("value", what=_FIGURE_9)
        figure = ScatterPlot(
            title="ROUGE-L and exact match", x_name="exact match", y_name="ROUGE-L", diagonal=False,
            points=tuple(
                ScatterPoint(
                    f"{model}, {category}", x.value, y.value, series=str(model),
                    x_interval=(x.low, x.high), y_interval=(y.low, y.high),
                )
                for (model, category), pair in points.items()
                for y, x in (tuple(pair[scorer] for scorer in _SCORERS),)
            ),
            caption="One point for each category; crosses: 95 % intervals for other tasks and seeds.",
        )  # fmt: skip
        agreement = tuple(_row(name, one, paper if name.startswith("P") else None) for name, one in found.items())
        columns = ("coefficient", "value", "low", "high", "points", "published")
        return Findings(
            tables=[
                scored_table(
                    "Two metrics by model and category",
                    ("model", "category", *(f"{name}{end}" for name in _NAMES for end in ("", " low", " high"))),
                    rows,
                    metric="mean",
                    over="tasks",
                ),
                Table(
                    "How far they agree",
                    columns,
                    agreement,
                    "Every pair of model and category counts once: "
                    f"{'tasks whose answers are labels' if asked else 'all tasks'}; 95 % intervals over pairs.",
                ),
            ],
            figures=[figure],
            checks=[above("ROUGE-L follows exact match closely", found["Pearson's r"], 0.8, source="Figure 9")],
            sentences=[
                *([_EQUAL] if rouge == exact else []),
                "Against human judgement: taskloom judge make and read print the correlation for any run.",
            ],
        )


def _row(name: str, found: Correlation, paper: float | None) -> tuple[Value, ...]:
    return name, found.value, found.low, found.high, found.n, paper


METRIC_CHECK = MetricCheck()

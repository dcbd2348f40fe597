"""What more tasks, more instances and larger models give on tasks never seen (Figure 5, section 7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import ClassVar

from taskloom.core import UserError, open_suite
from taskloom.core.study import Table, Value
from taskloom.figures import LinePlot
from taskloom.studies.analysis.regression import LeastSquares, fit_log
from taskloom.studies.analysis.scaling import saturation, trade
from taskloom.studies.cost import parameters
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import ScoreRow, Scores, measure
from taskloom.studies.superni.common import PAPER, CollectionRecipe, collection_arm, run_score, scale_of, too_weak

_ANY, _SIZE = "all models", "billions of parameters"
_FITTED = "Least squares of ROUGE-L on the logarithm, every training counts once; 95 % intervals over trainings."


class ScalingRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/scaling`.

    Attributes:
        tasks: Numbers of training tasks, each with all models.
        instances: Instances per training task, with the most tasks.
    """

    tasks: tuple[int, ...] = (6, 32, 128, 256, 512, 757)
    instances: tuple[int, ...] = (8, 32, 64, 128, 256, 512)


class Scaling(Experiment):
    """Trained on growing numbers of tasks and of instances, by models of growing size."""

    name: ClassVar[str] = "superni/scaling"
    summary: ClassVar[str] = "what do more tasks, more instances and larger models give on tasks never seen?"
    paper: ClassVar[str] = f"{PAPER}, Figure 5 and section 7.1"
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": ScalingRecipe(tasks=(2, 4), instances=(1, 2), **scale_of("smoke")),
        "tiny": ScalingRecipe(tasks=(5, 79), instances=(2, 20), **scale_of("tiny")),
        "paper": ScalingRecipe(
            **{
                **scale_of("paper"),
                "models": tuple(f"hf/google/t5-{size}-lm-adapt" for size in ("small", "base", "large", "xl", "xxl")),
            }
        ),
    }

    def grid(self, recipe: ScalingRecipe, seed: int) -> Iterator[Arm]:
        drawn = {tasks: _drawn(recipe, seed, tasks) for tasks in _within(recipe, seed)}
        most, most_shots = drawn[max(drawn)], {"shots": max(recipe.instances)}
        for model in recipe.models:
            for data in recipe.replicates(seed):
                for tasks, keys in drawn.items():
                    factors: dict[str, Value] = {"model": model, "varied": "tasks", "amount": tasks}
                    yield collection_arm(recipe, model, data, factors, options=keys, adapt_options=most_shots)
                for shots in recipe.instances:
                    factors = {"model": model, "varied": "instances", "amount": shots}
                    yield collection_arm(recipe, model, data, factors, options=most, adapt_options={"shots": shots})

    def analyse(self, frame: Frame, recipe: ScalingRecipe) -> Findings:
        varied = measure(frame, "model", "varied", "amount", over="tasks").nested(amount=int)
        rows, fits = list(varied.rows), []
        checks: list[Check] = []
        ends: list[str] = []
        for (model, name), part in frame.by("model", "varied").items():
            # Every seed is a point of its own, so that the interval of the slope is one over trainings.
            line = _doublings([(float(arm.factors["amount"] or 0), run_score(part, arm)) for arm in part.arms()])
            fits.append((model, name, *_cells(line)))
            checks.append(above(f"each doubling of {name} helps {model}", line, source="Figure 5"))
            if name == "instances":
                means = {float(str(amount)): inner.mean() for (amount,), inner in part.by("amount").items()}
                ends.append(_end(str(model), saturation(means)))
        numbers = [int(str(amount)) for amount in frame.where(varied="tasks").values("amount")]
        if sizes := _sizes(frame.where(varied="tasks", amount=max(numbers))):
            rows += [
                ScoreRow({"model": _ANY, "varied": _SIZE, "amount": size}, part.mean()) for size, part in sizes.items()
            ]
            line = _doublings([(size, run_score(part, arm)) for size, part in sizes.items() for arm in part.arms()])
            fits.append((_ANY, _SIZE, *_cells(line)))
            checks.append(above("each doubling of the model helps", line, source="Figure 5"))
        scores = Scores(rows, "tasks")
        per_doubling = ("model", "varied", "per doubling", "low", "high", "r²", "points")
        return Findings(
            tables=[
                scores.table("ROUGE-L by amount", metric="ROUGE-L"),
                Table("Gain per doubling", per_doubling, tuple(fits), _FITTED),
                printed("superni", "figures").table(PAPER),
            ],
            figures=_plots(scores),
            checks=checks,
            sentences=[*too_weak(frame), *ends, *_traded(frame), *_left_out(recipe, numbers)],
        )


def _plots(scores: Scores) -> list[LinePlot]:
    """One plot for tasks, one for instances, and one for sizes where there are several."""
    return [
        LinePlot(
            title=f"ROUGE-L by {name}", x_name=name, y_name="ROUGE-L", scale="log", low=None, high=None,
            lines=tuple(Scores(rows, "tasks").lines("amount", "{model}")),
        )
        for name in ("tasks", "instances", _SIZE)
        if (rows := [row for row in scores.rows if row.key["varied"] == name])
    ]  # fmt: skip


def _within(recipe: ScalingRecipe, seed: int) -> list[int]:
    """The numbers of tasks that the collection has: ours has fewer than the published one (`-T suite=superni/en`)."""
    kept: list[int] = []
    for tasks in sorted(recipe.tasks):
        try:
            open_suite(recipe.suite, seed=seed, options={**recipe.options, "tasks": tasks})
        except UserError as error:
            if error.where != "tasks" or not kept:
                raise
            break
        kept.append(tasks)
    return kept


def _drawn(recipe: ScalingRecipe, seed: int, tasks: int) -> dict[str, int]:
    """The keys of so many training tasks; all of them are the collection itself, which other studies train on too."""
    keys = {"tasks": tasks}
    whole, part = (
        open_suite(recipe.suite, seed=seed, options={**recipe.options, **more}) for more in ({}, keys)
    )  # fmt: skip
    return {} if len(part.tasks) == len(whole.tasks) else keys


def _left_out(recipe: ScalingRecipe, numbers: Sequence[int]) -> list[str]:
    missing = sorted(set(recipe.tasks) - set(numbers))
    if not missing:
        return []
    return [f"{recipe.suite} has fewer than {missing[0]} training tasks: {', '.join(map(str, missing))} were left out."]


def _doublings(trained: Sequence[tuple[float, float]]) -> LeastSquares:
    return fit_log([amount for amount, _ in trained], [score for _, score in trained])


def _cells(line: LeastSquares) -> tuple[Value, ...]:
    # Any two trainings lie on a line, which therefore has no interval.
    numbers = (line.slope, line.slope_low, line.slope_high, line.r2)
    return (*(number if isfinite(number) else None for number in numbers), line.n)


def _sizes(frame: Frame) -> dict[float, Frame]:
    """The models by their billions of parameters, the smallest first; nothing where there is only one size."""
    found: dict[float, Frame] = {}
    for (model,), part in frame.by("model").items():
        size = parameters(str(model))
        if size is not None:
            found[size] = Frame([*found.get(size, ()), *part], frame.runs)
    return dict(sorted(found.items())) if len(found) > 1 else {}


def _end(model: str, end: float | None) -> str:
    if end is None:
        return f"{model}: no end of growth with instances is in sight."
    return f"{model}: more than {end:g} instances per task are not shown to help."


def _traded(frame: Frame) -> list[str]:
    """How many doublings of tasks are worth one of the model, where models of several sizes were asked."""
    points = [
        (float(str(amount)), size, part.mean().value)
        for (model, amount), part in frame.where(varied="tasks").by("model", "amount").items()
        for size in (parameters(str(model)),)
        if size is not None
    ]
    if len({size for _, size, _ in points}) < 2:
        return ["Tasks cannot be traded for the size of the model here: that takes models of several sizes (--model)."]
    try:
        found = trade(points)
    except UserError as error:
        return [f"Tasks cannot be traded for size here: {error.message}."]
    return [f"One doubling of the model is worth {found.rate:.2f} doublings of the tasks (r² = {found.r2:.2f})."]


SCALING = Scaling()

"""Questions whose support holds somebody giving something, after training on the original tasks (Table 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Value
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.studies.babi.common import PAPER, StoryRecipe, ask_arm, at_scale, published_name, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, Observation, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed

__all__ = ["GIVE", "Give", "has_give"]


_WITHOUT, _WITH = "without GIVE", "with GIVE"


def has_give(one: Observation) -> bool:
    """Whether a GIVE event is among the supporting facts."""
    return "give" in str(one.facets.get("composition") or "").split("+")


def _series(one: Observation) -> str:
    return _WITH if has_give(one) else _WITHOUT


class Give(Experiment):
    """Trained on concat(T7), asked mix(T7), by number of supporting facts and whether GIVE is among them."""

    name: ClassVar[str] = "babi/give"
    summary: ClassVar[str] = "do models compose GIVE events, whose places the original tasks never ask (Table 9)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": StoryRecipe(models=("tiny/entnet",), groups=("t7",), **{**at_scale("smoke"), "test": 60, "limit": 0}),
        "tiny": StoryRecipe(models=("tiny/bidaf",), groups=("t7",), **at_scale("tiny")),
        "paper": StoryRecipe(
            models=("tiny/bidaf", "hf/FacebookAI/roberta-large", "hf/google-t5/t5-base"),
            groups=("t7",),
            **at_scale("paper"),
        ),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: StoryRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for group in recipe.groups:
                for data in range(seed, seed + recipe.seeds):
                    base = train_arm(recipe, "concat", group, model, data, {"asked": "concat"})
                    yield ask_arm(recipe, base, "mix", group, asked="mix")

    def analyse(self, frame: Frame, recipe: StoryRecipe) -> Findings:
        table = printed("dyna-babi", "table-9")
        rows: list[tuple[Value, ...]] = []
        points, checks = [], []
        for (model,), part in frame.by("model").items():
            named = published_name(str(model))
            for (size,), inner in sorted(part.by("support_size").items(), key=lambda item: int(str(item[0][0]))):
                cells = inner.grouped(_series)
                for series in (series for series in (_WITHOUT, _WITH) if series in cells):
                    cell, give = cells[series], series == _WITH
                    mean, known = cell.over_seeds(), named in table.columns
                    paper = table.lookup(str(named), support=size, with_give=give) if known else None
                    rows.append((model, size, give, *estimate_cells(mean), None if paper is None else paper / 100))
                    place = f"{model}, {size} fact{'' if size == 1 else 's'}"
                    points.append(IntervalPoint(place, mean.value, mean.low, mean.high, mean.n, series))
                    if paper is not None:
                        share = paper / 100
                        points.append(IntervalPoint(place, share, share, share, 0, series, published=True))
            checks.append(_check(str(model), part))
        columns = ("model", "supporting facts", "with GIVE", "accuracy", "low", "high", "n", "published")
        return Findings(
            tables=[
                scored_table(
                    "Accuracy with and without GIVE", columns, rows, note=f"Published: {PAPER}, {table.where}."
                )
            ],
            figures=[
                IntervalPlot(
                    title="Questions with and without GIVE",
                    points=tuple(points),
                    axis="accuracy",
                    caption="Diamonds: the paper's model of that kind." if any(p.published for p in points) else "",
                )
            ],
            checks=[check for check in checks if check is not None],
        )


def _check(model: str, part: Frame) -> Check | None:
    """Compared at equal numbers of supporting facts: GIVE needs more of them."""
    sizes = {one.facets.get("support_size") for one in part if has_give(one)}
    both = part.where(lambda one: one.facets.get("support_size") in sizes)
    without, with_give = both.where(lambda one: not has_give(one)), both.where(has_give)
    if not without or not with_give:
        return None
    claim = f"{model} does worse with GIVE among the supporting facts than without it among as many"
    return above(claim, contrast(without, with_give), source="Table 9")


GIVE = Give()

"""Which elements of an instruction help, and does a model tuned on some understand others (Table 4)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Value
from taskloom.figures import HeatCell, HeatMap
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, contrast
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.superni.common import PAPER, CollectionRecipe, collection_arm, scale_of, too_weak

__all__ = ["ENCODINGS", "Encodings", "EncodingsRecipe"]

_ALL = (
    "task-id", "def", "pos1", "def-pos1", "pos2", "def-pos2", "def-pos2-neg2", "def-pos2-neg2-expl", "pos4", "def-pos4",
)  # fmt: skip


class EncodingsRecipe(CollectionRecipe, frozen=True, kw_only=True):
    """Settings of `superni/encodings`.

    Attributes:
        encodings: The encodings trained with and asked with.
    """

    encodings: tuple[str, ...] = _ALL


class Encodings(Experiment):
    """One training per encoding, asked with all of them."""

    name: ClassVar[str] = "superni/encodings"
    summary: ClassVar[str] = "which elements of instructions help, and do models tuned on some understand others?"
    paper: ClassVar[str] = f"{PAPER}, Table 4"
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": EncodingsRecipe(encodings=("def", "pos1"), **scale_of("smoke")),
        "tiny": EncodingsRecipe(encodings=("def", "pos1"), **scale_of("tiny")),
        "paper": EncodingsRecipe(**scale_of("paper")),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: EncodingsRecipe, seed: int) -> Iterator[Arm]:
        for model in recipe.models:
            for data in range(seed, seed + recipe.seeds):
                for trained in recipe.encodings:
                    factors: dict[str, Value] = {"model": model, "trained": trained, "asked": trained}
                    base = collection_arm(recipe, model, data, factors, encoding=f"superni/{trained}")
                    yield base
                    for asked in recipe.encodings:
                        if asked != trained:
                            other = {**factors, "asked": asked}
                            yield collection_arm(recipe, model, data, other, after=base, encoding=f"superni/{asked}")

    def analyse(self, frame: Frame, recipe: EncodingsRecipe) -> Findings:
        table = printed("superni", "table-4")
        rows: list[tuple[Value, ...]] = []
        figures, checks = [], []
        for (model,), part in frame.by("model").items():
            cells = []
            for (trained, asked), inner in part.by("trained", "asked").items():
                mean = inner.mean()
                rows.append(
                    (model, trained, asked, *estimate_cells(mean), table.lookup(str(asked), trained=trained) / 100)
                )
                cells.append(
                    HeatCell(str(trained), str(asked), mean.value, mean.low, mean.high, mean.n, trained == asked)
                )
            order = {name: place for place, name in enumerate(recipe.encodings)}
            cells.sort(key=lambda cell: (order[cell.row], order[cell.column]))
            figures.append(
                HeatMap(title=f"Trained and asked encodings: {model}", cells=tuple(cells), row_name="trained with",
                        column_name="asked with", caption="Frames: trained and asked with the same encoding.")
            )  # fmt: skip
            for first, second in (("def", "pos1"), ("def", "pos2"), ("pos2", "def"), ("pos1", "def")):
                own = part.where(trained=first, asked=first)
                crossed = part.where(trained=second, asked=first)
                if own and crossed:
                    claim = f"{model} asked with {first} does better trained with {first} than with {second}"
                    checks.append(above(claim, contrast(own, crossed), source="Table 4"))
        columns = ("model", "trained", "asked", "ROUGE-L", "low", "high", "n", "published")
        note = f"Published: {PAPER}, {table.where}. {table.note}"
        return Findings(
            tables=[
                scored_table("Trained and asked encodings", columns, rows, metric="ROUGE-L", over="tasks", note=note)
            ],
            figures=figures,
            checks=checks,
            sentences=too_weak(frame),
        )


ENCODINGS = Encodings()

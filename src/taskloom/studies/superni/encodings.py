"""Which elements of an instruction help, and does a model tuned on some understand others (Table 4)?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

from taskloom.core.study import Value
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import Keys, expected, measure
from taskloom.studies.superni.common import PAPER, CollectionRecipe, collection_arm, scale_of, too_weak

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

    def grid(self, recipe: EncodingsRecipe, seed: int) -> Iterator[Arm]:
        for model, data, trained in product(recipe.models, recipe.replicates(seed), recipe.encodings):
            factors: dict[str, Value] = {"model": model, "trained": trained, "asked": trained}
            base = collection_arm(recipe, model, data, factors, encoding=f"superni/{trained}")
            yield base
            for asked in recipe.encodings:
                if asked != trained:
                    other = {**factors, "asked": asked}
                    yield collection_arm(recipe, model, data, other, after=base, encoding=f"superni/{asked}")

    def analyse(self, frame: Frame, recipe: EncodingsRecipe) -> Findings:
        table = printed("superni", "table-4")

        def paper(key: Keys) -> float | None:
            return table.share(key["asked"], trained=key["trained"])

        place = {name: number for number, name in enumerate(recipe.encodings)}.__getitem__
        maps = [
            measure(part, "trained", "asked", over="tasks")
            .nested(trained=place, asked=place)
            .heat(
                f"Trained and asked encodings: {model}", "trained", "asked", lambda key: key["trained"] == key["asked"],
                row_name="trained with", column_name="asked with",
                caption="Frames: trained and asked with the same encoding.",
            )
            for (model,), part in frame.by("model").items()
        ]  # fmt: skip
        checks: list[Check] = []
        for first, second in (("def", "pos1"), ("def", "pos2"), ("pos2", "def"), ("pos1", "def")):
            checks += expected(
                frame.where(asked=first),
                f"{{model}} asked with {first} does better trained with {first} than with {second}",
                "model", more={"trained": first}, less={"trained": second}, source="Table 4",
            )  # fmt: skip
        scores = measure(frame, "model", "trained", "asked", over="tasks", published=paper)
        note = f"Published: {PAPER}, {table.where}. {table.note}"
        return Findings(
            tables=[scores.table("Trained and asked encodings", metric="ROUGE-L", note=note)],
            figures=maps,
            checks=checks,
            sentences=too_weak(frame),
        )


ENCODINGS = Encodings()

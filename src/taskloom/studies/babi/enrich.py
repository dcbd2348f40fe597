"""What richer training stories do for mixtures: inject against diverse (Table 4), by composition (Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, ClassVar

from taskloom.core.study import Table, Value
from taskloom.figures import HeatMap
from taskloom.studies.babi.common import PAPER, StoryStudyRecipe, ask_arm, at_scale, train_arm
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, estimate_cells, scored_table
from taskloom.studies.frame import Frame, Observation
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.published import printed
from taskloom.studies.scores import Keys, Scores, expected, measure


class EnrichRecipe(StoryStudyRecipe, frozen=True, kw_only=True):
    """Settings of `babi/enrich`.

    Attributes:
        kinds: The training splits compared.
        length: The fewest and the most sentences of diverse and mixed stories; empty for the published lengths.
    """

    kinds: tuple[str, ...] = ("concat", "inject", "diverse")
    length: tuple[int, ...] = ()

    def sizes(self, kind: str) -> dict[str, Any]:
        """Recipe keys of a split of this size; only stories that are drawn freely have a length to choose."""
        sizes = super().sizes(kind)
        return {**sizes, "length": list(self.length)} if self.length and kind in ("diverse", "mix") else sizes


_LEARNED = 0.5
"""The share of a split's own test stories from which training on it may be said to have worked."""


def support_class(one: Observation) -> str:
    """The column of Table 4 that a question belongs to."""
    size = int(one.facets.get("support_size") or 0)
    return str(size) if size < 3 else "3+"


_PANELS = ("at most 2", "3", "4 or more")


def _panel(one: Observation) -> str:
    size = int(one.facets.get("support_size") or 0)
    return _PANELS[min(max(size, 2), 4) - 2]


class Enrich(Experiment):
    """Trained on concat, inject and diverse; asked concat and mix."""

    name: ClassVar[str] = "babi/enrich"
    summary: ClassVar[str] = "do injected questions or diverse stories teach mixtures (Table 4, Figure 3)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": EnrichRecipe(models=("tiny/entnet",), kinds=("concat", "diverse"), **at_scale("smoke")),
        "tiny": EnrichRecipe(models=("tiny/bidaf",), groups=("t7",), length=(6, 10), **at_scale("tiny")),
        "paper": EnrichRecipe(models=("hf/google-t5/t5-base",), groups=("t7", "t12"), **at_scale("paper")),
    }

    def grid(self, recipe: EnrichRecipe, seed: int) -> Iterator[Arm]:
        for model, group, data in product(recipe.models, recipe.groups, recipe.replicates(seed)):
            for kind in recipe.kinds:
                base = train_arm(recipe, kind, group, model, data, {"asked": "own"})
                yield base
                for asked in ("concat", "mix"):
                    yield ask_arm(recipe, base, asked, group, asked=asked)

    def analyse(self, frame: Frame, recipe: EnrichRecipe) -> Findings:
        asked = frame.where(lambda one: one.value("asked") != "own")
        checks: list[Check] = []
        for better, worse in (("diverse", "concat"), ("diverse", "inject"), ("inject", "concat")):
            checks += expected(
                asked.where(asked="mix"), f"{{model}} does better on mix({{group}}) after {better} than after {worse}",
                "model", "group", more={"trained": better}, less={"trained": worse}, source="Table 4",
            )  # fmt: skip
        tables = [_by_support(asked), _disjunctions(asked)]
        return Findings(
            tables=[table for table in tables if table.rows],
            figures=_panels(frame),
            checks=checks,
            sentences=_unlearned(frame),
        )


def _unlearned(frame: Frame) -> list[str]:
    """A sentence for each training split whose own test stories are mostly answered wrong: it was not learned."""
    said = []
    for (model, group, kind), part in frame.where(asked="own").by("model", "group", "trained").items():
        right = part.over_seeds().value
        if right < _LEARNED:
            said.append(
                f"{model} has not learned {kind}({group}): {right:.2f} of its own test stories are answered right, so "
                "they may teach more than can be seen here."
            )
    return said


def _by_support(frame: Frame) -> Table:
    table = printed("dyna-babi", "table-4")

    def paper(key: Keys) -> float | None:
        return table.share(key["support"], trained=key["trained"], group=key["group"], asked=key["asked"])

    names = ("model", "group", "trained", "asked")
    by_size = measure(frame, *names, computed={"support": support_class}, published=paper)
    whole = measure(frame, *names, computed={"support": lambda _: "total"}, published=paper)
    scores = Scores([*by_size.rows, *whole.rows], "seeds", compared=True).nested(support=str)
    note = f"Published: T5 in {PAPER}, {table.where}."
    return scores.table("Accuracy by number of supporting facts", note=note)


def _disjunctions(frame: Frame) -> Table:
    doubles = frame.where(lambda one: bool(one.facets.get("double_disjunction")))
    rows: list[tuple[Value, ...]] = []
    for (model, group, kind), part in doubles.by("model", "group", "trained").items():
        maybe = sum(str(one.record.answer).lower() == "maybe" for one in part) / len(part)
        rows.append((model, group, kind, *estimate_cells(part.over_seeds()), maybe))
    columns = ("model", "group", "trained", "accuracy", "low", "high", "n", "answered maybe")
    note = f"{PAPER}, appendix A.7: T5 invariably answers maybe."
    return scored_table("Double disjunctions", columns, rows, note=note)


def _panels(frame: Frame) -> list[HeatMap]:
    """Figure 3 for each model, group and training split: support composition by question type."""
    figures = []
    for (model, group, kind), part in frame.by("model", "group", "trained").items():
        trained = {one.value("composition") for one in part.where(asked="own")}
        mixed = part.where(asked="mix")
        questions = tuple(sorted(map(str, mixed.values("question"))))
        panels = mixed.grouped(_panel)
        for name in (name for name in _PANELS if name in panels):
            scores = measure(panels[name], "composition", "question").nested(composition=str, question=str)
            figures.append(
                scores.heat(
                    f"{model} after {kind}({group}) on mix: {name} supporting facts", "composition", "question",
                    lambda key, trained=trained: key["composition"] in trained, column_order=questions,  # type: ignore[misc]
                    row_name="support composition", column_name="question",
                    caption="Frames: compositions that the training split's own test stories have too.",
                )
            )  # fmt: skip
    return figures


ENRICH = Enrich()

"""What is memorised, and how fast: lexical, factual and random pairs by two paradigms (Figures 2 and 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from taskloom.adapt.curves import Point
from taskloom.core import Recipe
from taskloom.core.study import Table, Value
from taskloom.figures import Line, LinePlot, LinePoint
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Findings, above, below, estimate_cells
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.taskbench.common import PAPER, WordRecipe, paradigm_options, scale_of

__all__ = ["MEMORISE", "Memorise", "MemoriseRecipe", "best"]

_FACTORS = ("model", "adaptation", "labels", "kind")


class MemoriseRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/memorise`.

    Attributes:
        tasks: Tasks by kind.
        adaptations: The paradigms compared.
        labels: original, or permuted: every input has the answers of another, so that nothing but memory helps.
        pairs: Pairs to memorise.
    """

    tasks: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=lambda: {"lexical": ("antonyms[eng]", "synonyms[eng]"), "random": ("random-seed0[eng]",)}
    )
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")
    labels: tuple[str, ...] = ("original",)
    pairs: int = 1000


class Memorise(Experiment):
    """Training pairs known along training, by kind of task and paradigm."""

    name: ClassVar[str] = "taskbench/memorise"
    summary: ClassVar[str] = "which pairs does fine-tuning memorise, and which prompt-tuning (Figures 2 and 6)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": MemoriseRecipe(
            models=("tiny/t5-1m",), tasks={"random": ("random-seed0[eng]",)}, pairs=40, **scale_of("smoke")
        ),
        "tiny": MemoriseRecipe(models=("tiny/t5-1m",), **{**scale_of("tiny"), "updates": 600}),
        "paper": MemoriseRecipe(
            models=("hf/google/t5-v1_1-base",),
            labels=("original", "permuted"),
            tasks={
                "lexical": ("antonyms[eng]", "synonyms[eng]", "hyponyms[eng]", "translate[eng->spa]"),
                "factual": ("child", "creator", "occupation", "place of birth"),
                "random": ("random-seed0[eng]", "random-seed1[eng]", "random-seed2[eng]", "random-seed3[eng]"),
            },
            **scale_of("paper"),
        ),
    }
    recipe: ClassVar[Recipe] = scales["tiny"]

    def grid(self, recipe: MemoriseRecipe, seed: int) -> Iterator[Arm]:
        named = [(kind, task) for kind, tasks in recipe.tasks.items() for task in tasks]
        for model in recipe.models:
            for labels in recipe.labels:
                for kind, task in named:
                    for adapt in recipe.adaptations:
                        for data in range(seed, seed + recipe.seeds):
                            yield _arm(recipe, model, adapt, labels, kind, task, data)

    def analyse(self, frame: Frame, recipe: MemoriseRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        lines, checks = [], []
        for key, curves in frame.curves(*_FACTORS).items():
            known, new = over_seeds([best(curve, "train") for curve in curves]), frame.where(**_named(key)).mean()
            rows.append((*key, *estimate_cells(known), *estimate_cells(new)))
            name = ", ".join(str(part) for part in key[1:])
            lines += [Line(name, _course(curves, split), dashed=split == "test") for split in ("train", "test")]
            if key[2:] == ("original", "random"):
                if key[1] == "finetune":
                    claim = f"fine-tuning {key[0]} memorises random pairs"
                    checks.append(above(claim, known, 0.9, source="Figure 2"))
                elif key[1] == "prompt-tune":
                    claim = f"prompt-tuning {key[0]} does not memorise random pairs"
                    checks.append(below(claim, known, 0.5, source="Figure 2"))
        columns = (*_FACTORS, "pairs known", "low", "high", "curves", "test", "test low", "test high", "test n")
        figure = LinePlot(
            title="Memorising along training", lines=tuple(line for line in lines if line.points), x_name="updates",
            y_name="score", caption="Full lines: the pairs trained on; dashed: other inputs of the same task.",
        )  # fmt: skip
        note = "Pairs known: the best score on the training pairs, over seeds and tasks."
        return Findings(
            tables=[Table("What was memorised", columns, tuple(rows), note)], figures=[figure], checks=checks
        )


def _named(key: tuple[Value, ...]) -> dict[str, Any]:
    return dict(zip(_FACTORS, key, strict=True))


def best(curve: Sequence[Point], split: str) -> float:
    """The best score that a curve reaches on a split."""
    return max((point.scores[split] for point in curve if split in point.scores), default=0.0)


def _course(curves: Sequence[Sequence[Point]], split: str) -> tuple[LinePoint, ...]:
    """The mean of several curves at the updates that all of them have."""
    scores: dict[int, list[float]] = {}
    for curve in curves:
        for point in curve:
            if split in point.scores:
                scores.setdefault(point.update, []).append(point.scores[split])
    means = {update: over_seeds(values) for update, values in scores.items() if len(values) == len(curves)}
    return tuple(LinePoint(update, m.value, m.low, m.high, m.n) for update, m in sorted(means.items()))


def _arm(recipe: MemoriseRecipe, model: str, adapt: str, labels: str, kind: str, task: str, seed: int) -> Arm:
    fields = paradigm_options(recipe, adapt, model)
    # Other words cannot be known, so there is nothing that a dev split could choose by.
    fields["adapt_options"] |= {"keep": "train", "dev": "none", "holdout": 0.0, "evaluate_limit": recipe.pairs}
    return Arm(
        factors={"model": model, "adaptation": adapt, "labels": labels, "kind": kind, "task name": task},
        suite=f"taskbench/{task}",
        options={"train": recipe.pairs, "dev": 0, "permuted": labels == "permuted"},
        seed=seed,
        run=recipe.settings(model, seed, **fields),
    )


MEMORISE = Memorise()

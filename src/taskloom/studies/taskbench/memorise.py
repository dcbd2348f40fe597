"""What is memorised, and how fast: lexical, factual and random pairs by two paradigms (Figures 2 and 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from taskloom.adapt.curves import Point
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.families.taskbench.published import names
from taskloom.figures import Line, LinePlot, LinePoint
from taskloom.studies.analysis.seeds import over_seeds
from taskloom.studies.experiment import Experiment
from taskloom.studies.findings import Check, Findings, above, below, estimate_cells, scored_table
from taskloom.studies.frame import Frame
from taskloom.studies.grid import Arm, GridRecipe, Scale
from taskloom.studies.taskbench.common import PAPER, WordRecipe, paradigm_options, scale_of

_FACTORS = ("model", "start", "adaptation", "labels", "kind")


_LABELS = ("original", "permuted")


def _atoms(kind: str) -> tuple[str, ...]:
    """The atomic tasks of a kind, as Table 4 lists them."""
    listed = set(names("atomic"))
    return tuple(name for name in names(kind) if name in listed)


class MemoriseRecipe(WordRecipe, frozen=True, kw_only=True):
    """Settings of `taskbench/memorise`.

    Attributes:
        tasks: Tasks by kind.
        adaptations: The paradigms compared.
        conditions: How weights start (pretrained, untrained) and which labels are learned: original, or permuted, where
            every input has the answers of another, so that nothing but memory helps. Random pairs are never permuted.
        pairs: Pairs to memorise.
        pretraining: Updates of pre-training of a tiny model that starts pretrained.
    """

    tasks: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=lambda: {"lexical": ("antonyms[eng]", "synonyms[eng]"), "random": ("random-seed0[eng]",)}
    )
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")
    conditions: tuple[tuple[str, str], ...] = (("untrained", "original"),)
    pairs: int = 1000
    pretraining: int = 1500


class Memorise(Experiment):
    """Training pairs known along training, by kind of task and paradigm."""

    name: ClassVar[str] = "taskbench/memorise"
    summary: ClassVar[str] = "which pairs does fine-tuning memorise, and which prompt-tuning (Figures 2 and 6)?"
    paper: ClassVar[str] = PAPER
    scales: ClassVar[Mapping[Scale, GridRecipe]] = {
        "smoke": MemoriseRecipe(
            models=("tiny/t5-1m",), tasks={"random": ("random-seed0[eng]",)}, pairs=40, **scale_of("smoke")
        ),
        "tiny": MemoriseRecipe(
            models=("tiny/t5-1m",),
            conditions=tuple((start, labels) for start in ("untrained", "pretrained") for labels in _LABELS),
            tasks={"lexical": ("synonyms[eng]",), "random": ("random-seed0[eng]",)},
            pairs=50,
            pretraining=100,
            **{**scale_of("tiny"), "updates": 80, "limit": 50},
        ),
        "paper": MemoriseRecipe(
            models=("hf/google/t5-v1_1-base",),
            conditions=(("pretrained", "original"), ("pretrained", "permuted"), ("untrained", "permuted")),
            tasks={kind: _atoms(kind) for kind in ("lexical", "factual", "random")},
            **scale_of("paper"),
        ),
    }

    def grid(self, recipe: MemoriseRecipe, seed: int) -> Iterator[Arm]:
        named = [(kind, task) for kind, tasks in recipe.tasks.items() for task in tasks]
        for model in recipe.models:
            for start, labels in recipe.conditions:
                for kind, task in named:
                    if kind == "random" and labels == "permuted":
                        continue  # they are as good as permuted already
                    for adapt in recipe.adaptations:
                        for data in recipe.replicates(seed):
                            factors: dict[str, Value] = dict(
                                zip(_FACTORS, (model, start, adapt, labels, kind), strict=True)
                            )
                            yield _arm(recipe, factors, task, data)

    def prepare(self, recipe: MemoriseRecipe) -> None:
        """Pre-train the tiny models that start pretrained; what the cache has is not made again."""
        if any(start == "pretrained" for start, _ in recipe.conditions):
            from taskloom.models.tiny.pretrain import Pretraining, pretrain

            for model in recipe.models:
                if model.startswith("tiny/"):
                    pretrain(model.removeprefix("tiny/"), Pretraining(steps=recipe.pretraining), 0)

    def analyse(self, frame: Frame, recipe: MemoriseRecipe) -> Findings:
        rows: list[tuple[Value, ...]] = []
        lines: dict[str, list[Line]] = {}
        known: dict[tuple[Value, ...], Estimate] = {}
        for key, curves in frame.curves(*_FACTORS).items():
            model, start, adapt, labels, kind = key
            known[key] = over_seeds([best(curve, "train") for curve in curves], recipe.pairs)
            new = frame.where(**dict(zip(_FACTORS, key, strict=True))).over_seeds()
            rows.append((*key, *estimate_cells(known[key]), *estimate_cells(new)))
            drawn = [
                Line(f"{adapt}, {kind}", _course(curves, split), dashed=split == "test") for split in ("train", "test")
            ]
            lines.setdefault(f"{model}, {start}, {labels} labels", []).extend(line for line in drawn if line.points)
        columns = (*_FACTORS, "pairs known", "low", "high", "curves", "test", "test low", "test high", "test n")
        figures = [
            LinePlot(
                title=f"Memorising along training: {name}", lines=tuple(drawn), x_name="updates", y_name="score",
                caption="Full lines: the pairs trained on; dashed: other inputs of the same task. "
                "A line that ends early had nothing left to learn.",
            )
            for name, drawn in lines.items()
        ]  # fmt: skip
        note = "Pairs known: the best score on the training pairs along training."
        table = scored_table("What was memorised", columns, rows, metric="right answers", note=note)
        return Findings(tables=[table], figures=figures, checks=_checks(known))


def _checks(known: Mapping[tuple[Value, ...], Estimate]) -> list[Check]:
    """What Figure 2 says of random pairs, and Figure 6 of permuted labels."""
    checks = []
    for (model, start, adapt, labels, kind), found in known.items():
        if kind != "random" and labels != "permuted":
            continue
        what = "random pairs" if kind == "random" else f"permuted {kind} pairs"
        source = "Figure 2" if kind == "random" else "Figure 6"
        if adapt == "finetune":
            checks.append(above(f"fine-tuning {start} {model} memorises {what}", found, 0.9, source=source))
        elif adapt == "prompt-tune":
            checks.append(below(f"prompt-tuning {start} {model} does not memorise {what}", found, 0.5, source=source))
    return checks


def best(curve: Sequence[Point], split: str) -> float:
    """The best score that a curve reaches on a split."""
    return max((point.scores[split] for point in curve if split in point.scores), default=0.0)


def _course(curves: Sequence[Sequence[Point]], split: str) -> tuple[LinePoint, ...]:
    """The mean of several curves; one that ended early, as nothing was left to learn, keeps its last score."""
    scored = [{point.update: point.scores[split] for point in curve if split in point.scores} for curve in curves]
    if not all(scored):
        return ()
    asked = min(point.counts.get(split, 0) for curve in curves for point in curve if split in point.scores)
    updates = sorted({update for one in scored for update in one})
    means = {u: over_seeds([one[max(seen for seen in one if seen <= u)] for one in scored], asked) for u in updates}
    return tuple(LinePoint(update, m.value, m.low, m.high, m.n) for update, m in means.items())


def _arm(recipe: MemoriseRecipe, factors: dict[str, Value], task: str, seed: int) -> Arm:
    model, adapt = str(factors["model"]), str(factors["adaptation"])
    fields = paradigm_options(recipe, adapt, model)
    if factors["start"] == "pretrained" and model.startswith("tiny/"):
        fields["model_options"] = {"pretrained": str(recipe.pretraining)}
    elif factors["start"] == "untrained" and model.startswith("hf/"):
        fields["model_options"] = {"fresh": True, "seed": seed}
    # Other words cannot be known, so there is nothing that a dev split could choose by.
    fields["adapt_options"] |= {"keep": "train", "dev": "none", "holdout": 0.0, "evaluate_limit": recipe.pairs}
    return Arm(
        factors={**factors, "task name": task},
        suite=f"taskbench/{task}",
        options={
            **recipe.suite_options,
            "train": recipe.pairs,
            "dev": 0,
            "permuted": factors["labels"] == "permuted",
        },
        seed=seed,
        run=recipe.settings(model, seed, **fields),
    )


MEMORISE = Memorise()

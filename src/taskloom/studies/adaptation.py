"""What small models learn, and where it ends: memorising, transfer between stories, systematicity.

Each study adapts a model that fits on a laptop and prints one table. With `-o` the curves, checkpoints
and results stay there, and the same command continues what was broken off.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.adapt.curves import read_curve
from taskloom.core import Recipe, Suite, digest, open_suite, unknown_name
from taskloom.core.model import open_model
from taskloom.core.study import Study, Table, Value
from taskloom.studies.fitting import SETTLING, FittingRecipe, answer, estimate, fit, home, scores

__all__ = ["MEMORISE", "SYSTEMATICITY", "TRANSFER", "Memorise", "Systematicity", "Transfer"]


class MemoriseRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `adapt/memorise`.

    Attributes:
        suite: What is memorised; by default 1,000 random word pairs.
        model: The model, the same for every adaptation.
        tokenizer: The vocabulary of a tiny model: whole words make a pair one token each.
        adaptations: Which adaptations are compared.
        epochs: Passes over the pairs.
        evaluate_epochs: Passes between evaluations.
        batch: Pairs per update.
        tokens: Virtual tokens of prompt-tuning.
    """

    suite: str = "taskbench/random-seed0[eng]"
    model: str = "tiny/t5-5m"
    tokenizer: str = "words"
    adaptations: tuple[str, ...] = ("finetune", "prompt-tune")
    epochs: float = 24.0
    evaluate_epochs: float = 3.0
    batch: int = 64
    tokens: int = 20


class Memorise(Study):
    """Figure 2 of TaskBench500 in small: fine-tuning memorises what prompt-tuning cannot."""

    summary: ClassVar[str] = "1,000 random word pairs: fine-tuning memorises them, prompt-tuning does not"
    recipe: ClassVar[Recipe] = MemoriseRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, MemoriseRecipe)
        suite = open_suite(recipe.suite, seed=seed)
        rows: list[tuple[Value, ...]] = []
        with home(out) as folder:
            for name in recipe.adaptations:
                options: dict[str, Any] = {
                    "epochs": recipe.epochs,
                    "evaluate_epochs": recipe.evaluate_epochs,
                    "batch": recipe.batch,
                    "evaluate_limit": 1000,
                    "max_output": 8,
                    "keep": "train",
                    # Other words cannot be known, so there is nothing a dev split could choose by.
                    "dev": "none",
                    "holdout": 0.0,
                }
                if name == "prompt-tune":
                    options["tokens"] = recipe.tokens
                given = {"tokenizer": recipe.tokenizer} if recipe.model.startswith("tiny/") else {}
                _, result = fit(open_model(recipe.model, given), suite, name, options, folder / name, seed)
                to = result.updates_to["train"]
                last = read_curve(folder / name / "curve.jsonl")[-1]
                rows.append(
                    (name, result.best["train"], result.final.get("test"), last.counts["train"], result.updates,
                     to["0.5"], to["0.99"], result.wall, result.cpu)
                )  # fmt: skip
        columns = ("adaptation", "train", "test", "pairs", "updates", "to 50 %", "to 99 %", "seconds", "CPU seconds")
        note = f"{recipe.model} on {suite.name}; train is the best score on the pairs, test the last on other words"
        return [Table("Memorising random word pairs", columns, tuple(rows), note)]


class TransferRecipe(FittingRecipe, frozen=True, kw_only=True):
    """Settings of `adapt/transfer`.

    Attributes:
        train: The suite that is learned.
        others: Suites whose test rows are asked afterwards.
        model: A memory network (`tiny/entnet`, `tiny/stm`) or a classifier (`packaged/minilm`, with
            `learning_rate=2e-4`).
    """

    train: str = "babi/task-1"
    others: tuple[str, ...] = ("babi/mix-t2", "babi/mix-t7")
    model: str = "tiny/entnet"
    shots: int = 3000
    updates: int = 750
    batch: int = 32
    learning_rate: float = 0.01


class Transfer(Study):
    """Table 3 of Dyna-bAbI in small: what one task teaches does not carry over to mixtures."""

    summary: ClassVar[str] = "a classifier solves bAbI task 1 and falls off on mixtures of the same concepts"
    recipe: ClassVar[Recipe] = TransferRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, TransferRecipe)
        learned = open_suite(recipe.train, seed=seed)
        suites = [learned, *(_same_words(name, learned, seed) for name in recipe.others)]
        # An encoder needs one head for the answers of all suites; a memory network collects its own.
        memory = recipe.model in ("tiny/entnet", "tiny/stm")
        given: dict[str, Any] = {} if memory else {"labels": _answers(suites)}
        rows: list[tuple[Value, ...]] = []
        with home(out) as folder:
            model, result = fit(
                open_model(recipe.model, given), learned, "finetune", recipe.training(8), folder / "model", seed
            )
            for suite in suites:
                rows.append((suite.name, "all", *estimate(scores(answer(model, suite, recipe.limit)))))
                if len(suite.tasks) > 1:
                    rows += [
                        (suite.name, task, *estimate(scores(answer(model, suite, recipe.limit, tasks=[task]))))
                        for task in suite.tasks
                    ]
        spent = f"{result.wall:.0f} s, {result.cpu:.0f} CPU s"
        note = f"{recipe.model} after {result.updates} updates on {recipe.train} ({spent})"
        return [
            Table("Learned here, asked there", ("asked", "questions", "score", "low", "high", "n"), tuple(rows), note)
        ]


class SystematicityRecipe(FittingRecipe, frozen=True, kw_only=True):
    """Settings of `adapt/systematicity`.

    Attributes:
        suites: Each is trained on and tested by itself.
        settings: Keys of the suites' recipes. With few sentence pairs a small model finds shortcuts in them.
        by: Facets whose combinations are distinguished in the second table.
        seeds: How often everything is repeated, with this seed and the following ones.
        model: A classifier.
    """

    suites: tuple[str, ...] = ("seti/task2-trivial", "seti/task2-nontrivial")
    settings: dict[str, Any] = msgspec.field(default_factory=lambda: {"size": "paper"})
    by: tuple[str, ...] = ("veridical", "natural", "natural_entailed")
    seeds: int = 1
    model: str = "packaged/minilm"
    shots: int = 16_000
    updates: int = 600
    batch: int = 32
    learning_rate: float = 1e-4
    limit: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.suites:
            raise ValueError("suites needs at least one")
        if self.seeds < 1:
            raise ValueError(f"seeds is 1 or more, not {self.seeds}")


class Systematicity(Study):
    """Figure 1b of SETI in small: known compositions are easy, unseen ones are not."""

    summary: ClassVar[str] = "SETI task 2: a classifier solves the trivial setting, not the non-trivial one"
    recipe: ClassVar[Recipe] = SystematicityRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, SystematicityRecipe)
        # Development data has the compositions of training: it is soon solved and cannot choose any more.
        options = {**recipe.training(6), **SETTLING, "evaluate_limit": 120, "keep": "last"}
        rows: list[tuple[Value, ...]] = []
        cells: dict[tuple[str, ...], list[float]] = {}
        with home(out) as folder:
            for name, number in product(recipe.suites, range(seed, seed + recipe.seeds)):
                suite = open_suite(name, seed=number, options=recipe.settings)
                for facet in recipe.by:
                    if facet not in suite.facets:
                        raise unknown_name("facet", facet, suite.facets, where=f"{name}: by")
                place = folder / f"{name.replace('/', '-')}-{digest(name).hex()[:6]}-{number}"
                model, result = fit(open_model(recipe.model), suite, "finetune", options, place, number)
                answered = answer(model, suite, recipe.limit)
                values = scores(answered)
                spent = (result.updates, result.wall, result.cpu)
                rows.append((name, number, result.best["dev"], *estimate(values), *spent))
                for (request, _), score in zip(answered, values, strict=True):
                    key = (name, *(str(request.instance.facets.get(facet, "")) for facet in recipe.by))
                    cells.setdefault(key, []).append(score)
        columns = ("suite", "seed", "dev", "test", "low", "high", "n", "updates", "seconds", "CPU seconds")
        note = f"{recipe.model}; dev has the compositions of the training data, test has new ones"
        parts: tuple[tuple[Value, ...], ...] = tuple(
            (*key, sum(scores) / len(scores), len(scores)) for key, scores in sorted(cells.items())
        )
        return [
            Table("Systematicity in textual inference", columns, tuple(rows), note),
            Table("Which compositions", ("suite", *recipe.by, "score", "n"), parts, "test rows of all seeds"),
        ]


def _same_words(name: str, other: Suite, seed: int) -> Suite:
    """A suite that speaks the other's words, where it can: then new is only what is made of them."""
    words = other.recipe.get("vocabulary")
    known = "vocabulary" in open_suite(name, seed=seed).recipe
    return open_suite(name, seed=seed, options={"vocabulary": words} if known and words is not None else None)


def _answers(suites: Sequence[Suite]) -> list[str]:
    """Every answer of the suites: the labels of their tasks, or those their rows have."""
    found: dict[str, None] = {}
    for suite in suites:
        found.update(dict.fromkeys(label for task in suite.tasks.values() for label in task.labels))
        opened = {name for name, task in suite.tasks.items() if not task.labels}
        for split in suite.splits if opened else ():
            answers = (row.instance.targets.canonical() for row in suite.rows(split) if row.task in opened)
            found.update(dict.fromkeys(answers))
    return sorted(found)


MEMORISE = Memorise()
TRANSFER = Transfer()
SYSTEMATICITY = Systematicity()

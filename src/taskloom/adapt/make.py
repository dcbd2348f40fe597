"""Adaptations by name, with options and the recipes of papers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import msgspec

from taskloom.core import (
    Example,
    Instance,
    Suite,
    Task,
    UserError,
    content_hash,
    ensure_known,
    input_hash,
    keyed_random,
    resolve,
)
from taskloom.core.adaptation import Adaptation
from taskloom.core.catalog import ADAPTATIONS
from taskloom.core.decode import read_toml
from taskloom.core.encoding import Encoding, Prompt, Tokenizer
from taskloom.core.model import Model


class NoAdaptation(Adaptation, frozen=True, kw_only=True):
    """Leaves the model alone; the same object comes back."""

    name: ClassVar[str] = "none"
    summary: ClassVar[str] = "the model unchanged"


NONE = NoAdaptation()


DECIDING = (
    "optimiser", "learning_rate", "weight_decay", "schedule", "warmup", "batch", "epochs", "clip", "label_smoothing",
    "dropout", "targets", "max_input", "max_output",
)  # fmt: skip
"""The options that decide what a model learns; every recipe has a value for each of them."""


class PaperRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of one paper.

    Attributes:
        source: The paper, and where in it the values stand.
        settings: Options by adaptation, as the paper states them.
        filled: The kind of model whose usual values serve where the paper states none.
        fill: Values that are usual for this very model.
        remarks: What the paper leaves open and why it is filled as it is, or what it says differently elsewhere.
    """

    source: str
    settings: dict[str, dict[str, Any]]
    filled: str
    fill: dict[str, Any] = {}
    remarks: str = ""


class PaperRecipes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All recipes, and the usual values of kinds of models that fill what a paper leaves open."""

    usual: dict[str, dict[str, Any]]
    recipes: dict[str, PaperRecipe]


@cache
def paper_recipes() -> PaperRecipes:
    """What `recipes.toml` says."""
    return read_toml(Path(__file__).with_name("recipes.toml"), type=PaperRecipes)


def _usual(kind: str) -> dict[str, Any]:
    own = dict(paper_recipes().usual[kind])
    return {**_usual(own.pop("like")), **own} if "like" in own else own


def named_recipe(name: str, adaptation: str) -> Mapping[str, Any]:
    """The options of a named recipe for one adaptation.

    Raises:
        UserError: No such recipe, or the paper did not use this adaptation.
    """
    recipes = paper_recipes().recipes
    ensure_known("recipe", name, recipes, where=f"adaptation {adaptation}")
    recipe = recipes[name]
    if adaptation not in recipe.settings:
        used = " and ".join(recipe.settings)
        raise UserError(
            f"recipe {name!r} is about {used}, not {adaptation}", hint=f"--adapt {next(iter(recipe.settings))}"
        )
    return {**_usual(recipe.filled), **recipe.fill, **recipe.settings[adaptation]}


def make_adaptation(name: str, options: Mapping[str, Any] | None = None) -> Adaptation:
    """The registered adaptation of that name with some of its options replaced.

    The option `recipe` starts from the values of a paper (`taskbench`, `tk-instruct`, `seti`, `zest`,
    `dyna-babi`); the other options come on top of it.
    """
    given = dict(options or {})
    start = ADAPTATIONS.get(name)
    where = f"adaptation {name}"
    if "recipe" in given:
        start = resolve(start, named_recipe(str(given.pop("recipe")), name), where=where)
    return resolve(start, given, where=where)


class ExamplePool:
    """The solved examples a suite offers, by task. They are drawn when the first one is asked for.

    Args:
        suite: The suite; its `pool` names the split.
        per_task: How many of each task's first rows are kept; bounds memory for large splits.
    """

    def __init__(self, suite: Suite, per_task: int) -> None:
        if suite.pool is None or suite.pool not in suite.splits:
            raise UserError(
                f"{suite.name} declares no pool for in-context examples",
                hint="use --adapt none; the instruction's own examples are shown by the encoding",
            )
        self.split = suite.pool
        self._suite = suite
        self._per_task = per_task

    @cached_property
    def identity(self) -> str:
        """Differs wherever any example may: it follows from the identity of the suite."""
        return content_hash((self._suite.identity, self.split, self._per_task))

    @cached_property
    def _examples(self) -> dict[str, list[tuple[bytes, Example]]]:
        examples: dict[str, list[tuple[bytes, Example]]] = defaultdict(list)
        for task, instance in self._suite.rows(self.split):
            kept = examples[task]
            if len(kept) < self._per_task:
                kept.append((input_hash(instance.input), Example(instance.input, instance.targets.canonical())))
        return dict(examples)

    def draw(self, task: str, asked: bytes, count: int, random: Random) -> tuple[Example, ...]:
        """`count` examples of the task in random order, none of which has the input hash `asked`.

        Raises:
            UserError: The pool holds fewer than `count` such examples.
        """
        options = self._examples.get(task, [])
        free = len(options) - sum(known == asked for known, _ in options)
        if free < count:
            raise UserError(
                f"the pool has {free} examples besides the one asked, {count} were requested",
                where=f"{self._suite.name}: task {task}",
                hint=f"-A k={free}, or a suite recipe with more training rows",
            )
        # Drawing one by one keeps the other examples in place when one of them has to be left out.
        taken: dict[int, Example] = {}
        while len(taken) < count:
            index = random.randrange(len(options))
            known, example = options[index]
            if known != asked and index not in taken:
                taken[index] = example
        return tuple(taken.values())


class InContext(Adaptation, frozen=True, kw_only=True):
    """Show `k` solved examples in every prompt.

    Attributes:
        k: How many examples.
        draw: Which draw; runs that differ only here show different examples of the same pool.
        pool: How many of each task's pool rows examples may come from.
        same: Show the same examples for every instance of a task, as the papers' few-shot prompts do.
    """

    name: ClassVar[str] = "in-context"
    summary: ClassVar[str] = "k solved examples from the suite's pool in every prompt"

    k: int = 2
    draw: int = 0
    pool: int = 1000
    same: bool = False

    def __post_init__(self) -> None:
        if self.k < 0 or self.pool < self.k:
            raise ValueError(f"k must be between 0 and pool ({self.pool}), not {self.k}")

    def check(self, model: Model, suite: Suite) -> None:
        ExamplePool(suite, self.pool)

    def wrap(self, encoding: Encoding, suite: Suite, seed: int) -> Encoding:
        pool = ExamplePool(suite, self.pool)
        return DemonstrationEncoding(inner=encoding, k=self.k, draw=self.draw, same=self.same, seed=seed, pool=pool)


class DemonstrationEncoding(Encoding, frozen=True, kw_only=True):
    """An encoding that brings its own examples. Made by `InContext.wrap`."""

    name: ClassVar[str] = "in-context"

    inner: Encoding
    k: int
    draw: int
    same: bool
    seed: int
    pool: ExamplePool

    def demos(self, task: Task, instance: Instance) -> tuple[Example, ...]:
        """The examples shown with one instance."""
        who = task.name if self.same else (task.name, instance.id, instance.input)
        random = keyed_random("in-context", self.pool.identity, self.seed, self.draw, who)
        return self.pool.draw(task.name, input_hash(instance.input), self.k, random)

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        return self.inner.encode(task, instance, demos or self.demos(task, instance), tokenizer)

    def describe(self) -> dict[str, Any]:
        own = {
            "k": self.k,
            "draw": self.draw,
            "same": self.same,
            "seed": self.seed,
            "pool": self.pool.split,
            "pool_identity": self.pool.identity,
        }
        return {**self.inner.describe(), "in_context": own}


IN_CONTEXT = InContext()

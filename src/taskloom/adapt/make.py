"""Adaptations by name, with options and the recipes of papers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom.core import UserError, resolve, unknown_name
from taskloom.core.adaptation import Adaptation
from taskloom.core.catalog import ADAPTATIONS
from taskloom.core.decode import read_toml


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
    if name not in recipes:
        raise unknown_name("recipe", name, recipes, where=f"adaptation {adaptation}")
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

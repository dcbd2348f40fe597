"""The papers' training settings as named recipes (`-A recipe=taskbench`), each with its source (`recipes.toml`).

A recipe sets every value that decides how a model is trained (`DECIDING`). Every one of them can still be replaced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

from taskloom.core import UserError, unknown_name

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


class _Records(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    usual: dict[str, dict[str, Any]]
    recipes: dict[str, PaperRecipe]


_RECORDS = msgspec.convert(
    tomllib.loads(files("taskloom.adapt").joinpath("recipes.toml").read_text(encoding="utf-8")), _Records
)
RECIPES = _RECORDS.recipes


def _usual(kind: str) -> dict[str, Any]:
    own = dict(_RECORDS.usual[kind])
    return {**_usual(own.pop("like")), **own} if "like" in own else own


def named_recipe(name: str, adaptation: str) -> Mapping[str, Any]:
    """The options of a named recipe for one adaptation.

    Raises:
        UserError: No such recipe, or the paper did not use this adaptation.
    """
    if name not in RECIPES:
        raise unknown_name("recipe", name, RECIPES, where=f"adaptation {adaptation}")
    recipe = RECIPES[name]
    if adaptation not in recipe.settings:
        used = " and ".join(recipe.settings)
        raise UserError(
            f"recipe {name!r} is about {used}, not {adaptation}", hint=f"--adapt {next(iter(recipe.settings))}"
        )
    return {**_usual(recipe.filled), **recipe.fill, **recipe.settings[adaptation]}

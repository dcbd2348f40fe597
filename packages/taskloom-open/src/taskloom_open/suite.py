"""The suite of the open collection: the paper's evaluation categories held out, no material shared."""

from __future__ import annotations

from typing import Literal

import msgspec

from taskloom.author import Blueprint
from taskloom.author.compose import BlueprintBlocks
from taskloom.author.shares import Shares
from taskloom.core import Recipe, Suite, Task, UserError, ensure_known
from taskloom.families.superni.tracks import EVALUATION_METRICS, nested_subset
from taskloom_open.archives import require
from taskloom_open.kit import COLUMNS


class OpenRecipe(Recipe, frozen=True, kw_only=True):
    """How much of the open collection.

    Attributes:
        instances: Instances per task, in training and in test.
        dev_instances: More instances of each training task, as the split `dev`.
        oracle_instances: Other instances of each test task, as the split `oracle`: a model fitted to them is the upper
            bound of what can be learned from instructions alone.
        track: Which test tasks: English ones (training on English tasks only), the others (training on all), or both.
        tasks: The number of training tasks, drawn by seed; smaller draws are subsets of larger ones; None for all.
        kinds: The number of kinds of training tasks (blueprints that have copies in several languages), drawn by seed,
            each with as many copies as make `tasks`; None for all.
        categories: Only these categories; empty for all.
    """

    instances: int = 100
    dev_instances: int = 0
    oracle_instances: int = 0
    track: Literal["both", "en", "xlingual"] = "both"
    tasks: int | None = None
    kinds: int | None = None
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.instances < 1 or self.dev_instances < 0 or self.oracle_instances < 0:
            raise ValueError("instances must be 1 or more, dev_instances and oracle_instances 0 or more")
        if self.kinds is not None and (self.kinds < 1 or self.tasks is None or self.tasks % self.kinds):
            raise ValueError("kinds needs tasks, and as many copies of every kind")


def is_english(blueprint: Blueprint) -> bool:
    """Whether nothing but English goes in and comes out: the rule that divides the tracks."""
    return blueprint.language == "English" and blueprint.output_language in (None, "English")


def _chosen(recipe: OpenRecipe, seed: int) -> tuple[list[Blueprint], list[Blueprint]]:
    """Training and test tasks."""
    from taskloom_open.collection import open_blueprints

    known = open_blueprints()
    categories = {blueprint.category for blueprint in known.values()}
    for category in recipe.categories:
        ensure_known("category", category, categories, where="superni/open: categories")
    held = [one for one in known.values() if not recipe.categories or one.category in recipe.categories]
    train = [one for one in held if one.category not in EVALUATION_METRICS]
    test = [one for one in held if one.category in EVALUATION_METRICS]
    if recipe.track == "en":
        train = [one for one in train if is_english(one)]
    if recipe.track != "both":
        test = [one for one in test if is_english(one) == (recipe.track == "en")]
    if recipe.kinds is not None:
        train = _copied(train, recipe.kinds, (recipe.tasks or 0) // recipe.kinds, seed)
    if recipe.tasks is not None:
        names = set(nested_subset([one.name for one in train], recipe.tasks, seed))
        train = [one for one in train if one.name in names]
    return train, test


def _copied(held: list[Blueprint], kinds: int, copies: int, seed: int) -> list[Blueprint]:
    """So many copies of so many kinds of tasks. Only kinds that have copies are drawn from, however few are wanted."""
    by_kind: dict[str, list[Blueprint]] = {}
    for one in held:
        by_kind.setdefault(str(one.facets["blueprint"]), []).append(one)
    pool = sorted(name for name, own in by_kind.items() if len(own) >= max(2, copies))
    if len(pool) < kinds:
        raise UserError(f"only {len(pool)} kinds have {max(2, copies)} copies", where="superni/open: kinds")
    chosen = nested_subset(pool, kinds, seed)
    names = {name: set(nested_subset([one.name for one in by_kind[name]], copies, seed)) for name in chosen}
    return [one for one in held if one.name in names.get(str(one.facets["blueprint"]), ())]


def build_open(recipe: OpenRecipe, seed: int) -> Suite:
    """The suite of a resolved recipe.

    Raises:
        UserError: Sources are missing, with the command that gets them.
    """
    from taskloom_open.collection import SOURCES

    require(list(SOURCES))
    train, test = _chosen(recipe, seed)
    wanted = {
        "train": (train, recipe.instances),
        "dev": (train, recipe.dev_instances),
        "test": (test, recipe.instances),
        "oracle": (test, recipe.oracle_instances),
    }
    parts = {split: (held, size) for split, (held, size) in wanted.items() if held and size}
    trained = Shares({split: size for split, (held, size) in parts.items() if held is train})
    tested = Shares({split: size for split, (held, size) in parts.items() if held is test})
    tasks: dict[str, Task] = {one.name: one.task for one in (*train, *test)}

    def draw(split: str) -> BlueprintBlocks:
        held, _ = parts[split]
        return BlueprintBlocks(held, split, trained if held is train else tested, seed)

    return Suite(
        name="superni/open",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=tasks,
        splits={split: size * len(held) for split, (held, size) in parts.items()},
        draw=draw,
        facets=COLUMNS,
        apart="pairs",
        pool=None,
        notes={
            "test_categories": sorted(EVALUATION_METRICS),
            "blueprints": len({one.facets["blueprint"] for one in (*train, *test)}),
        },
    )

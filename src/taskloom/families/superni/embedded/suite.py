"""The suite of the embedded collection: any number of instances, and categories that are never trained on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

import msgspec

from taskloom.author import Blueprint
from taskloom.author.compose import BlueprintBlocks
from taskloom.author.shares import Shares
from taskloom.author.skills import SkillLattice
from taskloom.core import Blocks, Instance, Recipe, Row, SeriesBlocks, Suite, Task, unknown_name
from taskloom.families.superni.embedded.collection import TEST_CATEGORIES, blueprints
from taskloom.families.superni.embedded.derived import DERIVED, DerivedTask, derive
from taskloom.families.superni.embedded.records import COLUMNS
from taskloom.families.superni.tracks import nested_subset


class EmbeddedRecipe(Recipe, frozen=True, kw_only=True):
    """How much of the embedded collection.

    Attributes:
        instances: Instances per task, in training and in test.
        dev_instances: More instances of each training task, as the split `dev`.
        oracle_instances: Other instances of each own test task, as the split `oracle`: a model fitted to them is the
            upper bound of what can be learned from instructions alone.
        tasks: The number of training tasks, drawn by seed; smaller draws are subsets of larger ones; None for all.
        languages: Languages of the definitions.
        categories: Only these categories; empty for all.
        families: Include tasks of the other families; this also opens their suites.
    """

    instances: int = 50
    dev_instances: int = 5
    oracle_instances: int = 0
    tasks: int | None = None
    languages: tuple[Literal["English", "Spanish"], ...] = ("English", "Spanish")
    categories: tuple[str, ...] = ()
    families: bool = False

    def __post_init__(self) -> None:
        if self.instances < 1 or self.dev_instances < 0 or self.oracle_instances < 0:
            raise ValueError("instances must be 1 or more, dev_instances and oracle_instances 0 or more")
        if not self.languages:
            raise ValueError("languages must name at least one language")


Entry = Blueprint | DerivedTask


def _chosen(recipe: EmbeddedRecipe, seed: int) -> dict[str, Entry]:
    found: dict[str, Entry] = {
        name: blueprint
        for name, blueprint in blueprints().items()
        if blueprint.instruction_language in recipe.languages
    }
    if recipe.families and "English" in recipe.languages:
        for source in DERIVED:
            split = "test" if source.category in TEST_CATEGORIES else "train"
            found |= {task.task.name: task for task in derive(source, split, seed)}
    known = {str(entry.task.facets["category"]) for entry in found.values()}
    for category in recipe.categories:
        if category not in known:
            raise unknown_name("category", category, known, where="superni/embedded: categories")
    if recipe.categories:
        found = {name: entry for name, entry in found.items() if entry.task.facets["category"] in recipe.categories}
    return found


def _derived_rows(entries: Iterable[DerivedTask], split: str, size: int) -> Iterator[Row]:
    """The first instances of tasks of other suites; they may have fewer than were asked for."""
    for entry in entries:
        for index, instance in zip(range(size), entry.instances(split), strict=False):
            yield Row(entry.task.name, _renamed(instance, f"{split}-{index}"))


def _renamed(instance: Instance, name: str) -> Instance:
    return msgspec.structs.replace(instance, id=name, facets={"input_words": len(instance.input.split())})


class _Layout(NamedTuple):
    """Which tasks and how many instances every split holds; the shares of training (True) and of test tasks."""

    entries: dict[str, Entry]
    train: list[str]
    test: list[str]
    parts: dict[str, tuple[list[str], int]]
    shares: dict[bool, Shares]


def _layout(recipe: EmbeddedRecipe, seed: int) -> _Layout:
    entries = _chosen(recipe, seed)
    test = [name for name, entry in entries.items() if entry.task.facets["category"] in TEST_CATEGORIES]
    train = [name for name in entries if name not in set(test)]
    if recipe.tasks is not None:
        train = nested_subset(train, recipe.tasks, seed)
    own_test = [name for name in test if isinstance(entries[name], Blueprint)]
    wanted = {
        "train": (train, recipe.instances),
        "dev": (train, recipe.dev_instances),
        "test": (test, recipe.instances),
        "oracle": (own_test, recipe.oracle_instances),
    }
    parts = {split: (names, size) for split, (names, size) in wanted.items() if names and size}
    shares = {
        True: Shares({split: size for split, (_, size) in parts.items() if split in ("train", "dev")}),
        False: Shares({split: size for split, (_, size) in parts.items() if split in ("test", "oracle")}),
    }
    return _Layout(entries, train, test, parts, shares)


def embedded_lattice(suite: Suite) -> SkillLattice:
    """The cells of the suite: the skills of its own tasks."""
    layout = _layout(msgspec.convert(dict(suite.recipe), EmbeddedRecipe), suite.seed)
    own = {name: entry for name, entry in layout.entries.items() if isinstance(entry, Blueprint)}
    shares = {name: layout.shares[name in layout.train] for name in own}
    return SkillLattice(suite, own, shares)


def build_embedded(recipe: EmbeddedRecipe, seed: int) -> Suite:
    """The suite of a resolved recipe. Own tasks are drawn in blocks, those of other families in order."""
    entries, train, test, parts, shares = _layout(recipe, seed)
    tasks: dict[str, Task] = {name: entries[name].task for name in (*train, *test)}

    def draw(split: str) -> Blocks:
        names, size = parts[split]
        own = [entry for name in names if isinstance(entry := entries[name], Blueprint)]
        derived = [entry for name in names if isinstance(entry := entries[name], DerivedTask)]
        blocks = BlueprintBlocks(own, split, shares[split in ("train", "dev")], seed)
        if not derived:
            return blocks
        own_rows = [partial(blocks.rows, number) for number in blocks.numbers()]
        makers = [*own_rows, *(partial(_derived_rows, [entry], split, size) for entry in derived)]
        holders = [*map(blocks.task_of, blocks.numbers()), *(entry.task.name for entry in derived)]
        return SeriesBlocks(makers, tasks=holders)

    foreign = any(isinstance(entries[name], DerivedTask) for name in tasks)
    return Suite(
        name="superni/embedded",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=tasks,
        # A derived task may have fewer instances than asked for.
        splits={split: None if foreign else len(names) * size for split, (names, size) in parts.items()},
        draw=draw,
        facets=COLUMNS,
        apart="pairs",
        pool=None,
        notes={"test_categories": sorted(TEST_CATEGORIES)},
    )

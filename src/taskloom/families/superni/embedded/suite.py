"""The suite of the embedded collection: any number of instances, and categories that are never trained on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Literal

import msgspec

from taskloom.core import (
    FacetType,
    Instance,
    KeyedRandom,
    Recipe,
    Row,
    Suite,
    Targets,
    Task,
    UserError,
    acceptable_texts,
    input_hash,
    unknown_name,
)
from taskloom.families.superni.embedded.blueprint import Blueprint
from taskloom.families.superni.embedded.collection import TEST_CATEGORIES, blueprints
from taskloom.families.superni.embedded.derived import DERIVED, DerivedTask, derive
from taskloom.families.superni.tracks import nested_subset

__all__ = ["EmbeddedRecipe", "build_embedded"]

FACETS: dict[str, FacetType] = {"input_words": int, "output_words": int}

# One in eight inputs belongs to dev, decided by the input itself: train and dev never meet.
_SHARES = 8

# A task whose inputs repeat this often in a row has run out of new ones.
_MOST_ATTEMPTS = 2000


class EmbeddedRecipe(Recipe, frozen=True, kw_only=True):
    """How much of the embedded collection.

    Attributes:
        instances: So many per task, in training and in test.
        dev_instances: So many more of each training task, as the split `dev`.
        oracle_instances: So many others of each own test task, as the split `oracle`: a model fitted to them is the
            upper bound of what can be learned from instructions alone.
        tasks: So many training tasks, drawn by the seed, smaller draws inside larger ones; None for all.
        languages: Languages of the definitions.
        categories: Only these categories; empty for all.
        families: Take in tasks of the other families too.
    """

    instances: int = 50
    dev_instances: int = 5
    oracle_instances: int = 0
    tasks: int | None = None
    languages: tuple[Literal["English", "Spanish"], ...] = ("English", "Spanish")
    categories: tuple[str, ...] = ()
    families: bool = True

    def __post_init__(self) -> None:
        if self.instances < 1 or self.dev_instances < 0 or self.oracle_instances < 0:
            raise ValueError("instances is 1 or more, dev_instances and oracle_instances 0 or more")
        if not self.languages:
            raise ValueError("languages names at least one language")


def _chosen(recipe: EmbeddedRecipe, seed: int) -> dict[str, Blueprint | DerivedTask]:
    found: dict[str, Blueprint | DerivedTask] = {
        name: blueprint for name, blueprint in blueprints().items() if blueprint.told_in in recipe.languages
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


def _words(text: str) -> int:
    return len(text.split())


def _instance(name: str, text: str, targets: Targets, source: Instance | None = None) -> Instance:
    facets = {"input_words": _words(text), "output_words": _words(acceptable_texts(targets)[0])}
    if source is None:
        return Instance(name, text, targets, dict(facets))
    return msgspec.structs.replace(source, id=name, facets=dict(facets))


def _candidates(entry: Blueprint | DerivedTask, split: str, seed: int) -> Iterator[Instance]:
    """Inputs without end for own tasks, as many as the suite has for derived ones; they may repeat."""
    if isinstance(entry, DerivedTask):
        yield from entry.instances(split)
        return
    draws = KeyedRandom("superni/embedded", seed, entry.name, split)
    for attempt in count():
        text = entry.make(draws.at(attempt))
        yield Instance("", text, entry.targets(text))


def _instances(
    entry: Blueprint | DerivedTask, split: str, wanted: int, seed: int, taken: Iterable[Instance] = ()
) -> Iterator[Instance]:
    """New instances that are no example of the task and not taken, each in the split to which its input belongs."""
    told = entry.task.instruction
    seen = {input_hash(example.input) for example in (*told.positive, *told.negative)}
    seen |= {input_hash(instance.input) for instance in taken}
    given = idle = 0
    if not wanted:
        return
    for candidate in _candidates(entry, split, seed):
        key = input_hash(candidate.input)
        mine = (
            split in ("test", "oracle") or isinstance(entry, DerivedTask) or (key[0] % _SHARES == 0) == (split == "dev")
        )
        if key in seen or not mine:
            idle += 1
            if idle > _MOST_ATTEMPTS:
                raise UserError(
                    f"task {entry.task.name} has only {given} different inputs", hint="ask for fewer instances"
                )
            continue
        seen.add(key)
        yield _instance(f"{split}-{given}", candidate.input, candidate.targets, candidate if candidate.id else None)
        given, idle = given + 1, 0
        if given == wanted:
            return


def build_embedded(recipe: EmbeddedRecipe, seed: int) -> Suite:
    """The suite of a resolved recipe."""
    entries = _chosen(recipe, seed)
    test = [name for name, entry in entries.items() if entry.task.facets["category"] in TEST_CATEGORIES]
    train = [name for name in entries if name not in set(test)]
    if recipe.tasks is not None:
        train = nested_subset(train, recipe.tasks, seed)
    wanted = {
        "train": (train, recipe.instances),
        "dev": (train, recipe.dev_instances),
        "test": (test, recipe.instances),
        "oracle": ([name for name in test if isinstance(entries[name], Blueprint)], recipe.oracle_instances),
    }
    parts: Mapping[str, tuple[list[str], int]] = {
        split: (names, size) for split, (names, size) in wanted.items() if names and size
    }
    tasks: dict[str, Task] = {name: entries[name].task for name in (*train, *test)}

    def draw(split: str) -> Iterator[Row]:
        names, size = parts[split]
        for name in names:
            asked = _instances(entries[name], "test", recipe.instances, seed) if split == "oracle" else ()
            for instance in _instances(entries[name], split, size, seed, asked):
                yield Row(name, instance)

    derived = any(isinstance(entries[name], DerivedTask) for name in tasks)
    return Suite(
        name="superni/embedded",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=tasks,
        # A derived task may have fewer instances than asked for.
        splits={split: None if derived else len(names) * size for split, (names, size) in parts.items()},
        draw=draw,
        facets=FACETS,
        apart="pairs",
        pool=None,
        notes={"test_categories": sorted(TEST_CATEGORIES)},
    )

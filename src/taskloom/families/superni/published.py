"""Suites over a collection that the user has: the official tracks, training sets, and other ways to hold out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from taskloom.core import (
    AnyOf,
    Count,
    FacetType,
    Instance,
    Positive,
    Recipe,
    Row,
    Suite,
    Task,
    UserError,
    input_hash,
    keyed_random,
)
from taskloom.core.errors import QuarantineWarning
from taskloom.families.superni.collection import Collection, open_collection
from taskloom.families.superni.export import is_written_suite, read_suite
from taskloom.families.superni.tracks import (
    EVALUATION_METRICS,
    PUBLISHED_SCORES,
    Axis,
    Division,
    Track,
    balanced_order,
    hold_out,
    listed_division,
    nested_subset,
)

FACETS: dict[str, FacetType] = {"references": int, "input_words": int}


class PublishedRecipe(Recipe, frozen=True, kw_only=True):
    """What to take of a collection.

    Attributes:
        path: The folder of the collection (`tasks/`, `splits/`).
        instances: How many per task.
        dev_instances: How many more of each training task, as the split `dev`.
        oracle_instances: How many others of each test task, as the split `oracle`: a model fitted to them is the upper
            bound of what can be learned from instructions alone (the paper takes 1,000).
        tasks: How many training tasks, drawn by the seed, smaller draws inside larger ones; None for all.
        choose: Which test instances: the `first` ones as published, or `balanced` over their labels by the published
            procedure, for collections that were not ordered for testing.
        damaged: What to do about files and instances that cannot be read: `stop` with the reason, or `skip` them and
            say in the notes what was left out.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("path",)

    path: str = ""
    instances: Positive = 100
    dev_instances: Count = 0
    oracle_instances: Count = 0
    tasks: int | None = None
    choose: Literal["first", "balanced"] = "first"
    damaged: Literal["stop", "skip"] = "stop"


class HoldOutRecipe(PublishedRecipe, frozen=True, kw_only=True):
    """Train on some tasks, test on the others.

    Attributes:
        by: What is held out: a category, a language, a domain or a source.
        values: Which ones, for example `-T values="[Translation]"`.
    """

    by: Axis = "category"
    values: tuple[str, ...] = ()


class _Plan(NamedTuple):
    line: str
    track: Track | None
    splits: tuple[str, ...]


SUITES: dict[str, _Plan] = {
    "test-en": _Plan("the 119 English test tasks, first 100 instances each", "default", ("test",)),
    "test-xlingual": _Plan("the 35 cross-lingual test tasks, first 100 instances each", "xlingual", ("test",)),
    "train-en": _Plan("the training tasks of the English track", "default", ("train",)),
    "train-xlingual": _Plan("the training tasks of the cross-lingual track", "xlingual", ("train",)),
    "en": _Plan("training and test tasks of the English track", "default", ("train", "test")),
    "xlingual": _Plan("training and test tasks of the cross-lingual track", "xlingual", ("train", "test")),
    "files": _Plan("all task files of a folder, your own or written by `taskloom new`", None, ("test",)),
    "hold-out": _Plan("any category, language, domain or source held out", None, ("train", "test")),
}


def _division(collection: Collection, plan: _Plan, recipe: PublishedRecipe) -> Division:
    if plan.track is not None:
        return listed_division(collection, plan.track)
    if isinstance(recipe, HoldOutRecipe):
        return hold_out(collection, recipe.by, recipe.values)
    return Division([], sorted(collection.known), [], [])


def _sound(collection: Collection, names: Sequence[str], recipe: PublishedRecipe) -> list[str]:
    broken = [name for name in names if name in collection.damaged]
    if broken and recipe.damaged == "stop":
        first = collection.damaged[broken[0]]
        raise UserError(
            f"{first.message} ({len(broken)} damaged files among the {len(names)} asked for)",
            where=first.where,
            hint=f"taskloom check {collection.folder} lists them; -T damaged=skip leaves them out",
        )
    return [name for name in names if name not in collection.damaged]


def _task(collection: Collection, name: str, track: Track | None) -> Task:
    header = collection.header(name)
    return Task(
        name,
        header.instruction(),
        scorer="rouge-l" if track == "default" or (track is None and header.english) else "rouge-l-xlingual",
        facets={
            "family": "superni",
            "category": header.category,
            "language": ", ".join(header.input_language),
            "output_language": ", ".join(header.output_language),
            "domain": collection.domains(name),
            "source": header.source,
            "metric": EVALUATION_METRICS.get(header.category, "rougeL"),
        },
    )


def _order(collection: Collection, name: str, split: str, recipe: PublishedRecipe, seed: int) -> list[int]:
    """Which instances of a task belong to a split."""
    total = collection.header(name).instances
    if split == "test" and recipe.choose == "first":
        return list(range(min(recipe.instances, total)))
    if split == "test":
        places = collection.usable(name, range(total))
        labels = [record.outputs()[0] for record in collection.instances(name)]
        rng = keyed_random("superni/balanced", seed, name)
        return [places[index] for index in balanced_order(labels, recipe.instances, rng)[: recipe.instances]]
    if split == "oracle":
        return _oracle_order(collection, name, recipe, seed)
    shuffled = list(range(total))
    keyed_random("superni/train", seed, name).shuffle(shuffled)
    start = 0 if split == "train" else recipe.instances
    return shuffled[start : start + (recipe.instances if split == "train" else recipe.dev_instances)]


def _oracle_order(collection: Collection, name: str, recipe: PublishedRecipe, seed: int) -> list[int]:
    """Instances of a test task that are not asked, nor repeat an input that is."""
    asked = set(_order(collection, name, "test", recipe, seed))
    places = collection.usable(name, range(collection.header(name).instances))
    records = collection.instances(name)
    inputs = {place: input_hash(record.input) for place, record in zip(places, records, strict=True)}
    known = {key for place, key in inputs.items() if place in asked}
    rest = [place for place, key in inputs.items() if place not in asked and key not in known]
    keyed_random("superni/oracle", seed, name).shuffle(rest)
    return rest[: recipe.oracle_instances]


def _instances(collection: Collection, name: str, split: str, recipe: PublishedRecipe, seed: int) -> list[Instance]:
    order = collection.usable(name, _order(collection, name, split, recipe, seed))
    return [
        Instance(
            record.id or f"{name}-{index}",
            record.input,
            AnyOf(record.outputs()),
            {"references": len(record.outputs()), "input_words": len(record.input.split())},
        )
        for index, record in zip(order, collection.instances(name, order), strict=True)
    ]


def _published_scores(plan: _Plan) -> dict[str, Any]:
    """Table 3 of the paper, for reports to draw beside the runs of a test set; shares, as scores are here."""
    if plan.track is None or plan.splits != ("test",):
        return {}
    english = plan.track == "default"
    scores = {method: row.english if english else row.cross_lingual for method, row in PUBLISHED_SCORES.items()}
    return {
        "published": {
            "source": "ROUGE-L on unseen tasks, all test tasks, Wang et al. 2022, Table 3",
            "scores": {method: round(score / 100, 4) for method, score in scores.items() if score is not None},
        }
    }


def build_published(suite: str, recipe: PublishedRecipe, seed: int) -> Suite:
    """The suite of a resolved recipe. Opens the index; instances are read when rows are drawn."""
    plan = SUITES[suite]
    if suite == "files" and recipe.path and is_written_suite(Path(recipe.path)):
        return read_suite(Path(recipe.path))
    collection = open_collection(recipe.path, recipe.damaged)
    division = _division(collection, plan, recipe)
    names: dict[str, list[str]] = {}
    for split in plan.splits:
        wanted = division.train if split == "train" else division.test
        names[split] = _sound(collection, wanted, recipe)
        if split == "train" and recipe.tasks is not None:
            names[split] = nested_subset(names[split], recipe.tasks, seed)
    if recipe.dev_instances and "train" in names:
        names["dev"] = names["train"]
    if recipe.oracle_instances and "test" in names:
        names["oracle"] = names["test"]

    def draw(split: str) -> Iterator[Row]:
        for name in names[split]:
            for instance in _instances(collection, name, split, recipe, seed):
                yield Row(name, instance)

    def size(split: str) -> int | None:
        if split == "oracle" or (
            recipe.damaged == "skip" and any(name in collection.quarantine for name in names[split])
        ):
            return None  # repeated inputs and damaged instances are left out, which shows only while drawing
        counts = [collection.header(name).instances for name in names[split]]
        if split == "dev":
            return sum(max(0, min(recipe.dev_instances, count - recipe.instances)) for count in counts)
        return sum(min(recipe.instances, count) for count in counts)

    tasks = {name: _task(collection, name, plan.track) for split in plan.splits for name in names[split]}
    if left_out := collection.losses([*tasks, *collection.damaged]):
        warnings.warn(f"{collection.folder}: {left_out}", QuarantineWarning, stacklevel=2)
    return Suite(
        name=f"superni/{suite}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=tasks,
        splits={split: size(split) for split in names},
        draw=draw,
        facets=FACETS,
        apart="pairs",
        pool="train" if "train" in names else None,
        notes={
            "missing_tasks": len(division.missing),
            "damaged_files": sorted(collection.damaged),
            "damaged_instances": {name: len(bad) for name, bad in collection.quarantine.items() if name in tasks},
            **_published_scores(plan),
        },
    )

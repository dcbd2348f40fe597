"""The suite `superni/embedded`: its tasks as records, which categories are held out, and tasks of the other families.

The texts of a task stand in a TOML file, its maker and solver in the module of the same name. A module of its own may
hold both: its texts are then the TOML text `TEXTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.author import Blueprint, Item
from taskloom.author.compose import BlueprintBlocks
from taskloom.author.shares import Shares, SkillLattice
from taskloom.core import (
    AnswerKind,
    Blocks,
    Count,
    Facet,
    FacetType,
    Instance,
    Positive,
    Recipe,
    Row,
    SeriesBlocks,
    Suite,
    Task,
    ensure_known,
    open_suite,
)
from taskloom.families.superni import embedded
from taskloom.families.superni.embedded.words import TEST_CATEGORIES
from taskloom.families.superni.tracks import nested_subset

TaskCode: TypeAlias = tuple[Callable[[Random], str], Callable[[str], str]]
"""The maker of a task's inputs, and the solver that answers them."""

COLUMNS: dict[str, FacetType] = {"input_words": int}


class TaskTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the TOML file says about a task.

    Attributes:
        category: The kind of task, by its published name.
        domains: What it is about, by the published names of domains.
        skills: The material it works on and what is done with it. Tasks with the same skills are one cell of the
            collection's lattice; a task whose skills are all asked for by a larger one is a part of it.
        definition: Everything a person needs to know to do the task, in fields. Lines are joined.
        right: Positive examples: input and explanation; the output is the solver's.
        wrong: Negative examples: input, wrong output and explanation.
        labels: The closed set of answers, if there is one.
        kind: The form of the answers, where it is neither a label nor a text.
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        instruction_language: The language of definition and explanations.
    """

    category: str
    domains: tuple[str, ...]
    skills: tuple[str, ...]
    definition: str | dict[str, str]
    right: tuple[tuple[str, str], ...]
    wrong: tuple[tuple[str, str, str], ...]
    labels: tuple[str, ...] = ()
    kind: AnswerKind | None = None
    language: str = "English"
    output_language: str | None = None
    instruction_language: str = "English"


def read_records(module: str, code: Mapping[str, TaskCode], page: str | None = None) -> dict[str, TaskTexts]:
    """The records of a module, in the order of their text, which is its TOML file unless it is given.

    Raises:
        ValueError: A record has no maker and solver, or the other way round.
        msgspec.ValidationError: A record lacks something, or has something unknown.
    """
    page = page or Path(__file__).with_name(f"{module}.toml").read_text("utf-8")
    records = msgspec.toml.decode(page, type=dict[str, TaskTexts])
    if lonely := records.keys() ^ code.keys():
        raise ValueError(f"{module}: {', '.join(sorted(lonely))}: has texts or code alone")
    return records


def blueprint_of(name: str, record: TaskTexts, code: TaskCode) -> Blueprint:
    """The task of a record with its code; its items say how long they are."""
    make, solve = code

    def measured(rng: Random) -> Item:
        text = make(rng)
        return Item(text, None, {"input_words": len(text.split())})

    return Blueprint(
        measured,
        solve=solve,
        name=name,
        definition=" ".join(said.split()) if isinstance(said := record.definition, str) else said,
        right=record.right,
        wrong=record.wrong,
        category=record.category,
        labels=record.labels,
        kind=record.kind,
        language=record.language,
        output_language=record.output_language,
        instruction_language=record.instruction_language,
        columns=COLUMNS,
        facets={
            "family": "superni",
            "derives_from": "superni/embedded",
            "source": f"Taskloom, {record.category.lower()}",
            "domains": record.domains,
            "skills": tuple(sorted(record.skills)),
        },
        version="3",
        balanced=bool(record.labels),
    )


class SourceSuite(NamedTuple):
    """Where derived tasks come from: a suite, the category they join, and how many of its tasks are taken."""

    suite: str
    category: str
    tasks: int = 1
    options: tuple[tuple[str, int], ...] = ()


_STORIES = (1, 2, 5, 7, 8, 15, 16, 18)

DERIVED: tuple[SourceSuite, ...] = (
    *(SourceSuite(f"babi/task-{number}", "Story Question Answering") for number in _STORIES),
    SourceSuite("taskbench/map{antonyms[eng]}", "Word Functions"),
    SourceSuite("taskbench/map{hypernyms[eng]}", "Word Functions"),
    SourceSuite("taskbench/map{translate[eng-spa]}", "Word Functions"),
    SourceSuite("zest/fictional", "Passage Question Answering", 8, (("train", 8), ("dev", 1), ("test", 1))),
    SourceSuite("seti/task1-nontrivial", "Textual Entailment"),
)
"""What the embedded collection takes from the other families."""

_LANGUAGES = {"en": "English", "eng": "English", "es": "Spanish", "spa": "Spanish"}


class DerivedTask(NamedTuple):
    """A task of another suite in the clothes of the collection."""

    task: Task
    suite: Suite
    original: str

    def instances(self, split: str) -> Iterator[Instance]:
        """The instances of a split, where the suite has it."""
        if split in self.suite.splits:
            for row in self.suite.rows(split, task=self.original):
                yield row.instance


def _name(suite: str, task: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in task)
    return f"{suite.partition('/')[0]}_{kept.strip('_')}"


@lru_cache(maxsize=64)
def derive(source: SourceSuite, split: str, seed: int) -> tuple[DerivedTask, ...]:
    """The first tasks of a suite that have instances in a split. Suites are pure, so what was derived once is kept.

    Args:
        source: The suite and how much of it.
        split: The split whose tasks are wanted.
        seed: The seed of the suite.
    """
    suite = open_suite(source.suite, seed=seed, options=dict(source.options))
    names: dict[str, None] = {}
    if len(suite.tasks) == 1:
        names = dict.fromkeys(suite.tasks)
    else:
        for row in suite.rows(split):
            names.setdefault(row.task)
            if len(names) == source.tasks:
                break
    return tuple(DerivedTask(_dressed(suite, name, source), suite, name) for name in names)


def _dressed(suite: Suite, name: str, source: SourceSuite) -> Task:
    task = suite.tasks[name]
    language = str(task.facets.get("language") or "English")
    # A pair of languages ("eng-spa") reads one and writes the other.
    spoken, _, written = language.partition("-")
    spoken = _LANGUAGES.get(spoken, spoken)
    facets: dict[str, Facet] = {
        "family": "superni",
        "category": source.category,
        "language": spoken,
        "output_language": _LANGUAGES.get(written, written) or spoken,
        "instruction_language": "English",
        "derives_from": suite.name,
        "source": suite.name,
        "domains": ("Miscellaneous",),
    }
    return msgspec.structs.replace(task, name=_name(suite.name, name), facets=facets)


_MODULES = ("strings", "lists", "numbers", "calendar", "tables", "logic", "semantics", "grammar", "reading")
"""Modules whose order is that of the tasks, and so part of the suite's bytes; others follow by name."""


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every task that is made from Taskloom's own words and numbers, by name, in a fixed order."""
    found: dict[str, Blueprint] = {}
    for name in dict.fromkeys((*_MODULES, *sorted(module.name for module in iter_modules(embedded.__path__)))):
        module = import_module(f"{embedded.__name__}.{name}")
        code = getattr(module, "TASKS", {})
        for task, record in read_records(name, code, getattr(module, "TEXTS", None)).items() if code else ():
            if task in found:
                raise ValueError(f"two embedded tasks are called {task}")
            found[task] = blueprint_of(task, record, code[task])
    return found


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

    instances: Positive = 50
    dev_instances: Count = 5
    oracle_instances: Count = 0
    tasks: int | None = None
    languages: tuple[Literal["English", "Spanish"], ...] = ("English", "Spanish")
    categories: tuple[str, ...] = ()
    families: bool = False

    def __post_init__(self) -> None:
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
        ensure_known("category", category, known, where="superni/embedded: categories")
    if recipe.categories:
        found = {name: entry for name, entry in found.items() if entry.task.facets["category"] in recipe.categories}
    return found


def _derived_rows(entries: Iterable[DerivedTask], split: str, size: int) -> Iterator[Row]:
    """The first instances of tasks of other suites; they may have fewer than were asked for."""
    for entry in entries:
        for index, instance in zip(range(size), entry.instances(split), strict=False):
            facets: dict[str, Facet] = {"input_words": len(instance.input.split())}
            yield Row(entry.task.name, msgspec.structs.replace(instance, id=f"{split}-{index}", facets=facets))


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

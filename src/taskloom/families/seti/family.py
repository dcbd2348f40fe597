"""The family object: suite names, their recipes, and how each is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

import msgspec

from taskloom.core import Family, Instance, Lattice, Recipe, Row, Suite, SuiteSpec, Task, UniformBlocks
from taskloom.families.seti.extensions import chain_instance, depth_plan, depth_sizes, operator_plan, operator_sizes
from taskloom.families.seti.plan import SettingPlan, check_plan, make_plan, plan_sizes
from taskloom.families.seti.pool import draw_pool
from taskloom.families.seti.published import load_own, note
from taskloom.families.seti.rows import FACETS, LABELS, make_instance
from taskloom.families.seti.settings import (
    INSTRUCTION,
    OPERATORS,
    SETTINGS,
    DepthRecipe,
    OperatorRecipe,
    Setting,
    SettingRecipe,
)
from taskloom.families.seti.verbs import Template, rule_table

CITATION = (
    "Fu, X. and Frank, A. (2023). SETI: Systematicity Evaluation of Textual Inference. "
    "Findings of the Association for Computational Linguistics: ACL 2023."
)
_IN_DISTRIBUTION = "-id"
_DEPTH_TITLE = "verbs nested in verbs: trained on shallow sentences, tested on deep ones"

_Rows = tuple[int, Callable[[int], Instance]]
"""How many instances a split has, and the one at each place."""


class IndexedBlocks(UniformBlocks):
    """Blocks of rows that are each found by their index.

    Args:
        size: How many rows there are.
        at: The row of an index.
    """

    def __init__(self, size: int, at: Callable[[int], Row]) -> None:
        super().__init__(self._block, size)
        self._at = at
        self._size = size

    def _block(self, number: int) -> Iterator[Row]:
        return map(self._at, range(number * self.block, min(self._size, (number + 1) * self.block)))

    def row(self, index: int) -> Row:
        if not 0 <= index < self._size:
            raise IndexError(index)
        return self._at(index)


@lru_cache(maxsize=4)
def setting_plan(setting: str, recipe: SettingRecipe, seed: int) -> SettingPlan:
    """The checked plan of a setting. Kept, because train, dev and test are drawn one after the other."""
    name = f"seti/{setting}"
    spec = SETTINGS[setting]
    plan = make_plan(spec, draw_pool(spec, recipe, seed, name), recipe, seed, name)
    whole = recipe.train is None and recipe.dev is None and recipe.test is None
    check_plan(spec, plan, name, recipe.split, generated=recipe.source == "generated", whole=whole)
    return plan


def _unseen(spec: Setting, recipe: SettingRecipe) -> int:
    """How many composition rules are tested and never trained on."""
    if recipe.split == "in-distribution":
        return 0
    composed = any(block.kind == "composition" for block in spec.train)
    return len(spec.unseen_rules) if composed else 4


def _build_setting(setting: str, suite: str, recipe: SettingRecipe, seed: int) -> Suite:
    spec = SETTINGS[setting]
    if recipe.source == "json":
        return _build_own(spec, suite, recipe, seed)
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
    unseen = _unseen(spec, recipe)
    plans: list[SettingPlan] = []  # a suite over files keeps to what it read first

    def draw(split: str) -> _Rows:
        if recipe.source == "generated" and not recipe.rules:
            plan = setting_plan(setting, recipe, seed)
        else:
            plans[:] = plans or [setting_plan.__wrapped__(setting, recipe, seed)]
            plan = plans[0]
        order = plan.splits[split]
        dosed = split == "few"
        return len(order), lambda index: make_instance(
            order[index], template, unseen=unseen, dose=index + 1 if dosed else None
        )

    sizes = plan_sizes(spec, recipe)
    if recipe.source == "sick":  # reading it here proves it when the suite is opened
        sizes = {split: draw(split)[0] for split in sizes}
    return _suite(suite, spec.title, recipe, seed, sizes, draw)


def _build_own(spec: Setting, suite: str, recipe: SettingRecipe, seed: int) -> Suite:
    own = load_own(spec, recipe, f"seti/{suite}")
    limits = {split: getattr(recipe, split, None) for split in own.splits}
    rows = {split: instances[: limits[split] or None] for split, instances in own.splits.items()}
    unseen = _unseen(spec, recipe)

    def draw(split: str) -> _Rows:
        def at(index: int) -> Instance:
            instance = rows[split][index]
            dose = index + 1 if split == "few" else None
            return msgspec.structs.replace(instance, facets={**instance.facets, "unseen_rules": unseen, "dose": dose})

        return len(rows[split]), at

    sizes = {split: len(instances) for split, instances in rows.items()}
    notes = {"quarantined": note(own.faults)} if own.faults else {}
    return _suite(suite, spec.title, recipe, seed, sizes, draw, notes)


def _suite(
    suite: str,
    title: str,
    recipe: Recipe,
    seed: int,
    sizes: Mapping[str, int | None],
    draw: Callable[[str], _Rows],
    notes: Mapping[str, Any] | None = None,
) -> Suite:
    task = Task(
        suite,
        INSTRUCTION,
        kind="label",
        scorer="label",
        labels=LABELS,
        facets={
            "family": "seti",
            "category": "Textual Entailment",
            "language": "English",
            "setting": suite,
            "title": title,
        },
        version="3",
    )

    def blocks(split: str) -> IndexedBlocks:
        size, at = draw(split)
        return IndexedBlocks(size, lambda index: Row(task.name, at(index)))

    return Suite(
        name=f"seti/{suite}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={task.name: task},
        splits=sizes,
        draw=blocks,
        facets=FACETS,
        notes={"citation": CITATION, **(notes or {})},
    )


def _build_operator(suite: str, recipe: OperatorRecipe, seed: int) -> Suite:
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
    table = rule_table(recipe.rules, recipe.verbs)

    def draw(split: str) -> _Rows:
        order = operator_plan(suite, recipe, seed, table)[split]
        return len(order), lambda index: make_instance(order[index], template)

    return _suite(suite, OPERATORS[suite].title, recipe, seed, operator_sizes(suite, recipe), draw)


def _build_depth(suite: str, recipe: DepthRecipe, seed: int) -> Suite:
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)

    table = rule_table(recipe.rules, recipe.verbs)

    def draw(split: str) -> _Rows:
        plan = depth_plan(recipe, seed, table)
        return plan.sizes[split], lambda index: chain_instance(index, plan.at(split, index), template)

    return _suite(suite, _DEPTH_TITLE, recipe, seed, depth_sizes(recipe), draw)


class SetiFamily(Family):
    """Systematicity in textual inference."""

    name: ClassVar[str] = "seti"
    title: ClassVar[str] = "systematicity in textual inference: primitives, compositions, seen and unseen rules"
    probed: ClassVar[str] = "task1-trivial"
    citation: ClassVar[str] = CITATION
    version: ClassVar[str] = "3"

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        return _suites()

    def lattice(self, suite: Suite) -> Lattice:
        from taskloom.families.seti.lattice import open_lattice

        return open_lattice(suite)


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    specs: dict[str, SuiteSpec[Any]] = {}
    for name, spec in SETTINGS.items():
        recipe = SettingRecipe(few=128 if "nontrivial" in name else 0, contrasts=spec.contrasts)
        build = partial(_build_setting, name)
        specs[name] = SuiteSpec(spec.title, recipe, build)
        title = f"{spec.title}; trained and tested on one random mixture"
        mixed = msgspec.structs.replace(recipe, split="in-distribution")
        specs[name + _IN_DISTRIBUTION] = SuiteSpec(title, mixed, build)
    for name, operator in OPERATORS.items():
        specs[name] = SuiteSpec(operator.title, OperatorRecipe(), _build_operator)
    specs["productivity"] = SuiteSpec(_DEPTH_TITLE, DepthRecipe(), _build_depth)
    return specs


FAMILY = SetiFamily()

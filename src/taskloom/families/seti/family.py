"""The family object: suite names, their recipes, and how each is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import ClassVar

import msgspec

from taskloom.core import Family, Recipe, Row, Suite, unknown_name
from taskloom.families.seti.check import check_plan
from taskloom.families.seti.describe import CITATION, make_task
from taskloom.families.seti.plan import Plan, make_plan, plan_sizes
from taskloom.families.seti.pool import draw_pool
from taskloom.families.seti.recipe import SettingRecipe
from taskloom.families.seti.rows import FACETS, make_instance
from taskloom.families.seti.settings import SETTINGS
from taskloom.families.seti.verbs import Template

__all__ = ["FAMILY", "SetiFamily", "setting_plan"]

_IN_DISTRIBUTION = "-id"


@lru_cache(maxsize=4)
def setting_plan(setting: str, recipe: SettingRecipe, seed: int) -> Plan:
    """The checked plan of a setting. Kept, because train, dev and test are drawn one after the other."""
    name = f"seti/{setting}"
    spec = SETTINGS[setting]
    plan = make_plan(spec, draw_pool(spec, recipe, seed, name), recipe, seed, name)
    check_plan(spec, plan, name, recipe.split)
    return plan


def _build_setting(setting: str, suite: str, recipe: Recipe, seed: int) -> Suite:
    assert isinstance(recipe, SettingRecipe)
    spec = SETTINGS[setting]
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
    task = make_task(setting, spec.title)

    def draw(split: str) -> Iterator[Row]:
        plan = setting_plan(setting, recipe, seed)
        for number in plan.splits[split]:
            yield Row(task.name, make_instance(plan.item(number), template))

    sizes: dict[str, int | None] = dict(plan_sizes(spec, recipe))
    if recipe.source != "generated":
        sizes = dict.fromkeys(sizes)
    return Suite(
        name=f"seti/{suite}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={task.name: task},
        splits=sizes,
        draw=draw,
        facets=FACETS,
        notes={"citation": CITATION},
    )


class SetiFamily(Family):
    """Systematicity in textual inference."""

    name: ClassVar[str] = "seti"
    title: ClassVar[str] = "systematicity in textual inference: primitives, compositions, seen and unseen rules"
    citation: ClassVar[str] = CITATION

    def suites(self) -> Mapping[str, str]:
        return {name: title for name, (title, _, _) in _catalogue().items()}

    def recipe(self, suite: str) -> Recipe:
        return self._entry(suite)[1]

    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        return self._entry(suite)[2](recipe, seed)

    def _entry(self, suite: str) -> _Entry:
        entry = _catalogue().get(suite)
        if entry is None:
            raise unknown_name("suite", suite, _catalogue(), where="seti", hint="taskloom list suites seti")
        return entry


_Entry = tuple[str, Recipe, Callable[[Recipe, int], Suite]]


@cache
def _catalogue() -> dict[str, _Entry]:
    """Every suite with its title, default recipe and builder."""
    entries: dict[str, _Entry] = {}
    for name, spec in SETTINGS.items():
        few = 128 if "nontrivial" in name else 0
        entries[name] = (spec.title, SettingRecipe(few=few), partial(_build_setting, name, name))
        title = f"{spec.title}; trained and tested on one random mixture"
        mixed = SettingRecipe(split="in-distribution", few=few)
        entries[name + _IN_DISTRIBUTION] = (title, mixed, partial(_build_setting, name, name + _IN_DISTRIBUTION))
    return entries


FAMILY = SetiFamily()

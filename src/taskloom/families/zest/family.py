"""The family: its suites, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from taskloom.core import Family, Lattice, Recipe, Suite, SuiteSpec
from taskloom.families.zest.recipe import VERSION, FictionalRecipe, ZestFileRecipe

_GENERATED = ("fictional", "fictional-heldout-domains", "fictional-fewshot", "question-only", "passage-only")


def _fictional(suite: str, recipe: FictionalRecipe, seed: int) -> Suite:
    from taskloom.families.zest.generate import fictional_suite

    return fictional_suite(suite, recipe, seed)


def _file(suite: str, recipe: ZestFileRecipe, seed: int) -> Suite:
    from taskloom.families.zest.load import file_suite

    return file_suite(recipe, seed)


def _multitask(suite: str, recipe: Any, seed: int) -> Suite:
    from taskloom.families.zest.multitask import multitask_suite

    return multitask_suite(recipe, seed)


def _multitask_recipe() -> Recipe:
    from taskloom.families.zest.multitask import MultitaskRecipe

    return MultitaskRecipe()


def _documents(suite: str, recipe: Any, seed: int) -> Suite:
    from taskloom.families.zest.documents import documents_suite

    return documents_suite(recipe, seed)


def _documents_recipe() -> Recipe:
    from taskloom.families.zest.documents import DocumentsRecipe

    return DocumentsRecipe()


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    heldout = FictionalRecipe(heldout=("mountains", "museums", "rulers"), test=499)
    return {
        "fictional": SuiteSpec(
            "1,251 tasks over invented passages in ten domains, sized like the published data",
            FictionalRecipe(),
            _fictional,
        ),
        "fictional-heldout-domains": SuiteSpec(
            "the same, with domains in test that train never shows", heldout, _fictional
        ),
        "fictional-fewshot": SuiteSpec(
            "the same, with solved passages of each task for few-shot prompts", FictionalRecipe(solved=4), _fictional
        ),
        "question-only": SuiteSpec("ablation: the passage is withheld", FictionalRecipe(show="question"), _fictional),
        "passage-only": SuiteSpec("ablation: the question is withheld", FictionalRecipe(show="passage"), _fictional),
        "multitask": SuiteSpec(
            "ZEST with BoolQ, MultiRC, ReCoRD and SQuAD at equal rates (files of yours)", _multitask_recipe, _multitask
        ),
        "documents": SuiteSpec(
            "your own texts and questions (recipe keys `passages` and `questions`)", _documents_recipe, _documents
        ),
        "file": SuiteSpec("published ZEST files (recipe key `path`)", ZestFileRecipe(), _file),
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

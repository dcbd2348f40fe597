"""The named suites: an atlas of compositions, long inputs, and systematic splits, as lists of expressions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from taskloom.core import Suite, UserError
from taskloom.core.decode import read_toml
from taskloom.weave.suite import WeaveRecipe, build
from taskloom.weave.within import token_number

__all__ = ["AtlasRecipe", "LongRecipe", "SystematicRecipe", "build_atlas", "build_long", "build_systematic"]


class _Systematic(msgspec.Struct, frozen=True):
    operators: tuple[str, ...]
    tasks: tuple[str, ...]


class _Long(msgspec.Struct, frozen=True):
    lengths: tuple[str, ...]
    tasks: tuple[str, ...]


class _Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `atlas.toml`."""

    core: tuple[str, ...]
    operators: dict[str, tuple[str, ...]]
    atoms: dict[str, tuple[str, ...]]
    pairs: dict[str, tuple[str, ...]]
    systematic: _Systematic
    long: _Long


@cache
def lists() -> _Lists:
    """The lists of expressions."""
    return read_toml(Path(__file__).with_name("atlas.toml"), type=_Lists)


def whole_atlas() -> tuple[str, ...]:
    """Every operator on every task of its type, and pairs of tasks."""
    known = lists()
    made = [form.replace("%", task) for type_, forms in known.operators.items() for form in forms
            for task in known.atoms[type_]]  # fmt: skip
    made += [f"both({','.join(pair.split())})" for pair in known.pairs["both"]]
    made += ["if({},then={},else={})".format(*three.split()) for three in known.pairs["if"]]
    return tuple(dict.fromkeys((*known.core, *made)))


class AtlasRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """The atlas: which of it, and how many rows.

    Attributes:
        whole: Every operator on every task of its type; else the core alone.
        depth: 2 takes the chains of two operators on words as well.
    """

    train: int = 0
    dev: int = 0
    test: int = 20
    whole: bool = False
    depth: int = 1


def build_atlas(name: str, recipe: AtlasRecipe, seed: int) -> Suite:
    """The atlas with all the parts of its compositions, each a task of its own."""
    from taskloom.weave.draw import Loom
    from taskloom.weave.lattice import closure

    chosen = recipe.expressions or (whole_atlas() if recipe.whole else lists().core)
    if recipe.depth > 1:
        chosen += tuple(
            f"{outer}({inner})" for inner in chosen for outer in ("upper", "length")
            if inner.startswith(("reverse(", "initial("))
        )  # fmt: skip
    texts = closure(map(Loom().parse, chosen))
    return build(name, msgspec.structs.replace(recipe, expressions=tuple(texts)), seed)


class LongRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """Long inputs: which tasks, hidden in how much other text.

    Attributes:
        tasks: The tasks; BABILong's names `qa1` to `qa20` are those of babi.
        lengths: The lengths in tokens: 0, 4k, 128k, 1M.
        depth: Where in the text the lines of an item stand: "" for anywhere, "0.5", "0.2-0.8".
    """

    train: int = 0
    dev: int = 0
    test: int = 20
    tasks: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    depth: str = ""


def build_long(name: str, recipe: LongRecipe, seed: int) -> Suite:
    """Every task at every length."""
    known = lists().long
    tasks = recipe.tasks or (*(f"babi/task-{number}" for number in range(1, 21)), *known.tasks)
    lengths = recipe.lengths or known.lengths
    for length in lengths:
        token_number(length)
    depth = f",depth={recipe.depth}" if recipe.depth else ""
    texts = [f"within({_named(task)},tokens={length}{depth})" for task in tasks for length in lengths]
    return build(name, msgspec.structs.replace(recipe, expressions=tuple(texts)), seed)


def _named(task: str) -> str:
    if task[:2] != "qa":
        return task
    if not task[2:].isdecimal() or not 1 <= int(task[2:]) <= 20:
        raise UserError(f"BABILong's tasks are qa1 to qa20, not {task!r}", where="tasks")
    return f"babi/task-{task[2:]}"


class SystematicRecipe(WeaveRecipe, frozen=True, kw_only=True):
    """Training on parts and on some compositions, testing compositions.

    Attributes:
        operators: Operators on words, with % for the task.
        tasks: Tasks that give words.
    """

    operators: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


def build_systematic(name: str, recipe: SystematicRecipe, seed: int) -> Suite:
    """Trained on every task, every operator on given answers, and every other composition of the two.

    `systematic-trivial` tests the compositions that were trained, on new inputs; `systematic-nontrivial` those that
    never were, although both of their parts were.
    """
    known = lists().systematic
    operators, tasks = recipe.operators or known.operators, recipe.tasks or known.tasks
    woven: tuple[list[str], list[str]] = ([], [])
    for row, form in enumerate(operators):
        for column, task in enumerate(tasks):
            woven[(row + column) % 2].append(form.replace("%", task))
    parts = [*tasks, *(form.replace("%", f"given({task})") for form in operators for task in tasks)]
    tested = woven[name.endswith("-nontrivial")]
    return build(name, msgspec.structs.replace(recipe, expressions=tuple(tested), trained=(*parts, *woven[0])), seed)

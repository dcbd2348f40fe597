"""What was worked out once: evaluated functions, what became of each expression, and instructions.

Evaluating the atoms takes seconds, reading what came of it milliseconds. What is kept is keyed by the code, the
embedded words, the settings that decide it and, where facts or random relations are asked for, by the seed. What
files or a graph of the user's own decide is worked out anew each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.algebra import Expression, atoms, signature
from taskloom.core import Instruction, content_hash
from taskloom.families.taskbench.functions import WordFunction
from taskloom.families.taskbench.published import PublishedTask
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import is_ours
from taskloom.store.derived import DerivedCache, code_hash, shipped

State: TypeAlias = Literal["built", "too few samples", "source missing", "degenerate", "duplicate", "not a union"]

_CODE = (
    "core", "algebra", "families/taskbench", "sources/knowledge", "sources/lexicon", "sources/names.py",
    "sources/names.toml",
)  # fmt: skip
_SIZES = ("train", "dev", "test", "shots", "shot_draw")
"""How many rows there are decides nothing that is kept."""


def cache() -> DerivedCache:
    """Where results of this very code are kept."""
    return DerivedCache("taskbench", code_hash(*_CODE))


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """What became of the expression at one place of a list; the attributes of a verdict."""

    name: str
    state: State
    reason: str
    domain: int
    samples: int


class TaskCache:
    """Finds what was worked out for a recipe and a seed, and puts there what was not.

    Args:
        recipe: The settings.
        seed: The seed of the suite.
    """

    def __init__(self, recipe: TaskBenchRecipe, seed: int) -> None:
        self._recipe = recipe
        self._seed = seed
        self._own_words = bool(recipe.resources or recipe.english_words or recipe.spanish_words)
        self._invented = recipe.knowledge.partition(":")[0] in ("world", "none")

    @cached_property
    def _cache(self) -> DerivedCache:
        return cache()

    def _read(self, key: tuple[str, str] | None, kind: Any) -> Any:
        """What is shipped or kept under a key; None where there is nothing, or nothing of that kind."""
        if key is None:
            return None
        found = shipped(kind, "taskbench", *key)
        return self._cache.get(kind, *key) if found is None else found

    def _write(self, key: tuple[str, str] | None, found: Any) -> None:
        if key is not None:
            self._cache.put(found, *key)

    # ----------------------------------------------------------------- functions

    def _function_key(self, form: Expression) -> tuple[str, str] | None:
        """What decides a function besides the code; None where files of the user's do."""
        if not is_ours(form):
            return None
        recipe = self._recipe
        decided: tuple[Any, ...]
        if signature(form).source == "entity":
            if not self._invented:
                return None
            decided = ("entity", recipe.knowledge, self._seed, recipe.most_outputs, recipe.row_limit)
        else:
            if self._own_words:
                return None
            drawn = self._seed if any(atom.name == "random" for atom in atoms(form)) else None
            decided = ("word", drawn, recipe.most_outputs, recipe.labels, recipe.vulgar, recipe.antonyms)
        return "function", content_hash((repr(form), decided))

    def function(self, form: Expression) -> WordFunction | None:
        """A word function in normal form; None where it is not kept."""
        found: WordFunction | None = self._read(self._function_key(form), WordFunction)
        return found

    def keep_function(self, form: Expression, found: WordFunction) -> None:
        """Keep a word function in normal form, where nothing of the user's decides it."""
        self._write(self._function_key(form), found)

    # --------------------------------------------------------- lists and instructions

    def _list_key(self, plan: Sequence[PublishedTask]) -> tuple[str, str] | None:
        return self._suite_key("outcomes", plan, (entry.expression for entry in plan))

    def _suite_key(self, kind: str, about: Any, nodes: Iterable[Expression] = ()) -> tuple[str, str] | None:
        if self._own_words or not self._invented or not all(map(is_ours, nodes)):
            return None
        settings = {name: value for name, value in msgspec.to_builtins(self._recipe).items() if name not in _SIZES}
        return kind, content_hash((settings, self._seed, repr(about)))

    def outcomes(self, plan: Sequence[PublishedTask]) -> list[Outcome] | None:
        """What became of every expression of a list; None where it is not kept."""
        found: list[Outcome] | None = self._read(self._list_key(plan), list[Outcome])
        return found

    def keep_outcomes(self, plan: Sequence[PublishedTask], found: Sequence[Outcome]) -> None:
        """Keep what became of a whole list."""
        self._write(self._list_key(plan), found)

    def instruction(self, name: str, node: Expression) -> Instruction | None:
        """The instruction of a task; None where it is not kept."""
        found: Instruction | None = self._read(self._suite_key("instruction", (name, node), (node,)), Instruction)
        return found

    def keep_instruction(self, name: str, node: Expression, found: Instruction) -> None:
        """Keep the instruction of a task."""
        self._write(self._suite_key("instruction", (name, node), (node,)), found)

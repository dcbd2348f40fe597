"""What was worked out once: evaluated functions, what became of each expression, and instructions.

Evaluating the atoms takes seconds, reading what came of it milliseconds. What is kept is keyed by the code, the
embedded words, the settings that decide it and, where facts or random relations are asked for, by the seed. What
files or a graph of the user's own decide is worked out anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from taskloom.algebra import Expression, atoms, signature
from taskloom.core import content_hash
from taskloom.families.taskbench.published import PublishedTask
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import is_ours
from taskloom.store.derived import DerivedCache, code_hash, shipped

T = TypeVar("T")
State: TypeAlias = Literal["built", "too few samples", "source missing", "degenerate", "duplicate", "not a union"]

Outcome: TypeAlias = tuple[str, State, str, int, int]
"""What became of the expression at one place of a list: name, state, reason, domain and samples of its verdict."""

_CODE = (
    "core", "algebra", "families/taskbench", "sources/knowledge", "sources/lexicon", "sources/names.py",
    "sources/names.toml",
)  # fmt: skip
_SIZES = ("train", "dev", "test", "shots", "shot_draw")
"""How many rows there are decides nothing that is kept."""


def cache() -> DerivedCache:
    """Where results of this very code are kept."""
    return DerivedCache("taskbench", code_hash(*_CODE))


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

    def find(self, key: tuple[str, str] | None, kind: Any) -> Any:
        """What is shipped or kept under a key; None where there is nothing, or nothing of that kind."""
        if key is None:
            return None
        found = shipped(kind, "taskbench", *key)
        return self._cache.get(kind, *key) if found is None else found

    def keep(self, key: tuple[str, str] | None, found: Any) -> None:
        """Keep a result; without a key, files of the user's decide it, and it is worked out each time."""
        if key is not None:
            self._cache.put(found, *key)

    def found_or_made(self, key: tuple[str, str] | None, kind: Any, make: Callable[[], T]) -> T:
        """What is shipped or kept under a key; else it is made now, and kept."""
        found: T | None = self.find(key, kind)
        if found is None:
            found = make()
            self.keep(key, found)
        return found

    def function_key(self, form: Expression) -> tuple[str, str] | None:
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

    def list_key(self, plan: Sequence[PublishedTask]) -> tuple[str, str] | None:
        """What decides the outcomes of a list besides the code."""
        return self.suite_key("outcomes", plan, (entry.expression for entry in plan))

    def suite_key(self, kind: str, about: Any, nodes: Iterable[Expression] = ()) -> tuple[str, str] | None:
        """What decides something of a suite besides the code."""
        if self._own_words or not self._invented or not all(map(is_ours, nodes)):
            return None
        settings = {name: value for name, value in msgspec.to_builtins(self._recipe).items() if name not in _SIZES}
        return kind, content_hash((settings, self._seed, repr(about)))

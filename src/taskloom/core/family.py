"""What a family of tasks offers: named suites, a typed recipe for each, and a way to build them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from taskloom.core.recipe import Recipe, resolve
from taskloom.core.suite import Suite

__all__ = ["Family", "open_suite"]


class Family(ABC):
    """A family. One folder under `taskloom.families`, or a plug-in registered as `family.NAME`."""

    name: ClassVar[str]
    """The first part of its suites' names."""

    title: ClassVar[str]
    """One line for lists."""

    citation: ClassVar[str]
    """The paper it implements: authors, year, title, venue."""

    @abstractmethod
    def suites(self) -> Mapping[str, str]:
        """Suite names (without the family) with one line each. Costs next to nothing."""

    @abstractmethod
    def recipe(self, suite: str) -> Recipe:
        """The default recipe of a suite.

        Raises:
            UserError: No such suite (with the nearest names).
        """

    @abstractmethod
    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        """The suite of a resolved recipe. Cheap: rows are drawn later, when they are read."""


def open_suite(name: str, *, seed: int = 0, options: Mapping[str, Any] | None = None) -> Suite:
    """Build a suite by name.

    Args:
        name: `family/suite`, for example `babi/mix-t12`.
        seed: The seed of the data; neighbouring seeds share nothing.
        options: Recipe keys to replace.

    Example:
        >>> suite = open_suite("babi/task-1", seed=7)
        >>> task, instance = next(suite.rows("test"))
    """
    from taskloom.core.catalog import FAMILIES
    from taskloom.core.errors import UserError

    family_name, slash, suite = name.partition("/")
    family = FAMILIES.get(family_name)
    if not slash or not suite:
        raise UserError(
            f"{name!r} names a family, not a suite",
            hint=f"taskloom list suites {family_name} shows its {len(family.suites())} suites",
        )
    recipe = resolve(family.recipe(suite), options or {}, where=name)
    return family.build(suite, recipe, seed)

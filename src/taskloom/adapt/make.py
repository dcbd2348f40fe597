"""Adaptations by name, with options and the recipes of papers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taskloom.adapt.recipes import named_recipe
from taskloom.core import resolve
from taskloom.core.adaptation import Adaptation
from taskloom.core.catalog import ADAPTATIONS


def make_adaptation(name: str, options: Mapping[str, Any] | None = None) -> Adaptation:
    """The registered adaptation of that name with some of its options replaced.

    The option `recipe` starts from the values of a paper (`taskbench`, `tk-instruct`, `seti`, `zest`,
    `dyna-babi`); the other options come on top of it.
    """
    given = dict(options or {})
    start = ADAPTATIONS.get(name)
    where = f"adaptation {name}"
    if "recipe" in given:
        start = resolve(start, named_recipe(str(given.pop("recipe")), name), where=where)
    return resolve(start, given, where=where)

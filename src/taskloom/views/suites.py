"""The suites that a page offers: those with a name, and bundles below the served folders. Nothing else is opened.

`open_suite` also runs Python files and reads any folder; a request must not be able to name one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from math import fsum
from typing import Any

from taskloom.core import Suite, UserError, open_suite, unknown_name
from taskloom.core.catalog import FAMILIES, lattice_of, list_suites, probed_suite
from taskloom.views.library import Library

__all__ = ["known_suites", "suite_examples", "suite_name"]

_EXAMPLES = 2
_FIRST = "babi/mix-t2"


def known_suites(library: Library) -> list[tuple[str, str]]:
    """Names with what they are, those that stand for a family first."""
    named = {name: title for name, title in list_suites().items() if "needs" not in title}
    first = [_FIRST, *(name for family in FAMILIES.names() if (name := probed_suite(family)) in named)]
    bundles = {place.id: "a bundle below this folder" for place in library.places().values() if place.kind == "bundle"}
    return [(name, named[name]) for name in dict.fromkeys([*first, *named]) if name in named] + list(bundles.items())


def suite_name(library: Library, name: str) -> str:
    """What `open_suite` calls a suite that a page names.

    Raises:
        UserError: The page does not offer it (with the nearest names).
    """
    place = library.places().get(name)
    if place is not None and place.kind == "bundle":
        return str(place.folder)
    known = dict(known_suites(library))
    if name not in known:
        raise unknown_name("suite", name, known)
    return name


def suite_examples(library: Library, name: str, seed: int, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Items of a suite for a person to try, its settings, and how long its inputs are."""
    path = suite_name(library, name)
    if any(not isinstance(value, str | int | float | bool) for value in recipe.values()):
        raise UserError("only plain settings can be changed here", where="recipe")
    return _examples(path, dict(known_suites(library))[name], seed, tuple(sorted(recipe.items())))


@lru_cache(maxsize=32)
def _examples(path: str, title: str, seed: int, recipe: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    suite: Suite = open_suite(path, seed=seed, **dict(recipe))
    rows = list(islice(suite.rows(suite.default_split()), 20))
    try:
        cells = len(lattice_of(suite).cells)
    except UserError:
        cells = 0
    shown = [
        {"input": row.instance.input, "support": list(row.instance.details.get("support", ())),
         "answer": row.instance.targets.canonical(), "definition": suite.tasks[row.task].instruction.definition}
        for row in rows[:_EXAMPLES]
    ]  # fmt: skip
    sizes = [len(row.instance.input) + len(suite.tasks[row.task].instruction.definition) for row in rows]
    plain = {name: value for name, value in suite.recipe.items() if isinstance(value, str | int | float | bool)}
    return {
        "title": f"{title}.", "examples": shown, "cells": cells, "recipe": plain,
        "characters": fsum(sizes) / max(1, len(sizes)),
    }  # fmt: skip

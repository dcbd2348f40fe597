"""All embedded tasks, and which categories are never trained on."""

from __future__ import annotations

from functools import cache

from taskloom.families.superni.embedded import (
    calendar,
    grammar,
    lists,
    logic,
    numbers,
    reading,
    semantics,
    strings,
    tables,
)
from taskloom.families.superni.embedded.blueprint import Blueprint

__all__ = ["TEST_CATEGORIES", "blueprints"]

TEST_CATEGORIES: frozenset[str] = frozenset(
    {
        "Answerability Classification",
        "Coreference Resolution",
        "Data to Text",
        "Grammar Error Correction",
        "Overlap Extraction",
        "Sequence Completion",
        "Text Reordering",
        "Textual Entailment",
        "Unit Conversion",
        "Word Relation Classification",
    }
)
"""Held out for testing. Six of them are evaluation categories of the published collection too."""


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every task that is made from Taskloom's own words and numbers, by name, in a fixed order."""
    found: dict[str, Blueprint] = {}
    for module in (strings, lists, numbers, calendar, tables, logic, semantics, grammar, reading):
        for blueprint in module.TASKS:
            if found.setdefault(blueprint.name, blueprint) is not blueprint:
                raise ValueError(f"two embedded tasks are called {blueprint.name}")
    return found

"""All embedded tasks, and which categories are never trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

from taskloom.author import Blueprint, Item, Maker
from taskloom.core import Facet, FacetType
from taskloom.families.superni.embedded import (
    calendar,
    grammar,
    lists,
    logic,
    numbers,
    reading,
    semantics,
    states,
    strings,
    tables,
)
from taskloom.families.superni.embedded.skills import skills_of

__all__ = ["COLUMNS", "TEST_CATEGORIES", "blueprints"]

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


COLUMNS: dict[str, FacetType] = {"input_words": int}

_DOMAINS: dict[ModuleType, str] = {
    strings: "Computer Science",
    lists: "Computer Science",
    numbers: "Mathematics",
    calendar: "Miscellaneous",
    tables: "Knowledge Base",
    states: "Knowledge Base",
    logic: "Logic -> Formal logic",
    semantics: "Linguistics",
    grammar: "Linguistics",
    reading: "Linguistics",
}
"""What the tasks of a module are about, by the published names of domains."""


def _measured(make: Maker) -> Callable[[Random], Item]:
    """A maker whose items say how long they are."""

    def measured(rng: Random) -> Item:
        text: Any = make(rng)  # type: ignore[call-arg]
        return Item(text, None, {"input_words": len(text.split())})

    return measured


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every task that is made from Taskloom's own words and numbers, by name, in a fixed order."""
    found: dict[str, Blueprint] = {}
    for module, domain in _DOMAINS.items():
        for blueprint in module.TASKS:
            if blueprint.name in found:
                raise ValueError(f"two embedded tasks are called {blueprint.name}")
            facets: dict[str, Facet] = {
                "family": "superni",
                "derives_from": "superni/embedded",
                "source": f"Taskloom, {blueprint.category.lower()}",
                "domains": (domain,),
                "skills": skills_of()[blueprint.name],
                **blueprint.facets,
            }
            found[blueprint.name] = replace(
                blueprint,
                facets=facets,
                columns=COLUMNS,
                make=_measured(blueprint.make),
                balanced=bool(blueprint.labels),
                version="3",
            )
    return found

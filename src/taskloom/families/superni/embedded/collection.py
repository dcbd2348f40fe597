"""All embedded tasks, and which categories are never trained on."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from taskloom.author import Blueprint
from taskloom.families.superni.embedded.records import blueprint_of, read_records

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

_MODULES = (
    "strings", "lists", "numbers", "calendar", "tables", "states", "logic", "semantics", "grammar", "reading"
)  # fmt: skip
"""Modules with a TOML file beside them. Their order is that of the tasks, and so part of the suite's bytes."""


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every task that is made from Taskloom's own words and numbers, by name, in a fixed order."""
    found: dict[str, Blueprint] = {}
    for module in _MODULES:
        code = import_module(f"taskloom.families.superni.embedded.{module}").TASKS
        for name, record in read_records(module, code).items():
            if name in found:
                raise ValueError(f"two embedded tasks are called {name}")
            found[name] = blueprint_of(name, record, code[name])
    return found

"""Records that users register: complete, or refused with the names of the fields that are missing."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from taskloom.core.errors import UserError

MISSING: Any = object()
"""What stands in a record for a field that was not given."""


def refuse_missing(record: Any, kind: str, sort: str) -> None:
    """Refuse a record that lacks a field.

    Raises:
        UserError: With the names of the fields it lacks.
    """
    given = {field.name: getattr(record, field.name) for field in fields(record)}
    lacking = [name for name, value in given.items() if value is MISSING or value == ""]
    if lacking:
        title = f"this {kind}" if "name" in lacking else f"the {kind} {given['name']!r}"
        raise UserError(
            f"{title} lacks {' and '.join(lacking)}",
            where=f"{type(record).__name__}(…)",
            hint=f"{sort} has {', '.join(given)}",
        )


def refuse_undeclared(cls: type, kind: str, declared: dict[str, str]) -> None:
    """Refuse a class that leaves out something that every object of its kind has to say of itself.

    Args:
        cls: The class.
        kind: What its objects are.
        declared: What each has to say, with an example.

    Raises:
        UserError: With the first that it leaves out.
    """
    for name, example in declared.items():
        if not hasattr(cls, name):
            raise UserError(f"the {kind} {cls.__name__} lacks {name}", where=f"class {cls.__name__}", hint=example)

"""Whether statements can all be true together, over everything one passage says.

The generator never writes a passage that contradicts itself; this module says what that means, and `contradictions`
checks it over the statements of a finished passage, those about other entities and those that deny a value included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import TableRow, Value

__all__ = ["Statement", "clash", "contradictions"]


class Statement(NamedTuple):
    """Something a passage says of an entity: a value of an attribute, or that it is not this value."""

    entity: str
    attribute: str
    value: Value
    denied: bool = False


def _is_side(side: str, attribute: str, value: Value) -> bool:
    """Whether a stated value is one side of a conflict, such as "water=no" or "scrapped"."""
    name, equals, wanted = side.partition("=")
    if name != attribute:
        return False
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return not equals or text == wanted


def clash(domain: Domain, values: Mapping[str, Value], name: str, stated: Iterable[str]) -> bool:
    """Whether stating one more attribute of an entity would contradict what is stated already."""
    for one, other in domain.conflicts:
        for mine, theirs in ((one, other), (other, one)):
            if _is_side(mine, name, values[name]) and any(_is_side(theirs, two, values[two]) for two in stated):
                return True
    return False


def contradictions(domain: Domain, statements: Iterable[Statement]) -> list[str]:
    """What cannot be true together, one sentence each; empty for a sound passage."""
    found: list[str] = []
    known: dict[str, dict[str, Value]] = {}
    denied: list[Statement] = []
    for statement in statements:
        if statement.denied:
            denied.append(statement)
            continue
        values = known.setdefault(statement.entity, {})
        if values.setdefault(statement.attribute, statement.value) != statement.value:
            found.append(f"{statement.entity}: two values of {statement.attribute}")
    for statement in denied:
        if known.get(statement.entity, {}).get(statement.attribute) == statement.value:
            found.append(f"{statement.entity}: {statement.attribute} is stated and denied")
    for entity, values in known.items():
        found += [f"{entity}: {problem}" for problem in (*_misdated(domain, values), *_conflicting(domain, values))]
    return found


def _misdated(domain: Domain, values: Mapping[str, Value]) -> Iterable[str]:
    """Years that come before the year they count from, in attributes and in rows."""
    for name, value in values.items():
        attribute = domain.attributes[name]
        for spec, years in ((attribute, [value]), (attribute.a, _column(value, 1)), (attribute.b, _column(value, 2))):
            if spec is None or not spec.after or spec.after not in values:
                continue
            base = values[spec.after]
            if any(isinstance(base, int) and int(str(year)) < base for year in years):
                yield f"{name} before {spec.after}"


def _column(value: Value, number: int) -> list[Value]:
    if not isinstance(value, tuple):
        return []
    return [row[number] for row in value if isinstance(row, TableRow) and row[number] is not None]  # type: ignore[misc]


def _conflicting(domain: Domain, values: Mapping[str, Value]) -> Iterable[str]:
    for one, other in domain.conflicts:
        if all(any(_is_side(side, name, value) for name, value in values.items()) for side in (one, other)):
            yield f"{one} and {other}"

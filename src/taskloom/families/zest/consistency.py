"""Whether statements can all be true together, over everything one passage says.

The generator never writes a passage that contradicts itself; this module says what that means, and `contradictions`
checks it over the statements of a finished passage, those about other entities and those that deny a value included.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

import msgspec

from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import TableRow, Value


class Statement(msgspec.Struct, frozen=True, gc=False):
    """Something a passage says of an entity: a value of an attribute, or that it is not this value."""

    entity: str
    attribute: str
    value: Value
    denied: bool = False


def _is_side(wanted: str, value: Value) -> bool:
    """Whether a stated value is that of a side of a conflict, such as the "no" of "water=no"."""
    if not wanted:
        return True
    return wanted == ({True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value))


def clash(domain: Domain, values: Mapping[str, Value], name: str, stated: Container[str]) -> bool:
    """Whether stating one more attribute of an entity would contradict what is stated already."""
    return any(
        other in stated and _is_side(mine, values[name]) and _is_side(theirs, values[other])
        for mine, other, theirs in domain.opponents.get(name, ())
    )


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


def _misdated(domain: Domain, values: Mapping[str, Value]) -> Iterator[str]:
    """Years that come before the year they count from, in attributes and in rows."""
    for name, value in values.items():
        for column, after in domain.counted.get(name, ()):
            base = values.get(after)
            years = _column(value, column) if column else [value]
            if isinstance(base, int) and any(int(str(year)) < base for year in years):
                yield f"{name} before {after}"


def _column(value: Value, number: int) -> list[Value]:
    if not isinstance(value, tuple):
        return []
    fields = [row.a if number == 1 else row.b for row in value if isinstance(row, TableRow)]
    return [field for field in fields if field is not None]


def _conflicting(domain: Domain, values: Mapping[str, Value]) -> Iterator[str]:
    for one, other in domain.conflicts:
        sides = [side.partition("=") for side in (one, other)]
        if all(name in values and _is_side(wanted, values[name]) for name, _, wanted in sides):
            yield f"{one} and {other}"

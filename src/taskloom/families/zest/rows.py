"""The sentences of a small table: each row with what it is to the entity, and the fields that are stated."""

from __future__ import annotations

from random import Random

from taskloom.core.rng import below, pick, sample
from taskloom.families.zest.attributes import Attribute
from taskloom.families.zest.facts import TableRow, Value, number_word

_LISTED = 0.3


def say_rows(attribute: Attribute, value: Value, definite: str, rng: Random) -> list[str]:
    """The sentences that state a table, without their final stops.

    Args:
        attribute: The table's words.
        value: Its rows.
        definite: A description of the entity, such as "the ship".
        rng: Where the choices come from.
    """
    assert isinstance(value, tuple)
    rows = [row for row in value if isinstance(row, TableRow)]
    if len(rows) > 1 and rng.random() < _LISTED:
        return [_listed(attribute, rows, definite)]
    members = sample(rng, attribute.say, len(attribute.say))
    sentences: list[str] = []
    for at, row in enumerate(rows):
        sentences += _row(attribute, row, members[at % len(members)].replace("{D}", definite), rng)
    return sentences


def _listed(attribute: Attribute, rows: list[TableRow], definite: str) -> str:
    """All rows in one sentence, their fields in brackets."""
    assert attribute.a is not None and attribute.b is not None
    entries = []
    for row in rows:
        fields = [
            spec.brief.replace("{}", text)
            for spec, text in ((attribute.a, row.a), (attribute.b, row.b))
            if text is not None
        ]
        entries.append(f"{row.name} ({', '.join(fields)})" if fields else row.name)
    start = attribute.lead.format(n=number_word(len(rows)), D=definite)
    return f"{start}: {', '.join(entries[:-1])} and {entries[-1]}"


def _row(attribute: Attribute, row: TableRow, member: str, rng: Random) -> list[str]:
    """One row in one sentence, or in two of which the second begins with "it"."""
    assert attribute.a is not None and attribute.b is not None
    clauses = []
    if row.a is not None:
        clauses.append(pick(rng, attribute.a.say).replace("{}", row.a))
    if row.b is not None:
        clauses.append(pick(rng, attribute.b.say).replace("{}", row.b))
    style = below(rng, 3)
    if not clauses:
        return [f"{row.name} {member}"]
    if style == 0:
        return [f"{row.name} {member}", f"it {' and '.join(clauses)}"]
    if len(clauses) == 1:
        return [f"{row.name}, which {clauses[0]}, {member}" if style == 1 else f"{row.name} {member} and {clauses[0]}"]
    if style == 1:
        return [f"{row.name}, which {clauses[0]}, {member} and {clauses[1]}"]
    return [f"{row.name} {member}, {clauses[0]} and {clauses[1]}"]

"""The attributes of a domain, and what drawing and writing them asks for, computed once.

Domains are read once and passages are drawn by the million. So everything about a statement or a value that does not
depend on the passage (how many words it has, how many bits a draw takes) is computed when the domain is first used.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from taskloom.core.rng import Wheel, wheel
from taskloom.families.zest.templates import SentenceTemplate, sentence, template

_EXACT = 1000

Kind = Literal["flag", "choice", "year", "number", "name", "list", "rows"]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the two fields of a row: a choice, a number or a year. `say` continues a sentence about the row."""

    label: str
    kind: Literal["choice", "number", "year"]
    say: tuple[str, ...]
    brief: str = "{}"
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    unit: str = ""
    short: str = ""
    words: bool = False
    after: str = ""


class Attribute(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A typed attribute with the sentences that state it and the questions that ask for it.

    Attributes:
        kind: flag (yes or no), choice, year, number, name, list, or rows (a small table).
        say: Statements of a value; `yes` and `no` take their place for flags, for rows what a row is to the entity.
        ask: Questions, the base wording first, paraphrases after it.
        test: Yes/no questions about a value, the base wording first.
        flip: `ask[0]` (or `test[0]` of a flag) with one change that asks for something else; `flip_to` names the
            attribute it then asks for, a flag asks for its own opposite.
        flip_test: `test[0]` turned round ("before" becomes "after").
        claim: `test[0]` as a clause, for questions about two things at once.
        label: A noun phrase for the value; also the key in structured answers.
        after: The attribute that a year counts from; `low` and `high` are then distances.
        source: What a name is the name of.
        event: Of a year or a place: what happened then or there, as a clause.
        role: Of a person: what the person did, as a predicate.
        honoured: Of a person or a place: whether a plaque, a street or a signpost may recall it. None does for a person
            who holds an office today, for an enemy, or for a place that people only pass through.
        rule: Of a flag: what most of the kind do, as a clause; the entity is or is not an exception.
        twice: Of a number: a predicate with "exactly twice", said after the number of another entity.
        choose: Of a choice: a sentence with two candidates {x} and {y}, and one that picks {which} of them.
        allbut: Of a list: a sentence with a longer list {all}, and one that leaves out {w}.
        lead: Of rows: the beginning of a sentence that lists them, with {n} for how many.
        key, names: Of rows: the key of a row in answers, and the forms of their names.
        ask_rows, which: Of rows: questions for the whole table, and for the rows with a value.
    """

    kind: Kind
    ask: tuple[str, ...]
    say: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    flip: str = ""
    flip_to: str = ""
    flip_test: str = ""
    claim: str = ""
    label: str = ""
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    unit: str = ""
    short: str = ""
    words: bool = False
    after: str = ""
    source: str = ""
    event: str = ""
    role: str = ""
    honoured: bool = True
    rule: str = ""
    twice: str = ""
    choose: tuple[str, ...] = ()
    allbut: tuple[str, ...] = ()
    lead: str = ""
    key: str = ""
    names: tuple[str, ...] = ()
    ask_rows: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    a: Field | None = None
    b: Field | None = None


class StatementForm(msgspec.Struct, frozen=True, gc=False):
    """A statement with what a writer asks of it.

    Attributes:
        text: The template.
        words: How many words it has.
        predicate: Whether it begins with the subject.
        simple: Whether it stays clear inside a longer sentence.
        plain: Whether it is no more than a subject, `head`, a value and `tail`. Most are, and are written as that.
        head, tail: What stands before and behind the value of a plain statement.
        whole: The statement about the entity.
        of_other: The statement about another entity, whose possessive is {OP}.
        denies: What may be put behind it to deny another value: "{}" or "a {}", "" for nothing.
    """

    text: str
    words: int
    predicate: bool
    simple: bool
    plain: bool
    head: str
    tail: str
    whole: SentenceTemplate
    of_other: SentenceTemplate
    denies: str


def form_of(text: str, *, valued: bool) -> StatementForm:
    """What there is to know about a statement; that of a flag has no value in it."""
    simple = not any(mark in text for mark in (", ", " and ", ";"))
    predicate = text.startswith("{S} ")
    denies = ""
    if text.endswith("{v}"):
        # "In a former {v}" goes on with "not a tannery", "on {v}" with "not Mondays".
        denies = "a {}" if re.search(r"\ban? (?:\w+ )?\{v\}$", text) else "{}"
    head, slot, tail = text.removeprefix("{S}").partition("{v}")
    plain = (slot != "") == valued and "{" not in head + tail
    of_other = sentence(text.replace("{S}", "{O}").replace("{P}", "{OP}"))
    return StatementForm(
        text, len(text.split()), predicate, simple, plain, head, tail, template(text), of_other, denies
    )


class Drawing(msgspec.Struct, frozen=True, gc=False):
    """How the values of an attribute, or of a field of a table, are drawn.

    Attributes:
        kind: Its kind.
        spec: The attribute or field.
        choices: Of a choice: its values.
        low, size, width: Of a number or a year: the least, how many there are, and the bits of a draw.
        after: The attribute that it counts from.
        tens: Whether it is given in tens, as large numbers are.
        source: Of a name: what it is the name of.
        names, a, b: Of a table: the forms of its rows' names, and its fields.
    """

    kind: Kind
    spec: Attribute | Field
    choices: Wheel[str]
    low: int
    size: int
    width: int
    after: str
    tens: bool
    source: str = ""
    names: tuple[str, ...] = ()
    a: Drawing | None = None
    b: Drawing | None = None


def drawing_of(spec: Attribute | Field) -> Drawing:
    """How the values of an attribute or a field are drawn."""
    size = spec.high - spec.low + 1
    tens = spec.kind == "number" and spec.high > _EXACT
    number = (spec.low, size, size.bit_length(), spec.after, tens)
    if isinstance(spec, Field):
        return Drawing(spec.kind, spec, wheel(spec.values), *number)
    a, b = (None if field is None else drawing_of(field) for field in (spec.a, spec.b))
    return Drawing(spec.kind, spec, wheel(spec.values), *number, spec.source, spec.names, a, b)

"""What a domain is made of: its words, its typed attributes and how they are said and asked about.

The text of each domain is a TOML file in `domains/`, so that a sentence can be mended without touching code.
Slots in braces: {S} the subject (name, description or pronoun), {N} the name, {D} a description such as "the
ship", {P} its possessive pronoun, {v} a value, {av} a value with its article, {this} "this ship", {t} and {at}
the value a yes/no question asks about, {row}, {a} and {b} a row of a table and its two fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from taskloom.core import UserError, unknown_name

__all__ = ["DOMAINS", "Attribute", "Domain", "Field", "linked_years", "load_domain"]

DOMAINS: tuple[str, ...] = (
    "breeds",
    "bridges",
    "castles",
    "festivals",
    "mountains",
    "museums",
    "railways",
    "reserves",
    "rulers",
    "ships",
)

Kind = Literal["flag", "choice", "year", "number", "name", "list", "rows"]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the two fields of a row: a choice, a number or a year."""

    label: str
    kind: Literal["choice", "number", "year"]
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    unit: str = ""
    words: bool = False
    after: str = ""


class Attribute(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A typed attribute with the sentences that state it and the questions that ask for it.

    Attributes:
        kind: flag (yes or no), choice, year, number, name, list, or rows (a small table).
        say: Statements of a value; `yes` and `no` take their place for flags.
        ask: Questions, the base wording first, paraphrases after it.
        test: Yes/no questions about a value, the base wording first.
        flip: `ask[0]` (or `test[0]` of a flag) with one change that asks for something else; `flip_to` names the
            attribute it then asks for, a flag asks for its own opposite.
        flip_test: `test[0]` turned round ("before" becomes "after").
        claim: `test[0]` as a clause, for questions about two things at once.
        label: A noun phrase for the value; also the key in structured answers.
        after: The attribute that a year counts from; `low` and `high` are then distances.
        source: What a name is the name of.
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
    words: bool = False
    after: str = ""
    source: str = ""
    key: str = ""
    names: tuple[str, ...] = ()
    say_both: tuple[str, ...] = ()
    say_a: tuple[str, ...] = ()
    say_b: tuple[str, ...] = ()
    say_none: tuple[str, ...] = ()
    ask_rows: str = ""
    which: tuple[str, ...] = ()
    a: Field | None = None
    b: Field | None = None


class Domain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A domain of entities one can ask the same questions about."""

    noun: str
    definite: tuple[str, ...]
    name: str
    intro: tuple[str, ...]
    apposition: tuple[str, ...]
    others: tuple[str, ...]
    colour: tuple[str, ...]
    attributes: dict[str, Attribute]
    pronouns: tuple[str, str, str] = ("it", "its", "it")
    gendered: bool = False
    monarch: tuple[str, str] = ("", "")
    id: str = ""

    @property
    def this(self) -> str:
        """How questions refer to the entity: "this ship"."""
        return f"this {self.noun}"


def _problems(domain: Domain) -> Iterator[str]:
    """What would break generation: every statement needs a form with the entity as its subject, and so on."""
    for name, attribute in domain.attributes.items():
        stated = [attribute.yes, attribute.no] if attribute.kind == "flag" else [attribute.say]
        if attribute.kind != "rows" and not all(any(s.startswith("{S} ") for s in group) for group in stated):
            yield f"{name}: no statement begins with {{S}}"
        if any(s.startswith("{S} ") and "{D}" in s for group in stated for s in group):
            yield f"{name}: a statement with {{S}} cannot hold {{D}} as well"
        if attribute.kind == "rows" and not (attribute.a and attribute.b):
            yield f"{name}: rows need two fields"
        for other in (attribute.after, attribute.flip_to):
            if other and other not in domain.attributes:
                yield f"{name}: there is no attribute {other!r}"
        if attribute.kind in ("choice", "year", "number") and not (attribute.test and attribute.claim):
            yield f"{name}: a {attribute.kind} needs `test` and `claim`"


def linked_years(domain: Domain, names: Iterable[str]) -> set[str]:
    """The attributes whose years are counted from these, or these from them, at any remove; not these themselves."""
    asked = set(names)
    found = set(asked)
    while True:
        grown = found | {domain.attributes[name].after for name in found} - {""}
        for name, attribute in domain.attributes.items():
            if any(part is not None and part.after in grown for part in (attribute, attribute.a, attribute.b)):
                grown.add(name)
        if grown == found:
            return found - asked
        found = grown


@cache
def load_domain(name: str) -> Domain:
    """The domain of that name, checked.

    Raises:
        UserError: No such domain, or its text does not fit together.
    """
    if name not in DOMAINS:
        raise unknown_name("domain", name, DOMAINS, where="domains")
    place = files("taskloom.families.zest") / "domains" / f"{name}.toml"
    try:
        domain = msgspec.toml.decode(place.read_bytes(), type=Domain)
    except msgspec.MsgspecError as error:
        raise UserError(f"the text of the domain cannot be read: {error}", where=f"{name}.toml") from None
    for problem in _problems(domain):
        raise UserError(problem, where=f"{name}.toml")
    return msgspec.structs.replace(domain, id=name)

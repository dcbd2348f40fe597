"""What a domain is made of: its words, its typed attributes and how they are said and asked about.

The text of each domain is a TOML file in `domains/`, so that a sentence can be edited without touching code.
Slots in braces: {S} the subject (name, description or pronoun), {N} the name, {D} a description such as "the
ship", {P} its possessive pronoun, {v} a value, {av} a value with its article, {this} "this ship", {t} and {at}
the value a yes/no question asks about, {row} a row of a table, {a} and {b} its two fields (in questions: the names of
the fields, which are the keys of the answer, and {key} that of the row).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import as_file, files

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.core.decode import read_toml
from taskloom.core.rng import Wheel, wheel
from taskloom.families.zest.attributes import Attribute, Drawing, Kind, StatementForm, drawing_of, form_of
from taskloom.families.zest.templates import SentenceTemplate, sentence, template

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


class Domain(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A domain of entities one can ask the same questions about.

    Attributes:
        noun: What the entities are.
        definite: Descriptions that stand for the name.
        name: How entities are named.
        intro: First sentences; each holds {N} and {town}, which together make a passage unlike any other.
        apposition: What may follow the name, {town} included.
        others: Appositions of other entities of the domain; none says how they compare.
        colour: Sentences that state nothing that is asked for.
        attributes: What can be stated and asked.
        pronouns: Subject, possessive and object.
        gendered: Whether the pronoun depends on the entity.
        monarch: King and queen, where {monarch} occurs.
        past: Whether the entities are a thing of the past.
        together: Attributes whose facts read well in one sentence, or in two tied by "moreover".
        conflicts: Pairs that no text may state of one entity: attributes, or attributes with a value ("water=no").
    """

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
    past: bool = False
    monarch: tuple[str, str] = ("", "")
    together: tuple[tuple[str, ...], ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    id: str = ""

    @cached_property
    def referents(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The pronoun and the possessive of a male entity, and those of a female one."""
        pronoun, possessive, _ = self.pronouns
        return (("he", "his"), ("she", "her")) if self.gendered else ((pronoun, possessive), (pronoun, possessive))

    @property
    def this(self) -> str:
        """How questions refer to the entity: "this ship"."""
        return f"this {self.noun}"

    # What every passage needs of a domain is computed once.

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each attribute."""
        return {name: one.kind for name, one in self.attributes.items()}

    @cached_property
    def drawings(self) -> dict[str, Drawing]:
        """How the values of each attribute are drawn."""
        return {name: drawing_of(one) for name, one in self.attributes.items()}

    @cached_property
    def persons(self) -> frozenset[str]:
        """The attributes that are people of whom the domain says what they did."""
        return frozenset(name for name, one in self.attributes.items() if one.role)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The attributes that are tables."""
        return frozenset(name for name, kind in self.kinds.items() if kind == "rows")

    @cached_property
    def quarters(self) -> dict[str, int]:
        """The place of each attribute in the order of the domain, in quarters, so that there is room between two."""
        return {name: 4 * place for place, name in enumerate(self.attributes)}

    @cached_property
    def forms(self) -> dict[str, tuple[tuple[StatementForm, ...], tuple[StatementForm, ...]]]:
        """The statements of each attribute but tables: those for a flag that is false, and all others."""
        found = {}
        for name, one in self.attributes.items():
            if one.kind != "rows":
                said = (one.no, one.yes) if one.kind == "flag" else (one.say, one.say)
                no, yes = (tuple(form_of(text, valued=one.kind != "flag") for text in texts) for texts in said)
                found[name] = (no, yes)
        return found

    @cached_property
    def worded(self) -> dict[str, tuple[Wheel[StatementForm], Wheel[StatementForm]]]:
        """The same, laid out for drawing."""
        return {name: (wheel(no), wheel(yes)) for name, (no, yes) in self.forms.items()}

    @cached_property
    def predicates(self) -> dict[str, tuple[tuple[StatementForm, ...], tuple[StatementForm, ...]]]:
        """Those of the statements that begin with the subject."""
        return {
            name: (tuple(form for form in no if form.predicate), tuple(form for form in yes if form.predicate))
            for name, (no, yes) in self.forms.items()
        }

    @cached_property
    def intros(self) -> Wheel[SentenceTemplate]:
        """The first sentences, laid out for drawing."""
        return wheel([sentence(text) for text in self.intro])

    @cached_property
    def appositions(self) -> Wheel[SentenceTemplate]:
        """What may follow the name, laid out for drawing."""
        return wheel([template(text) for text in self.apposition])

    @cached_property
    def colours(self) -> Wheel[SentenceTemplate]:
        """The sentences that state nothing that is asked for, laid out for drawing."""
        return wheel([sentence(text) for text in self.colour])

    @cached_property
    def definites(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The descriptions of a male entity, and those of a female one."""
        first, second = (tuple(form.format(monarch=word) for form in self.definite) for word in self.monarch)
        return first, second

    @cached_property
    def described(self) -> tuple[Wheel[str], Wheel[str]]:
        """The same, laid out for drawing."""
        return wheel(self.definites[0]), wheel(self.definites[1])

    @cached_property
    def opponents(self) -> dict[str, tuple[tuple[str, str, str], ...]]:
        """For each attribute the conflicts it can be a side of: its value, the other attribute and that one's value.

        A value of "" stands for every value.
        """
        found: dict[str, list[tuple[str, str, str]]] = {}
        for pair in self.conflicts:
            (one, _, this), (other, _, that) = (side.partition("=") for side in pair)
            found.setdefault(one, []).append((this, other, that))
            found.setdefault(other, []).append((that, one, this))
        return {name: tuple(sides) for name, sides in found.items()}

    @cached_property
    def mates(self) -> dict[str, frozenset[str]]:
        """For each attribute those whose facts may stand beside its own in one sentence."""
        groups = {name: [group for group in self.together if name in group] for name in self.attributes}
        return {name: frozenset(other for group in found for other in group) for name, found in groups.items()}

    @cached_property
    def tied(self) -> dict[str, frozenset[str]]:
        """For each attribute those that count from it or it from them, and those that it may conflict with."""
        return {name: self.linked[name] | self.excluded[name] for name in self.attributes}

    @cached_property
    def linked(self) -> dict[str, frozenset[str]]:
        """For each attribute those whose years count from it or it from them, at any remove."""
        return {name: frozenset(_linked_years(self, name)) for name in self.attributes}

    @cached_property
    def excluded(self) -> dict[str, frozenset[str]]:
        """For each attribute those that a passage cannot always state beside it, since their values may conflict."""
        return {name: frozenset(other for _, other, _ in self.opponents.get(name, ())) for name in self.attributes}

    @cached_property
    def dated(self) -> tuple[tuple[str, str], ...]:
        """The attributes that are years counted from another one, with that one."""
        return tuple((name, one.after) for name, one in self.attributes.items() if one.after)

    @cached_property
    def counted(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """For each attribute the years it holds, 0 for its own and 1 or 2 for a field, with what they count from."""
        years = {
            name: tuple((at, part.after) for at, part in enumerate((one, one.a, one.b)) if part and part.after)
            for name, one in self.attributes.items()
        }
        return {name: found for name, found in years.items() if found}


LEAST = 5
"""How many wordings every statement and every question has at the least."""


def _problems(domain: Domain) -> Iterator[str]:
    """What would break generation or make it poorer than promised."""
    for text in domain.intro:
        if "{N}" not in text or "{town}" not in text:
            yield f"an intro without {{N}} and {{town}}: {text}"
    for text in domain.apposition:
        if "{town}" not in text:
            yield f"an apposition without {{town}}: {text}"
    for name, attribute in domain.attributes.items():
        yield from (f"{name}: {problem}" for problem in _attribute_problems(domain, attribute))
    for one, other in domain.conflicts:
        for side in (one, other):
            if side.partition("=")[0] not in domain.attributes:
                yield f"conflicts: there is no attribute {side!r}"
    for name in (name for group in domain.together for name in group):
        if name not in domain.attributes:
            yield f"together: there is no attribute {name!r}"


def _attribute_problems(domain: Domain, attribute: Attribute) -> Iterator[str]:
    flag, rows = attribute.kind == "flag", attribute.kind == "rows"
    said = {"yes": attribute.yes, "no": attribute.no} if flag else {"say": attribute.say}
    groups = {**said, "ask": attribute.ask}
    if attribute.kind in ("choice", "year", "number"):
        groups["test"] = attribute.test
        if not attribute.claim:
            yield f"a {attribute.kind} needs a claim"
    if rows:
        groups |= {"ask_rows": attribute.ask_rows, "which": attribute.which}
        if attribute.a is None or attribute.b is None:
            yield "rows need two fields"
            return
        groups |= {"a.say": attribute.a.say, "b.say": attribute.b.say}
    for key, texts in groups.items():
        if len(set(texts)) < LEAST:
            yield f"{key} has {len(set(texts))} wordings, {LEAST} are the least"
    for text in () if rows else (text for texts in said.values() for text in texts):
        if text.startswith("{S} ") and "{D}" in text:
            yield "a statement with {S} cannot hold {D} as well"
    if not rows and not all(any(text.startswith("{S} ") for text in texts) for texts in said.values()):
        yield "no statement begins with {S}"
    for other in (attribute.after, attribute.flip_to):
        if other and other not in domain.attributes:
            yield f"there is no attribute {other!r}"


def _linked_years(domain: Domain, name: str) -> set[str]:
    """The attributes whose years are counted from this one, or this one from them, at any remove."""
    found = {name}
    while True:
        grown = found | {domain.attributes[one].after for one in found} - {""}
        for one, attribute in domain.attributes.items():
            if any(part is not None and part.after in grown for part in (attribute, attribute.a, attribute.b)):
                grown.add(one)
        if grown == found:
            return found - {name}
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
    with as_file(place) as path:
        domain = read_toml(path, type=Domain)
    for problem in _problems(domain):
        raise UserError(problem, where=f"{name}.toml")
    return msgspec.structs.replace(domain, id=name)

"""What a domain is made of: its words, its typed attributes and how they are said and asked about.

The text of each domain is a TOML file in `domains/`, so that a sentence can be edited without touching code.
Slots in braces: {S} the subject (name, description or pronoun), {N} the name, {D} a description such as "the
ship", {P} its possessive pronoun, {v} a value, {av} a value with its article, {this} "this ship", {t} and {at}
the value a yes/no question asks about, {row} a row of a table, {a} and {b} its two fields (in questions: the names of
the fields, which are the keys of the answer, and {key} that of the row). Brackets hold a choice of words, [a|b].

Domains are read once and passages are drawn by the million. So everything about a statement or a value that does not
depend on the passage (how many words it has, how many bits a draw takes) is computed when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from taskloom.core import UserError, ensure_known
from taskloom.core.decode import read_toml
from taskloom.core.rng import Wheel, wheel

_FOLDER = Path(__file__).with_name("domains")
DOMAINS: tuple[str, ...] = tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))

LEAST = 5
"""How many wordings every statement and every question has at the least."""

_EXACT = 1000
_SLOT = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
# Slots whose words differ from sentence to sentence, in the order in which they are drawn.
_VARIED = ("E", "D", "O", "av")

Kind = Literal["flag", "choice", "year", "number", "name", "list", "rows"]


class SentenceTemplate(msgspec.Struct, frozen=True, gc=False):
    """A text with slots in braces, taken apart once and filled many times.

    Attributes:
        text: The text.
        pattern: The text in the notation of the % operator, which takes half the time of `format`.
        words: How many words it has, a slot counting as one.
        varied: Those of its slots whose words are chosen for each sentence anew.
        predicate: Whether it begins with the subject.
        about: Whether it begins with the entity, by its name or a description.
        opened: Whether it begins with a slot, so that its first letter may have to be made a capital.
        simple: Whether it stays clear inside a longer sentence.
        denies: What may be put behind it to deny another value: "{}" or "a {}", "" for nothing. "In a former {v}" goes
            on with "not a tannery", "on {v}" with "not Mondays".
    """

    text: str
    pattern: str
    words: int
    varied: tuple[str, ...]
    predicate: bool
    about: bool
    opened: bool
    simple: bool
    denies: str


def wordings(texts: Iterable[str]) -> list[str]:
    """The texts with every choice made in every way: "[nobody|no one] knows" is two of them."""
    found: list[str] = []
    for text in texts:
        if choice := _CHOICE.search(text):
            ways = [f"{text[: choice.start()]}{one}{text[choice.end() :]}" for one in choice[1].split("|")]
            found += wordings(ways)
        else:
            found.append(text)
    return list(dict.fromkeys(found))


@cache
def template(text: str) -> SentenceTemplate:
    """The template of a sentence or a part of one that a domain or a frame has; there are only so many."""
    denied = "a {}" if re.search(r"\ban? (?:\w+ )?\{v\}$", text) else "{}"
    return SentenceTemplate(
        text,
        pattern=_SLOT.sub(r"%(\1)s", text.replace("%", "%%")),
        words=text.count(" ") + 1,
        varied=tuple(slot for slot in _VARIED if f"{{{slot}}}" in text),
        predicate=text.startswith("{S} "),
        about=text.startswith(("{E} ", "{N} ")),
        opened=text.startswith("{"),
        simple=not any(mark in text for mark in (", ", " and ", ";")),
        denies=denied if text.endswith("{v}") else "",
    )


@cache
def sentence(text: str) -> SentenceTemplate:
    """The same of a whole sentence, which begins with a capital and ends with a stop."""
    part = template(text)
    pattern = part.pattern if part.opened else f"{part.pattern[0].upper()}{part.pattern[1:]}"
    return replace(part, pattern=f"{pattern}.")


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def number_word(number: int) -> str:
    """A number below a hundred in words; digits with commas beyond."""
    if number < len(_ONES):
        return _ONES[number]
    if number >= 100:
        return f"{number:,}"
    ten, one = divmod(number, 10)
    return f"{_TENS[ten]}-{_ONES[one]}" if one else _TENS[ten]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """A typed value: an attribute, or one of the two fields of a table's rows (a choice, a number or a year).

    Attributes:
        kind: flag (yes or no), choice, year, number, name, list, or rows (a small table).
        label: A noun phrase for the value; also the key in structured answers.
        say: Statements of a value; for rows what a row is to the entity, of a field what continues such a sentence.
        brief: Of a field: how it is written in a list of rows.
        values, low, high: Of a choice or a list: the values; of a number or a year: the range.
        unit, short, words: Of a number: its unit, the short form of that, whether small ones are written in words.
        after: The attribute that a year counts from; `low` and `high` are then distances.
    """

    kind: Kind
    label: str = ""
    say: tuple[str, ...] = ()
    brief: str = "{}"
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    unit: str = ""
    short: str = ""
    words: bool = False
    after: str = ""

    @cached_property
    def choices(self) -> Wheel[str]:
        """The values, laid out for drawing."""
        return wheel(self.values)

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many numbers or years there are, and the bits of a draw."""
        size = self.high - self.low + 1
        return size, size.bit_length()

    @cached_property
    def tens(self) -> bool:
        """Whether it is given in tens, as large numbers are."""
        return self.kind == "number" and self.high > _EXACT


class Attribute(Field, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """An attribute with the sentences that state it and the questions that ask for it.

    Attributes:
        ask: Questions, the base wording first, paraphrases after it.
        yes, no: Of a flag: what takes the place of `say`.
        stance: Of a flag: whether it is welcome that it is true, so that a text may set it against another one.
        aside: Ways to put the value beside the name, as "laid down in {v}" or "with a hull of {v}"; of a flag that is
            true.
        aside_no: The same of a flag that is false.
        test: Yes/no questions about a value, the base wording first.
        flip: `ask[0]` (or `test[0]` of a flag) with one change that asks for something else; `flip_to` names the
            attribute it then asks for, a flag asks for its own opposite.
        flip_test: `test[0]` turned round ("before" becomes "after").
        claim: `test[0]` as a clause, for questions about two things at once.
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
        a, b: Of rows: their two fields.
    """

    ask: tuple[str, ...]
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    stance: Literal["welcome", "unwelcome", "neutral"] = "welcome"
    aside: tuple[str, ...] = ()
    aside_no: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    flip: str = ""
    flip_to: str = ""
    flip_test: str = ""
    claim: str = ""
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

    @property
    def fields(self) -> tuple[Field, Field]:
        """The two fields of the rows."""
        assert self.a is not None and self.b is not None
        return self.a, self.b

    @cached_property
    def forms(self) -> tuple[tuple[SentenceTemplate, ...], tuple[SentenceTemplate, ...]]:
        """The statements: those for a flag that is false, and all others."""
        no, yes = (self.no, self.yes) if self.kind == "flag" else (self.say, self.say)
        return tuple(map(template, wordings(no))), tuple(map(template, wordings(yes)))

    @cached_property
    def worded(self) -> tuple[Wheel[SentenceTemplate], Wheel[SentenceTemplate]]:
        """The same, laid out for drawing."""
        return wheel(self.forms[0]), wheel(self.forms[1])

    @cached_property
    def parts(self) -> dict[str, tuple[tuple[SentenceTemplate, ...], tuple[SentenceTemplate, ...]]]:
        """What takes part in a longer sentence, by shape, for a flag that is false and for all others.

        p is a predicate without its subject, c a clause with a subject of its own, x an aside, w an aside that begins
        with "with" or "without", v any other; capitals are for those that stay clear in the middle of a sentence.
        """
        found: dict[str, list[tuple[SentenceTemplate, ...]]] = {shape: [] for shape in "pcxwvPCXWV"}
        for said, beside in zip(self.forms, (self.aside_no, self.aside), strict=True):
            shaped = {
                "p": [template(form.text.removeprefix("{S} ")) for form in said if form.predicate],
                "c": [form for form in said if not form.predicate and "{D}" not in form.text],
                "x": list(map(template, wordings(beside if self.kind == "flag" else self.aside))),
            }
            shaped["w"] = [form for form in shaped["x"] if form.text.startswith("with")]
            shaped["v"] = [form for form in shaped["x"] if not form.text.startswith("with")]
            for shape, forms in shaped.items():
                found[shape].append(tuple(forms))
                found[shape.upper()].append(tuple(form for form in forms if form.simple))
        return {shape: (no, yes) for shape, (no, yes) in found.items()}

    @cached_property
    def predicates(self) -> tuple[tuple[SentenceTemplate, ...], tuple[SentenceTemplate, ...]]:
        """Those of the statements that begin with the subject."""
        no, yes = (tuple(form for form in forms if form.predicate) for forms in self.forms)
        return no, yes


class Domain(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A domain of entities one can ask the same questions about.

    Attributes:
        noun: What the entities are.
        definite: Descriptions that stand for the name.
        names: Forms of the names of entities around a {place}, or those of a {ship} or a {person}.
        intro: First sentences; each holds {N} and {town}, which together make a passage unlike any other.
        apposition: What may follow the name, {town} included.
        others: Appositions of other entities of the domain; none says how they compare.
        colour: Sentences that state nothing that is asked for.
        attributes: What can be stated and asked.
        pronouns: Subject, possessive and object.
        gendered: Whether the pronoun depends on the entity.
        monarch: King and queen, where {monarch} occurs.
        past: Whether the entities are a thing of the past.
        topics: The attributes in the order in which a text takes them up; those of one topic may share a sentence.
        register: The register of its texts, one of `discourse.toml`.
        conflicts: Pairs that no text may state of one entity: attributes, or attributes with a value ("water=no").
    """

    noun: str
    definite: tuple[str, ...]
    names: tuple[str, ...]
    intro: tuple[str, ...]
    apposition: tuple[str, ...]
    others: tuple[str, ...]
    colour: tuple[str, ...]
    attributes: dict[str, Attribute]
    topics: tuple[tuple[str, ...], ...]
    register: Literal["guide", "history", "handbook"]
    pronouns: tuple[str, str, str] = ("it", "its", "it")
    gendered: bool = False
    past: bool = False
    monarch: tuple[str, str] = ("", "")
    conflicts: tuple[tuple[str, str], ...] = ()
    id: str = ""

    @property
    def this(self) -> str:
        """How questions refer to the entity: "this ship"."""
        return f"this {self.noun}"

    @cached_property
    def intros(self) -> Wheel[SentenceTemplate]:
        """The first sentences, laid out for drawing."""
        return wheel([sentence(text) for text in wordings(self.intro)])

    @cached_property
    def appositions(self) -> Wheel[SentenceTemplate]:
        """What may follow the name, laid out for drawing."""
        return wheel([template(text) for text in self.apposition])

    @cached_property
    def named_intros(self) -> tuple[SentenceTemplate, ...]:
        """Those of the first sentences that begin with the name, without their stop."""
        return tuple(template(text) for text in wordings(self.intro) if text.startswith("{N} ") and ", " not in text)

    @cached_property
    def colours(self) -> tuple[tuple[SentenceTemplate, ...], ...]:
        """The wordings of each sentence that states nothing that is asked for."""
        return tuple(tuple(map(sentence, wordings((text,)))) for text in self.colour)

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
        found: dict[str, list[tuple[str, str, str]]] = {name: [] for name in self.attributes}
        for pair in self.conflicts:
            (one, _, this), (other, _, that) = (side.partition("=") for side in pair)
            found[one].append((this, other, that))
            found[other].append((that, one, this))
        return {name: tuple(sides) for name, sides in found.items() if sides}

    @cached_property
    def topic_of(self) -> dict[str, int]:
        """For each attribute the place of its topic."""
        return {name: place for place, names in enumerate(self.topics) for name in names}

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
        for text in (*attribute.aside, *attribute.aside_no):
            if "," in text or ("v}" in text) == (attribute.kind == "flag"):
                yield f"{name}: an aside has no comma, and it has a value unless it is that of a flag: {text}"
    if sorted(name for names in domain.topics for name in names) != sorted(domain.attributes):
        yield "every attribute belongs to one of the topics"
    for later, earlier in domain.dated:
        if domain.topic_of[later] < domain.topic_of[earlier]:
            yield f"topics: {later} comes before {earlier}, from which its years count"
    for name in (side.partition("=")[0] for pair in domain.conflicts for side in pair):
        if name not in domain.attributes:
            yield f"conflicts: there is no attribute {name!r}"


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
        for key, field in (("a", attribute.a), ("b", attribute.b)):
            if field is None or not field.label or field.kind not in ("choice", "number", "year"):
                yield f"rows need two fields, each a choice, a number or a year with a label: look at {key}"
                return
            groups[f"{key}.say"] = field.say
    for key, texts in groups.items():
        if len(set(texts)) < LEAST:
            yield f"{key} has {len(set(texts))} wordings, {LEAST} are the least"
    for texts in () if rows else said.values():
        if any(text.startswith("{S} ") and "{D}" in text for text in texts):
            yield "a statement with {S} cannot hold {D} as well"
        if not any(text.startswith("{S} ") for text in texts):
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
    ensure_known("domain", name, DOMAINS, where="domains")
    domain = read_toml(_FOLDER / f"{name}.toml", type=Domain)
    for problem in _problems(domain):
        raise UserError(problem, where=f"{name}.toml")
    return replace(domain, id=name)

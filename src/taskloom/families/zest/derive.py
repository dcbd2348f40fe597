"""Base questions, every way to ask about one attribute, and what derives from them.

Paraphrases, flips, combinations of two, and structured answers; `derive.toml` words the last two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import KeyedRandom
from taskloom.core.decode import read_toml
from taskloom.core.rng import below, pick, shuffle
from taskloom.families.zest.domain import Attribute, Domain
from taskloom.families.zest.facts import with_article
from taskloom.families.zest.questions import (
    Ask,
    Conditional,
    Format,
    Logic,
    PairQuestion,
    PassageQuestion,
    Proposition,
    RecordQuestion,
    TableQuestion,
    WhichRows,
    bound_text,
)

Generalisation: TypeAlias = Literal["base", "paraphrase", "flip", "combination", "structure"]
KINDS: tuple[Generalisation, ...] = ("base", "paraphrase", "flip", "combination", "structure")

Form: TypeAlias = Literal["base", "paraphrase", "flip", "and", "or", "but-not", "given", "with", "record", "table"]
"""How a task is made of base tasks."""
Operator: TypeAlias = Literal["and", "or", "but-not"]
OPERATORS: tuple[Operator, ...] = ("and", "or", "but-not")

_GENERALISATIONS: dict[Form, Generalisation] = {"base": "base", "paraphrase": "paraphrase", "flip": "flip"}
_GENERALISATIONS |= dict.fromkeys(("and", "or", "but-not", "given", "with"), "combination")
_GENERALISATIONS |= dict.fromkeys(("record", "table"), "structure")

RECORDABLE = ("choice", "year", "number", "name", "list")
"""The kinds of attributes whose values can be one of several in a record."""

_WORDINGS = 5
_Wordings = Annotated[tuple[str, ...], msgspec.Meta(min_length=_WORDINGS, max_length=_WORDINGS)]


class _DeriveTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`derive.toml`; its comments say what the entries mean."""

    wordings: dict[Form, _Wordings]
    denials: dict[str, str]


_TEXTS = read_toml(Path(__file__).with_suffix(".toml"), type=_DeriveTexts)
_DENIED = {verb: re.compile(rf"\b{verb}\b") for verb in _TEXTS.denials}


class Flip(NamedTuple):
    """A question one change away; it reuses the passages of the base where it turns the base round."""

    text: str
    question: PassageQuestion
    reuses_passages: bool


class Base(NamedTuple):
    """A base question with its wordings, its flip, and a clause for combinations ("" for open questions)."""

    name: str
    texts: tuple[str, ...]
    question: Ask | Proposition | WhichRows
    flip: Flip | None
    claim: str = ""

    @property
    def domain(self) -> Domain:
        return self.question.domain


def bases_of(domain: Domain, names: Iterable[str], random: KeyedRandom) -> Iterator[Base]:
    """The base questions about some attributes; those about one do not depend on which others are named."""
    for name in names:
        rng = random.at("bounds", domain.id, name)
        attribute = domain.attributes[name]
        prefix, texts = f"{domain.id}.{name}", _worded_all(attribute.ask, domain)
        if attribute.kind == "flag":
            flip = Flip(_worded(attribute.flip, domain), Proposition(domain, name, sense="opposite"), True)
            yield Base(prefix, texts, Proposition(domain, name), flip, _worded(attribute.claim, domain))
            continue
        other = Flip(_worded(attribute.flip, domain), Ask(domain, attribute.flip_to), False) if attribute.flip else None
        yield Base(prefix, texts, Ask(domain, name), other)
        if attribute.kind == "rows":
            yield from _row_bases(domain, name, attribute)
        bounds = _bounds(domain, attribute, rng)
        # A flip asks for a value that no base task asks for, or it would be that task.
        others = [value for value in attribute.values if value not in bounds]
        rng.shuffle(others)
        for index, bound in enumerate(bounds):
            yield _test_base(Proposition(domain, name, bound), others[index % len(others)] if others else "")


def _row_bases(domain: Domain, name: str, attribute: Attribute) -> Iterator[Base]:
    """Which rows have this value? Asking for another value is the flip."""
    a, b = attribute.fields
    *asked, other = (b.values or a.values)[:3]
    for value in asked:
        flip = Flip(_worded(attribute.which[0], domain, other), WhichRows(domain, name, other), False)
        texts = _worded_all(attribute.which, domain, value)
        yield Base(f"{domain.id}.{name}.{_slug(value)}", texts, WhichRows(domain, name, value), flip)


def _bounds(domain: Domain, attribute: Attribute, rng: Random) -> list[str | int]:
    """What yes/no questions about an attribute ask for: some of its values, or bounds from the middle of its range."""
    if attribute.kind == "choice":
        return list(rng.sample(attribute.values, min(3, len(attribute.values))))
    if attribute.kind not in ("year", "number"):
        return []
    low, high = _range(domain, attribute)
    step = 10 if attribute.kind == "year" or high - low > 100 else 5 if high - low > 40 else 1
    step = 100 if high - low > 1000 else step
    places = (0.36, 0.5, 0.64) if attribute.kind == "number" else (0.4, 0.5, 0.6)
    return list(dict.fromkeys(round((low + (high - low) * place) / step) * step for place in places))


def _range(domain: Domain, attribute: Attribute) -> tuple[int, int]:
    if not attribute.after:
        return attribute.low, attribute.high
    low, high = _range(domain, domain.attributes[attribute.after])
    return low + attribute.low, high + attribute.high


def _test_base(claim: Proposition, other: str) -> Base:
    domain, name, bound, attribute = claim.domain, claim.attribute, claim.bound, claim.spec
    word = bound_text(claim)
    if attribute.kind == "choice":
        flip = Flip(_worded(attribute.test[0], domain, other), Proposition(domain, name, other), False)
    else:
        flip = Flip(_worded(attribute.flip_test, domain, word), Proposition(domain, name, bound, "opposite"), True)
    label = f"{domain.id}.{name}.{_slug(str(bound))}"
    return Base(label, _worded_all(attribute.test, domain, word), claim, flip, _worded(attribute.claim, domain, word))


def _worded(text: str, domain: Domain, word: str = "") -> str:
    """A question about a domain, with the value it asks about."""
    return text.format(this=domain.this, t=word, at=with_article(word) if word else "")


def _worded_all(texts: tuple[str, ...], domain: Domain, word: str = "") -> tuple[str, ...]:
    return tuple(_worded(text, domain, word) for text in texts)


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


# ------------------------------------------------------------------------- tasks


class PlannedTask(NamedTuple):
    """A planned task: its words, its meaning, and whose passages it reads.

    Tasks with equal `passages` read the same ones: a paraphrase must be right where its base is, and a flip
    that turns the base round shows whether a model noticed.
    """

    name: str
    text: str
    question: PassageQuestion
    form: Form
    derives_from: tuple[str, ...]
    passages: str
    planned_for: PassageQuestion

    @property
    def domain(self) -> str:
        return self.question.domain.id

    @property
    def generalisation(self) -> Generalisation:
        return _GENERALISATIONS[self.form]

    @property
    def format(self) -> Format:
        return self.question.format


def _planned(name: str, text: str, question: PassageQuestion, form: Form, bases: Sequence[Base]) -> PlannedTask:
    """A task with passages of its own."""
    return PlannedTask(name, text, question, form, tuple(base.name for base in bases), name, question)


def base_task(base: Base) -> PlannedTask:
    """The base question itself."""
    return _planned(base.name, base.texts[0], base.question, "base", ())


def paraphrases_of(bases: Sequence[Base]) -> Iterator[PlannedTask]:
    """The other wordings, the first of each base before any second."""
    longest = max((len(base.texts) for base in bases), default=0)
    for turn in range(1, longest):
        for name, texts, question, *_ in bases:
            if turn < len(texts):
                label = f"{name}.paraphrase-{turn}"
                yield PlannedTask(label, texts[turn], question, "paraphrase", (name,), name, question)


def flips_of(bases: Sequence[Base]) -> Iterator[PlannedTask]:
    """One change that asks for something else."""
    for base in bases:
        if base.flip is not None:
            task = _planned(f"{base.name}.flip", base.flip.text, base.flip.question, "flip", (base,))
            reused = base.flip.reuses_passages
            yield task._replace(passages=base.name, planned_for=base.question) if reused else task


def combinations_of(bases: Sequence[Base], rng: Random) -> Iterator[PlannedTask]:
    """Two base tasks of one domain in one question, in random order."""
    pairs = [(a, b) for a, b in combinations(bases, 2) if a.domain is b.domain and _apart(a, b)]
    shuffle(rng, pairs)
    for pair in pairs:
        first, second = pair if rng.random() < 0.5 else pair[::-1]
        operator = pick(rng, OPERATORS)
        planned = _combined(first, second, operator, below(rng, _WORDINGS))
        if planned is not None:
            yield planned


def _apart(first: Base, second: Base) -> bool:
    """Tables are not combined, and no attribute with itself or with one that says something about it."""
    if isinstance(first.question, WhichRows) or isinstance(second.question, WhichRows):
        return False
    return unrelated((first, second))


def unrelated(bases: Sequence[Base]) -> bool:
    """Whether no two ask about the same attribute, or about attributes that date one another or may conflict."""
    domain, names = bases[0].domain, [base.question.attribute for base in bases]
    return all(
        one != two and two not in domain.linked[one] and two not in domain.excluded[one]
        for one, two in combinations(names, 2)
    )


def _combined(first: Base, second: Base, operator: Operator, wording: int) -> PlannedTask | None:
    """Two base questions as one; None where their forms do not go together.

    Args:
        first: The question that comes first.
        second: The other one.
        operator: How two yes/no questions are joined; other pairs have one way only.
        wording: Which of the wordings.
    """
    one, two = first.question, second.question
    question: PassageQuestion
    joint: Form
    if isinstance(one, Proposition) and isinstance(two, Proposition):
        question, joint = Logic(one, two, operator), operator
    elif isinstance(one, Ask) and isinstance(two, Proposition):
        question, joint = Conditional(one, two), "given"
    elif isinstance(one, Ask) and isinstance(two, Ask):
        question, joint = PairQuestion(one, two), "with"
    else:
        return None
    asked, claimed = (_again(text, first.domain) for text in (second.texts[0][:-1], second.claim))
    parts = {"first": first.texts[0][:-1], "second": f"{asked[0].lower()}{asked[1:]}", "one": first.claim}
    parts |= {"two": claimed, "not_two": denied_claim(claimed) if claimed else ""}
    names = [base.name.partition(".")[2] for base in (first, second)]
    name = f"{first.domain.id}.{names[0]}.{joint}.{names[1]}"
    return _planned(name, _TEXTS.wordings[joint][wording].format_map(parts), question, joint, (first, second))


def _again(text: str, domain: Domain) -> str:
    """A question or a clause in which the entity has been named before: "its crew" for "the crew of this ship"."""
    if domain.gendered:
        return text
    return re.sub(rf"(?:the ((?:(?!the |of )[\w-]+ )+)|\b(\w+s) )of {domain.this}", _its, text).replace(
        domain.this, "it"
    )


def _its(found: re.Match[str]) -> str:
    return f"its {(found[1] or found[2]).rstrip()}"


def denied_claim(clause: str) -> str:
    """A claim with its verb denied."""
    verb = next(verb for verb, pattern in _DENIED.items() if pattern.search(clause))
    return _DENIED[verb].sub(_TEXTS.denials[verb], clause, count=1)


def structures_of(bases: Sequence[Base], rng: Random) -> Iterator[PlannedTask]:
    """Tables of rows, and records of two or three attributes of the same split."""
    askable: dict[str, list[Base]] = {}
    for base in bases:
        if is_table(base):
            yield _table_of(base, rng.randrange(len(base.question.spec.ask_rows)))
        elif recordable(base):
            askable.setdefault(base.domain.id, []).append(base)
    groups = [list(g) for size in (3, 2) for found in askable.values() for g in combinations(found, size)]
    shuffle(rng, groups)
    for group in groups:
        if unrelated(group):
            yield _record_of(group, rng.randrange(_WORDINGS))


def is_table(base: Base) -> bool:
    """Whether the question asks for the rows of a table."""
    return isinstance(base.question, Ask) and base.question.spec.kind == "rows"


def recordable(base: Base) -> bool:
    """Whether the question asks for a value that can be one of several in a record."""
    return isinstance(base.question, Ask) and base.question.spec.kind in RECORDABLE


def _table_of(base: Base, wording: int) -> PlannedTask:
    """All rows with their fields. The question names every key of the answer."""
    table = TableQuestion(base.domain, base.question.attribute)
    key, a, b = table.columns
    text = table.spec.ask_rows[wording].format(this=base.domain.this, key=key, a=a, b=b)
    return _planned(f"{base.name}.table", text, table, "table", (base,))


def _record_of(group: Sequence[Base], wording: int) -> PlannedTask:
    """Several attributes as one object. The question names every key of the answer."""
    domain = group[0].domain
    record = RecordQuestion(domain, tuple(base.question.attribute for base in group))
    *labels, last = (f"the {label}" for label in record.columns)
    text = _TEXTS.wordings["record"][wording].format(labels=f"{', '.join(labels)} and {last}", this=domain.this)
    return _planned(f"{domain.id}.record.{'-'.join(record.attributes)}", text, record, "record", group)

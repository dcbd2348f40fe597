"""What derives from base questions: paraphrases, flips, combinations of two, and structured answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from taskloom.core.rng import below, pick, shuffle
from taskloom.families.zest.bases import Base
from taskloom.families.zest.domain import Domain
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
)

Generalisation: TypeAlias = Literal["base", "paraphrase", "flip", "combination", "structure"]

KINDS: tuple[Generalisation, ...] = ("base", "paraphrase", "flip", "combination", "structure")
_RECORD_KINDS = ("choice", "year", "number", "name", "list")


Form: TypeAlias = Literal["base", "paraphrase", "flip", "and", "or", "but-not", "given", "with", "record", "table"]
"""How a task is made of base tasks."""


class PlannedTask(NamedTuple):
    """A planned task: its words, its meaning, and whose passages it reads.

    Tasks with equal `passages` read the same ones: a paraphrase must be right where its base is, and a flip
    that turns the base round shows whether a model noticed.
    """

    name: str
    text: str
    question: PassageQuestion
    domain: str
    generalisation: Generalisation
    format: Format
    derives_from: tuple[str, ...]
    passages: str
    planned_for: PassageQuestion
    form: Form


def base_task(base: Base) -> PlannedTask:
    """The base question itself."""
    return PlannedTask(
        base.name, base.texts[0], base.question, base.domain.id, "base", base.format, (), base.name, base.question,
        "base",
    )  # fmt: skip


def paraphrases_of(bases: Sequence[Base]) -> Iterator[PlannedTask]:
    """The other wordings, the first of each base before any second."""
    longest = max((len(base.texts) for base in bases), default=0)
    for turn in range(1, longest):
        for base in bases:
            if turn < len(base.texts):
                yield PlannedTask(
                    f"{base.name}.paraphrase-{turn}", base.texts[turn], base.question, base.domain.id,
                    "paraphrase", base.format, (base.name,), base.name, base.question, "paraphrase",
                )  # fmt: skip


def flips_of(bases: Sequence[Base]) -> Iterator[PlannedTask]:
    """One change that asks for something else."""
    for base in bases:
        for text, question, shared in base.flips:
            name = f"{base.name}.flip"
            source, planned = (base.name, base.question) if shared else (name, question)
            yield PlannedTask(
                name, text, question, base.domain.id, "flip", base.format, (base.name,), source, planned, "flip"
            )  # fmt: skip


def combinations_of(bases: Sequence[Base], rng: Random) -> Iterator[PlannedTask]:
    """Two base tasks of one domain in one question, in random order."""
    pairs = [(a, b) for a, b in combinations(bases, 2) if a.domain is b.domain and _apart(a, b)]
    shuffle(rng, pairs)
    for pair in pairs:
        first, second = pair if rng.random() < 0.5 else pair[::-1]
        operator = pick(rng, OPERATORS)
        planned = combine(first, second, operator, below(rng, _WORDINGS))
        if planned is not None:
            yield planned


def _apart(first: Base, second: Base) -> bool:
    """Tables are not combined, and no attribute with itself or with one that says something about it."""
    if isinstance(first.question, WhichRows) or isinstance(second.question, WhichRows):
        return False
    return unrelated(first.domain, (first.question.attribute, second.question.attribute))


def unrelated(domain: Domain, names: Sequence[str]) -> bool:
    """Whether no two of these attributes are the same, dated by one another, or able to conflict."""
    return all(one != two and two not in domain.tied[one] for one, two in combinations(names, 2))


def combine(first: Base, second: Base, operator: Operator, wording: int) -> PlannedTask | None:
    """Two base questions as one; None where their forms do not go together.

    Args:
        first: The question that comes first.
        second: The other one.
        operator: How two yes/no questions are joined; other pairs have one way only.
        wording: Which of the wordings.
    """
    one, two = first.question, second.question
    question: PassageQuestion | None = None
    text = ""
    joint: Form = "with"
    form: Format = "extraction"
    if isinstance(one, Proposition) and isinstance(two, Proposition):
        text = _LOGIC[operator][wording].format(first.claim, second.claim)
        question, form, joint = Logic(one, two, operator), "classification", operator
    elif isinstance(one, Ask) and isinstance(two, Proposition):
        text = _GIVEN[wording].format(first.texts[0][:-1], second.claim)
        question, joint = Conditional(one, two), "given"
    elif isinstance(one, Ask) and isinstance(two, Ask):
        tail = second.texts[0]
        text = _TWO[wording].format(first.texts[0][:-1], f"{tail[0].lower()}{tail[1:]}")
        question = PairQuestion(one, two)
    if question is None:
        return None
    parts = [base.name.partition(".")[2] for base in (first, second)]
    name = f"{first.domain.id}.{parts[0]}.{joint}.{parts[1]}"
    derives = (first.name, second.name)
    return PlannedTask(name, text, question, first.domain.id, "combination", form, derives, name, question, joint)


Operator: TypeAlias = Literal["and", "or", "but-not"]
OPERATORS: tuple[Operator, ...] = ("and", "or", "but-not")
_WORDINGS = 5
_LOGIC: dict[Operator, tuple[str, ...]] = {
    "and": (
        "Is it true both that {} and that {}?",
        "Is it the case that {} and also that {}?",
        "Are both statements right, that {} and that {}?",
        "Does the passage bear out both that {} and that {}?",
        "Is it correct to say that {} and that {} too?",
    ),
    "or": (
        "Is it true that {}, or that {}, or both?",
        "Is at least one of two things the case, that {} or that {}?",
        "Does at least one of these claims hold, that {} or that {}?",
        "Are one or both of these statements right, that {} or that {}?",
        "Is it correct that {}, or that {}, or that both hold?",
    ),
    "but-not": (
        "Is it true that {} but false that {}?",
        "Is it the case that {} while it is not the case that {}?",
        "Is the first claim right and the second wrong, that {} and that {}?",
        "Is it correct to say that {} and wrong to say that {}?",
        "Does the passage bear out that {} but rule out that {}?",
    ),
}
_GIVEN = (
    "{}, provided that {}?",
    "{}, given that {}?",
    "{}, if {}?",
    "{}, on condition that {}?",
    "{}, assuming that {}?",
)
_TWO = ("{}, and {}", "{}, and also, {}", "{}, and, in addition, {}", "{}, and, besides, {}", "{}; and {}")


def structures_of(bases: Sequence[Base], rng: Random) -> Iterator[PlannedTask]:
    """Tables of rows, and records of two or three attributes of the same split."""
    askable: dict[str, list[Base]] = {}
    for base in bases:
        if is_table(base):
            yield table_of(base, rng.randrange(len(base.domain.attributes[base.question.attribute].ask_rows)))
        elif recordable(base):
            askable.setdefault(base.domain.id, []).append(base)
    groups = [list(g) for size in (3, 2) for found in askable.values() for g in combinations(found, size)]
    shuffle(rng, groups)
    for group in groups:
        if unrelated(group[0].domain, [base.question.attribute for base in group]):
            yield record_of(group, rng.randrange(len(_RECORDS)))


def is_table(base: Base) -> bool:
    """Whether the question asks for the rows of a table."""
    question = base.question
    return isinstance(question, Ask) and question.domain.attributes[question.attribute].kind == "rows"


def recordable(base: Base) -> bool:
    """Whether the question asks for a value that can be one of several in a record."""
    question = base.question
    return isinstance(question, Ask) and question.domain.attributes[question.attribute].kind in _RECORD_KINDS


def table_of(base: Base, wording: int) -> PlannedTask:
    """All rows with their fields. The question names every key of the answer."""
    domain = base.domain
    attribute = domain.attributes[base.question.attribute]
    assert attribute.a is not None and attribute.b is not None
    name = f"{base.name}.table"
    table = TableQuestion(domain, base.question.attribute)
    text = attribute.ask_rows[wording].format(
        this=domain.this, key=attribute.key, a=attribute.a.label, b=attribute.b.label
    )
    return PlannedTask(name, text, table, domain.id, "structure", "structure", (base.name,), name, table, "table")


def record_of(group: Sequence[Base], wording: int) -> PlannedTask:
    """Several attributes as one object. The question names every key of the answer."""
    domain = group[0].domain
    names = [base.question.attributes[0] for base in group]
    labels = [f"the {domain.attributes[name].label}" for name in names]
    listed = f"{', '.join(labels[:-1])} and {labels[-1]}"
    record = RecordQuestion(domain, tuple(names))
    name = f"{domain.id}.record.{'-'.join(names)}"
    text = _RECORDS[wording].format(listed, domain.this)
    derives = tuple(base.name for base in group)
    return PlannedTask(name, text, record, domain.id, "structure", "structure", derives, name, record, "record")


_RECORDS = (
    "What are {} of {}?",
    "What does the passage give as {} of {}?",
    "What would a catalogue put down as {} of {}?",
    "Which values does the passage give for {} of {}?",
    "What should a form say under {} of {}?",
)

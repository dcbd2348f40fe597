"""Questions as functions of what a passage states.

A question sees only stated facts. Its answer falls into a class (yes, no, value, na); passages are drawn so that
each task has its share of every class. Questions about two claims follow three-valued logic: what is stated
settles the answer wherever it can, and only what stays open is NA.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from taskloom.core import AnyOf, Items, Structure, Targets
from taskloom.families.zest.attributes import Attribute
from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import TableRow, Value, number_forms, number_text

AnswerClass: TypeAlias = Literal["yes", "no", "value", "na"]
Format: TypeAlias = Literal["classification", "extraction", "structure"]

_MARGIN = 0.06


class StatedFacts(msgspec.Struct, frozen=True, gc=False):
    """What a passage states of an entity.

    Attributes:
        values: The stated attributes with their values.
        words: How the passage puts a value, where it does so in words that answers may repeat.
    """

    values: Mapping[str, Value]
    words: Mapping[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def said(self, name: str) -> str:
        """A value in the words of the passage, "" where it is only implied."""
        return self.words.get(name, "")


def _rows(values: Mapping[str, Value], name: str) -> tuple[TableRow, ...]:
    """The rows of a table, none where no such table is stated."""
    found = values.get(name, ())
    return tuple(row for row in found if isinstance(row, TableRow)) if isinstance(found, tuple) else ()


class QuestionAnswer(NamedTuple):
    """The class of an answer and every acceptable form of it."""

    kind: AnswerClass
    targets: Targets


NA = QuestionAnswer("na", AnyOf(("n/a",)))
NO_ITEMS = QuestionAnswer("na", Items(((),), separator="|", empty="n/a"))
YES = QuestionAnswer("yes", AnyOf(("yes",)))
NO = QuestionAnswer("no", AnyOf(("no",)))
_LABELLED: dict[AnswerClass | None, QuestionAnswer | None] = {"na": NA, "yes": YES, "no": NO, None: None}


class PassageQuestion(Protocol):
    """What a task asks of a passage."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes the answer depends on."""
        ...

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        """The classes of answers besides NA."""
        ...

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        """The class of the answer that follows from stated values; None where a reader could argue."""
        ...

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        """The answer that follows from the stated facts; None where a reader could argue (then it is not asked)."""
        ...


class Ask(NamedTuple):
    """The value of one attribute: a span or a list of spans."""

    domain: Domain
    attribute: str

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        return "value" if self.attribute in values else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        name, values = self.attribute, stated.values
        attribute = self.domain.attributes[name]
        if name not in values:
            return NO_ITEMS if attribute.kind in ("list", "rows") else NA
        return QuestionAnswer("value", value_targets(values[name], attribute, stated.said(name)))


def value_targets(value: Value, attribute: Attribute, said: str = "") -> Targets:
    """Every acceptable way to give a value, the words of the passage first.

    Args:
        value: The value.
        attribute: Whose value it is.
        said: How the passage puts it, "" where it is only implied.
    """
    if isinstance(value, tuple):
        spans = tuple(item.name if isinstance(item, TableRow) else item for item in value)
        return Items((spans,), separator="|", empty="n/a")
    if isinstance(value, int) and not isinstance(value, bool):
        forms = number_forms(value, attribute)
        return AnyOf(tuple(dict.fromkeys([said, *forms] if said else forms)))
    return AnyOf((str(value),))


class Proposition(NamedTuple):
    """A yes/no question about one attribute: a flag, a value, or a bound of a number.

    `sense` is "is" (flag true, value equal, number above or year before the bound) or "opposite".
    """

    domain: Domain
    attribute: str
    bound: str | int | None = None
    sense: Literal["is", "opposite"] = "is"

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("yes", "no")

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        if self.attribute not in values:
            return "na"
        holds = self._holds(values[self.attribute])
        if holds is None:
            return None
        return "yes" if holds == (self.sense == "is") else "no"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        return _LABELLED[self.kind(stated.values)]

    def _holds(self, value: Value) -> bool | None:
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            assert isinstance(self.bound, int)
            attribute = self.domain.attributes[self.attribute]
            # "About 21 kilograms" neither is nor is not more than 20: values near the bound are not asked about.
            if abs(value - self.bound) < max(1, _MARGIN * (attribute.high - attribute.low)):
                return None
            return value < self.bound if attribute.kind == "year" else value > self.bound
        return value == self.bound


class WhichRows(NamedTuple):
    """The names of the rows whose second (or first) field has a given value."""

    domain: Domain
    attribute: str
    bound: str

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        return "value" if any(self.bound in (row.a, row.b) for row in _rows(values, self.attribute)) else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        names = tuple(row.name for row in _rows(stated.values, self.attribute) if self.bound in (row.a, row.b))
        return QuestionAnswer("value" if names else "na", Items((names,), separator="|", empty="n/a"))


class TableQuestion(NamedTuple):
    """All rows with their fields, as JSON."""

    domain: Domain
    attribute: str

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of each row."""
        attribute = self.domain.attributes[self.attribute]
        assert attribute.a is not None and attribute.b is not None
        return (attribute.key, attribute.a.label, attribute.b.label)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        return "value" if self.attribute in values else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        rows = _rows(stated.values, self.attribute)
        if not rows:
            return NA
        name, a, b = self.columns
        table = [{name: row.name, a: row.a or "n/a", b: row.b or "n/a"} for row in rows]
        return QuestionAnswer("value", Structure((_json(table),)))


class RecordQuestion(NamedTuple):
    """Several attributes of the entity as one JSON object; what is not stated is n/a."""

    domain: Domain
    asked: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.asked

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of the object."""
        return tuple(self.domain.attributes[name].label for name in self.asked)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        return "value" if any(name in values for name in self.asked) else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        if self.kind(stated.values) == "na":
            return NA
        record = {}
        for name in self.asked:
            attribute = self.domain.attributes[name]
            record[attribute.label] = "n/a"
            if name in stated:
                record[attribute.label] = value_targets(stated[name], attribute, stated.said(name)).canonical()
        return QuestionAnswer("value", Structure((_json([record]),)))


class Logic(NamedTuple):
    """Two claims at once: both, either, or the first without the second."""

    first: Proposition
    second: Proposition
    operator: Literal["and", "or", "but-not"]

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.first.attribute, self.second.attribute)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("yes", "no")

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        one, two = self.first.kind(values), self.second.kind(values)
        if one is None or two is None:
            return None
        left, right = _TRUTH[one], _TRUTH[two]
        if self.operator == "but-not" and right is not None:
            right = not right
        decisive = self.operator == "or"
        if left is decisive or right is decisive:
            return "yes" if decisive else "no"
        if left is None or right is None:
            return "na"
        return "no" if decisive else "yes"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        return _LABELLED[self.kind(stated.values)]


_TRUTH: dict[str, bool | None] = {"yes": True, "no": False, "na": None}


class Conditional(NamedTuple):
    """The value of one attribute, provided that a claim about another holds; NA otherwise."""

    asked: Ask
    condition: Proposition

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.asked.attribute, self.condition.attribute)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        condition = self.condition.kind(values)
        return self.asked.kind(values) if condition == "yes" else None if condition is None else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        condition = self.condition.kind(stated.values)
        if condition is None:
            return None
        return self.asked.answer(stated if condition == "yes" else StatedFacts({}))


class PairQuestion(NamedTuple):
    """The values of two attributes. Passages state both or neither, so that no answer is half known."""

    first: Ask
    second: Ask

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.first.attribute, self.second.attribute)

    @property
    def classes(self) -> tuple[AnswerClass, ...]:
        return ("value",)

    def kind(self, values: Mapping[str, Value]) -> AnswerClass | None:
        known = [name in values for name in self.attributes]
        return None if any(known) != all(known) else "value" if any(known) else "na"

    def answer(self, stated: StatedFacts) -> QuestionAnswer | None:
        kind = self.kind(stated.values)
        if kind is None:
            return None
        if kind == "na":
            return NO_ITEMS
        spans = [self.first.answer(stated), self.second.answer(stated)]
        # Each part may have several forms (with a unit, without): every combination of forms is acceptable.
        lists: list[tuple[str, ...]] = [()]
        for part in spans:
            assert part is not None
            forms = _forms(part.targets)
            lists = [(*head, *form) for head in lists for form in forms]
        return QuestionAnswer("value", Items(tuple(lists), separator="|", empty="n/a"))


def _forms(targets: Targets) -> list[tuple[str, ...]]:
    if isinstance(targets, Items):
        return list(targets.alternatives)
    assert isinstance(targets, AnyOf)
    return [(form,) for form in targets.answers]


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def dated_claims(question: PassageQuestion) -> tuple[str, ...]:
    """The years that a question compares with a bound."""
    match question:
        case Proposition():
            claims = [question]
        case Logic():
            claims = [question.first, question.second]
        case Conditional():
            claims = [question.condition]
        case _:
            claims = []
    return tuple(c.attribute for c in claims if c.domain.attributes[c.attribute].kind == "year")


def bound_text(claim: Proposition) -> str:
    """The bound of a claim as a question writes it."""
    attribute = claim.domain.attributes[claim.attribute]
    if isinstance(claim.bound, int):
        return number_text(claim.bound, msgspec.structs.replace(attribute, unit=""))
    return str(claim.bound or "")

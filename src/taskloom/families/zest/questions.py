"""Questions as functions of what a passage states.

A question sees only stated facts. Its answer falls into a class (yes, no, value, na); passages are drawn so that
each task has its share of every class. Questions about two claims follow three-valued logic: what is stated
settles the answer wherever it can, and only what stays open is NA.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from itertools import product
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import AnyOf, Items, Structure, Targets
from taskloom.families.zest.domain import Attribute, Domain
from taskloom.families.zest.facts import TableRow, Value, number_forms, number_text

AnswerClass: TypeAlias = Literal["yes", "no", "value", "na"]
Format: TypeAlias = Literal["classification", "extraction", "structure"]
Stated: TypeAlias = Mapping[str, Value]
"""What a passage states of an entity: attributes with their values."""
Said: TypeAlias = Mapping[str, str]
"""How a passage puts values, where it does so in words that answers may repeat."""

_MARGIN = 0.06


def _rows(values: Stated, name: str) -> tuple[TableRow, ...]:
    """The rows of a table, none where no such table is stated."""
    found = values.get(name, ())
    return tuple(row for row in found if isinstance(row, TableRow)) if isinstance(found, tuple) else ()


class QuestionAnswer(NamedTuple):
    """The class of an answer and every acceptable form of it."""

    kind: AnswerClass
    targets: Targets


def _listed(*alternatives: tuple[str, ...]) -> QuestionAnswer:
    kind: AnswerClass = "value" if alternatives[0] else "na"
    return QuestionAnswer(kind, Items(alternatives, separator="|", empty="n/a"))


def _structure(rows: list[dict[str, str]]) -> QuestionAnswer:
    return QuestionAnswer("value", Structure((json.dumps(rows, ensure_ascii=False),)))


NA = QuestionAnswer("na", AnyOf(("n/a",)))
NO_ITEMS = _listed(())
_LABELLED: dict[AnswerClass | None, QuestionAnswer] = {
    "na": NA,
    "yes": QuestionAnswer("yes", AnyOf(("yes",))),
    "no": QuestionAnswer("no", AnyOf(("no",))),
}


class PassageQuestion(msgspec.Struct, frozen=True):
    """What a task asks of a passage.

    Attributes:
        format: The form of its answers.
        classes: The classes of answers besides NA.
    """

    format: ClassVar[Format] = "extraction"
    classes: ClassVar[tuple[AnswerClass, ...]] = ("value",)

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """What it is about."""

    @property
    @abstractmethod
    def attributes(self) -> tuple[str, ...]:
        """The attributes the answer depends on."""

    @abstractmethod
    def kind(self, values: Stated) -> AnswerClass | None:
        """The class of the answer that follows from stated values; None where a reader could argue."""

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        """The answer that follows from the stated values; None where a reader could argue (then it is not asked)."""
        return _LABELLED.get(self.kind(values))


class _OneAttribute(PassageQuestion, frozen=True):
    domain: Domain
    attribute: str

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def spec(self) -> Attribute:
        return self.domain.attributes[self.attribute]

    def kind(self, values: Stated) -> AnswerClass | None:
        return "value" if self.attribute in values else "na"


class Ask(_OneAttribute, frozen=True):
    """The value of one attribute: a span or a list of spans."""

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        name, attribute = self.attribute, self.spec
        if name not in values:
            return NO_ITEMS if attribute.kind in ("list", "rows") else NA
        return QuestionAnswer("value", value_targets(values[name], attribute, said.get(name, "")))


def value_targets(value: Value, attribute: Attribute, said: str = "") -> Targets:
    """Every acceptable way to give a value, the words of the passage first.

    Args:
        value: The value.
        attribute: Whose value it is.
        said: How the passage puts it, "" where it is only implied.
    """
    if isinstance(value, tuple):
        return _listed(tuple(item.name if isinstance(item, TableRow) else item for item in value)).targets
    if isinstance(value, int) and not isinstance(value, bool):
        forms = number_forms(value, attribute)
        return AnyOf(tuple(dict.fromkeys([said, *forms] if said else forms)))
    return AnyOf((str(value),))


class Proposition(_OneAttribute, frozen=True):
    """A yes/no question about one attribute: a flag, a value, or a bound of a number.

    `sense` is "is" (flag true, value equal, number above or year before the bound) or "opposite".
    """

    format: ClassVar[Format] = "classification"
    classes: ClassVar[tuple[AnswerClass, ...]] = ("yes", "no")

    bound: str | int | None = None
    sense: Literal["is", "opposite"] = "is"

    def kind(self, values: Stated) -> AnswerClass | None:
        if self.attribute not in values:
            return "na"
        holds = self.holds(values[self.attribute])
        if holds is None:
            return None
        return "yes" if holds == (self.sense == "is") else "no"

    def holds(self, value: Value) -> bool | None:
        """Whether a value is what is asked about; None for a number near the bound."""
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            assert isinstance(self.bound, int)
            attribute = self.spec
            # "About 21 kilograms" neither is nor is not more than 20: values near the bound are not asked about.
            if abs(value - self.bound) < max(1, _MARGIN * (attribute.high - attribute.low)):
                return None
            return value < self.bound if attribute.kind == "year" else value > self.bound
        return value == self.bound


class WhichRows(_OneAttribute, frozen=True):
    """The names of the rows whose second (or first) field has a given value."""

    bound: str

    def _names(self, values: Stated) -> tuple[str, ...]:
        return tuple(row.name for row in _rows(values, self.attribute) if self.bound in (row.a, row.b))

    def kind(self, values: Stated) -> AnswerClass | None:
        return "value" if self._names(values) else "na"

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        return _listed(self._names(values))


class TableQuestion(_OneAttribute, frozen=True):
    """All rows with their fields, as JSON."""

    format: ClassVar[Format] = "structure"

    @property
    def columns(self) -> tuple[str, ...]:
        a, b = self.spec.fields
        return (self.spec.key, a.label, b.label)

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        rows, (name, a, b) = _rows(values, self.attribute), self.columns
        table = [{name: row.name, a: row.a or "n/a", b: row.b or "n/a"} for row in rows]
        return _structure(table) if table else NA


class RecordQuestion(PassageQuestion, frozen=True):
    """Several attributes of the entity as one JSON object; what is not stated is n/a."""

    format: ClassVar[Format] = "structure"

    domain: Domain
    attributes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.domain.attributes[name].label for name in self.attributes)

    def kind(self, values: Stated) -> AnswerClass | None:
        return "value" if any(name in values for name in self.attributes) else "na"

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        if self.kind(values) == "na":
            return NA
        record = {}
        for name in self.attributes:
            attribute = self.domain.attributes[name]
            record[attribute.label] = "n/a"
            if name in values:
                record[attribute.label] = value_targets(values[name], attribute, said.get(name, "")).canonical()
        return _structure([record])


class _TwoQuestions(PassageQuestion, frozen=True):
    first: Ask | Proposition
    second: Ask | Proposition

    @property
    def domain(self) -> Domain:
        return self.first.domain

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.first.attribute, self.second.attribute)


class Logic(_TwoQuestions, frozen=True):
    """Two claims at once: both, either, or the first without the second."""

    format: ClassVar[Format] = "classification"
    classes: ClassVar[tuple[AnswerClass, ...]] = ("yes", "no")

    operator: Literal["and", "or", "but-not"]

    def kind(self, values: Stated) -> AnswerClass | None:
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


_TRUTH: dict[str, bool | None] = {"yes": True, "no": False, "na": None}


class Conditional(_TwoQuestions, frozen=True):
    """The value of one attribute, provided that a claim about another holds; NA otherwise."""

    def kind(self, values: Stated) -> AnswerClass | None:
        condition = self.second.kind(values)
        return self.first.kind(values) if condition == "yes" else None if condition is None else "na"

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        condition = self.second.kind(values)
        if condition is None:
            return None
        return self.first.answer(values if condition == "yes" else {}, said)


class PairQuestion(_TwoQuestions, frozen=True):
    """The values of two attributes. Passages state both or neither, so that no answer is half known."""

    def kind(self, values: Stated) -> AnswerClass | None:
        known = [name in values for name in self.attributes]
        return None if any(known) != all(known) else "value" if any(known) else "na"

    def answer(self, values: Stated, said: Said) -> QuestionAnswer | None:
        kind = self.kind(values)
        if kind != "value":
            return None if kind is None else NO_ITEMS
        # Each part may have several forms (with a unit, without): every combination of forms is acceptable.
        parts = [_forms(self.first.answer(values, said)), _forms(self.second.answer(values, said))]
        return _listed(*((*one, *two) for one, two in product(*parts)))


def _forms(answer: QuestionAnswer | None) -> list[tuple[str, ...]]:
    assert answer is not None
    if isinstance(answer.targets, Items):
        return list(answer.targets.alternatives)
    assert isinstance(answer.targets, AnyOf)
    return [(form,) for form in answer.targets.answers]


def dated_claims(question: PassageQuestion) -> tuple[str, ...]:
    """The years that a question compares with a bound."""
    parts = (question.first, question.second) if isinstance(question, _TwoQuestions) else (question,)
    claims = [part for part in parts if isinstance(part, Proposition)]
    return tuple(claim.attribute for claim in claims if claim.spec.kind == "year")


def bound_text(claim: Proposition) -> str:
    """The bound of a claim as a question writes it."""
    if isinstance(claim.bound, int):
        return number_text(claim.bound, msgspec.structs.replace(claim.spec, unit=""))
    return str(claim.bound or "")

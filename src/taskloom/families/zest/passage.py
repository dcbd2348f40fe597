"""Composing a passage: facts in varied order and wording, with sentences about other things in between.

A reader must never be in doubt whom a statement is about. So a sentence about another entity names it with an
apposition, and the sentence after it begins with the name of the entity the passage is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from taskloom.families.zest.domain import Attribute, Domain
from taskloom.families.zest.facts import Entity, Row, Value, value_text, with_article

__all__ = ["Passage", "compose"]

_MOST_COLOUR = 4
_PLAIN = ("flag", "choice", "year", "number", "name")


class Passage(NamedTuple):
    """The sentences of a text, and for each stated attribute the numbers of the sentences that state it."""

    sentences: tuple[str, ...]
    evidence: dict[str, tuple[int, ...]]

    @property
    def text(self) -> str:
        """The sentences in one paragraph."""
        return " ".join(self.sentences)

    @property
    def words(self) -> int:
        """How many words the text has."""
        return sum(len(sentence.split()) for sentence in self.sentences)


class _Unit(NamedTuple):
    """One thing to say: a fact (template and value), or a whole sentence about something else."""

    kind: str
    template: str
    attribute: str = ""
    value: str = ""

    @property
    def is_predicate(self) -> bool:
        return self.template.startswith("{S} ")

    @property
    def joins(self) -> bool:
        """Whether the clause stays clear inside a longer sentence."""
        said = self.template + self.value
        return self.kind == "fact" and not any(mark in said for mark in (", ", " and ", ";"))


def compose(
    domain: Domain,
    entities: tuple[Entity, Entity],
    stated: Sequence[str],
    rng: Random,
    *,
    distracting: Sequence[str],
    target_words: int,
) -> Passage:
    """Write a passage about the first entity that states exactly the attributes `stated`.

    Args:
        domain: The words.
        entities: Whom the passage is about, and another one for sentences that mislead a careless reader.
        stated: The attributes to state, in the order of the text.
        rng: Where the choices come from.
        distracting: Attributes to state about the other entity.
        target_words: The length aimed at; sentences without facts fill up what is missing.
    """
    writer = _Writer(domain, *entities, rng)
    units = [writer.unit(name) for name in stated]
    writer.insert_distractors(units, distracting)
    length = writer.estimate(units)
    colour = rng.sample(domain.colour, len(domain.colour))
    while length < target_words + 1 and len(colour) > len(domain.colour) - _MOST_COLOUR:
        sentence = colour.pop()
        length += len(sentence.split())
        units.insert(writer.free_place(units), _Unit("colour", sentence))
    return writer.write(units)


class _Writer:
    def __init__(self, domain: Domain, entity: Entity, other: Entity, rng: Random) -> None:
        self.domain, self.entity, self.other, self.rng = domain, entity, other, rng
        self.sentences: list[str] = []
        self.evidence: dict[str, tuple[int, ...]] = {}
        self.may_use_pronoun = True
        self.must_name = False
        self.last_subject = ""

    # ---------------------------------------------------------------- planning

    def unit(self, name: str) -> _Unit:
        attribute = self.domain.attributes[name]
        value = self.entity.values[name]
        if attribute.kind == "rows":
            return _Unit("rows", "", name)
        template = self.rng.choice(_statements(attribute, value))
        kind = "fact" if attribute.kind in _PLAIN else "list"
        return _Unit(kind, template, name, value_text(value, attribute))

    def insert_distractors(self, units: list[_Unit], names: Sequence[str]) -> None:
        for name in names:
            attribute, value = self.domain.attributes[name], self.other.values[name]
            forms = [form for form in _statements(attribute, value) if form.startswith("{S} ")]
            used = {unit.template for unit in units}
            template = self.rng.choice([form for form in forms if form not in used] or forms)
            # What follows must be able to begin with the entity's name, so that "it" cannot be misread.
            places = [i for i in range(1, len(units) + 1) if i == len(units) or units[i].kind in ("fact", "list")]
            unit = _Unit("distractor", template, name, value_text(value, attribute))
            units.insert(self.rng.choice(places), unit)

    def free_place(self, units: list[_Unit]) -> int:
        """Anywhere but first or right after a distractor."""
        places = [i for i in range(1, len(units) + 1) if units[i - 1].kind != "distractor"]
        return self.rng.choice(places) if places else len(units)

    def estimate(self, units: list[_Unit]) -> int:
        words = 12
        for unit in units:
            if unit.kind == "rows":
                rows = self.entity.values[unit.attribute]
                words += 11 * len(rows) if isinstance(rows, tuple) else 0
            else:
                words += len(unit.template.split()) + len(unit.value.split()) + (7 if unit.kind == "distractor" else 0)
        return words

    # ----------------------------------------------------------------- writing

    def write(self, units: list[_Unit]) -> Passage:
        position = self._open(units)
        while position < len(units):
            unit = units[position]
            follower = units[position + 1] if position + 1 < len(units) else None
            if unit.kind == "distractor":
                self._distract(unit)
            elif unit.kind == "colour":
                self._emit(self._fill(unit, self.entity, self._definite()), ())
                self.may_use_pronoun = False
            elif unit.kind == "rows":
                self._rows(unit)
            elif follower is not None and unit.joins and follower.joins and self.rng.random() < 0.45:
                self._joined(unit, follower)
                position += 1
            else:
                self._single(unit)
            position += 1
        return Passage(tuple(self.sentences), self.evidence)

    def _open(self, units: list[_Unit]) -> int:
        """The first sentence introduces the name, sometimes with the first fact in it."""
        first = units[0] if units else None
        if first is not None and first.joins and first.is_predicate and self.rng.random() < 0.4:
            apposition = self._fill(_Unit("intro", self.rng.choice(self.domain.apposition)), self.entity, "")
            predicate = self._fill(first, self.entity, "")[1:]
            self._emit(f"{self._said(self.entity.name)}, {apposition}, {predicate}", (first.attribute,))
            return 1
        intro = self._fill(_Unit("intro", self.rng.choice(self.domain.intro)), self.entity, "")
        self._said(self.entity.name)
        self._emit(intro, ())
        return 0

    def _single(self, unit: _Unit) -> None:
        if self.must_name and not unit.is_predicate:
            unit = self._with_subject(unit)
        self._emit(self._fill(unit, self.entity, self._subject()), (unit.attribute,))
        self.may_use_pronoun = unit.is_predicate

    def _joined(self, first: _Unit, second: _Unit) -> None:
        if self.must_name and not first.is_predicate:
            first = self._with_subject(first)
        both = (first.attribute, second.attribute)
        if first.is_predicate and second.is_predicate:
            self._emit(self._two_predicates(first, second), both)
            self.may_use_pronoun = True
            return
        start = self._fill(first, self.entity, self._subject())
        end = self._fill(second, self.entity, self.entity.pronoun if first.is_predicate else self._definite())
        link = self.rng.choice((", and ", "; "))
        self._emit(f"{start}{link}{end}", both)
        self.may_use_pronoun = second.is_predicate

    def _two_predicates(self, first: _Unit, second: _Unit) -> str:
        style = self.rng.random()
        one, two = (self._fill(unit, self.entity, "")[1:] for unit in (first, second))
        if style < 0.5:
            return f"{self._subject()} {one} and {two}"
        if style < 0.75:
            relative = "who" if self.domain.gendered else "which"
            subject = self.entity.name if self.must_name or self.rng.random() < 0.5 else self._definite()
            return f"{self._said(subject)}, {relative} {one}, {two}"
        return f"{self._subject()} {one}; {self.entity.pronoun} {two}"

    def _distract(self, unit: _Unit) -> None:
        apposition = self.rng.choice(self.domain.others)
        predicate = self._fill(unit, self.other, "")[1:]
        self._emit(f"{self.other.name}, {apposition}, {predicate}", ())
        self.may_use_pronoun, self.must_name = False, True

    def _rows(self, unit: _Unit) -> None:
        attribute = self.domain.attributes[unit.attribute]
        rows = self.entity.values[unit.attribute]
        assert isinstance(rows, tuple)
        start = self.rng.randrange(2)
        clauses = [self._row(attribute, row, start + at) for at, row in enumerate(rows) if isinstance(row, Row)]
        if len(clauses) > 1 and self.rng.random() < 0.5:
            clauses[:2] = [f"{clauses[0]}{self.rng.choice((', while ', '; '))}{clauses[1]}"]
        for clause in clauses:
            self._emit(clause, (unit.attribute,))
        self.may_use_pronoun = False

    def _row(self, attribute: Attribute, row: Row, turn: int) -> str:
        """A row as a clause; neighbouring rows take turns with the wordings."""
        forms = {
            (True, True): attribute.say_both,
            (True, False): attribute.say_a,
            (False, True): attribute.say_b,
            (False, False): attribute.say_none,
        }[row.a is not None, row.b is not None]
        return forms[turn % len(forms)].format(row=row.name, a=row.a, b=row.b)

    # ------------------------------------------------------------------- words

    def _subject(self) -> str:
        """Name, description or pronoun: a pronoun only where the sentence before had the entity as its subject.

        Two sentences in a row do not begin with the same description or name.
        """
        if self.must_name:
            return self._said(self.entity.name)
        if self.may_use_pronoun and self.last_subject != self.entity.pronoun and self.rng.random() < 0.65:
            return self._said(self.entity.pronoun)
        forms = [form.format(monarch=self.entity.monarch) for form in self.domain.definite]
        fresh = [form for form in (*forms, self.entity.name) if form != self.last_subject]
        return self._said(self.rng.choice(fresh))

    def _said(self, subject: str) -> str:
        self.last_subject = subject
        return subject

    def _definite(self) -> str:
        return self.rng.choice(self.domain.definite).format(monarch=self.entity.monarch)

    def _with_subject(self, unit: _Unit) -> _Unit:
        attribute = self.domain.attributes[unit.attribute]
        forms = _statements(attribute, self.entity.values[unit.attribute])
        return unit._replace(template=self.rng.choice([form for form in forms if form.startswith("{S} ")]))

    def _fill(self, unit: _Unit, entity: Entity, subject: str) -> str:
        return unit.template.format(
            S=subject,
            N=entity.name,
            D=self._definite() if "{D}" in unit.template else "",
            P=entity.possessive,
            v=unit.value,
            av=with_article(unit.value) if unit.value else "",
            region=entity.region,
            town=entity.town,
            monarch=entity.monarch,
        )

    def _emit(self, sentence: str, attributes: tuple[str, ...]) -> None:
        number = len(self.sentences)
        self.sentences.append(f"{sentence[0].upper()}{sentence[1:]}.")
        for name in attributes:
            self.evidence[name] = (*self.evidence.get(name, ()), number)
        self.must_name = False


def _statements(attribute: Attribute, value: Value) -> tuple[str, ...]:
    if attribute.kind == "flag":
        return attribute.yes if value else attribute.no
    return attribute.say

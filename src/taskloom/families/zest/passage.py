"""Composing a passage: facts in varied order and wording, with sentences about other things in between.

A reader must never be in doubt whom a statement is about. So a sentence about another entity names it, with an
apposition the first time, and the sentence after it begins with the name of the entity the passage is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from taskloom.core.rng import pick, sample
from taskloom.families.zest.consistency import Statement
from taskloom.families.zest.domain import Attribute, Domain
from taskloom.families.zest.facts import Entity, Value, spoken_number, value_text, with_article
from taskloom.families.zest.frames import Frames, Unit
from taskloom.families.zest.rows import say_rows

__all__ = ["Passage", "compose"]

_MOST_COLOUR = 4
_PLAIN = ("flag", "choice", "year", "number", "name")
_FRAMED = 0.32
_PAIRED = 0.3
_CONTRASTED = 0.12
_CONNECTED = 0.15
_ADDED = ("in addition, ", "what is more, ", "besides, ", "moreover, ")
_NOT = (", not {}, as one guide has it", ", not {} as some claim", ", and not {}, as an old guide says", ", not {}")


class Passage(NamedTuple):
    """A text with what it says.

    Attributes:
        text: The sentences in one paragraph.
        words: How many words the text has.
        sentences: The sentences in order.
        evidence: For each stated attribute the numbers of the sentences that state it.
        said: How the text puts values that it does not merely imply.
        implied: The attributes whose value has to be worked out.
        statements: Everything stated, about whomever.
    """

    text: str
    words: int
    sentences: tuple[str, ...]
    evidence: dict[str, tuple[int, ...]]
    said: dict[str, str]
    implied: frozenset[str]
    statements: tuple[Statement, ...]


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
    units = writer.units(stated)
    writer.insert_distractors(units, distracting)
    length = writer.estimate(units)
    colour = sample(rng, domain.colour, len(domain.colour))
    while length < target_words + 1 and len(colour) > len(domain.colour) - _MOST_COLOUR:
        sentence = colour.pop()
        length += len(sentence.split())
        units.insert(writer.free_place(units), Unit("colour", (sentence,)))
    return writer.write(units)


class _Writer:
    def __init__(self, domain: Domain, entity: Entity, other: Entity, rng: Random) -> None:
        self.domain, self.entity, self.rng = domain, entity, rng
        self.frames = Frames(domain, entity, other, rng)
        self.definites = [form.format(monarch=entity.monarch) for form in domain.definite]
        self.slots = {
            "N": entity.name,
            "P": entity.possessive,
            "region": entity.region,
            "town": entity.town,
            "monarch": entity.monarch,
        }
        self.sentences: list[str] = []
        self.evidence: dict[str, tuple[int, ...]] = {}
        self.leaning: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.implied: set[str] = set()
        self.statements: list[Statement] = []
        self.may_use_pronoun = True
        self.must_name = False
        self.other_known = False
        self.last_subject = ""
        self.last_year = 0
        self.contrast: tuple[str, Value] | None = None
        self.added: list[str] = []
        self.form_of_other = ""

    # ---------------------------------------------------------------- planning

    def units(self, stated: Sequence[str]) -> list[Unit]:
        """One unit per attribute, or one for two people."""
        persons = [name for name in stated if self.domain.attributes[name].role]
        pair = (persons[0], persons[1]) if len(persons) > 1 and self.rng.random() < _PAIRED else None
        units: list[Unit] = []
        for name in stated:
            if pair and name in pair:
                if name == pair[0]:
                    units.append(self.frames.persons(pair))
                continue
            framed = self.frames.unit(name, stated) if self.rng.random() < _FRAMED else None
            units.append(framed or self._plain(name))
        return units

    def _plain(self, name: str) -> Unit:
        attribute = self.domain.attributes[name]
        if attribute.kind == "rows":
            return Unit("rows", ("",), (name,))
        template = pick(self.rng, _statements(attribute, self.entity.values[name]))
        kind = "fact" if attribute.kind in _PLAIN else "list"
        return Unit(kind, (template,), (name,), self._worded(attribute, self.entity.values[name]))

    def _worded(self, attribute: Attribute, value: Value) -> str:
        """A value as this passage writes it."""
        if isinstance(value, int) and not isinstance(value, bool):
            return spoken_number(value, attribute, self.rng)
        return value_text(value, attribute)

    def insert_distractors(self, units: list[Unit], names: Sequence[str]) -> None:
        for name in names:
            if name in self.frames.compared:
                continue
            attribute, value = self.domain.attributes[name], self.frames.other.values[name]
            forms = [form for form in _statements(attribute, value) if form.startswith("{S} ")]
            used = {unit.template for unit in units}
            template = pick(self.rng, [form for form in forms if form not in used] or forms)
            unit = Unit("distractor", (template,), (name,), self._worded(attribute, value))
            units.insert(self._distractor_place(units, name), unit)

    def _distractor_place(self, units: list[Unit], name: str) -> int:
        """Often right before the entity's own value, for contrast.

        What follows must be able to begin with the entity's name, so that "it" cannot be misread.
        """
        able = [i for i in range(1, len(units) + 1) if i == len(units) or units[i].kind in ("fact", "list")]
        own = [i for i in able if i < len(units) and units[i].attributes == (name,)]
        return own[0] if own and self.rng.random() < 0.5 else pick(self.rng, able)

    def free_place(self, units: list[Unit]) -> int:
        """Anywhere but first or right after a distractor."""
        places = [i for i in range(1, len(units) + 1) if units[i - 1].kind != "distractor"]
        return pick(self.rng, places) if places else len(units)

    def estimate(self, units: list[Unit]) -> int:
        words = 12
        for unit in units:
            if unit.kind == "rows":
                rows = self.entity.values[unit.attributes[0]]
                words += 12 * len(rows) if isinstance(rows, tuple) else 0
            else:
                words += sum(len(text.split()) for text in unit.sentences)
                words += len(unit.value.split()) + (7 if unit.kind == "distractor" else 0)
        return words

    # ----------------------------------------------------------------- writing

    def write(self, units: list[Unit]) -> Passage:
        position = self._open(units)
        while position < len(units):
            unit = units[position]
            follower = units[position + 1] if position + 1 < len(units) else None
            if unit.kind == "distractor":
                self._distract(unit)
            elif unit.kind == "colour":
                self._emit(self._fill(unit.template, "", self._definite()), ())
                self.may_use_pronoun = False
            elif unit.kind == "frame":
                self._frame(unit)
            elif unit.kind == "rows":
                self._rows(unit)
            elif follower is not None and unit.joins and follower.joins and self.rng.random() < 0.35:
                self._joined(unit, follower)
                position += 1
            else:
                self._single(unit)
            position += 1
        for name, base in self.leaning.items():
            self.evidence[name] = tuple(sorted({*self.evidence[name], *self.evidence[base]}))
        text = " ".join(self.sentences)
        return Passage(
            text,
            len(text.split()),
            tuple(self.sentences),
            self.evidence,
            self.said,
            frozenset(self.implied),
            tuple(self.statements),
        )

    def _open(self, units: list[Unit]) -> int:
        """The first sentence introduces the name, sometimes with the first fact in it."""
        first = units[0] if units else None
        if first is not None and first.joins and first.is_predicate and self.rng.random() < 0.4:
            apposition = self._fill(pick(self.rng, self.domain.apposition), "", "")
            predicate = self._fact(first, "")[1:]
            self._emit(f"{self._said(self.entity.name)}, {apposition}, {predicate}", first.attributes)
            return 1
        intro = self._fill(pick(self.rng, self.domain.intro), "", "")
        self._said(self.entity.name)
        self._emit(intro, ())
        return 0

    def _single(self, unit: Unit) -> None:
        start = self._connective(unit)
        if self.must_name and not unit.is_predicate:
            unit = self._with_subject(unit)
        sentence = self._fact(unit, self._subject())
        self._emit(f"{start}{sentence}{self._denial(unit)}", unit.attributes)
        self.may_use_pronoun = unit.is_predicate

    def _connective(self, unit: Unit) -> str:
        """A word that ties a sentence to what stands before it, where it is true."""
        name = unit.attributes[0]
        value = self.entity.values[name]
        if self.contrast is not None:
            return "by contrast, " if self.contrast[0] == name and self.contrast[1] != value else ""
        if self.rng.random() >= _CONNECTED or len(self.sentences) < 2:
            return ""
        if self.domain.attributes[name].kind == "year":
            return "later, " if isinstance(value, int) and 0 < self.last_year < value else ""
        fresh = [word for word in _ADDED if word not in self.added]
        if not fresh:
            return ""
        self.added.append(pick(self.rng, fresh))
        return self.added[-1]

    def _denial(self, unit: Unit) -> str:
        """Now and then a value that does not hold, where the sentence ends with the one that does."""
        name = unit.attributes[0]
        attribute, value = self.domain.attributes[name], self.entity.values[name]
        able = attribute.kind in ("choice", "year", "number") and unit.template.endswith("{v}")
        if not able or self.rng.random() >= _CONTRASTED:
            return ""
        against: Value
        if attribute.kind == "choice":
            against = pick(self.rng, [other for other in attribute.values if other != value])
        else:
            assert isinstance(value, int)
            against = value + pick(self.rng, (1, 2, 3, 5, 10))
        self.statements.append(Statement(self.entity.name, name, against, denied=True))
        return pick(self.rng, _NOT).format(value_text(against, attribute))

    def _joined(self, first: Unit, second: Unit) -> None:
        if self.must_name and not first.is_predicate:
            first = self._with_subject(first)
        both = (*first.attributes, *second.attributes)
        if first.is_predicate and second.is_predicate:
            self._emit(self._two_predicates(first, second), both)
            self.may_use_pronoun = True
            return
        start = self._fact(first, self._subject())
        end = self._fact(second, self.entity.pronoun if first.is_predicate else self._definite())
        link = pick(self.rng, (", and ", "; "))
        self._emit(f"{start}{link}{end}", both)
        self.may_use_pronoun = second.is_predicate

    def _two_predicates(self, first: Unit, second: Unit) -> str:
        style = self.rng.random()
        one, two = (self._fact(unit, "")[1:] for unit in (first, second))
        if style < 0.5:
            return f"{self._subject()} {one} and {two}"
        if style < 0.75:
            relative = "who" if self.domain.gendered else "which"
            subject = self.entity.name if self.must_name or self.rng.random() < 0.5 else self._definite()
            return f"{self._said(subject)}, {relative} {one}, {two}"
        return f"{self._subject()} {one}; {self.entity.pronoun} {two}"

    def _frame(self, unit: Unit) -> None:
        for template in unit.sentences:
            self._emit(self._fill(template, "", ""), unit.attributes)
        self.may_use_pronoun = unit.sentences[-1].startswith(("{E} ", "{N} "))
        self.last_subject = ""
        self.implied |= set(unit.implied)
        self.statements += unit.also
        if unit.leans_on:
            self.leaning[unit.attributes[0]] = unit.leans_on

    def _distract(self, unit: Unit) -> None:
        other, name = self.frames.other, unit.attributes[0]
        predicate = unit.template[4:].format(v=unit.value, av=with_article(unit.value), P=other.possessive)
        self._emit(f"{self._other()} {predicate}", ())
        self.statements.append(Statement(other.name, name, other.values[name]))
        self.may_use_pronoun, self.must_name = False, True
        self.contrast = (name, other.values[name])
        self.form_of_other = unit.template

    def _rows(self, unit: Unit) -> None:
        name = unit.attributes[0]
        for sentence in say_rows(self.domain.attributes[name], self.entity.values[name], self._definite(), self.rng):
            self._emit(sentence, unit.attributes)
        self.may_use_pronoun = False

    # ------------------------------------------------------------------- words

    def _subject(self) -> str:
        """Name, description or pronoun: a pronoun only where the sentence before had the entity as its subject.

        Two sentences in a row do not begin with the same description or name.
        """
        if self.must_name:
            return self._said(self.entity.name)
        if self.may_use_pronoun and self.last_subject != self.entity.pronoun and self.rng.random() < 0.65:
            return self._said(self.entity.pronoun)
        fresh = [form for form in (*self.definites, self.entity.name) if form != self.last_subject]
        return self._said(pick(self.rng, fresh))

    def _said(self, subject: str) -> str:
        self.last_subject = subject
        return subject

    def _other(self) -> str:
        """The other entity by its name, with the description only when it comes up for the first time."""
        name, first = self.frames.other.name, not self.other_known
        self.other_known = True
        return f"{name}, {self.frames.apposition}," if first else name

    def _definite(self) -> str:
        return pick(self.rng, self.definites)

    def _with_subject(self, unit: Unit) -> Unit:
        name = unit.attributes[0]
        forms = _statements(self.domain.attributes[name], self.entity.values[name])
        able = [form for form in forms if form.startswith("{S} ")]
        # Not in the very words that were just used of the other entity.
        fresh = [form for form in able if form != self.form_of_other] or able
        return unit._replace(sentences=(pick(self.rng, fresh),))

    def _fact(self, unit: Unit, subject: str) -> str:
        """The sentence of a plain fact; the words of its value are kept for the answer."""
        value = self.entity.values[unit.attributes[0]]
        if isinstance(value, int) and not isinstance(value, bool):
            self.said[unit.attributes[0]] = unit.value
        return self._fill(unit.template, unit.value, subject)

    def _fill(self, template: str, value: str, subject: str) -> str:
        slots = self.slots
        slots["S"], slots["v"] = subject, value
        slots["E"] = self.entity.name if self.rng.random() < 0.5 else self._definite()
        if "{D}" in template:
            slots["D"] = self._definite()
        if "{O}" in template:
            slots["O"] = self._other()
        if "{av}" in template:
            slots["av"] = with_article(value)
        return template.format_map(slots)

    def _emit(self, sentence: str, attributes: tuple[str, ...]) -> None:
        number = len(self.sentences)
        self.sentences.append(f"{sentence[0].upper()}{sentence[1:]}.")
        for name in attributes:
            self.evidence[name] = (*self.evidence.get(name, ()), number)
            value = self.entity.values[name]
            self.statements.append(Statement(self.entity.name, name, value))
            if self.domain.attributes[name].kind == "year" and isinstance(value, int):
                self.last_year = value
        self.must_name, self.contrast = False, None


def _statements(attribute: Attribute, value: Value) -> tuple[str, ...]:
    if attribute.kind == "flag":
        return attribute.yes if value else attribute.no
    return attribute.say

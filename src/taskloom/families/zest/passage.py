"""Composing a passage: facts in varied order and wording, with sentences about other things in between.

A reader must never be in doubt whom a statement is about. So a sentence about another entity names it, with an
apposition the first time, and the sentence after it begins with the name of the entity the passage is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
from msgspec.structs import replace

from taskloom.core.rng import below, pick
from taskloom.families.zest.consistency import Statement
from taskloom.families.zest.domain import Domain, Form
from taskloom.families.zest.facts import Entity, Value, number_word, rounded, spoken_number, value_text, with_article
from taskloom.families.zest.frames import Frames, Unit
from taskloom.families.zest.rows import say_rows

__all__ = ["Passage", "compose"]

_MOST_COLOUR = 4
_FRAMED = 0.32
_PAIRED = 0.3
_CONTRASTED = 0.12
_LATER = 0.15
_ADDED_TO = 0.8
_JOINED = 0.4
_OPENED = 0.4
_OFF = (1, 2, 3, 5, 10)
_LINKS = (", and ", "; ")
_ADDED = ("in addition, ", "what is more, ", "besides, ", "moreover, ")
_NOT = (", not {}, as one guide has it", ", not {} as some claim", ", although an old guide says {}", ", not {}")


class Passage(msgspec.Struct, frozen=True, gc=False):
    """A text with what it says.

    Attributes:
        text: The sentences in one paragraph.
        words: How many words the text has.
        sentences: The sentences in order.
        evidence: For each stated attribute the numbers of the sentences that state it.
        said: How the text puts values that it does not merely imply.
        implied: The attributes whose value has to be worked out.
        also: What is stated about others, and values that are said not to hold.
    """

    text: str
    words: int
    sentences: tuple[str, ...]
    evidence: dict[str, tuple[int, ...]]
    said: dict[str, str]
    implied: frozenset[str]
    also: tuple[Statement, ...]


def compose(
    domain: Domain,
    entities: tuple[Entity, Entity],
    stated: Sequence[str],
    rng: Random,
    *,
    region: str,
    distracting: Sequence[str],
    target_words: int,
) -> Passage:
    """Write a passage about the first entity that states exactly the attributes `stated`.

    Args:
        domain: The words.
        entities: Whom the passage is about, and another one for sentences that mislead a careless reader.
        stated: The attributes to state, in the order of the text.
        rng: Where the choices come from.
        region: Where the entity is at home.
        distracting: Attributes to state about the other entity.
        target_words: The length aimed at; sentences without facts fill up what is missing.
    """
    writer = _Writer(domain, *entities, region, rng)
    units = writer.units(stated)
    writer.insert_distractors(units, distracting)
    writer.insert_colour(units, target_words)
    return writer.write(units)


class _Writer:
    """Writes one passage: units are planned first, then worded sentence by sentence."""

    def __init__(self, domain: Domain, entity: Entity, other: Entity, region: str, rng: Random) -> None:
        self.domain, self.entity, self.rng = domain, entity, rng
        self.attributes, self.values = domain.attributes, entity.values
        self.frames = Frames(domain, entity, other, rng)
        self.definites = domain.definites[entity.female]
        self.subjects = (*self.definites, entity.name)
        self.slots = {
            "N": entity.name,
            "P": entity.possessive,
            "region": region,
            "town": entity.town,
            "monarch": domain.monarch[entity.female],
        }
        self.length = 20
        self.sentences: list[str] = []
        self.evidence: dict[str, tuple[int, ...]] = {}
        self.leaning: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.implied: set[str] = set()
        self.also: list[Statement] = []
        self.may_use_pronoun = True
        self.must_name = False
        self.other_known = False
        self.last_subject = ""
        self.last_year = 0
        self.last_flag = ""
        self.contrast: tuple[str, Value] | None = None
        self.denied = False
        self.added: list[str] = []
        self.form_of_other: Form | None = None

    # ---------------------------------------------------------------- planning

    def units(self, stated: Sequence[str]) -> list[Unit]:
        """One unit per attribute, or one for two people."""
        attributes, random = self.attributes, self.rng.random
        units: list[Unit] = []
        pair = self._pair([name for name in stated if attributes[name].role])
        paired = pair.attributes if pair is not None else ()
        for name in stated:
            if name in paired:
                if pair is not None and name == paired[0]:
                    units.append(pair)
                continue
            framed = self.frames.unit(name, stated) if random() < _FRAMED else None
            units.append(framed or self._plain(name))
            if framed is not None:
                self.length += sum([text.count(" ") + 1 for text in framed.sentences])
        return units

    def _pair(self, persons: Sequence[str]) -> Unit | None:
        """Two people at once, now and then."""
        if len(persons) < 2 or self.rng.random() >= _PAIRED:
            return None
        self.length += 20
        return self.frames.persons((persons[0], persons[1]))

    def _plain(self, name: str) -> Unit:
        kind, value = self.attributes[name].kind, self.values[name]
        if kind == "rows":
            self.length += 12 * len(value) if isinstance(value, tuple) else 0
            return Unit("rows", (), (name,))
        form = pick(self.rng, self.domain.forms[name][value is True])
        text = self._worded(name, value)
        self.length += form.words + text.count(" ")
        if kind == "list":
            return Unit("list", (), (name,), text, form)
        return Unit("fact", (), (name,), text, form, form.simple and not (", " in text or " and " in text))

    def _worded(self, name: str, value: Value) -> str:
        """A value as this passage writes it; nothing for a flag, whose statement says it all."""
        attribute = self.attributes[name]
        kind = attribute.kind
        if kind == "flag":
            return ""
        if kind == "number":
            assert isinstance(value, int)
            return spoken_number(value, attribute, self.rng)
        return value_text(value, attribute) if kind == "list" else str(value)

    def insert_distractors(self, units: list[Unit], names: Sequence[str]) -> None:
        """Say something about the other entity, not in the words that its counterpart is said in."""
        for name in names:
            if name in self.frames.compared:
                continue
            value = self.frames.other.values[name]
            forms = self.domain.predicates[name][value is True]
            used = [unit.form for unit in units if name in unit.attributes]
            form = pick(self.rng, [form for form in forms if form not in used] or forms)
            unit = Unit("distractor", (), (name,), self._worded(name, value), form)
            self.length += form.words + 9
            units.insert(self._distractor_place(units, name), unit)

    def _distractor_place(self, units: list[Unit], name: str) -> int:
        """Often right before the entity's own value, for contrast.

        What follows must be able to begin with the entity's name, so that "it" cannot be misread.
        """
        if self.rng.random() < 0.5:
            for place, unit in enumerate(units):
                if place and unit.form is not None and unit.attributes == (name,):
                    return place
        while True:
            place = 1 + below(self.rng, len(units))
            if place == len(units) or units[place].form is not None:
                return place

    def insert_colour(self, units: list[Unit], words: int) -> None:
        """Sentences without facts, anywhere but first or right after a distractor, until there are words enough."""
        missing = words - self.length
        colour, rng = self.domain.colour, self.rng
        spoken: list[str] = []
        while missing >= 0 and len(spoken) < _MOST_COLOUR:
            while (sentence := pick(rng, colour)) in spoken:
                pass
            spoken.append(sentence)
            place = 1 + below(rng, len(units))
            while units[place - 1].kind == "distractor":
                place = 1 + below(rng, len(units))
            units.insert(place, Unit("colour", (sentence,)))
            missing -= sentence.count(" ") + 1

    # ----------------------------------------------------------------- writing

    def write(self, units: list[Unit]) -> Passage:
        """The text of the units."""
        position, last, random = self._open(units), len(units) - 1, self.rng.random
        while position <= last:
            unit = units[position]
            kind = unit.kind
            if kind == "fact" and position < last and self._can_join(unit, units[position + 1]) and random() < _JOINED:
                position += 1
                self._joined(unit, units[position])
            elif kind in ("fact", "list"):
                self._single(unit)
            elif kind == "colour":
                self._emit(self._fill(unit.sentences[0]), ())
                self.may_use_pronoun = False
            elif kind == "frame":
                self._frame(unit)
            elif kind == "distractor":
                self._distract(unit)
            else:
                self._rows(unit)
            position += 1
        for name, base in self.leaning.items():
            self.evidence[name] = tuple(sorted({*self.evidence[name], *self.evidence[base]}))
        text = " ".join(self.sentences)
        return Passage(
            text,
            text.count(" ") + 1,
            tuple(self.sentences),
            self.evidence,
            self.said,
            frozenset(self.implied),
            tuple(self.also),
        )

    def _open(self, units: list[Unit]) -> int:
        """The first sentence introduces the name, sometimes with the first fact in it."""
        first = units[0]
        if first.joins and first.form is not None and first.form.predicate and self.rng.random() < _OPENED:
            apposition = self._fill(pick(self.rng, self.domain.apposition))
            self._emit(f"{self._said(self.entity.name)}, {apposition},{self._fact(first, '')}", first.attributes)
            return 1
        self._said(self.entity.name)
        self._emit(self._fill(pick(self.rng, self.domain.intro)), ())
        return 0

    def _single(self, unit: Unit) -> None:
        random, name = self.rng.random, unit.attributes[0]
        start = self._connective(name)
        if self.must_name:
            unit = self._with_subject(unit)
        form = unit.form
        assert form is not None
        sentence = self._fact(unit, self._subject() if form.predicate else "")
        if form.denies and random() < _CONTRASTED:
            sentence += self._denial(name, form, unit.value)
        self._emit(start + sentence, unit.attributes)
        self.may_use_pronoun = form.predicate
        self.last_flag = name if self.attributes[name].kind == "flag" else ""

    def _can_join(self, first: Unit, second: Unit) -> bool:
        """Whether two facts go into one sentence, where they have two subjects only if they are of one kind."""
        if not (first.joins and second.joins) or first.form is None or second.form is None:
            return False
        one, two = first.attributes[0], second.attributes[0]
        shared = first.form.predicate and second.form.predicate
        return self._agree(one, two) and (shared or self.attributes[one].kind == self.attributes[two].kind)

    def _agree(self, first: str, second: str) -> bool:
        """Whether two facts belong together; of flags only two that are true, or two that are not."""
        if second not in self.domain.mates[first]:
            return False
        return self.attributes[first].kind != "flag" or self.values[first] == self.values[second]

    def _connective(self, name: str) -> str:
        """A word that ties a sentence to what stands before it, where it is true and a reader sees why."""
        kind, value = self.attributes[name].kind, self.values[name]
        if self.contrast is not None:
            other, against = self.contrast
            return "by contrast, " if other == name and _differ(kind, value, against) else ""
        if kind == "year":
            later = isinstance(value, int) and 0 < self.last_year < value
            return "later, " if later and self.rng.random() < _LATER else ""
        if not self.last_flag or not self._agree(self.last_flag, name) or self.rng.random() >= _ADDED_TO:
            return ""
        fresh = [word for word in _ADDED if word not in self.added]
        if not fresh:
            return ""
        self.added.append(pick(self.rng, fresh))
        return self.added[-1]

    def _denial(self, name: str, form: Form, said: str) -> str:
        """A value that does not hold, behind a sentence that ends with the one that does; once in a passage."""
        attribute, value = self.attributes[name], self.values[name]
        against: Value
        if self.denied:
            return ""
        if attribute.kind == "choice":
            against = pick(self.rng, [other for other in attribute.values if other != value])
        elif isinstance(value, int):
            against = value + pick(self.rng, _OFF) * (10 if rounded(attribute) else 1)
        else:
            return ""
        self.denied = True
        self.also.append(Statement(self.entity.name, name, against, denied=True))
        text = str(against)
        if attribute.kind == "number":
            assert isinstance(against, int)
            # "Fifty-one kilometres, not fifty-two": as the value is written, and its unit goes without saying.
            text = f"{against:,}" if said[0].isdigit() else number_word(against)
        return pick(self.rng, _NOT).format(with_article(text) if form.denies == "a {}" else text)

    def _joined(self, first: Unit, second: Unit) -> None:
        if self.must_name:
            first = self._with_subject(first)
        both = (*first.attributes, *second.attributes)
        assert first.form is not None and second.form is not None
        if first.form.predicate and second.form.predicate:
            self._emit(self._two_predicates(first, second), both)
            self.may_use_pronoun = True
            return
        start = self._fact(first, self._subject() if first.form.predicate else "")
        end = self._fact(second, self.entity.pronoun if first.form.predicate else self._definite())
        self._emit(f"{start}{pick(self.rng, _LINKS)}{end}", both)
        self.may_use_pronoun = second.form.predicate

    def _two_predicates(self, first: Unit, second: Unit) -> str:
        style = self.rng.random()
        one, two = self._fact(first, ""), self._fact(second, "")
        if style < 0.5:
            return f"{self._subject()}{one} and{two}"
        if style < 0.75:
            relative = "who" if self.domain.gendered else "which"
            subject = self.entity.name if self.must_name or self.rng.random() < 0.5 else self._definite()
            return f"{self._said(subject)}, {relative}{one},{two}"
        return f"{self._subject()}{one}; {self.entity.pronoun}{two}"

    def _frame(self, unit: Unit) -> None:
        for template in unit.sentences:
            self._emit(self._fill(template, unit.value), unit.attributes)
        self.may_use_pronoun = unit.sentences[-1].startswith(("{E} ", "{N} "))
        self.last_subject = ""
        self.implied.update(unit.implied)
        self.also += unit.also
        if unit.leans_on:
            self.leaning[unit.attributes[0]] = unit.leans_on

    def _distract(self, unit: Unit) -> None:
        other, name, form = self.frames.other, unit.attributes[0], unit.form
        assert form is not None
        av = with_article(unit.value) if form.slotted else ""
        predicate = form.text[4:].format(v=unit.value, av=av, P=other.possessive)
        self._emit(f"{self._other()} {predicate}", ())
        self.also.append(Statement(other.name, name, other.values[name]))
        self.may_use_pronoun, self.must_name = False, True
        self.contrast = (name, other.values[name])
        self.form_of_other = form

    def _rows(self, unit: Unit) -> None:
        name = unit.attributes[0]
        for sentence in say_rows(self.attributes[name], self.values[name], self._definite(), self.rng):
            self._emit(sentence, unit.attributes)
        self.may_use_pronoun = False

    # ------------------------------------------------------------------- words

    def _subject(self) -> str:
        """Name, description or pronoun: a pronoun only where the sentence before had the entity as its subject.

        Two sentences in a row do not begin with the same description or name.
        """
        if self.must_name:
            return self._said(self.entity.name)
        pronoun = self.entity.pronoun
        if self.may_use_pronoun and self.last_subject != pronoun and self.rng.random() < 0.65:
            return self._said(pronoun)
        while (subject := pick(self.rng, self.subjects)) == self.last_subject:
            pass
        return self._said(subject)

    def _said(self, subject: str) -> str:
        self.last_subject = subject
        return subject

    def _other(self) -> str:
        """The other entity by its name, with the description only when it comes up for the first time."""
        name, first = self.frames.other.name, not self.other_known
        self.other_known = True
        return f"{name}, {pick(self.rng, self.domain.others)}," if first else name

    def _definite(self) -> str:
        return pick(self.rng, self.definites)

    def _with_subject(self, unit: Unit) -> Unit:
        """The unit with a statement that can begin with the entity's name."""
        if unit.form is None or unit.form.predicate:
            return unit
        name = unit.attributes[0]
        able = self.domain.predicates[name][self.values[name] is True]
        # Not in the very words that were just used of the other entity.
        return replace(unit, form=pick(self.rng, [form for form in able if form != self.form_of_other] or able))

    def _fact(self, unit: Unit, subject: str) -> str:
        """The sentence of a plain fact; the words of its value are kept for the answer."""
        form, name = unit.form, unit.attributes[0]
        assert form is not None
        if self.attributes[name].kind in ("year", "number"):
            self.said[name] = unit.value
        if form.slotted:
            return self._fill(form.text, unit.value, subject)
        slots = self.slots
        slots["S"], slots["v"] = subject, unit.value
        return form.text.format_map(slots)

    def _fill(self, template: str, value: str = "", subject: str = "") -> str:
        if "{" not in template:
            return template
        slots = self.slots
        slots["S"], slots["v"] = subject, value
        if "{E}" in template:
            slots["E"] = self.entity.name if self.rng.random() < 0.5 else self._definite()
        if "{D}" in template:
            slots["D"] = self._definite()
        if "{O}" in template:
            slots["O"] = self._other()
        if "{av}" in template:
            slots["av"] = with_article(value)
        return template.format_map(slots)

    def _emit(self, sentence: str, attributes: tuple[str, ...]) -> None:
        sentences = self.sentences
        number = len(sentences)
        sentences.append(f"{sentence[0].upper()}{sentence[1:]}.")
        evidence = self.evidence
        for name in attributes:
            evidence[name] = (*evidence[name], number) if name in evidence else (number,)
            if self.attributes[name].kind == "year":
                value = self.values[name]
                assert isinstance(value, int)
                self.last_year = value
        self.must_name = False
        self.contrast = None
        self.last_flag = ""


def _differ(kind: str, one: Value, other: Value) -> bool:
    """Whether two entities differ so clearly that a writer would point it out."""
    if kind == "number":
        assert isinstance(one, int) and isinstance(other, int)
        return 2 * max(one, other) >= 3 * min(one, other)
    return kind in ("flag", "choice") and one != other

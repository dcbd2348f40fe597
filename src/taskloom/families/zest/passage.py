"""Writing a passage, sentence by sentence.

A reader must never be in doubt whom a statement is about. So a sentence about another entity names it, with an
apposition the first time, and the sentence after it begins with the name of the entity the passage is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from random import Random

import msgspec
from msgspec.structs import replace

from taskloom.core.rng import pick, spin
from taskloom.families.zest.attributes import StatementForm
from taskloom.families.zest.consistency import Statement
from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import Entity, Value, number_word, with_article
from taskloom.families.zest.frames import Frames, PassageUnit
from taskloom.families.zest.rows import say_rows
from taskloom.families.zest.templates import SentenceTemplate
from taskloom.families.zest.units import plan_units

_CONTRASTED = 0.12
_LATER = 0.15
_ADDED_TO = 0.8
_JOINED = 0.4
_OPENED = 0.4
_OFF = (1, 2, 3, 5, 10)
_LINKS = (", and ", "; ")
_ADDED = ("in addition, ", "what is more, ", "besides, ", "moreover, ")
_NOT = (", not {}, as one guide has it", ", not {} as some claim", ", although an old guide says {}", ", not {}")


class FactPassage(msgspec.Struct, frozen=True, gc=False):
    """A text with what it says.

    Attributes:
        text: The sentences in one paragraph.
        words: How many words the text has.
        sentences: The sentences in order.
        evidence: For each stated attribute the numbers of the sentences that state it.
        said: How the text puts values that it does not merely imply.
        implied: The attributes whose value has to be inferred.
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
) -> FactPassage:
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
    frames = Frames(domain, *entities, rng)
    units = plan_units(frames, stated, distracting, target_words)
    return _PassageWriter(frames, region).write(units)


class _PassageWriter:
    """Writes one passage.

    Args:
        frames: The entities and the domain.
        region: Where the entity is at home.
    """

    def __init__(self, frames: Frames, region: str) -> None:
        self.domain, self.entity, self.other = frames.domain, frames.entity, frames.other
        self.rng, self.bits = frames.rng, frames.bits
        domain, entity = self.domain, self.entity
        self.kinds, self.values = domain.kinds, entity.values
        self.slots = {
            "N": entity.name,
            "P": entity.possessive,
            "region": region,
            "town": entity.town,
            "monarch": domain.monarch[entity.female],
            "v": "",
            "D": "",
            "E": "",
        }
        self.sentences: list[str] = []
        self.evidence: dict[str, tuple[int, ...]] = {}
        self.leaning: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.implied: tuple[str, ...] = ()
        self.also: list[Statement] = []
        self.before = _NOTHING
        self.may_use_pronoun = True
        self.other_known = False
        self.last_subject = entity.name
        self.last_year = 0
        self.denied = False
        self.added: list[str] = []

    def write(self, units: list[PassageUnit]) -> FactPassage:
        """The text of the units."""
        random, written = self.rng.random, self._open(units[0])
        for unit, after in zip_longest(units, units[1:]):
            if written:
                written = False
            elif (
                unit.joins and after is not None and after.joins and self._can_join(unit, after) and random() < _JOINED
            ):
                self._joined(unit, after)
                self.before, written = _NOTHING, True
            else:
                _WAYS[unit.kind](self, unit)
                self.before = unit
        for name, base in self.leaning.items():
            self.evidence[name] = tuple(sorted({*self.evidence[name], *self.evidence[base]}))
        text = " ".join(self.sentences)
        return FactPassage(
            text,
            text.count(" ") + 1,
            tuple(self.sentences),
            self.evidence,
            self.said,
            frozenset(self.implied),
            tuple(self.also),
        )

    def _open(self, first: PassageUnit) -> bool:
        """The first sentence introduces the name, sometimes with the first fact in it."""
        rng, domain = self.rng, self.domain
        if first.joins and first.form is not None and first.form.predicate and rng.random() < _OPENED:
            apposition = self._filled(spin(self.bits, domain.appositions))
            self._end(f"{self.entity.name}, {apposition},{self._fact(first, '')}")
            return True
        self._say(spin(self.bits, domain.intros))
        return False

    def _single(self, unit: PassageUnit) -> None:
        start, before = "", self.before.kind
        if unit.kind == "year" or before in ("flag", "distractor"):
            start = self._connective(unit)
            if before == "distractor":
                unit = self._with_subject(unit)
        form = unit.form
        assert form is not None
        text = start + self._fact(unit, self._subject() if form.predicate else "")
        if form.denies and self.rng.random() < _CONTRASTED:
            text += self._denial(unit, form)
        self.sentences.append(f"{text[0].upper()}{text[1:]}.")
        self.may_use_pronoun = form.predicate

    def _can_join(self, first: PassageUnit, second: PassageUnit) -> bool:
        """Whether two facts go into one sentence, where they have two subjects only if they are of one kind."""
        assert first.form is not None and second.form is not None
        shared = first.form.predicate and second.form.predicate
        return (shared or first.kind == second.kind) and self._agree(first, second)

    def _agree(self, first: PassageUnit, second: PassageUnit) -> bool:
        """Whether two facts belong together; of flags only two that are true, or two that are not."""
        one, two = first.attributes[0], second.attributes[0]
        if two not in self.domain.mates[one]:
            return False
        return first.kind != "flag" or self.values[one] == self.values[two]

    def _connective(self, unit: PassageUnit) -> str:
        """A word that ties a sentence to what stands before it, where it is true and a reader sees why."""
        name, before = unit.attributes[0], self.before
        value = self.values[name]
        if before.kind == "distractor":
            contrasts = before.attributes[0] == name and _differ(unit.kind, value, self.other.values[name])
            return "by contrast, " if contrasts else ""
        if unit.kind == "year":
            later = isinstance(value, int) and 0 < self.last_year < value
            return "later, " if later and self.rng.random() < _LATER else ""
        if not self._agree(before, unit) or self.rng.random() >= _ADDED_TO:
            return ""
        fresh = [word for word in _ADDED if word not in self.added]
        if not fresh:
            return ""
        self.added.append(pick(self.rng, fresh))
        return self.added[-1]

    def _denial(self, unit: PassageUnit, form: StatementForm) -> str:
        """A value that does not hold, behind a sentence that ends with the one that does; once in a passage."""
        name, kind = unit.attributes[0], unit.kind
        value = self.values[name]
        against: Value
        if self.denied:
            return ""
        if kind == "choice":
            against = pick(self.rng, [other for other in self.domain.attributes[name].values if other != value])
        elif isinstance(value, int):
            against = value + pick(self.rng, _OFF) * (10 if self.domain.drawings[name].tens else 1)
        else:
            return ""
        self.denied = True
        self.also.append(Statement(self.entity.name, name, against, denied=True))
        text = str(against)
        if kind == "number":
            assert isinstance(against, int)
            # "Fifty-one kilometres, not fifty-two": as the value is written, and its unit goes without saying.
            text = f"{against:,}" if unit.value[0].isdigit() else number_word(against)
        return pick(self.rng, _NOT).format(with_article(text) if form.denies == "a {}" else text)

    def _joined(self, first: PassageUnit, second: PassageUnit) -> None:
        if self.before.kind == "distractor":
            first = self._with_subject(first)
        one, two = first.form, second.form
        assert one is not None and two is not None
        if one.predicate and two.predicate:
            sentence = self._two_predicates(first, second)
        else:
            start = self._fact(first, self._subject() if one.predicate else "")
            subject = self.entity.pronoun if one.predicate else self._definite()
            end = self._fact(second, subject if two.predicate else "")
            sentence = f"{start}{pick(self.rng, _LINKS)}{end}"
        self._end(sentence)
        self.may_use_pronoun = two.predicate

    def _two_predicates(self, first: PassageUnit, second: PassageUnit) -> str:
        style = self.rng.random()
        one, two = self._fact(first, ""), self._fact(second, "")
        if style < 0.5:
            return f"{self._subject()}{one} and{two}"
        if style < 0.75:
            relative = "who" if self.domain.gendered else "which"
            named = self.before.kind == "distractor" or self.rng.random() < 0.5
            self.last_subject = self.entity.name if named else self._definite()
            return f"{self.last_subject}, {relative}{one},{two}"
        return f"{self._subject()}{one}; {self.entity.pronoun}{two}"

    def _frame(self, unit: PassageUnit) -> None:
        first = len(self.sentences)
        self.slots["v"] = unit.value
        if unit.fills is not None:
            self.slots.update(unit.fills)
        for sentence in unit.sentences:
            self._say(sentence)
        self._told(unit, first)
        self.may_use_pronoun = unit.sentences[-1].about
        self.last_subject = ""
        self.implied += unit.implied
        self.also += unit.also
        if unit.leans_on:
            self.leaning[unit.attributes[0]] = unit.leans_on

    def _distract(self, unit: PassageUnit) -> None:
        other, name, form = self.other, unit.attributes[0], unit.form
        assert form is not None
        if form.plain:
            self._end(f"{self._other()}{form.head}{unit.value}{form.tail}")
        else:
            self.slots["v"], self.slots["OP"] = unit.value, other.possessive
            self._say(form.of_other)
        self.also.append(Statement(other.name, name, other.values[name]))
        self.may_use_pronoun = False

    def _rows(self, unit: PassageUnit) -> None:
        name, first = unit.attributes[0], len(self.sentences)
        for sentence in say_rows(self.domain.attributes[name], self.values[name], self._definite(), self.rng):
            self._end(sentence)
        self._told(unit, first)
        self.may_use_pronoun = False

    def _colour(self, unit: PassageUnit) -> None:
        self._say(unit.sentences[0])
        self.may_use_pronoun = False

    def _told(self, unit: PassageUnit, first: int) -> None:
        """Keep which sentences state a unit: all from `first` on."""
        end = len(self.sentences)
        numbers = (first,) if end == first + 1 else tuple(range(first, end))
        for name in unit.attributes:
            self.evidence[name] = numbers
            if self.kinds[name] == "year":
                value = self.values[name]
                assert isinstance(value, int)
                self.last_year = value

    # ------------------------------------------------------------------- words

    def _subject(self) -> str:
        """Name, description or pronoun: a pronoun only where the sentence before had the entity as its subject.

        Two sentences in a row do not begin with the same description or name.
        """
        entity = self.entity
        if self.before.kind == "distractor":
            subject = entity.name
        elif self.may_use_pronoun and self.last_subject != entity.pronoun and self.rng.random() < 0.65:
            subject = entity.pronoun
        else:
            subjects = (*self.domain.definites[entity.female], entity.name)
            while (subject := pick(self.rng, subjects)) == self.last_subject:
                pass
        self.last_subject = subject
        return subject

    def _other(self) -> str:
        """The other entity by its name, with the description only when it comes up for the first time."""
        if self.other_known:
            return self.other.name
        self.other_known = True
        return f"{self.other.name}, {pick(self.rng, self.domain.others)},"

    def _definite(self) -> str:
        return spin(self.bits, self.domain.described[self.entity.female])

    def _with_subject(self, unit: PassageUnit) -> PassageUnit:
        """The unit with a statement that can begin with the entity's name."""
        if unit.form is None or unit.form.predicate:
            return unit
        name = unit.attributes[0]
        able = self.domain.predicates[name][self.values[name] is True]
        # Not in the very words that were just used of the other entity.
        return replace(unit, form=pick(self.rng, [form for form in able if form != self.before.form] or able))

    def _fact(self, unit: PassageUnit, subject: str) -> str:
        """The next sentence, or a part of it: a plain fact. The words of its value are kept for the answer."""
        form, name, value = unit.form, unit.attributes[0], unit.value
        assert form is not None
        self.evidence[name] = (len(self.sentences),)
        if (kind := unit.kind) == "year":
            self.last_year = int(value)
            self.said[name] = value
        elif kind == "number":
            self.said[name] = value
        if form.plain:
            return f"{subject}{form.head}{value}{form.tail}"
        self.slots["S"], self.slots["v"] = subject, value
        return self._filled(form.whole)

    def _filled(self, template: SentenceTemplate) -> str:
        """The words of a template."""
        if template.varied:
            self._vary(template.varied)
        return template.pattern % self.slots

    def _vary(self, varied: tuple[str, ...]) -> None:
        """Choose what fills the slots whose words are not the same throughout a passage."""
        slots = self.slots
        for slot in varied:
            if slot == "E":
                slots[slot] = self.entity.name if self.rng.random() < 0.5 else self._definite()
            elif slot == "D":
                slots[slot] = self._definite()
            else:
                slots[slot] = self._other() if slot == "O" else with_article(slots["v"])

    def _say(self, template: SentenceTemplate) -> None:
        """Write a whole sentence of a template."""
        if template.varied:
            self._vary(template.varied)
        text = template.pattern % self.slots
        self.sentences.append(f"{text[0].upper()}{text[1:]}" if template.opened else text)

    def _end(self, text: str) -> None:
        """Write a sentence that lacks its capital and its stop."""
        self.sentences.append(f"{text[0].upper()}{text[1:]}.")


# How each kind of unit is written.
_WAYS: dict[str, Callable[[_PassageWriter, PassageUnit], None]] = {
    **dict.fromkeys(("flag", "choice", "year", "number", "name", "list"), _PassageWriter._single),
    "rows": _PassageWriter._rows,
    "frame": _PassageWriter._frame,
    "distractor": _PassageWriter._distract,
    "colour": _PassageWriter._colour,
}
_NOTHING = PassageUnit("colour", ())


def _differ(kind: str, one: Value, other: Value) -> bool:
    """Whether two entities differ so clearly that a writer would point it out."""
    if kind == "number":
        assert isinstance(one, int) and isinstance(other, int)
        return 2 * max(one, other) >= 3 * min(one, other)
    return kind in ("flag", "choice") and one != other

"""Writing a passage, sentence by sentence.

A reader must never be in doubt whom a statement is about. So a sentence about another entity names it, with an
apposition the first time, and the sentence after it begins with the name of the entity the passage is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from taskloom.core.rng import below, pick, sample, spin, wheel
from taskloom.families.zest.discourse import Joint, joints, register, shape_of
from taskloom.families.zest.domain import Attribute, SentenceTemplate, number_word
from taskloom.families.zest.facts import Statement, TableRow, Value, with_article
from taskloom.families.zest.frames import PassagePlanner
from taskloom.families.zest.units import DrawnPassage, PassageUnit

_CONTRASTED = 0.12
_LATER = 0.25
_TIED = 0.6
_OPENED = 0.55
_SET_AGAINST = 0.5
_LISTED = 0.3
# How many facts of a topic go into one sentence, as far as there are so many.
_SIZES = wheel((1, 2, 2, 2, 3, 3, 3, 3))
_OFF = (1, 2, 3, 5, 10)
_NOT = (", not {}, as one guide has it", ", not {} as some claim", ", although an old guide says {}", ", not {}")
_PLAIN = frozenset(("flag", "choice", "year", "number", "name", "list"))


def write_passage(
    planner: PassagePlanner, stated: Sequence[str], *, region: str, distracting: Sequence[str], words: int
) -> DrawnPassage:
    """Write a passage that states exactly some attributes of an entity.

    Args:
        planner: The entities and the domain.
        stated: The attributes to state, in the order of the text.
        region: Where the entity is at home.
        distracting: Attributes to state about the other entity.
        words: The length aimed at; sentences without facts fill up what is missing.
    """
    writer = _PassageWriter(planner, region)
    writer.write(planner.units(stated, distracting, words))
    text = " ".join(writer.sentences)
    values = {name: writer.values[name] for name in stated}
    return DrawnPassage(
        writer.entity, values, text, text.count(" ") + 1, tuple(writer.sentences), writer.evidence, writer.said,
        frozenset(writer.implied), tuple(writer.also), bool(distracting), {},
    )  # fmt: skip


class _PassageWriter:
    """Writes one passage.

    Args:
        planner: The entities and the domain.
        region: Where the entity is at home.
    """

    def __init__(self, planner: PassagePlanner, region: str) -> None:
        self.domain, self.entity, self.other = planner.domain, planner.entity, planner.other
        self.rng, self.bits = planner.rng, planner.bits
        domain, entity = self.domain, self.entity
        self.attributes, self.values = domain.attributes, entity.values
        monarch = domain.monarch[entity.female]
        self.slots = {"N": entity.name, "P": entity.possessive, "region": region, "town": entity.town}
        self.slots |= {"monarch": monarch, "v": "", "D": "", "E": ""}
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
        self.tied: set[str] = set()

    def write(self, units: list[PassageUnit]) -> None:
        """Write the sentences of the units, several facts in one where they are on one topic."""
        at = self._open(units)
        while at < len(units):
            at += self._next(units, at)
        for name, base in self.leaning.items():
            self.evidence[name] = tuple(sorted({*self.evidence[name], *self.evidence[base]}))

    def _open(self, units: list[PassageUnit]) -> int:
        """The first sentence introduces the name, often with a fact or two in it; how many units it takes."""
        facts = self._facts_from(units, 0, 2)
        if facts and self.rng.random() < _OPENED and self._join(facts, "openings"):
            return len(facts)
        self._say(spin(self.bits, self.domain.intros))
        return 0

    def _next(self, units: list[PassageUnit], at: int) -> int:
        """Write the next sentence or frame; how many units it takes."""
        unit = units[at]
        facts = self._facts_from(units, at, spin(self.bits, _SIZES))
        if unit.kind == "distractor" and self.rng.random() < _SET_AGAINST:
            follows = self._facts_from(units, at + 1, 1)
            if follows and self._differs(follows[0], unit) and self._join(follows, "other", unit):
                self.before = _NOTHING
                return 2
        while len(facts) > 1:
            if self._join(facts, "contrast" if self._contrasting(facts) else "plain"):
                self.before = _NOTHING
                return len(facts)
            facts.pop()
        _WAYS[unit.kind](self, unit)
        self.before = unit
        return 1

    def _facts_from(self, units: list[PassageUnit], at: int, most: int) -> list[PassageUnit]:
        """Up to so many plain facts on one topic; of two that stand against each other there is no third."""
        found: list[PassageUnit] = []
        for unit in units[at : at + most]:
            if unit.kind not in _PLAIN or (found and unit.topic != found[0].topic):
                break
            if len(found) > 1 and self._contrasting([*found, unit]):
                break
            found.append(unit)
            if not unit.joins:
                break  # a list ends its sentence
        return found

    def _contrasting(self, facts: Sequence[PassageUnit]) -> bool:
        """Whether one fact is welcome and another is not."""
        flags = [unit.attributes[0] for unit in facts if unit.kind == "flag"]
        stances = [(name, self.attributes[name].stance) for name in flags]
        return len({self.values[name] is (stance == "welcome") for name, stance in stances if stance != "neutral"}) > 1

    def _differs(self, unit: PassageUnit, other: PassageUnit) -> bool:
        """Whether an entity clearly differs from another one in what both units state."""
        (name,), (beside,) = unit.attributes, other.attributes
        return name == beside and _differ(unit.kind, self.values[name], self.other.values[name])

    def _join(self, facts: Sequence[PassageUnit], kind: str, other: PassageUnit | None = None) -> bool:
        """Write the facts as one sentence of that kind; False where none fits them."""
        values = [self.values[unit.attributes[0]] for unit in facts]
        attributes = [self.attributes[unit.attributes[0]] for unit in facts]
        fitting: list[tuple[Joint, list[tuple[SentenceTemplate, ...]]]] = []
        for joint in joints(kind, len(facts)):
            if self.before.kind == "distractor" and not joint.leads:
                continue  # what follows another entity begins with the name
            ways = [shape_of(*way) for way in zip(attributes, joint.shapes, values, strict=True)]
            if all(ways):
                fitting.append((joint, ways))
        if not fitting:
            return False
        joint, ways = pick(self.rng, fitting)
        slots = {slot: self._reference(slot, other) for slot in joint.references}
        for slot, unit, able in zip(joint.slots, facts, ways, strict=True):
            slots[slot] = self._fact(unit, pick(self.rng, able))
        self._end(joint.pattern % slots)
        self.may_use_pronoun = joint.about
        return True

    def _reference(self, slot: str, other: PassageUnit | None) -> str:
        """What a slot of a joint stands for."""
        if slot in "SE":
            return self._subject(pronoun=slot == "S")
        if slot == "d":
            return self._definite()
        if slot == "A":
            return self._filled(spin(self.bits, self.domain.appositions))
        if slot == "I":
            return self._filled(pick(self.rng, self.domain.named_intros))
        if slot == "o":
            assert other is not None
            return self._of_other(other)
        relative = "who" if self.domain.gendered else "which"
        return {"s": self.entity.pronoun, "N": self.entity.name, "who": relative}[slot]

    def _single(self, unit: PassageUnit) -> None:
        start = self._connective(unit)
        if self.before.kind == "distractor":
            unit = self._with_subject(unit)
        form = unit.form
        assert form is not None
        self.slots["S"] = self._subject() if form.predicate else ""
        text = start + self._fact(unit, form)
        if form.denies and self.rng.random() < _CONTRASTED:
            text += self._denial(unit, form)
        self._end(text)
        self.may_use_pronoun = form.predicate

    def _connective(self, unit: PassageUnit) -> str:
        """A word that ties a sentence to what stands before it, where it is true and a reader sees why."""
        before, words = self.before, register(self.domain.register)
        value = self.values[unit.attributes[0]]
        if before.kind == "distractor":
            return "by contrast, " if self._differs(unit, before) else ""
        if unit.kind == "year":
            later = isinstance(value, int) and 0 < self.last_year < value and self.rng.random() < _LATER
            return self._tie(words.later) if later else ""
        if unit.kind != "flag" or before.kind != "flag" or unit.topic != before.topic or self.rng.random() >= _TIED:
            return ""
        return self._tie(words.contrast if self._contrasting((before, unit)) else words.added)

    def _tie(self, words: Sequence[str]) -> str:
        """One of the words that the passage does not have yet."""
        fresh = [word for word in words if word not in self.tied]
        if not fresh:
            return ""
        self.tied.add(word := pick(self.rng, fresh))
        return word

    def _denial(self, unit: PassageUnit, form: SentenceTemplate) -> str:
        """A value that does not hold, behind a sentence that ends with the one that does; once in a passage."""
        name, kind = unit.attributes[0], unit.kind
        value = self.values[name]
        against: Value
        if self.denied:
            return ""
        if kind == "choice":
            against = pick(self.rng, [other for other in self.attributes[name].values if other != value])
        elif isinstance(value, int):
            against = value + pick(self.rng, _OFF) * (10 if self.attributes[name].tens else 1)
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

    def _frame(self, unit: PassageUnit) -> None:
        first = len(self.sentences)
        self.slots["v"] = unit.value
        if unit.fills is not None:
            self.slots.update(unit.fills)
        for sentence in unit.sentences:
            self._say(sentence)
        self._note_evidence(unit, first)
        self.may_use_pronoun = unit.sentences[-1].about
        self.last_subject = ""
        self.implied += unit.implied
        self.also += unit.also
        if unit.leans_on:
            self.leaning[unit.attributes[0]] = unit.leans_on

    def _distract(self, unit: PassageUnit) -> None:
        self._end(self._of_other(unit))
        self.may_use_pronoun = False

    def _of_other(self, unit: PassageUnit) -> str:
        """What is said of the other entity."""
        other, name, form = self.other, unit.attributes[0], unit.form
        assert form is not None
        self.slots["v"] = unit.value
        self._vary(form.varied)
        self.also.append(Statement(other.name, name, other.values[name]))
        return form.pattern % {**self.slots, "S": self._other(), "P": other.possessive}

    def _rows(self, unit: PassageUnit) -> None:
        """The sentences of a small table: all rows in one, or each with what it is to the entity."""
        name, first, rng = unit.attributes[0], len(self.sentences), self.rng
        attribute, value, definite = self.attributes[name], self.values[name], self._definite()
        assert isinstance(value, tuple)
        rows = [row for row in value if isinstance(row, TableRow)]
        if len(rows) > 1 and rng.random() < _LISTED:
            self._end(_listed(attribute, rows, definite))
        else:
            members = sample(rng, attribute.say, len(attribute.say))
            for at, row in enumerate(rows):
                for text in self._row(attribute, row, members[at % len(members)].replace("{D}", definite)):
                    self._end(text)
        self._note_evidence(unit, first)
        self.may_use_pronoun = False

    def _row(self, attribute: Attribute, row: TableRow, member: str) -> list[str]:
        """One row in one sentence, or in two of which the second begins with "it"."""
        parts = zip(attribute.fields, (row.a, row.b), strict=True)
        clauses = [pick(self.rng, field.say).replace("{}", text) for field, text in parts if text is not None]
        style = below(self.rng, 3)
        if not clauses:
            return [f"{row.name} {member}"]
        if style == 0:
            return [f"{row.name} {member}", f"it {' and '.join(clauses)}"]
        first, *rest = clauses
        if style == 1:
            return [" and ".join([f"{row.name}, which {first}, {member}", *rest])]
        return [f"{row.name} {member}, {first} and {rest[0]}" if rest else f"{row.name} {member} and {first}"]

    def _colour(self, unit: PassageUnit) -> None:
        self._say(unit.sentences[0])
        self.may_use_pronoun = False

    def _note_evidence(self, unit: PassageUnit, first: int) -> None:
        """Keep which sentences state a unit: all from `first` on."""
        end = len(self.sentences)
        numbers = (first,) if end == first + 1 else tuple(range(first, end))
        for name in unit.attributes:
            self.evidence[name] = numbers
            if self.attributes[name].kind == "year":
                value = self.values[name]
                assert isinstance(value, int)
                self.last_year = value

    # ------------------------------------------------------------------- words

    def _subject(self, *, pronoun: bool = True) -> str:
        """Name, description or pronoun: a pronoun only where the sentence before had the entity as its subject.

        Two sentences in a row do not begin with the same description or name.
        """
        entity = self.entity
        if self.before.kind == "distractor":
            subject = entity.name
        elif pronoun and self.may_use_pronoun and self.last_subject != entity.pronoun and self.rng.random() < 0.65:
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
        able = self.attributes[name].predicates[self.values[name] is True]
        # Not in the very words that were just used of the other entity.
        return replace(unit, form=pick(self.rng, [form for form in able if form != self.before.form] or able))

    def _fact(self, unit: PassageUnit, form: SentenceTemplate) -> str:
        """The next sentence, or a part of it: a plain fact. The words of its value are kept for the answer."""
        name, value = unit.attributes[0], unit.value
        self.evidence[name] = (len(self.sentences),)
        if unit.kind == "year":
            self.last_year = int(value)
        if unit.kind in ("year", "number"):
            self.said[name] = value
        self.slots["v"] = value
        return self._filled(form)

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
        text = self._filled(template)
        self.sentences.append(f"{text[0].upper()}{text[1:]}" if template.opened else text)

    def _end(self, text: str) -> None:
        """Write a sentence that lacks its capital and its stop."""
        self.sentences.append(f"{text[0].upper()}{text[1:]}.")


# How each kind of unit is written.
_WAYS: dict[str, Callable[[_PassageWriter, PassageUnit], None]] = {
    **dict.fromkeys(_PLAIN, _PassageWriter._single),
    "rows": _PassageWriter._rows,
    "frame": _PassageWriter._frame,
    "distractor": _PassageWriter._distract,
    "colour": _PassageWriter._colour,
}
_NOTHING = PassageUnit("colour", ())


def _listed(attribute: Attribute, rows: list[TableRow], definite: str) -> str:
    """All rows in one sentence, their fields in brackets."""
    entries = []
    for row in rows:
        parts = zip(attribute.fields, (row.a, row.b), strict=True)
        fields = [field.brief.replace("{}", text) for field, text in parts if text is not None]
        entries.append(f"{row.name} ({', '.join(fields)})" if fields else row.name)
    start = attribute.lead.format(n=number_word(len(rows)), D=definite)
    return f"{start}: {', '.join(entries[:-1])} and {entries[-1]}"


def _differ(kind: str, one: Value, other: Value) -> bool:
    """Whether two entities differ so clearly that a writer would point it out."""
    if kind == "number":
        assert isinstance(one, int) and isinstance(other, int)
        return 2 * max(one, other) >= 3 * min(one, other)
    return kind in ("flag", "choice") and one != other

"""Planning a passage: what its sentences are to say, in which order, and how long it will be.

Facts come in varied wording, some of them in *frames*, which take more than one plain sentence or one step of thought:
a rule and whether the entity is an exception; two candidates and which of them was taken; a year counted from another
one; a number that is twice that of something else; a list with what it leaves out; a person or place that is named
first and placed in the story afterwards. Each is exact: what follows from the words is the value, nothing else.
Sentences about another entity and sentences without facts are put in between.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import TypeAlias

from msgspec.structs import replace

from taskloom.core.rng import Wheel, below, pick, sample, spin, wheel
from taskloom.families.zest.domain import (
    Attribute,
    Domain,
    SentenceTemplate,
    load_domain,
    number_word,
    sentence,
    wordings,
)
from taskloom.families.zest.facts import (
    Entity,
    Statement,
    Value,
    number_text,
    spoken_number,
    value_text,
)
from taskloom.families.zest.units import PassageUnit, PhrasingTexts, frame_texts

_PLACES = ("city", "island", "square")
_FEWEST = 2
_MOST_COLOUR = 4
_FRAMED = 0.32
_PAIRED = 0.3
_SPELT = ("choice", "name", "year")
# The verb of a rule that a shortened clause repeats, by how the rule has it; "do" otherwise.
_AUXILIARIES = {" are ": "is", " were ": "was", " can be ": "can", " have done ": "has"}
# Words that a passage has besides its facts, those of a pair of people, of a row and of a distractor's apposition.
_WORDS_OPENING = 20
_WORDS_OF_PAIR = 20
_WORDS_OF_ROW = 12
_WORDS_OF_OTHER = 9


class PassagePlanner:
    """Plans one passage. The other entity may get a new value, the one a comparison needs.

    Args:
        domain: The words.
        entity: Whom the passage is about.
        other: Another one, for sentences that mislead a careless reader.
        rng: Where the choices come from.
    """

    def __init__(self, domain: Domain, entity: Entity, other: Entity, rng: Random) -> None:
        self.domain, self.entity, self.other, self.rng = domain, entity, other, rng
        self.bits = rng.getrandbits
        self._compared: set[str] = set()
        self._motifs: set[str] = set()
        self._dated_by_event: set[str] = set()
        self._ruled = False

    def units(self, stated: Sequence[str], distracting: Sequence[str], words: int) -> list[PassageUnit]:
        """The units of a passage in order.

        Args:
            stated: The attributes to state, in the order of the text.
            distracting: Attributes to state about the other entity.
            words: The length aimed at; sentences without facts fill up what is missing.
        """
        units, length = self._facts(stated)
        for name in distracting:
            if name not in self._compared:
                length += self._insert_distractor(units, name)
        if length <= words:
            self._insert_colour(units, words - length)
        return units

    def _facts(self, stated: Sequence[str]) -> tuple[list[PassageUnit], int]:
        """One unit per attribute, or one for two people, and about how many words they take."""
        random, bits, attributes, values = self.rng.random, self.bits, self.domain.attributes, self.entity.values
        units: list[PassageUnit] = []
        length = _WORDS_OPENING
        pair = self._pair(stated)
        if pair is not None:
            length += _WORDS_OF_PAIR
        for name in stated:
            attribute, topic = attributes[name], self.domain.topic_of[name]
            if pair is not None and name in pair.attributes:
                if name == pair.attributes[0]:
                    units.append(replace(pair, topic=topic))
                continue
            if random() < _FRAMED and (unit := self._framed(name, attribute, stated)) is not None:
                units.append(replace(unit, topic=topic))
                length += unit.words
                continue
            kind, value = attribute.kind, values[name]
            if kind == "rows":
                units.append(PassageUnit("rows", (), (name,), topic=topic))
                length += _WORDS_OF_ROW * len(value) if isinstance(value, tuple) else 0
                continue
            form = spin(bits, attribute.worded[value is True])
            text = self._worded(attribute, value)
            joins = kind != "list" and " and " not in text and ", " not in text
            units.append(PassageUnit(kind, (), (name,), text, topic, form, joins))
            length += form.words + text.count(" ")
        return units, length

    def _worded(self, attribute: Attribute, value: Value) -> str:
        """A value as a passage writes it; nothing for a flag, whose statement says it all."""
        kind = attribute.kind
        if kind in _SPELT:
            return str(value)
        if kind == "number":
            assert isinstance(value, int)
            return spoken_number(value, attribute, self.rng)
        return value_text(value, attribute) if kind == "list" else ""

    def _insert_distractor(self, units: list[PassageUnit], name: str) -> int:
        """Say something about the other entity, not in the words that its counterpart is said in.

        Returns:
            About how many words that takes.
        """
        attribute, rng, value = self.domain.attributes[name], self.rng, self.other.values[name]
        own, used = 0, None
        for at, unit in enumerate(units):
            if unit.form is not None and unit.attributes[0] == name:
                own, used = at, unit.form
                break
        forms = attribute.predicates[value is True]
        form = pick(rng, [form for form in forms if form is not used] or forms)
        worded, topic = self._worded(attribute, value), self.domain.topic_of[name]
        unit = PassageUnit("distractor", (), (name,), worded, topic, form)
        # Often right before the entity's own value, for contrast.
        units.insert(own if rng.random() < 0.5 and own else self._distractor_place(units), unit)
        return form.words + _WORDS_OF_OTHER

    def _distractor_place(self, units: list[PassageUnit]) -> int:
        """What follows must be able to begin with the entity's name, so that "it" cannot be misread."""
        while True:
            place = 1 + below(self.rng, len(units))
            if place == len(units) or units[place].form is not None:
                return place

    def _insert_colour(self, units: list[PassageUnit], missing: int) -> None:
        """Sentences without facts, where one topic ends and never after a distractor, until there are words enough."""
        ends = [at for at, (one, two) in enumerate(pairwise(units), start=1) if one.topic != two.topic]
        ends = [at for at in ends if units[at - 1].kind != "distractor"]
        places = sample(self.rng, [*ends, len(units)], len(ends) + 1)[:_MOST_COLOUR]
        found: dict[int, PassageUnit] = {}
        for place, worded in zip(places, sample(self.rng, self.domain.colours, len(places)), strict=True):
            said = pick(self.rng, worded)
            if 2 * missing >= said.words:
                found[place] = PassageUnit("colour", (said,), topic=units[place - 1].topic)
                missing -= said.words
        for place in sorted(found, reverse=True):
            units.insert(place, found[place])

    # ------------------------------------------------------------------- frames

    def _framed(self, name: str, attribute: Attribute, stated: Collection[str]) -> PassageUnit | None:
        """A frame for an attribute, None where it has none."""
        kind = attribute.kind
        if kind == "flag" and attribute.rule:
            return self._rule(name)
        if kind == "name" and (attribute.role or (attribute.event and attribute.source in _PLACES)):
            texts = "persons" if attribute.role else "spots"
            return self._phrased(name, _phrasings(texts, attribute.honoured, attribute.role or attribute.event))
        if kind == "choice" and attribute.choose:
            return self._choose(name, attribute)
        if kind == "year" and attribute.event:
            return self._dated(name, attribute, stated)
        if kind == "number" and attribute.twice:
            return self._multiple(name, attribute)
        if kind == "list" and attribute.allbut:
            return self._all_but(name, attribute)
        return None

    def _pair(self, stated: Sequence[str]) -> PassageUnit | None:
        """Two people in one breath, now and then: the former did this, the latter did that."""
        names = tuple(name for name in stated if self.domain.attributes[name].role)[:2]
        if len(names) < _FEWEST or self.rng.random() >= _PAIRED:
            return None
        one, two = (self.domain.attributes[name] for name in names)
        first, second = (str(self.entity.values[name]) for name in names)
        told = self._fresh(_phrasings("pairs", one.honoured and two.honoured, ""))
        if told is None:
            return None
        fills = {"former": first, "latter": second, "did": one.role, "did_too": two.role}
        return PassageUnit("frame", told[0], names, fills=fills, words=told[1])

    def _fresh(self, forms: tuple[_Phrasing, ...]) -> _Told | None:
        """One of the forms, None if none is left: none comes twice in a passage, nor does a plaque or a letter."""
        motifs = self._motifs
        able = [form for form in forms if form[0] not in motifs] if motifs else forms
        if not able:
            return None
        motif, ways = pick(self.rng, able)
        motifs.add(motif)
        return pick(self.rng, ways)

    def _phrased(self, name: str, forms: tuple[_Phrasing, ...]) -> PassageUnit | None:
        told = self._fresh(forms)
        if told is None:
            return None
        return PassageUnit("frame", told[0], (name,), str(self.entity.values[name]), words=told[1])

    def _rule(self, name: str) -> PassageUnit | None:
        if self._ruled:
            return None  # two exceptions in one text would be one too many
        self._ruled = True
        return spin(self.bits, _rules(self.domain.id, name)[self.entity.values[name] is True])

    def _choose(self, name: str, attribute: Attribute) -> PassageUnit:
        value = str(self.entity.values[name])
        against = pick(self.rng, [other for other in attribute.values if other != value])
        if self.rng.random() < 0.5:
            fills = {"x": value, "y": against, "which": "former"}
        else:
            fills = {"x": against, "y": value, "which": "latter"}
        sentences, words = _pattern(attribute.choose)
        words += value.count(" ") + against.count(" ")
        also = (Statement(self.entity.name, name, against, denied=True),)
        return PassageUnit("frame", sentences, (name,), fills=fills, words=words, also=also)

    def _dated(self, name: str, attribute: Attribute, stated: Collection[str]) -> PassageUnit | None:
        value = self.entity.values[name]
        base = attribute.after
        # "The first passengers got on" is not told twice.
        counts = base in stated and base not in self._dated_by_event and self.domain.attributes[base].event
        if counts and self.rng.random() < 0.6:
            start = self.entity.values[base]
            assert isinstance(start, int) and isinstance(value, int)
            years = number_word(value - start) if self.rng.random() < 0.5 else str(value - start)
            phrasing = spin(self.bits, _years_after(self.domain.attributes[base].event, attribute.event))
            fills, words = {"n": years}, phrasing.words + years.count(" ")
            return PassageUnit("frame", (phrasing,), (name,), fills=fills, words=words, implied=(name,), leans_on=base)
        self._dated_by_event.add(name)
        return self._phrased(name, _phrasings("years", True, attribute.event))

    def _multiple(self, name: str, attribute: Attribute) -> PassageUnit | None:
        value = self.entity.values[name]
        assert isinstance(value, int)
        if self._compared:
            return None  # no dog is half as heavy as another and twice as tall
        double = value % 2 == 0 and self.rng.random() < 0.6
        if not double and 2 * value > attribute.high:
            return None
        number = value // 2 if double else 2 * value
        if number < _FEWEST:
            return None
        self._compared.add(name)
        self.other.values[name] = number
        said_of_other = pick(self.rng, attribute.predicates[1]).text.replace("{S}", "{O}").replace("{P}", "{OP}")
        twice = attribute.twice if double else attribute.twice.replace("twice", "half")
        sentences, words = _pattern((said_of_other, f"{{N}} {twice}"))
        said = number_text(number, attribute)
        words += said.count(" ")
        fills, also = {"OP": self.other.possessive}, (Statement(self.other.name, name, number),)
        return PassageUnit("frame", sentences, (name,), said, fills=fills, words=words, implied=(name,), also=also)

    def _all_but(self, name: str, attribute: Attribute) -> PassageUnit | None:
        value = self.entity.values[name]
        assert isinstance(value, tuple)
        if len(value) < _FEWEST:
            return None  # "all of these" needs more than one
        left_out = pick(self.rng, [item for item in attribute.values if item not in value])
        # The kept items keep their order, so that a reader who strikes one out has the answer as it is written.
        place = below(self.rng, len(value) + 1)
        items = [str(item) for item in (*value[:place], left_out, *value[place:])]
        whole = value_text(tuple(items), attribute)
        sentences, words = _pattern(attribute.allbut)
        words += whole.count(" ") + left_out.count(" ")
        fills = {"all": whole, "w": left_out}
        return PassageUnit("frame", sentences, (name,), fills=fills, words=words, implied=(name,))


_Told: TypeAlias = tuple[tuple[SentenceTemplate, ...], int]
"""Sentences, and how many words they have."""
_Phrasing: TypeAlias = tuple[str, tuple[_Told, ...]]
"""A motif, what a reader would notice if it came twice, and the ways to put it."""


@cache
def _pattern(texts: tuple[str, ...]) -> _Told:
    """The sentences of a frame, and how many words they have."""
    sentences = tuple(map(sentence, texts))
    return sentences, sum(one.words for one in sentences)


@cache
def _rules(domain_id: str, name: str) -> tuple[Wheel[PassageUnit], Wheel[PassageUnit]]:
    """The ways to tell a rule that the entity breaks, and those to tell one that it keeps."""
    domain = load_domain(domain_id)
    rule = domain.attributes[name].rule
    be, hold, do = ("was", "held", "did") if domain.past else ("is", "holds", "does")
    did = next((verb for mark, verb in _AUXILIARIES.items() if mark in rule), do)
    denied = "cannot" if did == "can" else f"{did} not"
    slots = {"rule": rule, "be": be, "hold": hold, "did": did, "not": denied, "E": "{E}"}

    def ruled(texts: tuple[str, ...]) -> PassageUnit:
        sentences, words = _pattern(tuple(text.format_map(slots) for text in texts))
        return PassageUnit("frame", sentences, (name,), words=words, implied=(name,))

    told = frame_texts().rule
    return wheel([ruled(texts) for texts in told.broken]), wheel([ruled(texts) for texts in told.kept])


@cache
def _years_after(base: str, event: str) -> Wheel[SentenceTemplate]:
    """The ways to count the years from one event to another."""
    texts = frame_texts().years_after
    return wheel([sentence(text.replace("{base}", base).replace("{event}", event)) for text in texts])


@cache
def _phrasings(kind: str, honoured: bool, what: str) -> tuple[_Phrasing, ...]:
    """The forms of a kind with what happened, or what a person did, filled in."""
    forms: PhrasingTexts = getattr(frame_texts(), kind)
    found = []
    for texts in (honoured and forms.honoured) or forms.plain:
        ways = product(*(wordings([text.replace("{what}", what)]) for text in texts))
        # The motif is one of a few things, or else the words themselves.
        motif = next((motif for motif in frame_texts().motifs if motif in texts[0]), texts[0])
        found.append((motif, tuple(map(_pattern, ways))))
    return tuple(found)

"""Ways to state a fact that take more than one plain sentence, or one step of thought.

A rule and whether the entity is an exception; two candidates and which of them was taken; a year counted from another
one; a number that is twice that of something else; a list with what it leaves out; a person or place that is named
first and placed in the story afterwards. Each is exact: what follows from the words is the value, nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeAlias

import msgspec

from taskloom.core.rng import Wheel, below, pick, spin, wheel
from taskloom.families.zest.attributes import Attribute, StatementForm
from taskloom.families.zest.consistency import Statement
from taskloom.families.zest.domain import Domain, load_domain
from taskloom.families.zest.facts import Entity, number_text, number_word, value_text
from taskloom.families.zest.templates import SentenceTemplate, sentence

_PLACES = ("city", "island", "square")
_FEWEST = 2

Texts: TypeAlias = tuple[tuple[str, ...], ...]


class RuleTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to say that the entity keeps or breaks a rule."""

    kept: Texts
    broken: Texts


class ToldTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to speak of something, and of what a plaque or a street may recall; the same where nothing is said of it."""

    plain: Texts
    honoured: Texts = ()


class FrameTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of `frames.toml`."""

    motifs: tuple[str, ...]
    years_after: tuple[str, ...]
    rule: RuleTexts
    years: ToldTexts
    persons: ToldTexts
    pairs: ToldTexts
    spots: ToldTexts


@cache
def frame_texts() -> FrameTexts:
    """The sentences, read once."""
    return msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=FrameTexts)


class PassageUnit(msgspec.Struct, frozen=True, gc=False):
    """One thing to say.

    Attributes:
        kind: That of the attribute where its value is stated plainly; frame, distractor or colour.
        sentences: Its sentences where it has no form.
        attributes: What it states about the entity.
        value: What fills {v}.
        form: The statement of a plain fact, a list or a distractor.
        joins: Whether it stays clear inside a longer sentence.
        fills: What fills further slots.
        words: About how many words its sentences have.
        implied: Those of the attributes whose value has to be inferred.
        leans_on: An attribute whose statement is needed as well.
        also: What it says besides: about another entity, or of values that do not hold.
    """

    kind: str
    sentences: tuple[SentenceTemplate, ...]
    attributes: tuple[str, ...] = ()
    value: str = ""
    form: StatementForm | None = None
    joins: bool = False
    fills: dict[str, str] | None = None
    words: int = 0
    implied: tuple[str, ...] = ()
    leans_on: str = ""
    also: tuple[Statement, ...] = ()


class Frames:
    """Builds such units for one passage. The other entity may get a new value, the one a comparison needs."""

    def __init__(self, domain: Domain, entity: Entity, other: Entity, rng: Random) -> None:
        self.domain, self.entity, self.other, self.rng = domain, entity, other, rng
        self.bits = rng.getrandbits
        self.compared: set[str] = set()
        self._motifs: set[str] = set()
        self._told_by_event: set[str] = set()
        self._ruled = False

    def unit(self, name: str, stated: Collection[str]) -> PassageUnit | None:
        """A frame for an attribute, None where it has none.

        Args:
            name: The attribute.
            stated: Everything the passage states.
        """
        attribute = self.domain.attributes[name]
        kind = attribute.kind
        if kind == "flag" and attribute.rule:
            return self._rule(name)
        if kind == "name" and (attribute.role or attribute.event):
            return self._named(name, attribute)
        if kind == "choice" and attribute.choose:
            return self._choose(name, attribute)
        if kind == "year" and attribute.event:
            return self._dated(name, attribute, stated)
        if kind == "number" and attribute.twice:
            return self._multiple(name, attribute)
        if kind == "list" and attribute.allbut:
            return self._all_but(name, attribute)
        return None

    def persons(self, names: tuple[str, str]) -> PassageUnit | None:
        """Two people in one breath: the former did this, the latter did that."""
        one, two = (self.domain.attributes[name] for name in names)
        first, second = (str(self.entity.values[name]) for name in names)
        told = self._fresh(_told("pairs", one.honoured and two.honoured, ""))
        if told is None:
            return None
        _, sentences, words = told
        fills = {"former": first, "latter": second, "did": one.role, "did_too": two.role}
        return PassageUnit("frame", sentences, names, fills=fills, words=words)

    def _fresh(self, forms: tuple[_Told, ...]) -> _Told | None:
        """One of the forms, None if none is left: none comes twice in a passage, nor does a plaque or a letter."""
        motifs = self._motifs
        able = [form for form in forms if form[0] not in motifs] if motifs else forms
        if not able:
            return None
        told = pick(self.rng, able)
        motifs.add(told[0])
        return told

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
        counts = base in stated and base not in self._told_by_event and self.domain.attributes[base].event
        if counts and self.rng.random() < 0.6:
            start = self.entity.values[base]
            assert isinstance(start, int) and isinstance(value, int)
            years = number_word(value - start) if self.rng.random() < 0.5 else str(value - start)
            told = spin(self.bits, _years_after(self.domain.attributes[base].event, attribute.event))
            fills, words = {"n": years}, told.words + years.count(" ")
            return PassageUnit("frame", (told,), (name,), fills=fills, words=words, implied=(name,), leans_on=base)
        self._told_by_event.add(name)
        return self._told(name, self._fresh(_told("years", True, attribute.event)))

    def _multiple(self, name: str, attribute: Attribute) -> PassageUnit | None:
        value = self.entity.values[name]
        assert isinstance(value, int)
        if self.compared:
            return None  # no dog is half as heavy as another and twice as tall
        double = value % 2 == 0 and self.rng.random() < 0.6
        if not double and 2 * value > attribute.high:
            return None
        number = value // 2 if double else 2 * value
        if number < _FEWEST:
            return None
        self.compared.add(name)
        self.other.values[name] = number
        start = pick(self.rng, self.domain.predicates[name][1]).of_other
        end = sentence(f"{{N}} {attribute.twice if double else attribute.twice.replace('twice', 'half')}")
        said = number_text(number, attribute)
        words = start.words + said.count(" ") + end.words
        fills, also = {"OP": self.other.possessive}, (Statement(self.other.name, name, number),)
        return PassageUnit("frame", (start, end), (name,), said, fills=fills, words=words, implied=(name,), also=also)

    def _named(self, name: str, attribute: Attribute) -> PassageUnit | None:
        if not attribute.role and attribute.source not in _PLACES:
            return None
        kind = "persons" if attribute.role else "spots"
        return self._told(name, self._fresh(_told(kind, attribute.honoured, attribute.role or attribute.event)))

    def _told(self, name: str, told: _Told | None) -> PassageUnit | None:
        if told is None:
            return None
        _, sentences, words = told
        return PassageUnit("frame", sentences, (name,), str(self.entity.values[name]), words=words)

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
        return PassageUnit(
            "frame", sentences, (name,), fills={"all": whole, "w": left_out}, words=words, implied=(name,)
        )


_Told: TypeAlias = tuple[str, tuple[SentenceTemplate, ...], int]
"""Sentences with their motif, what a reader would notice if it came twice, and how many words they have."""


def _motif(text: str) -> str:
    """One of a few things, or else the words themselves."""
    return next((motif for motif in frame_texts().motifs if motif in text), text)


@cache
def _pattern(texts: tuple[str, ...]) -> tuple[tuple[SentenceTemplate, ...], int]:
    """The sentences of a frame that a domain words, and how many words they have."""
    sentences = tuple(map(sentence, texts))
    return sentences, sum(one.words for one in sentences)


@cache
def _rules(domain_id: str, name: str) -> tuple[Wheel[PassageUnit], Wheel[PassageUnit]]:
    """The ways to tell a rule that the entity breaks, and those to tell one that it keeps."""
    domain = load_domain(domain_id)
    be, hold = ("was", "held") if domain.past else ("is", "holds")
    rule = domain.attributes[name].rule
    broken, kept = (
        wheel([_ruled(name, [text.format(rule=rule, be=be, hold=hold, E="{E}") for text in texts]) for texts in forms])
        for forms in (frame_texts().rule.broken, frame_texts().rule.kept)
    )
    return broken, kept


def _ruled(name: str, texts: Sequence[str]) -> PassageUnit:
    sentences, words = _pattern(tuple(texts))
    return PassageUnit("frame", sentences, (name,), words=words, implied=(name,))


@cache
def _years_after(base: str, event: str) -> Wheel[SentenceTemplate]:
    """The ways to count the years from one event to another."""
    return wheel(
        [sentence(text.replace("{base}", base).replace("{event}", event)) for text in frame_texts().years_after]
    )


@cache
def _told(kind: str, honoured: bool, what: str) -> tuple[_Told, ...]:
    """The forms of a kind with what happened, or what a person did, filled in."""
    forms: ToldTexts = getattr(frame_texts(), kind)
    told = [
        tuple(text.replace("{what}", what) for text in texts) for texts in (honoured and forms.honoured) or forms.plain
    ]
    return tuple((_motif(texts[0]), *_pattern(texts)) for texts in told)

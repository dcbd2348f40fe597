"""Pairs under negation and quantifiers, where a place may turn entailment round.

"A boy is running" entails "A kid is running", but "No kid is running" entails "No boy is running".
Each place of a sentence has a polarity: upward places allow the more general word, downward places
the more specific one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from taskloom.core import Key, Permutation, UserError, keyed_random
from taskloom.core.decode import read_toml
from taskloom.sources.sentences.frames import ContrastSet, Exchange, VerbFrame, exchanges, frames
from taskloom.sources.sentences.pairs import Pair, pick
from taskloom.sources.sentences.scenes import FrameVariant, VariantGroup
from taskloom.sources.sentences.words import Aspect, Clause, Phrase, inventory, say

OperatorKind: TypeAlias = Literal["negation", "quantifier"]


class Quantifier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A determiner with the polarity of its noun and of the rest of the sentence (True is upward).

    Attributes:
        words: How it is written.
        plural: Whether its noun is plural.
        noun_up: Whether its noun may become more general.
        rest_up: Whether the rest of the sentence may.
        indefinite: The determiner an object takes in its scope, "" where an object would be ambiguous.
    """

    words: str
    plural: bool
    noun_up: bool
    rest_up: bool
    indefinite: Literal["", "a", "any"] = ""


class LexicalRelation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A relation between a word and what replaces it; see `rules.toml`."""

    upward: bool
    downward: bool
    beside: str = msgspec.field(name="with", default="")


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relation: dict[str, LexicalRelation]
    voice: dict[str, bool]
    quantifier: dict[str, Quantifier]
    negation: dict[str, str]


_RULES = read_toml(Path(__file__).with_name("rules.toml"), type=_Rules)

QUANTIFIERS: Mapping[str, Quantifier] = _RULES.quantifier
NEGATIONS = tuple(_RULES.negation)
"""How a sentence is negated: "There is no boy running", "The boy is not eating any fruit"."""
RELATIONS = tuple(name for name, relation in _RULES.relation.items() if relation.beside)
"""The relations asked under every operator; some change sides with the polarity."""
LEXICAL = {label: tuple(n for n, one in _RULES.relation.items() if one.upward is label) for label in (True, False)}
"""The relations of plain sentences, by whether their pairs are entailed."""
VOICES = {label: tuple(name for name, entailed in _RULES.voice.items() if entailed is label) for label in (True, False)}
"""Changes of voice, by whether their pairs are entailed."""


def entailing_relations(upward: bool) -> tuple[str, ...]:
    """The relations that make the pair true at a place of that polarity."""
    relations = _RULES.relation
    return tuple(name for name in RELATIONS if (relations[name].upward if upward else relations[name].downward))


def _positions(operator: str, quantifier: Quantifier | None, frame: VerbFrame) -> list[str]:
    """Where a word may be replaced; the object only where its scope is clear."""
    places = ["subject", "verb", *(["object"] if frame.objects else [])]
    if quantifier is None:
        return [place for place in places if place != _RULES.negation[operator]]
    if frame.objects and not frame.together and quantifier.indefinite != "any":
        places = ["object"]  # "all girls are eating an apple", never "the apple"
    return [place for place in places if place != "object" or quantifier.indefinite]


def _upward(quantifier: Quantifier | None, position: str) -> bool:
    """Whether a place allows the more general word; under a negation none does."""
    if quantifier is None:
        return False
    return quantifier.noun_up if position == "subject" else quantifier.rest_up


_COUPLES = tuple(
    (name, relation.beside)
    for place, (name, relation) in enumerate(_RULES.relation.items())
    if relation.beside and relation.beside not in list(_RULES.relation)[:place]
)
"""Relations that are asked of the same premises: under either polarity, one of the two is entailed."""


@cache
def _by_old(frame: VerbFrame, position: str, couple: tuple[str, str]) -> dict[str, tuple[tuple[Exchange, ...], ...]]:
    """The exchanges of two relations by old word, only for words that have both."""
    found: dict[str, dict[str, list[Exchange]]] = {}
    for relation in couple:
        for entry in exchanges(frame, position, relation):
            found.setdefault(entry.old, {}).setdefault(relation, []).append(entry)
    return {old: tuple(tuple(by[r]) for r in couple) for old, by in found.items() if len(by) == len(couple)}


def _variants(operator: str, quantifier: Quantifier | None) -> Iterator[tuple[str, FrameVariant]]:
    """Every frame and place under an operator, with what changes there: a position and two relations.

    Each premise stands in one pair of either relation, so it is entailed once and once not.
    """
    for frame in frames():
        for place in ("", *frame.places) if frame.objects else frame.places:
            rng = keyed_random("operator", operator, frame.key, place)
            options = [
                (position, couple)
                for position in _positions(operator, quantifier, frame)
                for couple in _COUPLES
                if _by_old(frame, position, couple)
            ]
            if options:
                position, couple = pick(rng, options)
                chosen = [
                    [pick(rng, entries) for entries in both] for both in _by_old(frame, position, couple).values()
                ]
                variant = FrameVariant(
                    frame, place, (operator, ""), False, position, tuple(_couple(*both) for both in chosen)
                )
                for relation in couple:
                    yield relation, variant


def _couple(first: Exchange, second: Exchange) -> ContrastSet:
    """Two exchanges of one old word, by the order of their relations."""
    one, two = (first.old, first.new), (second.old, second.new)
    return ContrastSet((one, one), (two, two))


@cache
def _groups(quantifiers: tuple[tuple[str, Quantifier | None], ...]) -> dict[tuple[str, str], VariantGroup]:
    found: dict[tuple[str, str], list[FrameVariant]] = {(name, r): [] for name, _ in quantifiers for r in RELATIONS}
    for operator, quantifier in quantifiers:
        for relation, variant in _variants(operator, quantifier):
            found[operator, relation].append(variant)
    return {key: VariantGroup(variants) for key, variants in found.items()}


class OperatorOrder:
    """Pairs in which one word is replaced under an operator, in an order that a key decides.

    Args:
        kind: "negation" or "quantifier".
        aspect: The aspect of all sentences.
        key: What decides the order.
        quantifiers: The quantifiers there are.
    """

    def __init__(
        self, kind: OperatorKind, aspect: Aspect, *key: Key, quantifiers: Mapping[str, Quantifier] = QUANTIFIERS
    ) -> None:
        self.kind = kind
        self.aspect = aspect
        self._quantifiers: dict[str, Quantifier | None] = (
            dict.fromkeys(NEGATIONS) if kind == "negation" else dict(quantifiers)
        )
        self.groups = _groups(tuple(self._quantifiers.items()))
        self._key = key
        self._orders: dict[tuple[str, str], Permutation] = {}

    def pairs(self, operator: str, relation: str) -> int:
        """How many different pairs one lane has."""
        return self.groups[operator, relation].size

    def pair(self, operator: str, relation: str, index: int, lane: int = 0) -> Pair:
        """The pair of that number; hypernyms and hyponyms of one number share their premise, as do the other two.

        Raises:
            UserError: The lane has no pair of that number.
        """
        group = self.groups[operator, relation]
        if not 0 <= index < group.size:
            raise UserError(
                f"the grammar has {group.size:,} different pairs of the relation {relation!r} under {operator!r}, "
                f"fewer than the {index + 1:,} that are asked for"
            )
        if (operator, relation) not in self._orders:
            couple = next(couple for couple in _COUPLES if relation in couple)
            self._orders[operator, relation] = Permutation(group.size, *self._key, operator, *couple)
        variant, change, number = group.at(self._orders[operator, relation](index))
        subject, verb, patient = variant.words(change, number, lane)
        first = any(relation == couple[0] for couple in _COUPLES)
        old, new = (variant.changes[change].true if first else variant.changes[change].false)[0]
        before = self._clause(variant, operator, (old, subject, verb, patient))
        after = self._clause(variant, operator, (new, subject, verb, patient))
        entailed = relation in entailing_relations(_upward(self._quantifiers[operator], variant.site))
        texts = (say(before, self.aspect), say(after, self.aspect))
        wished = say(before, self.aspect, subjunctive=True)
        return Pair(*texts, entailed, self.kind, relation, f"{old} → {new}", variant.site, operator, wished)

    def _clause(self, variant: FrameVariant, operator: str, words: tuple[str, str, str, str]) -> Clause:
        word, subject, verb, patient = words
        actor = word if variant.site == "subject" else subject
        head = variant.frame.verbs[word if variant.site == "verb" else verb]
        other = _phrase(patient, "the", False) if patient else None
        quantifier = self._quantifiers[operator]
        if quantifier is None:
            there = operator == "there-is-no"
            if variant.site == "object":
                other = _phrase(word, "any", True)
            subject_phrase = _phrase(actor, "no" if there else "the", False)
            return Clause(subject_phrase, head, other, variant.place, negated=not there, there=there)
        if variant.site == "object":
            other = _phrase(word, quantifier.indefinite, quantifier.indefinite == "any")
        return Clause(_phrase(actor, quantifier.words, quantifier.plural), head, other, variant.place)


def _phrase(word: str, determiner: str, plural: bool) -> Phrase:
    return Phrase(determiner, inventory().nouns[word], plural)

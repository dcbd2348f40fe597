"""Pairs under negation and quantifiers, where a place may turn entailment round.

"A boy is running" entails "A kid is running", but "No kid is running" entails "No boy is running".
Each place of a sentence has a polarity: upward places allow the more general word, downward places
the more specific one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from taskloom.sources.sentences.frames import Exchange, Frame, frames
from taskloom.sources.sentences.grammar import Aspect, Clause, Phrase, say
from taskloom.sources.sentences.pairs import Pair, pick, pick_noun, pick_place
from taskloom.sources.sentences.words import lexis

__all__ = [
    "NEGATIONS",
    "QUANTIFIERS",
    "RELATIONS",
    "Quantifier",
    "entailing_relations",
    "negated_pair",
    "quantified_pair",
]

RELATIONS = ("hypernym", "hyponym", "synonym", "co-hyponym")
"""The four relations asked under every operator; the first two change sides with the polarity."""


class Quantifier(NamedTuple):
    """A determiner with the polarity of its noun and of the rest of the sentence (True is upward).

    `indefinite` is the determiner an object takes in its scope, "" where an object would be ambiguous.
    """

    words: str
    plural: bool
    noun_up: bool
    rest_up: bool
    indefinite: str = ""


QUANTIFIERS: dict[str, Quantifier] = {
    "some": Quantifier("some", True, True, True, "a"),
    "at-least-two": Quantifier("at least two", True, True, True, "a"),
    "every": Quantifier("every", False, False, True, "a"),
    "all": Quantifier("all", True, False, True, "a"),
    "no": Quantifier("no", False, False, False, "any"),
    "at-most-two": Quantifier("at most two", True, False, False),
    "fewer-than-three": Quantifier("fewer than three", True, False, False),
    "not-every": Quantifier("not every", False, True, False),
}

NEGATIONS = ("there-is-no", "is-not")
"""How a sentence is negated: "There is no boy running", "The boy is not eating any fruit"."""


def entailing_relations(upward: bool) -> tuple[str, ...]:
    """The relations that make the pair true at a place of that polarity."""
    return ("hypernym", "synonym") if upward else ("hyponym", "synonym")


@cache
def _sites(position: str, relation: str) -> tuple[tuple[Frame, tuple[Exchange, ...]], ...]:
    """Frames with the exchanges of one relation at one position.

    Both words must fit the frame itself, because here either may stand in the premise.
    """
    found = []
    for frame in frames():
        members = {"subject": frame.subjects, "object": frame.objects, "verb": tuple(frame.verbs)}[position]
        exchanges = tuple(
            entry
            for sides in frame.exchanges.get(position, {}).values()
            for relations in sides.values()
            for entry in relations.get(relation, ())
            if entry.new in members
        )
        if exchanges:
            found.append((frame, exchanges))
    return tuple(found)


def _bare(word: str, determiner: str, plural: bool) -> Phrase:
    return Phrase(determiner, lexis().nouns[word], plural)


def _pair(
    clauses: tuple[Clause, Clause], upward: bool, kind: tuple[str, str], site: Exchange, position: str, aspect: Aspect
) -> Pair:
    (before, after), (natural, form) = clauses, kind
    return Pair(
        say(before, aspect),
        say(after, aspect),
        site.relation in entailing_relations(upward),
        natural,
        site.relation,
        f"{site.old} → {site.new}",
        position,
        form,
        say(before, aspect, subjunctive=True),
    )


def quantified_pair(
    rng: Random,
    quantifier: str,
    relation: str,
    aspect: Aspect = "progressive",
    positions: Sequence[str] = ("subject", "object", "verb"),
) -> Pair:
    """One word replaced in a sentence whose subject is quantified.

    Args:
        rng: Where the draws come from.
        quantifier: A key of `QUANTIFIERS`.
        relation: How the new word stands to the old one: hypernym, hyponym, synonym or co-hyponym.
        aspect: The aspect of both sentences.
        positions: Where the word may be replaced; the object only where its scope is clear.
    """
    words, plural, noun_up, rest_up, indefinite = QUANTIFIERS[quantifier]
    open_positions = [p for p in positions if (p != "object" or indefinite) and _sites(p, relation)]
    position = pick(rng, open_positions)
    frame, exchanges = pick(rng, _sites(position, relation))
    exchange = pick(rng, exchanges)
    subject = _bare(exchange.old if position == "subject" else pick_noun(rng, frame.subjects), words, plural)
    before = Clause(subject, frame.verbs[pick(rng, tuple(frame.verbs))], place=pick_place(rng, frame))
    if position == "object":
        before = before._replace(object=_scoped(exchange.old, indefinite))
    elif frame.objects:
        before = before._replace(object=_bare(pick(rng, frame.objects), "the", False))
    clauses = _exchanged(before, frame, position, exchange)
    upward = noun_up if position == "subject" else rest_up
    return _pair(clauses, upward, ("quantifier", quantifier), exchange, position, aspect)


def negated_pair(
    rng: Random,
    negation: str,
    relation: str,
    aspect: Aspect = "progressive",
    positions: Sequence[str] = ("subject", "object", "verb"),
) -> Pair:
    """One word replaced in a negated sentence: every open place is downward."""
    closed = "object" if negation == "there-is-no" else "subject"
    position = pick(rng, [p for p in positions if p != closed and _sites(p, relation)])
    frame, exchanges = pick(rng, _sites(position, relation))
    exchange = pick(rng, exchanges)
    there = negation == "there-is-no"
    actor = exchange.old if position == "subject" else pick_noun(rng, frame.subjects)
    before = Clause(
        _bare(actor, "no" if there else "the", False),
        frame.verbs[pick(rng, tuple(frame.verbs))],
        place=pick_place(rng, frame),
        negated=not there,
        there=there,
    )
    if position == "object":
        before = before._replace(object=_scoped(exchange.old, "any"))
    elif frame.objects:
        before = before._replace(object=_bare(pick(rng, frame.objects), "the", False))
    clauses = _exchanged(before, frame, position, exchange)
    return _pair(clauses, False, ("negation", negation), exchange, position, aspect)


def _scoped(word: str, determiner: str) -> Phrase:
    """An object that stays in the scope of the operator: "any" speaks of several things in the plural."""
    return _bare(word, determiner, determiner == "any")


def _exchanged(clause: Clause, frame: Frame, position: str, exchange: Exchange) -> tuple[Clause, Clause]:
    """The clause with the old word and with the new one."""
    if position == "verb":
        return clause._replace(verb=frame.verbs[exchange.old]), clause._replace(verb=frame.verbs[exchange.new])
    new = lexis().nouns[exchange.new]
    if position == "subject":
        return clause, clause._replace(subject=clause.subject._replace(noun=new))
    patient = clause.object
    return clause, clause if patient is None else clause._replace(object=patient._replace(noun=new))

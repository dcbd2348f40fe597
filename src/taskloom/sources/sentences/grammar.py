"""Clauses and how they are said: agreement, articles, aspect, voice, negation, mood."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from taskloom.sources.sentences.words import Adjective, Noun, Verb

Aspect: TypeAlias = Literal["progressive", "past-progressive", "present", "past", "perfect"]
ASPECTS: tuple[Aspect, ...] = ("progressive", "past-progressive", "present", "past", "perfect")


class Phrase(NamedTuple):
    """A noun phrase. The determiner "a" turns into "an" by itself; "" leaves the noun bare."""

    determiner: str
    noun: Noun
    plural: bool = False
    adjective: Adjective | None = None


class Clause(NamedTuple):
    """Who does what to whom, and where. `negated` says "not"; `there` says "there is no …"."""

    subject: Phrase
    verb: Verb
    object: Phrase | None = None
    place: str = ""
    passive: bool = False
    negated: bool = False
    there: bool = False


def say_phrase(phrase: Phrase) -> str:
    """The words of a noun phrase."""
    determiner, noun, plural, adjective = phrase
    if determiner == "a":
        determiner = noun.article if adjective is None else adjective.article
    word = noun.plural if plural else noun.word
    return f"{determiner} {word}" if adjective is None else f"{determiner} {adjective.word} {word}"


def _predicate(verb: Verb, aspect: Aspect, plural: bool, passive: bool, subjunctive: bool, negated: bool) -> str:
    """The finite verb group. The past subjunctive ("I wish he were …") has "were" for every form of "to be"."""
    no = "not " if negated else ""
    if aspect in ("progressive", "past-progressive"):
        if subjunctive:
            be = "were"
        elif aspect == "progressive":
            be = "are" if plural else "is"
        else:
            be = "were" if plural else "was"
        return f"{be} {no}being {verb.participle}" if passive else f"{be} {no}{verb.gerund}"
    if aspect == "perfect":
        have = "had" if subjunctive else "have" if plural else "has"
        return f"{have} {no}been {verb.participle}" if passive else f"{have} {no}{verb.participle}"
    past = aspect == "past" or subjunctive
    if passive:
        be = "were" if subjunctive or (past and plural) else "was" if past else "are" if plural else "is"
        return f"{be} {no}{verb.participle}"
    if negated:
        do = "did" if past else "do" if plural else "does"
        return f"{do} not {verb.word}"
    if past:
        return verb.past
    return verb.word if plural else verb.third


def say(clause: Clause, aspect: Aspect = "progressive", *, subjunctive: bool = False) -> str:
    """The clause in words, without a capital or a full stop, ready to stand after "that"."""
    subject, verb, patient, place, passive, negated, there = clause
    if there:
        return _say_there(clause, aspect, subjunctive)
    if passive:
        if patient is None:
            raise ValueError(f"{verb.word!r} has no object here, so it has no passive")
        group = _predicate(verb, aspect, patient.plural, True, subjunctive, negated)
        text = f"{say_phrase(patient)} {group} by {say_phrase(subject)}"
    else:
        text = f"{say_phrase(subject)} {_predicate(verb, aspect, subject.plural, False, subjunctive, negated)}"
        if patient is not None:
            text = f"{text} {say_phrase(patient)}"
    return f"{text} {place}" if place else text


def say_form(form: str, clause: Clause, aspect: Aspect = "progressive") -> str:
    """The clause by a form such as "it {be} {object} that {subject} {verb} {place}".

    `{verb}` agrees with the subject ("is chasing"), `{passive}` with the object ("is being chased"), `{be}` with the
    aspect alone.
    """
    assert clause.object is not None
    text = form.format(
        subject=say_phrase(clause.subject),
        object=say_phrase(clause.object),
        verb=_predicate(clause.verb, aspect, clause.subject.plural, False, False, False),
        passive=_predicate(clause.verb, aspect, clause.object.plural, True, False, False),
        be="was" if aspect in ("past", "past-progressive") else "is",
        place=clause.place,
    )
    return " ".join(text.split())


def _say_there(clause: Clause, aspect: Aspect, subjunctive: bool) -> str:
    """Say "there is no boy running": the subject keeps its determiner and the verb stands as a participle."""
    past = aspect in ("past", "past-progressive")
    be = "were" if subjunctive or (past and clause.subject.plural) else "was" if past else "is"
    if be == "is" and clause.subject.plural:
        be = "are"
    text = f"there {be} {say_phrase(clause.subject)} {clause.verb.gerund}"
    if clause.object is not None:
        text = f"{text} {say_phrase(clause.object)}"
    return f"{text} {clause.place}" if clause.place else text


def capitalise(text: str) -> str:
    """A clause as a sentence of its own."""
    return f"{text[0].upper()}{text[1:]}."

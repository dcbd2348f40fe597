"""Sentence pairs whose label holds by construction.

Every maker draws the *hypothesis* first, in the same way for both labels, and lets the label decide
the premise. So the hypothesis alone tells nothing about the label, by design rather than by luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from taskloom.sources.sentences.frames import COMMON, Exchange, Frame, certain, frames, openings
from taskloom.sources.sentences.grammar import Aspect, Clause, Phrase, say
from taskloom.sources.sentences.words import Adjective, Verb, lexis

__all__ = [
    "PASSIVES",
    "STRUCTURAL_CONTRASTS",
    "Contrast",
    "Pair",
    "lexical_pair",
    "pick",
    "pick_noun",
    "pick_place",
    "structural_pair",
]

T = TypeVar("T")

Contrast: TypeAlias = Literal["role-swap", "participant", "unrelated"]
STRUCTURAL_CONTRASTS: tuple[Contrast, ...] = ("role-swap", "participant", "unrelated")
"""How a change of voice fails: roles exchanged, a participant exchanged, another event altogether."""

_PLURALS = ("two", "three", "some", "several")


class Pair(NamedTuple):
    """A premise and a hypothesis as clauses without capital and full stop.

    Attributes:
        premise: The clause that is given.
        hypothesis: The clause that follows, or does not.
        entailed: Whether it follows.
        natural: The kind of inference: "lexical", "structural", "negation", "quantifier".
        relation: How the new word stands to the old one, or how the structure changed.
        rule: The inference rule, for example "boy → kid" or "active → passive".
        position: Where the change is: subject, object, verb, adjective, voice.
        form: What the clause stands under: "plain", or the negation or quantifier used.
        wished: The premise as it stands under "wish" (past subjunctive), "" where no such form is known.
    """

    premise: str
    hypothesis: str
    entailed: bool
    natural: str
    relation: str
    rule: str
    position: str
    form: str = "plain"
    wished: str = ""


def pick(rng: Random, items: Sequence[T]) -> T:
    """One item; `Random.choice` without its checks, which cost more than the draw."""
    return items[int(rng.random() * len(items))]


def pick_noun(rng: Random, nouns: Sequence[str]) -> str:
    """Any noun of a place; everyday people come first where people can stand."""
    return pick(rng, COMMON) if nouns[0] == "person" and rng.random() < 0.55 else pick(rng, nouns)


def pick_place(rng: Random, frame: Frame) -> str:
    """Where it happens. A verb without an object always says so: bare sentences would come back too often."""
    return pick(rng, frame.places) if not frame.objects or rng.random() < 0.6 else ""


def _pair(
    old: Clause, new: Clause, entailed: bool, natural: str, exchange: tuple[str, str, str], aspect: Aspect
) -> Pair:
    relation, rule, position = exchange
    wished = say(old, aspect, subjunctive=True)
    return Pair(say(old, aspect), say(new, aspect), entailed, natural, relation, rule, position, wished=wished)


# ------------------------------------------------------------------------------------- lexical


@cache
def _lexical_sites() -> dict[str, tuple[Frame, ...]]:
    """Frames by the position in which they allow exchanges."""
    return {
        position: tuple(frame for frame in frames() if position in frame.exchanges)
        for position in ("subject", "object", "verb")
    }


PASSIVES = 0.4
"""The share of transitive lexical pairs that are told in the passive on both sides, unless asked otherwise.

In SICK they are rare; but where nearly all of them are active, a "being … by" alone tells structural pairs
from lexical ones, and a learner may go by that.
"""


@cache
def _adjective_sites() -> dict[str, tuple[tuple[Frame, str, str], ...]]:
    """For every adjective that has a synonym: the frames, roles and nouns it can stand at."""
    words = lexis()
    sites: dict[str, list[tuple[Frame, str, str]]] = {}
    for frame in frames():
        for role, nouns in (("subject", frame.subjects), ("object", frame.objects)):
            for noun in nouns:
                for adjective in words.adjectives.get(noun, ()):
                    if words.ranks[adjective.word][0]:
                        sites.setdefault(adjective.word, []).append((frame, role, noun))
    return {word: tuple(found) for word, found in sites.items()}


@cache
def _adjective(word: str) -> Adjective:
    return next(entry for entries in lexis().adjectives.values() for entry in entries if entry.word == word)


def lexical_pair(
    rng: Random,
    entailed: bool,
    aspect: Aspect = "progressive",
    rule: tuple[str, str] | None = None,
    passives: float = PASSIVES,
) -> Pair:
    """One word replaced by a related one.

    Args:
        rng: Where the draws come from.
        entailed: The label wanted.
        aspect: The aspect of both sentences.
        rule: (position, "old → new") of an earlier pair, to meet the same rule in another context.
        passives: The share of transitive clauses that are passive on both sides.
    """
    if rule is None:
        draw = rng.random()
        position = "subject" if draw < 0.36 else "object" if draw < 0.68 else "verb" if draw < 0.88 else "adjective"
        if position == "adjective":
            return _adjective_pair(rng, entailed, aspect, pick(rng, tuple(_adjective_sites())), None, passives)
        frame = pick(rng, _lexical_sites()[position])
        new = pick(rng, tuple(frame.exchanges[position]))
        sides = frame.exchanges[position][new][entailed]
        exchange = pick(rng, sides[pick(rng, tuple(sides))])
    else:
        position, (old, new) = rule[0], rule[1].split(" → ")
        if position == "adjective":
            return _adjective_pair(rng, entailed, aspect, new, old, passives)
        frame = pick(rng, openings()[position, old, new])
        sides = frame.exchanges[position][new][entailed]
        exchange = next(entry for entries in sides.values() for entry in entries if entry.old == old)
    return _exchange_pair(rng, frame, position, exchange, aspect, passives)


def _exchange_pair(
    rng: Random, frame: Frame, position: str, exchange: Exchange, aspect: Aspect, passives: float
) -> Pair:
    old, new, relation = exchange
    clause = _clause(rng, frame, passives)
    entailed = relation in ("hypernym", "synonym")
    if position == "verb":
        before = clause._replace(verb=frame.verbs[old])
        after = clause._replace(verb=frame.verbs[new])
    else:
        phrase = _indefinite(rng, old)
        before = _with(clause, position, phrase)
        after = _with(clause, position, phrase._replace(noun=lexis().nouns[new]))
    return _pair(before, after, entailed, "lexical", (relation, f"{old} → {new}", position), aspect)


def _adjective_pair(rng: Random, entailed: bool, aspect: Aspect, new: str, old: str | None, passives: float) -> Pair:
    words = lexis()
    frame, role, noun = pick(rng, _adjective_sites()[new])
    synonyms, opposites = words.ranks[new]
    old = old or pick(rng, synonyms if entailed else opposites)
    phrase = _indefinite(rng, noun, plain=True)
    clause = _clause(rng, frame, passives)
    before = _with(clause, role, phrase._replace(adjective=_adjective(old)))
    after = _with(clause, role, phrase._replace(adjective=_adjective(new)))
    relation = "synonym" if entailed else words.opposition[new]
    return _pair(before, after, entailed, "lexical", (relation, f"{old} → {new}", "adjective"), aspect)


def _with(clause: Clause, role: str, phrase: Phrase) -> Clause:
    return clause._replace(subject=phrase) if role == "subject" else clause._replace(object=phrase)


def _indefinite(rng: Random, word: str, plain: bool = False) -> Phrase:
    """A phrase in which a more general noun may take the word's place: "a", "two", "some" …, never "the".

    Only absolute adjectives may stand beside it: a red car is a red vehicle, a big mouse no big animal.
    """
    noun = lexis().nouns[word]
    adjective = None
    if not plain and rng.random() < 0.25:
        fitting = [entry for entry in lexis().adjectives.get(word, ()) if not entry.relative]
        adjective = pick(rng, fitting) if fitting else None
    if rng.random() < 0.75:
        return Phrase("a", noun, False, adjective)
    return Phrase(pick(rng, _PLURALS), noun, True, adjective)


def _clause(rng: Random, frame: Frame, passives: float) -> Clause:
    """A clause of the frame with everything drawn freely, its voice included."""
    subject = _free(rng, frame.subjects)
    patient = _free(rng, frame.objects) if frame.objects else None
    place = pick_place(rng, frame)
    passive = patient is not None and rng.random() < passives
    return Clause(subject, pick(rng, tuple(frame.verbs.values())), patient, place, passive)


def _free(rng: Random, nouns: tuple[str, ...]) -> Phrase:
    """Any noun of a place with any determiner."""
    word = pick_noun(rng, nouns)
    noun = lexis().nouns[word]
    draw = rng.random()
    if draw < 0.85:
        fitting = lexis().adjectives.get(word) if rng.random() < 0.15 else None
        return Phrase("a" if draw < 0.5 else "the", noun, False, pick(rng, fitting) if fitting else None)
    return Phrase(pick(rng, _PLURALS), noun, True)


# ---------------------------------------------------------------------------------- structural


@cache
def _structural_sites() -> dict[str, tuple[Frame, ...]]:
    transitive = tuple(frame for frame in frames() if frame.objects)
    return {
        "role-swap": tuple(frame for frame in transitive if frame.swap),
        "participant": tuple(frame for frame in transitive if {"subject", "object"} & set(frame.exchanges)),
        "unrelated": transitive,
    }


def structural_pair(
    rng: Random,
    entailed: bool,
    aspect: Aspect = "progressive",
    contrasts: Sequence[Contrast] = STRUCTURAL_CONTRASTS,
) -> Pair:
    """A change of voice: true when the roles stay, false by one of the contrasts."""
    contrast = pick(rng, contrasts)
    frame = pick(rng, _structural_sites()[contrast])
    passive = rng.random() < 0.5
    truth, falsehood = _CONTRASTS[contrast](rng, frame)
    before = (truth if entailed else falsehood)._replace(passive=not passive)
    rule = "active → passive" if passive else "passive → active"
    relation = ("passive" if passive else "active") if entailed else contrast
    return _pair(before, truth._replace(passive=passive), entailed, "structural", (relation, rule, "voice"), aspect)


def _role_swap(rng: Random, frame: Frame) -> tuple[Clause, Clause]:
    """Who does it to whom, and the other way round; both nouns fit both places and exclude each other."""
    both = _interchangeable(frame.subjects, frame.objects)
    while True:
        first, second = pick(rng, both), pick(rng, both)
        if certain(first, second) and not lexis().entails(first, second) and not lexis().entails(second, first):
            break
    subject, patient = _voice_phrases(rng, first, second)
    truth = Clause(subject, _verb(rng, frame), patient, pick_place(rng, frame))
    return truth, truth._replace(subject=patient, object=subject)


@cache
def _interchangeable(subjects: tuple[str, ...], objects: tuple[str, ...]) -> tuple[str, ...]:
    """The nouns that fit both places of a verb."""
    return tuple(word for word in subjects if word in objects)


def _participant(rng: Random, frame: Frame) -> tuple[Clause, Clause]:
    """The same event, and one with another agent or patient that does not imply the first."""
    role = pick(rng, tuple(position for position in ("subject", "object") if position in frame.exchanges))
    table = frame.exchanges[role]
    new = pick(rng, tuple(table))
    sides = table[new][False]
    old = pick(rng, sides[pick(rng, tuple(sides))]).old
    other = pick_noun(rng, frame.objects if role == "subject" else frame.subjects)
    subject, patient = _voice_phrases(rng, *((new, other) if role == "subject" else (other, new)), keep=role)
    truth = Clause(subject, _verb(rng, frame), patient, pick_place(rng, frame))
    phrase = (subject if role == "subject" else patient)._replace(noun=lexis().nouns[old])
    return truth, _with(truth, role, phrase)


def _unrelated(rng: Random, frame: Frame) -> tuple[Clause, Clause]:
    """An event and another one of a frame with which it shares no verb."""
    others = _strangers()[frame.key]
    return _event(rng, frame), _event(rng, pick(rng, others))


@cache
def _strangers() -> dict[str, tuple[Frame, ...]]:
    """For every transitive frame the frames that share no verb with it, not even through a common third one."""
    transitive = _structural_sites()["unrelated"]
    kin = {frame.key: set(frame.verbs) for frame in transitive}
    for frame in transitive:
        for other in transitive:
            if set(frame.verbs) & set(other.verbs):
                kin[frame.key] |= set(other.verbs)
    return {
        frame.key: tuple(other for other in transitive if not kin[frame.key] & set(other.verbs)) for frame in transitive
    }


def _event(rng: Random, frame: Frame) -> Clause:
    phrases = _voice_phrases(rng, pick_noun(rng, frame.subjects), pick_noun(rng, frame.objects))
    return Clause(phrases[0], _verb(rng, frame), phrases[1], pick_place(rng, frame))


def _verb(rng: Random, frame: Frame) -> Verb:
    return pick(rng, tuple(frame.verbs.values()))


def _voice_phrases(rng: Random, subject: str, patient: str, keep: str = "") -> tuple[Phrase, Phrase]:
    """Determiners whose scopes commute, so that active and passive mean the same.

    Two singular phrases always do; a plural one only beside a definite one. `keep` names a role that
    must stay indefinite because its noun is going to change.
    """
    nouns = lexis().nouns
    first, second = nouns[subject], nouns[patient]
    draw = rng.random()
    if draw < 0.12 and keep != "subject":
        return Phrase("the", first), Phrase(pick(rng, _PLURALS), second, True)
    if draw > 0.88 and keep != "object":
        return Phrase(pick(rng, _PLURALS), first, True), Phrase("the", second)
    one = "a" if keep == "subject" or rng.random() < 0.6 else "the"
    two = "a" if keep == "object" or rng.random() < 0.6 else "the"
    return Phrase(one, first), Phrase(two, second)


_CONTRASTS: dict[Contrast, Callable[[Random, Frame], tuple[Clause, Clause]]] = {
    "role-swap": _role_swap,
    "participant": _participant,
    "unrelated": _unrelated,
}

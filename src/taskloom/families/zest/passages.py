"""The passages of a task: which class of answer each shall give, and a passage that gives it.

The passage alone must say nothing about the answer. A passage that states much of what a split asks about would
tell more often than not, so every passage states about the same share of it, weighed by how often each attribute
is asked for; the number of facts does not depend on the answer; and sentences about other entities turn to the
asked attribute as often under NA as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from random import Random
from typing import NamedTuple

from taskloom.core.rng import below, many_below, pick, shuffle
from taskloom.families.zest.consistency import clash, contradictions
from taskloom.families.zest.domain import Domain, excluded_by, linked_years
from taskloom.families.zest.facts import Entity, Values, draw_entity, draw_values
from taskloom.families.zest.naming import Naming
from taskloom.families.zest.passage import Passage, compose
from taskloom.families.zest.questions import AnswerClass, Question, StatedFacts, dated_claims
from taskloom.sources.names import Names

__all__ = ["AnswerShares", "AskedQuestion", "DrawnPassage", "Shape", "draw_passage", "outcome", "shares_of"]

_TRIES = 2_000


class Shape(NamedTuple):
    """How passages look: the least and most facts, words aimed at, and the share of those with distractors."""

    facts: tuple[int, int]
    words: int
    distractors: float


class DrawnPassage(NamedTuple):
    """A passage with what it states."""

    passage: Passage
    entity: Entity
    stated: StatedFacts
    distracted: bool


class AnswerShares(NamedTuple):
    """How often the passages of a task leave the answer open, and how often they say yes rather than no.

    In thousandths, so that draws are exact.
    """

    na: int
    yes: int


# Shares of tasks, evenly spaced by rank: all, none and everything between, as wide as among tasks written by people.
_NA_RANKS = (
    0, 100, 200, 280, 350, 420, 470, 520, 560, 600, 630, 660, 690, 720, 750, 780, 810, 840, 870, 900, 930, 970, 1000,
    1000,
)  # fmt: skip
_YES_RANKS = (200, 350, 400, 450, 500, 500, 500, 500, 550, 600, 650, 800)
_NA_MEAN = 627


def shares_of(count: int, na: float, random: Callable[[int], Random]) -> list[AnswerShares]:
    """The shares of this many tasks, drawn in batches over which they are spread evenly, neighbours against each other.

    Args:
        count: How many tasks.
        na: The mean share of passages that leave the answer open.
        random: A generator for each batch.
    """
    mean = round(1000 * na)
    found: list[AnswerShares] = []
    while len(found) < count:
        rng = random(len(found) // len(_NA_RANKS))
        blank = [_shifted(rank, mean) for rank in _mirrored(_NA_RANKS, rng)]
        found += map(AnswerShares, blank, [*_mirrored(_YES_RANKS, rng), *_mirrored(_YES_RANKS, rng)])
    return found[:count]


def _mirrored(ranks: Sequence[int], rng: Random) -> list[int]:
    """The ranks in random order, each next to its mirror image: any stretch of neighbours has about the mean."""
    pairs = [[ranks[at], ranks[-1 - at]] for at in range(len(ranks) // 2)]
    rng.shuffle(pairs)
    for pair in pairs:
        rng.shuffle(pair)
    return [rank for pair in pairs for rank in pair]


def _shifted(rank: int, mean: int) -> int:
    """A share moved so that the mean of all becomes the one asked for; none and all stay possible on one side."""
    if mean <= _NA_MEAN:
        return rank * mean // _NA_MEAN
    return 1000 - (1000 - rank) * (1000 - mean) // (1000 - _NA_MEAN)


def outcome(question: Question, shares: AnswerShares, rng: Random) -> AnswerClass:
    """The class of one answer, whatever the others of its task are."""
    if rng.randrange(1000) < shares.na:
        return "na"
    if "yes" in question.classes:
        return "yes" if rng.randrange(1000) < shares.yes else "no"
    return question.classes[0]


class AskedQuestion:
    """What all passages of a question have in common.

    Args:
        domain: The domain.
        question: The question.
        weights: How often each attribute is asked for in the split; those never asked for are absent.
    """

    def __init__(self, domain: Domain, question: Question, weights: Mapping[str, float]) -> None:
        self.domain, self.question, self.weights = domain, question, weights
        self.attributes = question.attributes
        self.total = fsum(weights.values())
        # A ship scrapped in 1786 was launched before 1800, whether or not the passage says when. So a passage asked
        # about a bound of one year states no year that could settle it, stated or not. Nor does it state what could
        # conflict with a value asked about, since the lack of a conflict would tell something too.
        barred = {*self.attributes, *linked_years(domain, dated_claims(question))}
        barred |= {other for name in self.attributes for other in excluded_by(domain, name)}
        self.weighed = [name for name in weights if name not in barred]
        self.rest = [name for name in domain.attributes if name not in weights and name not in barred]
        linked = {*self.attributes, *linked_years(domain, self.attributes)}
        self.redrawn = [name for name in domain.attributes if name in linked]
        self.plain = [name for name, attribute in domain.attributes.items() if attribute.kind != "rows"]
        self.distracting = [name for name in self.attributes if name in self.plain]


def draw_passage(
    asked: AskedQuestion, wanted: AnswerClass, shape: Shape, names: tuple[Naming, Naming], rng: Random
) -> DrawnPassage:
    """A passage whose answer to the question is of the wanted class.

    Args:
        asked: The question.
        wanted: The class of its answer.
        shape: How passages look.
        names: The names of the entity and of another one.
        rng: Where the draws come from.
    """
    domain = asked.domain
    values, given = _facts(asked, wanted, rng)
    least, most = shape.facts
    count = least + below(rng, most - least + 1)
    stated = _Selected(domain, values, given)
    _balance(stated, asked, count, rng)
    rest = asked.rest.copy()
    shuffle(rng, rest)
    for name in rest:
        if stated.room >= count:
            break
        stated.add(name)
    ordered = _loosely_ordered(domain, stated.names, rng)
    named = Names(rng)
    about = draw_entity(domain, rng, named, names[0], values)
    beside = draw_entity(domain, rng, named, names[1], draw_values(domain, rng, {}))
    distracting = _distractors(asked, shape, rng)
    words = shape.words + sum(many_below(rng, 7, 6)) - 18
    passage = compose(domain, (about, beside), ordered, rng, distracting=distracting, target_words=words)
    if found := contradictions(domain, passage.statements):
        raise AssertionError(f"a passage about {about.name} contradicts itself: {'; '.join(found)}")
    facts = StatedFacts({name: about.values[name] for name in ordered}, passage.said)
    return DrawnPassage(passage, about, facts, bool(distracting))


class _Selected:
    """The attributes a passage states, kept free of conflicts, and the room they take: a table that of two facts."""

    def __init__(self, domain: Domain, values: Values, names: list[str]) -> None:
        self.domain, self.values, self.names = domain, values, list(names)
        self.room = sum(map(self._room_of, names))

    def add(self, name: str) -> bool:
        """State one more attribute, unless that would contradict the others."""
        if clash(self.domain, self.values, name, self.names):
            return False
        self.names.append(name)
        self.room += self._room_of(name)
        return True

    def _room_of(self, name: str) -> int:
        return 2 if self.domain.attributes[name].kind == "rows" else 1


def _facts(asked: AskedQuestion, wanted: AnswerClass, rng: Random) -> tuple[Values, list[str]]:
    """Values of the entity, and which of the asked attributes the passage states."""
    values = draw_values(asked.domain, rng, {})
    for _ in range(_TRIES):
        named = [name for name in asked.attributes if rng.random() < 0.5]
        answer = asked.question.answer(StatedFacts({name: values[name] for name in named}))
        if answer is not None and answer.kind == wanted:
            return values, named
        draw_values(asked.domain, rng, values, asked.redrawn)
    raise AssertionError(f"no passage gives {wanted!r} to {asked.question}")


def _loosely_ordered(domain: Domain, stated: list[str], rng: Random) -> list[str]:
    """Related facts stay near each other, as in a text by a person, but every order can happen."""
    # Whole numbers: sums of floats and logarithms are not the same on every machine.
    places = domain.places
    steps = many_below(rng, 17, 5 * len(places))
    return sorted(stated, key=lambda name: 4 * (at := places[name]) + sum(steps[5 * at : 5 * at + 5]))


def _balance(stated: _Selected, asked: AskedQuestion, count: int, rng: Random) -> None:
    """State more of what the split asks about, until the stated attributes have their share of the weight.

    The share is the same whether or not the asked attributes are stated. For equal weights this makes the answer
    independent of the set of stated attributes; for others it comes close.
    """
    weights = asked.weights
    share = count / (len(asked.domain.attributes) + 1) * asked.total
    others = asked.weighed.copy()
    shuffle(rng, others)
    reached = fsum(weights.get(name, 0.0) for name in stated.names)
    for name in others:
        if abs(reached + weights[name] - share) < abs(reached - share) and stated.add(name):
            reached += weights[name]


def _distractors(asked: AskedQuestion, shape: Shape, rng: Random) -> list[str]:
    """Attributes to state about another entity; half of the time one that the question is about."""
    if rng.random() >= shape.distractors:
        return []
    return [pick(rng, asked.distracting if asked.distracting and rng.random() < 0.5 else asked.plain)]

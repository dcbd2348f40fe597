"""The passages of a task: which class of answer each shall give, and a passage that gives it.

The passage alone must say nothing about the answer. A passage that states much of what a split asks about would
tell more often than not, so every passage states about the same share of it, weighed by how often each attribute
is asked for; the number of facts does not depend on the answer; and sentences about other entities turn to the
asked attribute as often under NA as elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from taskloom.families.zest.domain import Domain, linked_years
from taskloom.families.zest.facts import Entity, Values, draw_entity, draw_values
from taskloom.families.zest.passage import Passage, compose
from taskloom.families.zest.questions import AnswerClass, Question, dated_claims
from taskloom.sources.names import Names

__all__ = ["Drawn", "Shape", "draw_passage", "outcomes"]

_TRIES = 2_000


class Shape(NamedTuple):
    """How passages look: the least and most facts, words aimed at, and the share of those with distractors."""

    facts: tuple[int, int]
    words: int
    distractors: float


class Drawn(NamedTuple):
    """A passage with what it states."""

    passage: Passage
    entity: Entity
    stated: Values
    distracted: bool


def outcomes(question: Question, count: int, na: float, rng: Random) -> list[AnswerClass]:
    """The classes of `count` answers: the share of NA, the rest shared evenly by the other classes, shuffled."""
    blank = int(count * na + rng.random())
    classes: list[AnswerClass] = ["na"] * min(blank, count)
    others = list(question.classes)
    rng.shuffle(others)
    classes += [others[index % len(others)] for index in range(count - len(classes))]
    rng.shuffle(classes)
    return classes


def draw_passage(
    domain: Domain, question: Question, wanted: AnswerClass, shape: Shape, weights: Mapping[str, float], rng: Random
) -> Drawn:
    """A passage whose answer to the question is of the wanted class.

    Args:
        domain: The domain.
        question: The question.
        wanted: The class of its answer.
        shape: How passages look.
        weights: How often each attribute is asked for in the split; those never asked for are absent.
        rng: Where the draws come from.
    """
    values, told = _facts(domain, question, wanted, rng)
    count = rng.randint(*shape.facts)
    # A ship scrapped in 1786 was launched before 1800, whether or not the passage says when. So a passage asked about
    # a bound of one year states no year that could settle it, told or not told.
    barred = {*question.attributes, *linked_years(domain, dated_claims(question))}
    stated = told + _balance(domain, barred, told, weights, count, rng)
    rest = [name for name in domain.attributes if name not in weights and name not in barred]
    rng.shuffle(rest)
    stated += _fill(domain, rest, count - _room(domain, stated))
    stated = _loosely_ordered(domain, stated, rng)
    names = Names(rng)
    entity = draw_entity(domain, rng, names, values)
    other = draw_entity(domain, rng, names, draw_values(domain, rng, {}))
    distracting = _distractors(domain, question, shape, rng)
    words = round(rng.gauss(shape.words, 6))
    passage = compose(domain, (entity, other), stated, rng, distracting=distracting, target_words=words)
    return Drawn(passage, entity, {name: entity.values[name] for name in stated}, bool(distracting))


def _facts(domain: Domain, question: Question, wanted: AnswerClass, rng: Random) -> tuple[Values, list[str]]:
    """Values of the entity, and which of the asked attributes the passage states."""
    values = draw_values(domain, rng, {})
    linked = {*question.attributes, *linked_years(domain, question.attributes)}
    again = [name for name in domain.attributes if name in linked]
    for _ in range(_TRIES):
        told = [name for name in question.attributes if rng.random() < 0.5]
        answer = question.answer({name: values[name] for name in told})
        if answer is not None and answer.kind == wanted:
            return values, told
        draw_values(domain, rng, values, again)
    raise AssertionError(f"no passage gives {wanted!r} to {question}")


def _loosely_ordered(domain: Domain, stated: list[str], rng: Random) -> list[str]:
    """Related facts stay near each other, as in a text by a person, but every order can happen."""
    place = {name: index + rng.gauss(0, 4) for index, name in enumerate(domain.attributes)}
    return sorted(stated, key=lambda name: place[name])


def _room(domain: Domain, names: Sequence[str]) -> int:
    """How much room statements take: a table as much as two facts."""
    return sum(2 if domain.attributes[name].kind == "rows" else 1 for name in names)


def _balance(
    domain: Domain, barred: set[str], told: list[str], weights: Mapping[str, float], count: int, rng: Random
) -> list[str]:
    """More attributes the split asks about, until the stated ones have their share of the weight.

    The share is the same whether the asked attributes are told or not. For equal weights this makes the answer
    independent of the set of stated attributes; for others it comes close.
    """
    share = count / (len(domain.attributes) + 1) * sum(weights.values())
    others = [name for name in weights if name not in barred]
    rng.shuffle(others)
    stated: list[str] = []
    reached = sum(weights.get(name, 0.0) for name in told)
    for name in others:
        if abs(reached + weights[name] - share) < abs(reached - share):
            stated.append(name)
            reached += weights[name]
    return stated


def _fill(domain: Domain, rest: list[str], room: int) -> list[str]:
    chosen: list[str] = []
    for name in rest:
        if room <= 0:
            break
        chosen.append(name)
        room -= _room(domain, [name])
    return chosen


def _distractors(domain: Domain, question: Question, shape: Shape, rng: Random) -> list[str]:
    """Attributes to state about another entity; half of the time one that the question is about."""
    if rng.random() >= shape.distractors:
        return []
    able = [name for name, attribute in domain.attributes.items() if attribute.kind != "rows"]
    asked = [name for name in question.attributes if name in able]
    first = rng.choice(asked) if asked and rng.random() < 0.5 else rng.choice(able)
    return [first]

"""Factual queries in plain English.

`describe(query, "{x}")` gives a noun phrase for a relation ("the mother of the head of state of {x}")
and a sentence without its stop for a predicate ("{x} is an actor and {x} was born in Alwick").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from taskloom.sources.knowledge.query import (
    At,
    Chain,
    Compare,
    Complement,
    Disjoint,
    Intersection,
    Is,
    Land,
    Lnot,
    Lor,
    PredicateQuery,
    Query,
    Relation,
    RelationQuery,
    Union,
    is_predicate,
    is_relation,
)
from taskloom.sources.knowledge.vocabulary import RelationTerm, property_named, value_named

__all__ = ["compared", "describe", "fact", "steps_of"]

Label = Callable[[str], str]
_ARTICLE = re.compile(r"(?:^|(?<= of ))an? ")


def _plain(entity: str) -> str:
    return entity


def describe(query: Query, x: str = "{x}", *, label: Label = _plain) -> str:
    """The query as English.

    Args:
        query: What to describe.
        x: What to call the input.
        label: Gives the label of an entity or property; pass `KnowledgeGraph.label`, so that the values of
            predicates have the names they have in the graph at hand.
    """
    if is_predicate(query):
        return _predicate(query, x, label, holds=True)
    assert is_relation(query)
    return _relation(query, x, label)


def fact(query: RelationQuery, x: str, y: str, *, label: Label = _plain) -> str:
    """A sentence that states one pair: "The mother of Ada is Berta."."""
    return _sentence(f"{_relation(query, x, label)} is {y}")


def steps_of(query: RelationQuery) -> list[RelationQuery]:
    """The relations of a chain in the order a person follows them, innermost first."""
    steps: list[RelationQuery] = []
    while isinstance(query, Chain):
        steps.append(query.outer)
        query = query.inner
    return [query, *reversed(steps)]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _relation(query: RelationQuery, x: str, label: Label) -> str:
    match query:
        case Relation(property=name, inverse=inverse):
            term = property_named(name) or _unnamed(label(name))
            return (term.inverse if inverse else term.phrase).format(x=x)
        case Chain(outer, inner):
            return _relation(outer, _relation(inner, x, label), label)
        case Union(left, right):
            return f"{_relation(left, x, label)} or {_relation(right, x, label)}"
        case Intersection(left, right):
            return f"{_relation(left, x, label)} that is also {_relation(right, x, label)}"
        case Complement(of):
            return f"something that is {_relation(of, 'something else', label)} but not {_relation(of, x, label)}"


def _unnamed(name: str) -> RelationTerm:
    name = name.replace("{", "{{").replace("}", "}}")
    return RelationTerm(name, name, f"the {name} of {{x}}", f"something that has {{x}} as its {name}")


def _predicate(query: PredicateQuery, x: str, label: Label, *, holds: bool) -> str:
    match query:
        case Is():
            return _is(query, x, label, holds=holds)
        case Lnot(of):
            return _predicate(of, x, label, holds=not holds)
        case Land(left, right):
            word = "and" if holds else "or"
        case Lor(left, right):
            word = "or" if holds else "and"
        case At(predicate, relation):
            return _of_every(predicate, _relation(relation, x, label), label, holds=holds)
        case Compare(kind, first, second):
            sides = [x if part is None else _relation(part, x, label) for part in (first, second)]
            return compared(kind, sides[0], sides[1], x, holds)
        case Disjoint(disjoint):
            said = " and ".join(_relation(part, x, label) for part in disjoint)
            return f"{'nothing' if holds else 'something'} is both {said}"
    parts = [_predicate(part, x, label, holds=holds) for part in (left, right)]
    either = "either " if word == "or" else ""
    return f"{either}{parts[0]} {word} {parts[1]}"


def _of_every(predicate: PredicateQuery, members: str, label: Label, *, holds: bool) -> str:
    """A predicate asked of whatever a relation gives; of several members it says the same of each."""
    every = _ARTICLE.sub("every ", members)
    if every == members and isinstance(predicate, Is):
        return _predicate(predicate, members, label, holds=holds)
    if isinstance(predicate, Is) and holds:
        return _predicate(predicate, every, label, holds=True)
    return f"this is {'true' if holds else 'false'} of {every}: {_predicate(predicate, 'it', label, holds=True)}"


def compared(kind: Literal["in", "subset", "eq"], left: str, right: str, x: str, holds: bool) -> str:
    """Two noun phrases compared, either of which may be the input itself."""
    if kind == "eq":
        parts = [compared("subset", a, b, x, holds) for a, b in ((left, right), (right, left))]
        return f"{parts[0]}{', and ' if holds else ', or '}{parts[1]}"
    if left == x:
        return f"{x} is {'' if holds else 'not '}{right}"
    if kind == "in" and not holds:
        return f"nothing that is {left} is {right}"
    return f"{'' if holds else 'not '}everything that is {left} is {'' if right == x else 'also '}{right}"


def _is(query: Is, x: str, label: Label, *, holds: bool) -> str:
    term = value_named(query.property, query.value)
    if term is not None:
        sentence = (term.phrase if holds else term.denial).removesuffix(".")
        value = label(query.value) if "{v}" in sentence else ""
        return sentence.format(x=x, v=value)
    relation = property_named(query.property) or _unnamed(label(query.property))
    negation = "" if holds else "not "
    return f"{label(query.value)} is {negation}{relation.phrase.format(x=x)}"

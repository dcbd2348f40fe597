"""Factual expressions, asked of a knowledge graph as one SPARQL query each."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from typing import TypeVar

from taskloom.core import UserError, unknown_name
from taskloom.families.taskbench.functions import Predicate, Relation, table
from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Complement,
    Expression,
    Intersection,
    Land,
    Lnot,
    Lor,
    Union,
    paper,
)
from taskloom.sources.knowledge import KnowledgeGraph, query
from taskloom.sources.knowledge.vocabulary import PREDICATES, RELATIONS

__all__ = ["FactualEngine"]

_ENTITY = re.compile(r"[A-Z]+[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_VALUES = {(term.relation, term.value.lower()): term.entity for term in PREDICATES.values()}
T = TypeVar("T")


class FactualEngine:
    """Evaluates factual expressions on a graph.

    Args:
        graph: The knowledge graph.
    """

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.graph = graph
        self._entities: dict[str, str] = {}

    def relation(self, node: Expression, *, most_outputs: int = 0) -> tuple[Relation, int]:
        """A relation on all entities by name, and how many inputs it has with those left out."""
        words = self.graph.words(self.relation_query(node))
        kept = {word: outputs for word, outputs in words.items() if not most_outputs or len(outputs) <= most_outputs}
        return table(kept), len(words)

    def predicate(self, node: Expression) -> Predicate:
        """A predicate on all entities by name."""
        truth = self.graph.word_truth(self.predicate_query(node))
        return Predicate(tuple(truth.true), tuple(truth.false))

    def relation_query(self, node: Expression) -> query.RelationQuery:
        """The relation as a query tree.

        Raises:
            UserError: A property the graph's vocabulary lacks.
        """
        match node:
            case Atom(name, _, _, inverse) if not node.predicate:
                return query.Relation(self._property(name), inverse)
            case Chain(outer, inner):
                return query.Chain(self.relation_query(outer), self.relation_query(inner))
            case Union(parts):
                return _pairwise(query.Union, [self.relation_query(part) for part in parts])
            case Intersection(parts):
                return _pairwise(query.Intersection, [self.relation_query(part) for part in parts])
            case Complement(part):
                return query.Complement(self.relation_query(part))
            case _:
                raise UserError(f"{paper(node)} cannot be asked of a knowledge graph", where="expression")

    def predicate_query(self, node: Expression) -> query.PredicateQuery:
        """The predicate as a query tree."""
        match node:
            case Atom("is", features):
                key, value = features[0]
                return query.Is(self._property(key), self._value(key, value))
            case Chain(Chain(first, second), inner):
                return self.predicate_query(Chain(first, Chain(second, inner)))
            case Chain(outer, inner):
                return query.At(self.predicate_query(outer), self.relation_query(inner))
            case Land(parts):
                return _pairwise(query.Land, [self.predicate_query(part) for part in parts])
            case Lor(parts):
                return _pairwise(query.Lor, [self.predicate_query(part) for part in parts])
            case Lnot(part):
                return query.Lnot(self.predicate_query(part))
            case _:
                raise UserError(f"{paper(node)} cannot be asked of a knowledge graph", where="expression")

    def _property(self, name: str) -> str:
        if name in RELATIONS:
            return RELATIONS[name].property
        if _PROPERTY.fullmatch(name):
            return name
        raise unknown_name(
            "property", name, RELATIONS, hint="a property without a name here is written as its P-number"
        )

    def _value(self, key: str, value: str) -> str:
        """The entity a predicate compares with: one of the paper's, an id, or the only one of that name."""
        known = _VALUES.get((key, value.lower()))
        if known is not None:
            return known
        if _ENTITY.fullmatch(value):
            return value
        found = self.graph.find(value)
        if len(found) == 1:
            return found[0]
        if not found:
            raise UserError(f"no entity is called {value!r}", where=f"is{{{key}=...}}", hint="its id will do as well")
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} entities are called {value!r}", where=f"is{{{key}=...}}", hint=f"use an id: {shown}"
        )


def _pairwise(join: Callable[[T, T], T], parts: list[T]) -> T:
    return reduce(join, parts)

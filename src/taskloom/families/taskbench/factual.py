"""Factual expressions, asked of a knowledge graph as one SPARQL query each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

from taskloom.core import UserError
from taskloom.families.taskbench.functions import Predicate, Relation, table
from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Union,
    paper,
)
from taskloom.sources.knowledge import KnowledgeGraph, query
from taskloom.sources.knowledge.properties import find_property, property_name
from taskloom.sources.knowledge.vocabulary import PREDICATES

__all__ = ["WIDEST_COMPLEMENT", "FactualEngine"]

# A complement that stands alone lists nearly the whole range for every input; this many pairs are the most.
WIDEST_COMPLEMENT = 2_000_000


_ENTITY = re.compile(r"[A-Z]+[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_VALUES = {(term.relation, term.value.lower()): term.entity for term in PREDICATES.values()}
T = TypeVar("T")


class FactualEngine:
    """Evaluates factual expressions on a graph.

    Args:
        graph: The knowledge graph.
        row_limit: The most rows to fetch per function; 0 fetches all.
    """

    def __init__(self, graph: KnowledgeGraph, *, row_limit: int = 0) -> None:
        self.graph = graph
        self._limit = row_limit or None
        self._properties: dict[str, str] = {}

    def relation(self, node: Expression, *, most_outputs: int = 0) -> tuple[Relation, int]:
        """A relation on all entities by name, and how many inputs it has with those left out."""
        asked = self.relation_query(node)
        self._guard(asked)
        words = self.graph.words(asked, limit=self._limit)
        kept = {word: outputs for word, outputs in words.items() if not most_outputs or len(outputs) <= most_outputs}
        return table(kept), len(words)

    def predicate(self, node: Expression) -> Predicate:
        """A predicate on all entities by name."""
        asked = self.predicate_query(node)
        self._guard(asked)
        truth = self.graph.word_truth(asked, limit=self._limit)
        return Predicate(tuple(truth.true), tuple(truth.false))

    def _guard(self, asked: query.Query, *, taken_away: bool = False) -> None:
        """Refuse a complement that lists nearly its whole range for every input.

        Raises:
            UserError: With what to write instead.
        """
        if isinstance(asked, query.Complement) and not taken_away:
            function = self.graph.function(asked.of, limit=self._limit)
            reach = len({y for outputs in function.values() for y in outputs})
            if len(function) * reach > WIDEST_COMPLEMENT:
                raise UserError(
                    f"this complement lists up to {reach:,} entities for each of {len(function):,} inputs",
                    where="expression",
                    hint="subtract it from something: intersection(f, complement(g))",
                )
        parts = query.children(asked)
        joined = isinstance(asked, query.Intersection) and not all(isinstance(p, query.Complement) for p in parts)
        for part in parts:
            self._guard(part, taken_away=joined)

    def knows(self, asked: query.Query, entities: Iterable[str]) -> set[str]:
        """The entities among some of which the innermost relation of a query states anything."""
        innermost = asked
        while inner := query.children(innermost):
            innermost = inner[-1]
        if not isinstance(innermost, query.Relation | query.Is):
            raise TypeError(type(innermost).__name__)
        inverse = isinstance(innermost, query.Relation) and innermost.inverse
        return set(self.graph.outputs(query.Relation(innermost.property, inverse), entities))

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
                # Complements last: they are taken away from what the others give.
                ordered = sorted(parts, key=lambda part: isinstance(part, Complement))
                return _pairwise(query.Intersection, [self.relation_query(part) for part in ordered])
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
            case Compare(name, left, right):
                return query.Compare(name, *(self._compared(side) for side in (left, right)))
            case Empty(Intersection(parts)):
                return query.Disjoint(tuple(self.relation_query(part) for part in parts))
            case Empty(part):
                raise UserError(
                    f"the graph cannot show that {paper(part)} is empty: what it does not state is unknown",
                    where="expression",
                    hint="ask whether two relations share nothing: empty(intersection(f,g))",
                )
            case _:
                raise UserError(f"{paper(node)} cannot be asked of a knowledge graph", where="expression")

    def _compared(self, side: Expression) -> query.RelationQuery | None:
        return None if isinstance(side, Identity) else self.relation_query(side)

    def label(self, short: str) -> str:
        """What to call an entity or a property in a sentence."""
        is_property = _PROPERTY.fullmatch(short) or short in self._properties.values()
        return property_name(self.graph, short) if is_property else self.graph.label(short)

    def _property(self, name: str) -> str:
        if name not in self._properties:
            self._properties[name] = find_property(self.graph, name)
        return self._properties[name]

    def _value(self, key: str, value: str) -> str:
        """The entity a predicate compares with: one of the paper's, an id, or the only one of that name."""
        known = _VALUES.get((key, value.lower()))
        if known is not None:
            return known
        if _ENTITY.fullmatch(value):
            return value
        found = [short for short in self.graph.find(value) if not _PROPERTY.fullmatch(short)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UserError(f"no entity is called {value!r}", where=f"is{{{key}=...}}", hint="you can also use its id")
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} entities are called {value!r}", where=f"is{{{key}=...}}", hint=f"use an id: {shown}"
        )


def _pairwise(join: Callable[[T, T], T], parts: list[T]) -> T:
    return reduce(join, parts)

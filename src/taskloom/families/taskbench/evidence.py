"""The statements that decide what a factual function gives: found level by level for many inputs at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from taskloom.core import UserError
from taskloom.sources.knowledge import KnowledgeGraph, query
from taskloom.sources.knowledge.query import PredicateQuery, Query, Relation, RelationQuery, is_predicate, is_relation

__all__ = ["Evidence", "Fact", "hops"]

_KEPT = 200_000


class Fact(NamedTuple):
    """A statement by ids."""

    subject: str
    property: str
    value: str


class Evidence:
    """Traces functions through a graph.

    A set of statements is evidence for `f(x)` if whoever knows them and takes them to be all there is of their subjects
    and properties works out exactly `f(x)`. What is true besides them changes nothing, because every property that was
    looked at is stated in full.

    Args:
        graph: The knowledge graph.
    """

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._values: dict[tuple[str, bool], dict[str, tuple[str, ...]]] = {}

    def warm(self, asked: Query, inputs: Iterable[str]) -> dict[str, frozenset[str]]:
        """Fetch whatever a function looks at for some inputs, in a few queries; its outputs by input."""
        wanted = list(inputs)
        if is_relation(asked):
            return self._relation(asked, wanted)
        if is_predicate(asked):
            self._predicate(asked, wanted)
        return {}

    def _fetch(self, relation: Relation, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
        known = self._values.setdefault((relation.property, relation.inverse), {})
        missing = [x for x in inputs if x not in known]
        if missing:
            if len(known) > _KEPT:
                known.clear()
            known.update(dict.fromkeys(missing, ()))
            known.update(self._graph.outputs(relation, missing))
        return known

    def _relation(self, asked: RelationQuery, inputs: list[str]) -> dict[str, frozenset[str]]:
        match asked:
            case Relation():
                known = self._fetch(asked, inputs)
                return {x: frozenset(known.get(x, ())) for x in inputs}
            case query.Chain(outer, inner):
                first = self._relation(inner, inputs)
                second = self._relation(outer, sorted({y for ys in first.values() for y in ys}))
                return {x: frozenset().union(*(second[y] for y in ys)) for x, ys in first.items()}
            case query.Union(left, right):
                one, other = self._relation(left, inputs), self._relation(right, inputs)
                return {x: one[x] | other[x] for x in inputs}
            case query.Intersection(left, right):
                one, other = self._relation(left, inputs), self._relation(right, inputs)
                return {x: one[x] & other[x] for x in inputs}
            case query.Complement():
                raise UserError(
                    "a complement depends on the facts about everybody, so it cannot be asked with facts in the prompt",
                    where="facts",
                    hint="-T facts=none",
                )

    def _predicate(self, asked: PredicateQuery, inputs: list[str]) -> None:
        match asked:
            case query.Is(property=name):
                self._fetch(Relation(name), inputs)
            case query.Lnot(of):
                self._predicate(of, inputs)
            case query.Land(left, right) | query.Lor(left, right):
                self._predicate(left, inputs)
                self._predicate(right, inputs)
            case query.Compare() | query.Disjoint():
                for part in query.children(asked):
                    assert is_relation(part)
                    self._relation(part, inputs)
            case query.At(predicate, relation):
                found = self._relation(relation, inputs)
                self._predicate(predicate, sorted({y for ys in found.values() for y in ys}))

    def facts(self, asked: Query, x: str) -> list[Fact]:
        """The evidence for one input that was warmed, in the order a person would follow it."""
        found: dict[Fact, None] = {}
        self._trace(asked, [x], found)
        return list(found)

    def _trace(self, asked: Query, inputs: list[str], found: dict[Fact, None]) -> list[str]:
        """Note the evidence for some inputs; the outputs of a relation."""
        match asked:
            case Relation(property=name, inverse=inverse):
                return self._note(name, inverse, inputs, found)
            case query.Is(property=name):
                return self._note(name, False, inputs, found)
            case query.Chain(outer, inner):
                return self._trace(outer, self._trace(inner, inputs, found), found)
            case query.At(predicate, relation):
                return self._trace(predicate, self._trace(relation, inputs, found), found)
            case query.Lnot(of):
                return self._trace(of, inputs, found)
            case query.Intersection(left, right):
                one, other = self._trace(left, inputs, found), set(self._trace(right, inputs, found))
                return [y for y in one if y in other]
            case query.Union(left, right):
                return list(dict.fromkeys([*self._trace(left, inputs, found), *self._trace(right, inputs, found)]))
            case query.Land() | query.Lor() | query.Compare() | query.Disjoint():
                return [y for part in query.children(asked) for y in self._trace(part, inputs, found)]
            case _:
                raise TypeError(type(asked).__name__)

    def _note(self, name: str, inverse: bool, inputs: list[str], found: dict[Fact, None]) -> list[str]:
        known = self._values[name, inverse]
        outputs: dict[str, None] = {}
        for x in inputs:
            for y in known.get(x, ()):
                found[Fact(y, name, x) if inverse else Fact(x, name, y)] = None
                outputs[y] = None
        return list(outputs)


def hops(asked: Query) -> int:
    """How many statements a person follows one after the other."""
    match asked:
        case Relation() | query.Is():
            return 1
        case query.Chain(outer, inner):
            return hops(outer) + hops(inner)
        case query.At(predicate, relation):
            return hops(predicate) + hops(relation)
        case _:
            return max(hops(part) for part in query.children(asked))

"""From query trees to SPARQL 1.1.

The rules are those of Table 2 of the TaskBench500 paper, completed so that they hold for properties
with several values:

- alternatives are UNIONs of whole patterns and every SELECT is DISTINCT;
- a negative is an entity with values of the property, none of which is the asked one (NOT EXISTS);
- a query returns ids only, one solution per row. Labels are looked up by id afterwards, so an id
  and a label are never paired by their position in two lists.

A whole function is one query. Input and output are the variables `?x` and `?y`.
"""

from __future__ import annotations

from collections.abc import Iterable

from taskloom.sources.knowledge.query import (
    At,
    Chain,
    Complement,
    Intersection,
    Is,
    Land,
    Lnot,
    Lor,
    PredicateQuery,
    Relation,
    RelationQuery,
    Union,
)
from taskloom.sources.knowledge.terms import LABEL, entity_term, property_term, quote

__all__ = ["compile_false", "compile_labels", "compile_named", "compile_pairs", "compile_true", "order_by", "page"]


def compile_pairs(query: RelationQuery, inputs: Iterable[str] | None = None) -> str:
    """A query for all pairs `?x ?y` of a relation, or those of some inputs."""
    body = _Writer().relation(query, "?x", "?y")
    return f"SELECT DISTINCT ?x ?y WHERE {{ {_restrict(inputs)}{body} }}"


def compile_true(query: PredicateQuery, inputs: Iterable[str] | None = None) -> str:
    """A query for every `?x` of which the predicate is true."""
    return f"SELECT DISTINCT ?x WHERE {{ {_restrict(inputs)}{_Writer().holds(query, '?x', wanted=True)} }}"


def compile_false(query: PredicateQuery, inputs: Iterable[str] | None = None) -> str:
    """A query for every `?x` of which the predicate is false; unknown entities are in neither."""
    return f"SELECT DISTINCT ?x WHERE {{ {_restrict(inputs)}{_Writer().holds(query, '?x', wanted=False)} }}"


def compile_labels(entities: Iterable[str], language: str = "en") -> str:
    """A query for the labels `?y` of some entities `?x`."""
    tag = quote(language.lower())
    return (
        f"SELECT DISTINCT ?x ?y WHERE {{ {_restrict(entities)}?x <{LABEL}> ?y . "
        f"FILTER(LCASE(LANG(?y)) = {tag} || LANG(?y) = '') }}"
    )


def compile_named(label: str, language: str = "en") -> str:
    """A query for the entities `?x` of exactly this label."""
    return (
        f"SELECT DISTINCT ?x WHERE {{ {{ ?x <{LABEL}> {quote(label, language)} }} "
        f"UNION {{ ?x <{LABEL}> {quote(label)} }} }}"
    )


def order_by(query: str, variables: Iterable[str]) -> str:
    """The query with an order that is total and the same on every request.

    IRIs and literals have no common order in SPARQL; their text has one, and kind and language tell
    equal texts apart.
    """
    keys = " ".join(f"STR(?{name}) isIRI(?{name}) LANG(?{name})" for name in variables)
    return f"{query} ORDER BY {keys}"


def page(ordered: str, limit: int, offset: int) -> str:
    """One page of an ordered query."""
    return f"{ordered} LIMIT {limit:d} OFFSET {offset:d}"


def _restrict(inputs: Iterable[str] | None) -> str:
    if inputs is None:
        return ""
    return f"VALUES ?x {{ {' '.join(entity_term(short) for short in inputs)} }} "


class _Writer:
    """Writes graph patterns, with a fresh variable wherever one is needed."""

    def __init__(self) -> None:
        self._count = 0

    def _fresh(self) -> str:
        self._count += 1
        return f"?v{self._count}"

    def relation(self, query: RelationQuery, x: str, y: str) -> str:
        """A pattern that binds `x` to inputs and `y` to their outputs."""
        match query:
            case Relation(property=name, inverse=inverse):
                subject, value = (y, x) if inverse else (x, y)
                return f"{subject} {property_term(name)} {value} ."
            case Chain(outer, inner):
                between = self._fresh()
                return f"{self.relation(inner, x, between)} {self.relation(outer, between, y)}"
            case Union(left, right):
                return f"{{ {self.relation(left, x, y)} }} UNION {{ {self.relation(right, x, y)} }}"
            case Intersection(left, right):
                # Braces keep a FILTER of one operand from reaching into the other.
                return f"{{ {self.relation(left, x, y)} }} {{ {self.relation(right, x, y)} }}"
            case Complement(of):
                domain = self.relation(of, x, self._fresh())
                reach = self.relation(of, self._fresh(), y)
                return (
                    f"{{ {{ SELECT DISTINCT {x} WHERE {{ {domain} }} }} {{ SELECT DISTINCT {y} WHERE {{ {reach} }} }} "
                    f"FILTER NOT EXISTS {{ {self.relation(of, x, y)} }} }}"
                )

    def holds(self, query: PredicateQuery, x: str, *, wanted: bool) -> str:
        """A pattern that binds `x` to the entities of which the predicate is `wanted`."""
        match query:
            case Is(property=name, value=value):
                states = f"{x} {property_term(name)} {entity_term(value)} ."
                if wanted:
                    return states
                return f"{x} {property_term(name)} {self._fresh()} . FILTER NOT EXISTS {{ {states} }}"
            case Lnot(of):
                return self.holds(of, x, wanted=not wanted)
            case Land(left, right):
                return self._both(left, right, x) if wanted else self._either(left, right, x, wanted=False)
            case Lor(left, right):
                return self._either(left, right, x, wanted=True) if wanted else self._neither(left, right, x)
            case At(predicate, relation):
                member = self._fresh()
                against = self.relation(relation, x, member)
                accepted = self.holds(predicate, member, wanted=wanted)
                return (
                    f"{{ SELECT DISTINCT {x} WHERE {{ {self.relation(relation, x, self._fresh())} }} }} "
                    f"FILTER NOT EXISTS {{ {against} FILTER NOT EXISTS {{ {accepted} }} }}"
                )

    def known(self, query: PredicateQuery, x: str) -> str:
        """A pattern that binds `x` to the entities of which the predicate is true or false."""
        match query:
            case Is(property=name):
                return f"{x} {property_term(name)} {self._fresh()} ."
            case Lnot(of):
                return self.known(of, x)
            case Land(left, right) | Lor(left, right):
                return f"{{ {self.known(left, x)} }} {{ {self.known(right, x)} }}"
            case At():
                yes, no = self.holds(query, x, wanted=True), self.holds(query, x, wanted=False)
                return f"{{ {yes} }} UNION {{ {no} }}"

    def _both(self, left: PredicateQuery, right: PredicateQuery, x: str) -> str:
        return f"{{ {self.holds(left, x, wanted=True)} }} {{ {self.holds(right, x, wanted=True)} }}"

    def _neither(self, left: PredicateQuery, right: PredicateQuery, x: str) -> str:
        return f"{{ {self.holds(left, x, wanted=False)} }} {{ {self.holds(right, x, wanted=False)} }}"

    def _either(self, left: PredicateQuery, right: PredicateQuery, x: str, *, wanted: bool) -> str:
        first = f"{{ {self.holds(left, x, wanted=wanted)} }} {{ {self.known(right, x)} }}"
        second = f"{{ {self.known(left, x)} }} {{ {self.holds(right, x, wanted=wanted)} }}"
        return f"{{ {first} }} UNION {{ {second} }}"

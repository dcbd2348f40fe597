"""From query trees to SPARQL 1.1.

The rules are those of Table 2 of the TaskBench500 paper, completed so that they hold for properties
with several values:

- alternatives are UNIONs of whole patterns and every SELECT is DISTINCT;
- a negative is an entity with values of the property, none of which is the asked one;
- a query returns ids only, one solution per row. Labels are looked up by id afterwards, so an id
  and a label are never paired by their position in two lists.

A whole function is one query. Input and output are the variables `?x` and `?y`.

With `tables=True` the operands of a join are written as sub-queries, so that a store makes each of
them once and joins the results. A store in this process then needs time in proportion to what it
reads, whereas looking up every intermediate value is slow where many entities share one (half of all
people have the same gender). An endpoint with billions of statements is better off looking up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    Relation,
    RelationQuery,
    Union,
)
from taskloom.sources.knowledge.terms import LABEL, entity_term, property_term, quote

__all__ = [
    "compile_all_named",
    "compile_false",
    "compile_inputs",
    "compile_labels",
    "compile_named",
    "compile_pairs",
    "compile_statements",
    "compile_true",
    "order_by",
    "page",
]

# Beyond this many, unions stay where they are.
_MOST_ALTERNATIVES = 64


def compile_pairs(query: RelationQuery, inputs: Iterable[str] | None = None, *, tables: bool = False) -> str:
    """A query for all pairs `?x ?y` of a relation, or those of some inputs."""
    body = _Writer(tables=tables).relation(query, "?x", "?y")
    return f"SELECT DISTINCT ?x ?y WHERE {{ {_restrict(inputs)}{body} }}"


def compile_inputs(query: RelationQuery) -> str:
    """A query for every input `?x` of a relation."""
    return f"SELECT DISTINCT ?x WHERE {{ {_Writer(tables=False).relation(query, '?x', '?y')} }}"


def compile_true(query: PredicateQuery, inputs: Iterable[str] | None = None, *, tables: bool = False) -> str:
    """A query for every `?x` of which the predicate is true."""
    body = _Writer(tables=tables).holds(query, "?x", wanted=True)
    return f"SELECT DISTINCT ?x WHERE {{ {_restrict(inputs)}{body} }}"


def compile_false(query: PredicateQuery, inputs: Iterable[str] | None = None, *, tables: bool = False) -> str:
    """A query for every `?x` of which the predicate is false; unknown entities are in neither."""
    body = _Writer(tables=tables).holds(query, "?x", wanted=False)
    return f"SELECT DISTINCT ?x WHERE {{ {_restrict(inputs)}{body} }}"


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


def compile_all_named(labels: Iterable[str], language: str = "en") -> str:
    """A query for the entities `?x` of some labels `?y`, with the tag of the language or with none."""
    values = " ".join(f"{quote(label, language)} {quote(label)}" for label in labels)
    return f"SELECT DISTINCT ?x ?y WHERE {{ VALUES ?y {{ {values} }} ?x <{LABEL}> ?y }}"


def compile_statements(entities: Iterable[str], properties: Iterable[str]) -> str:
    """A query for what some entities `?x` state by some properties `?p`: the values `?y`."""
    names = " ".join(property_term(name) for name in properties)
    return f"SELECT DISTINCT ?x ?p ?y WHERE {{ {_restrict(entities)}VALUES ?p {{ {names} }} ?x ?p ?y }}"


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


def _count(query: RelationQuery) -> int:
    """How many alternatives a relation has once its unions are moved outwards."""
    match query:
        case Union(left, right):
            return _count(left) + _count(right)
        case Chain(left, right) | Intersection(left, right):
            return _count(left) * _count(right)
    return 1


def _alternatives(query: RelationQuery) -> list[RelationQuery]:
    """The relation as a union of relations without unions.

    Chains and intersections distribute over unions. A join of two unions makes stores compare everything with
    everything; a union of plain joins goes through their indexes.
    """
    match query:
        case Union(left, right):
            return [*_alternatives(left), *_alternatives(right)]
        case Chain(outer, inner):
            return [Chain(f, g) for f in _alternatives(outer) for g in _alternatives(inner)]
        case Intersection(left, right):
            return [Intersection(f, g) for f in _alternatives(left) for g in _alternatives(right)]
    return [query]


class _Writer:
    """Writes graph patterns, with a fresh variable wherever one is needed."""

    def __init__(self, *, tables: bool) -> None:
        self._tables = tables
        self._count = 0

    def _fresh(self) -> str:
        self._count += 1
        return f"?v{self._count}"

    def relation(self, query: RelationQuery, x: str, y: str) -> str:
        """A pattern that binds `x` to inputs and `y` to their outputs."""
        options = _alternatives(query) if _count(query) <= _MOST_ALTERNATIVES else [query]
        if len(options) == 1:
            return self._plain(options[0], x, y)
        return " UNION ".join(f"{{ {self._plain(option, x, y)} }}" for option in options)

    def _plain(self, query: RelationQuery, x: str, y: str) -> str:
        match query:
            case Relation(property=name, inverse=inverse):
                subject, value = (y, x) if inverse else (x, y)
                return f"{subject} {property_term(name)} {value} ."
            case Chain(outer, inner):
                between = self._fresh()
                return f"{self._operand(inner, x, between)} {self._operand(outer, between, y)}"
            case Union(left, right):
                return f"{{ {self.relation(left, x, y)} }} UNION {{ {self.relation(right, x, y)} }}"
            case Intersection(Complement(of), other) if not isinstance(other, Complement):
                return f"{{ {self._operand(other, x, y)} {self._outside(of, x, y)} }}"
            case Intersection(other, Complement(of)) if not isinstance(other, Complement):
                # Taken away from something, a complement never becomes domain times range.
                return f"{{ {self._operand(other, x, y)} {self._outside(of, x, y)} }}"
            case Intersection(left, right):
                return f"{self._operand(left, x, y)} {self._operand(right, x, y)}"
            case Complement(of):
                return f"{{ {self._outside(of, x, y)} }}"

    def _outside(self, of: RelationQuery, x: str, y: str) -> str:
        """Inputs that a relation knows with what it gives to others and not to them."""
        domain = self.relation(of, x, self._fresh())
        reach = self.relation(of, self._fresh(), y)
        return (
            f"{{ SELECT DISTINCT {x} WHERE {{ {domain} }} }} {{ SELECT DISTINCT {y} WHERE {{ {reach} }} }} "
            f"MINUS {{ {self.relation(of, x, y)} }}"
        )

    def _operand(self, query: RelationQuery, x: str, y: str) -> str:
        """One side of a join."""
        body = self.relation(query, x, y)
        if not self._tables:
            return body if isinstance(query, Relation | Chain) else f"{{ {body} }}"
        # Statements are distinct by themselves; what is computed may come about in several ways.
        distinct = "" if isinstance(query, Relation) else "DISTINCT "
        return f"{{ SELECT {distinct}{x} {y} WHERE {{ {body} }} }}"

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
            case Compare():
                return self._compared(query, x, wanted=wanted)
            case Disjoint(parts):
                if not wanted:
                    return self._shared(parts, x)
                return f"{self._domains(parts, x)} MINUS {{ {self._shared(parts, x)} }}"
            case At(predicate, relation):
                member = self._fresh()
                against = self.relation(relation, x, member)
                accepted = self.holds(predicate, member, wanted=wanted)
                return (
                    f"{{ SELECT DISTINCT {x} WHERE {{ {self.relation(relation, x, self._fresh())} }} }} "
                    f"MINUS {{ {against} MINUS {{ {accepted} }} }}"
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
            case Compare(kind="subset" | "eq", left=left, right=right):
                return self._domains((left, right), x)
            case Disjoint(parts):
                return self._domains(parts, x)
            case At() | Compare():
                yes, no = self.holds(query, x, wanted=True), self.holds(query, x, wanted=False)
                return f"{{ {yes} }} UNION {{ {no} }}"

    def _compared(self, query: Compare, x: str, *, wanted: bool) -> str:
        known = self._domains((query.left, query.right), x)
        beyond = self._beyond(query.left, query.right, x)
        match query.kind:
            case "in" if not wanted:
                return f"{known} MINUS {{ {self._shared((query.left, query.right), x)} }}"
            case "in" | "subset":
                return f"{known} MINUS {{ {beyond} }}" if wanted else f"{known} {beyond}"
            case _:
                other = self._beyond(query.right, query.left, x)
                if wanted:
                    return f"{known} MINUS {{ {beyond} }} MINUS {{ {other} }}"
                return f"{known} {{ {{ {beyond} }} UNION {{ {other} }} }}"

    def _domains(self, parts: Iterable[RelationQuery | None], x: str) -> str:
        """Inputs for which every relation gives something."""
        bodies = [self.relation(part, x, self._fresh()) for part in parts if part is not None]
        return " ".join(f"{{ SELECT DISTINCT {x} WHERE {{ {body} }} }}" for body in bodies)

    def _pairs(self, part: RelationQuery | None, beside: RelationQuery | None, x: str, y: str) -> str:
        """A relation beside another one; the input itself is bound where that one is."""
        if part is not None:
            return self.relation(part, x, y)
        return f"{self._domains((beside,), x)} BIND({x} AS {y})"

    def _beyond(self, left: RelationQuery | None, right: RelationQuery | None, x: str) -> str:
        """Inputs for which the first gives something that the second does not."""
        y = self._fresh()
        first, second = self._pairs(left, right, x, y), self._pairs(right, left, x, y)
        return f"{{ SELECT DISTINCT {x} WHERE {{ {{ {first} }} MINUS {{ {second} }} }} }}"

    def _shared(self, parts: Sequence[RelationQuery | None], x: str) -> str:
        """Inputs for which all of them give one and the same thing."""
        y = self._fresh()
        beside = next(part for part in parts if part is not None)
        bodies = [f"{{ SELECT DISTINCT {x} {y} WHERE {{ {self._pairs(part, beside, x, y)} }} }}" for part in parts]
        return f"{{ SELECT DISTINCT {x} WHERE {{ {' '.join(bodies)} }} }}"

    def _both(self, left: PredicateQuery, right: PredicateQuery, x: str) -> str:
        return f"{{ {self.holds(left, x, wanted=True)} }} {{ {self.holds(right, x, wanted=True)} }}"

    def _neither(self, left: PredicateQuery, right: PredicateQuery, x: str) -> str:
        return f"{{ {self.holds(left, x, wanted=False)} }} {{ {self.holds(right, x, wanted=False)} }}"

    def _either(self, left: PredicateQuery, right: PredicateQuery, x: str, *, wanted: bool) -> str:
        first = f"{{ {self.holds(left, x, wanted=wanted)} }} {{ {self.known(right, x)} }}"
        second = f"{{ {self.known(left, x)} }} {{ {self.holds(right, x, wanted=wanted)} }}"
        return f"{{ {first} }} UNION {{ {second} }}"

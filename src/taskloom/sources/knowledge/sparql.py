"""From factual expressions to SPARQL 1.1: the records of operators write the patterns, the writer here those of atoms.

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
from itertools import product
from math import inf, prod
from typing import NoReturn

from taskloom.algebra import (
    CHAIN,
    IDENTITY,
    INTERSECTION,
    UNION,
    Atom,
    Expression,
    Node,
    PredicateOperator,
    RelationOperator,
    width,
)
from taskloom.core import UserError
from taskloom.sources.knowledge.terms import LABEL, entity_term, property_term, quote
from taskloom.sources.knowledge.vocabulary import describe

# Beyond this many, unions stay where they are.
_MOST_ALTERNATIVES = 64


def compile_pairs(query: Expression, inputs: Iterable[str] | None = None, *, tables: bool = False) -> str:
    """A query for all pairs `?x ?y` of a relation, or those of some inputs."""
    body = PatternWriter(tables=tables)(query, "?x", "?y")
    return f"SELECT DISTINCT ?x ?y WHERE {{ {_restrict(inputs)}{body} }}"


def compile_inputs(query: Expression) -> str:
    """A query for every input `?x` of a relation."""
    return f"SELECT DISTINCT ?x WHERE {{ {PatternWriter(tables=False)(query, '?x', '?y')} }}"


def compile_truth(query: Expression, wanted: bool, inputs: Iterable[str] | None = None, *, tables: bool = False) -> str:
    """A query for every `?x` of which the predicate is true, or false; unknown entities are in neither."""
    body = PatternWriter(tables=tables).holds(query, "?x", wanted)
    return f"SELECT DISTINCT ?x WHERE {{ {_restrict(inputs)}{body} }}"


def compile_labels(entities: Iterable[str], language: str = "en") -> str:
    """A query for the labels `?y` of some entities `?x`."""
    tag = quote(language.lower())
    return (
        f"SELECT DISTINCT ?x ?y WHERE {{ {_restrict(entities)}?x <{LABEL}> ?y . "
        f"FILTER(LCASE(LANG(?y)) = {tag} || LANG(?y) = '') }}"
    )


def compile_named(labels: Iterable[str], language: str = "en") -> str:
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


def _count(node: Expression) -> int:
    """How many alternatives a relation has once its unions are moved outwards."""
    if isinstance(node, Atom):
        return 1
    counts = [_count(part) for part in node.arguments]
    return sum(counts) if node.operator == UNION.name else prod(counts) if node.record.laws.distributes else 1


def _alternatives(node: Expression) -> list[Expression]:
    """The relation as a union of relations without unions.

    What distributes over unions does so here. A join of two unions makes stores compare everything with
    everything; a union of plain joins goes through their indexes.
    """
    if isinstance(node, Node) and node.operator == UNION.name:
        return [option for part in node.arguments for option in _alternatives(part)]
    if isinstance(node, Node) and node.record.laws.distributes:
        return [Node(node.operator, parts) for parts in product(*map(_alternatives, node.arguments))]
    return [node]


class PatternWriter:
    """Writes graph patterns, with a fresh variable wherever one is needed; what records write SPARQL with.

    Args:
        tables: Write the operands of joins as sub-queries.
    """

    def __init__(self, *, tables: bool) -> None:
        self._tables = tables
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"?v{self._count}"

    def refuse(self, what: str) -> NoReturn:
        """Say that something cannot be asked of a graph."""
        raise UserError(f"{what} cannot be asked of a knowledge graph", where="expression")

    def __call__(self, node: Expression, x: str, y: str) -> str:
        """A pattern that binds `x` to inputs and `y` to their outputs."""
        options = _alternatives(node) if _count(node) <= _MOST_ALTERNATIVES else [node]
        if len(options) == 1:
            return self._plain(options[0], x, y)
        return " UNION ".join(f"{{ {self._plain(option, x, y)} }}" for option in options)

    def _plain(self, node: Expression, x: str, y: str) -> str:
        if isinstance(node, Atom):
            subject, value = (y, x) if node.inverse else (x, y)
            return f"{subject} {property_term(node.name)} {value} ."
        record = node.record
        assert isinstance(record, RelationOperator)
        return record.sparql(self, x, y, *node.arguments)

    def join(self, parts: Sequence[Expression], x: str, y: str) -> str:
        """What all of some relations give; those without a bound are only ever taken away from the others."""
        narrow = [part for part in parts if width(part) < inf]
        wide = [self(part, x, y) for part in parts if narrow and width(part) == inf]
        joined = " ".join([*(self.operand(part, x, y) for part in narrow or parts), *wide])
        return f"{{ {joined} }}" if wide else joined

    def outside(self, part: Expression, x: str, y: str) -> str:
        """Inputs that a relation knows with what it gives to others and not to them."""
        reach = self(part, self.fresh(), y)
        return (
            f"{self.domains((part,), x)} {{ SELECT DISTINCT {y} WHERE {{ {reach} }} }} MINUS {{ {self(part, x, y)} }}"
        )

    def operand(self, node: Expression, x: str, y: str) -> str:
        """One side of a join."""
        body = self(node, x, y)
        if not self._tables:
            linked = isinstance(node, Atom) or node.operator == CHAIN.name
            return body if linked else f"{{ {body} }}"
        # Statements are distinct by themselves; what is computed may come about in several ways.
        distinct = "" if isinstance(node, Atom) else "DISTINCT "
        return f"{{ SELECT {distinct}{x} {y} WHERE {{ {body} }} }}"

    def holds(self, node: Expression, x: str, wanted: bool | None) -> str:
        """A pattern that binds `x` to the entities of which the predicate is `wanted`: true, false, None for either."""
        if isinstance(node, Node):
            record = node.record
            assert isinstance(record, PredicateOperator)
            return record.holds(self, x, wanted, *node.arguments)
        ((name, value),) = node.features
        states = f"{x} {property_term(name)} {entity_term(value)} ."
        if wanted:
            return states
        known = f"{x} {property_term(name)} {self.fresh()} ."
        return known if wanted is None else f"{known} FILTER NOT EXISTS {{ {states} }}"

    def domains(self, parts: Iterable[Expression], x: str) -> str:
        """Inputs for which every relation gives something."""
        bodies = [self(part, x, self.fresh()) for part in parts if part != IDENTITY()]
        return " ".join(f"{{ SELECT DISTINCT {x} WHERE {{ {body} }} }}" for body in bodies)

    def _pairs(self, part: Expression, beside: Expression, x: str, y: str) -> str:
        """The pairs of a relation; the input itself has no pattern, so it is bound where the relation beside it is."""
        return self(part, x, y) if part != IDENTITY() else f"{self.domains((beside,), x)} BIND({x} AS {y})"

    def beyond(self, left: Expression, right: Expression, x: str) -> str:
        """Inputs for which the first gives something that the second does not."""
        y = self.fresh()
        first, second = self._pairs(left, right, x, y), self._pairs(right, left, x, y)
        return f"{{ SELECT DISTINCT {x} WHERE {{ {{ {first} }} MINUS {{ {second} }} }} }}"

    def shared(self, parts: Sequence[Expression], x: str) -> str:
        """Inputs for which all of them give one and the same thing."""
        y = self.fresh()
        beside = next(part for part in parts if part != IDENTITY())
        bodies = [f"{{ SELECT DISTINCT {x} {y} WHERE {{ {self._pairs(part, beside, x, y)} }} }}" for part in parts]
        return f"{{ SELECT DISTINCT {x} WHERE {{ {' '.join(bodies)} }} }}"

    def shared_parts(self, node: Expression) -> Sequence[Expression]:
        """The relations whose common outputs an expression gives.

        Raises:
            UserError: It is no intersection: that a graph states nothing shows nothing.
        """
        if isinstance(node, Node) and node.operator == INTERSECTION.name:
            return node.arguments
        raise UserError(
            f"the graph cannot show that nothing is {describe(node, 'it')}: what it does not state is unknown",
            where="expression",
            hint="ask whether two relations share nothing: empty(intersection(f,g))",
        )

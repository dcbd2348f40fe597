"""Factual queries as a small neutral tree over one variable.

A *relation* maps an entity to a set of entities; a *predicate* maps an entity to true, false or
unknown. The tree speaks in Wikidata ids (`P25`, `Q33999`), so it means the same on every graph.

Meaning, with `x` the input:

| node | value |
| --- | --- |
| `Relation(p)` | every `y` with the statement `x p y`; inverse: every `y` with `y p x` |
| `Chain(f, g)` | the union of `f(y)` over `y` in `g(x)` |
| `Union(f, g)` | `f(x)` together with `g(x)` |
| `Intersection(f, g)` | what `f(x)` and `g(x)` share |
| `Complement(f)` | for `x` in the domain of `f`: the range of `f` without `f(x)` |
| `Is(p, v)` | true if `x p v`; false if `x` has values of `p` and none is `v`; else unknown |
| `Land(a, b)`, `Lor(a, b)`, `Lnot(a)` | as in logic; unknown as soon as one operand is unknown |
| `Compare("subset", f, g)`, `Compare("eq", f, g)` | whether all of `f(x)` is in `g(x)`; whether they are the same |
| `Compare("in", f, g)` | true (false) if every (no) member of `f(x)` is in `g(x)`; else unknown |
| `Disjoint((f, g, ...))` | whether nothing is in all of them |
| `At(a, f)` | true (false) if `f(x)` is not empty and `a` is true (false) of every member; else unknown |

A relation is defined where its set is not empty. An entity that states any value of a property is
taken to state all of them; one that states none is unknown and never counts as a negative. So a comparison is unknown
unless each of its relations gives something; `None` stands for the input itself in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, TypeGuard

import msgspec

__all__ = [
    "At",
    "Chain",
    "Compare",
    "Complement",
    "Disjoint",
    "Intersection",
    "Is",
    "Land",
    "Lnot",
    "Lor",
    "PredicateQuery",
    "Query",
    "Relation",
    "RelationQuery",
    "Union",
    "children",
    "depth",
    "is_predicate",
    "is_relation",
    "properties",
    "values",
    "walk",
]


class Relation(msgspec.Struct, frozen=True, tag="relation"):
    """The values of one property, or with `inverse` the entities that have the input as a value."""

    property: str
    inverse: bool = False


class Is(msgspec.Struct, frozen=True, tag="is"):
    """Whether the input has `value` among its values of `property`."""

    property: str
    value: str


class Chain(msgspec.Struct, frozen=True, tag="chain"):
    """`outer(inner(x))`."""

    outer: RelationQuery
    inner: RelationQuery


class Union(msgspec.Struct, frozen=True, tag="union"):
    """Outputs of either relation."""

    left: RelationQuery
    right: RelationQuery


class Intersection(msgspec.Struct, frozen=True, tag="intersection"):
    """Outputs of both relations."""

    left: RelationQuery
    right: RelationQuery


class Complement(msgspec.Struct, frozen=True, tag="complement"):
    """Outputs the relation gives to other inputs, and not to this one."""

    of: RelationQuery


class Land(msgspec.Struct, frozen=True, tag="land"):
    """Both predicates hold."""

    left: PredicateQuery
    right: PredicateQuery


class Lor(msgspec.Struct, frozen=True, tag="lor"):
    """At least one predicate holds."""

    left: PredicateQuery
    right: PredicateQuery


class Lnot(msgspec.Struct, frozen=True, tag="lnot"):
    """The predicate does not hold."""

    of: PredicateQuery


class Compare(msgspec.Struct, frozen=True, tag="compare"):
    """What two relations give, compared; None is the input itself."""

    kind: Literal["in", "subset", "eq"]
    left: RelationQuery | None
    right: RelationQuery | None


class Disjoint(msgspec.Struct, frozen=True, tag="disjoint"):
    """Nothing is an output of all of the relations."""

    parts: tuple[RelationQuery, ...]


class At(msgspec.Struct, frozen=True, tag="at"):
    """The predicate, asked of every output of the relation."""

    predicate: PredicateQuery
    relation: RelationQuery


RelationQuery: TypeAlias = Relation | Chain | Union | Intersection | Complement
PredicateQuery: TypeAlias = Is | Land | Lor | Lnot | Compare | Disjoint | At
Query: TypeAlias = RelationQuery | PredicateQuery


def is_relation(query: Query) -> TypeGuard[RelationQuery]:
    """Whether the query gives sets of entities."""
    return isinstance(query, Relation | Chain | Union | Intersection | Complement)


def is_predicate(query: Query) -> TypeGuard[PredicateQuery]:
    """Whether the query gives truth values."""
    return isinstance(query, Is | Land | Lor | Lnot | Compare | Disjoint | At)


def children(query: Query) -> tuple[Query, ...]:
    """The operands, outermost first."""
    match query:
        case Chain(first, second) | Union(first, second) | Intersection(first, second):
            return (first, second)
        case Land(a, b) | Lor(a, b):
            return (a, b)
        case Compare(_, left, right):
            return tuple(part for part in (left, right) if part is not None)
        case Disjoint(parts):
            return parts
        case At(predicate, relation):
            return (predicate, relation)
        case Complement(of):
            return (of,)
        case Lnot(negated):
            return (negated,)
    return ()


def walk(query: Query) -> Iterator[Query]:
    """The query and everything inside it, outside in. No recursion, so depth has no limit."""
    stack = [query]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def depth(query: Query) -> int:
    """How many operators lie on the longest path; an atom has depth 1."""
    deepest, stack = 0, [(query, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in children(node))
    return deepest


def properties(query: Query) -> tuple[str, ...]:
    """Every property the query reads, sorted."""
    return tuple(sorted({node.property for node in walk(query) if isinstance(node, Relation | Is)}))


def values(query: Query) -> tuple[str, ...]:
    """Every entity the query names, sorted."""
    return tuple(sorted({node.value for node in walk(query) if isinstance(node, Is)}))

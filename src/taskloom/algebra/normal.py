"""One form for all spellings of a function: nested maps and filters, symmetric operators, known identities.

Two expressions with the same normal form are the same function, on any data. The converse does not hold: that two
functions agree on every word is a matter of data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from taskloom.algebra.tree import Atom, Expression, Node, operator_of
from taskloom.algebra.types import signature

if TYPE_CHECKING:
    from taskloom.algebra.records import MapFilter


def normal(node: Expression) -> Expression:
    """The normal form of an expression."""
    from taskloom.algebra.operators import CHAIN, FILTER, IDENTITY, MAP

    if not signature(node).sequence:
        return _word(node)
    form = map_filter(node)
    relation = _word(form.relation)
    if form.predicate is None:
        return MAP(relation)
    kept = FILTER(_word(form.predicate))
    return kept if relation == IDENTITY() else CHAIN(MAP(relation), kept)


def equal(first: Expression, second: Expression) -> bool:
    """Whether two expressions are one function for every choice of data, as far as the identities tell."""
    return normal(first) == normal(second)


def links(node: Expression) -> list[Expression]:
    """The functions of a chain in the order a person follows them, innermost first."""
    if isinstance(node, Node) and node.operator == "chain":
        outer, inner = node.arguments
        return [*links(inner), *links(outer)]
    return [node]


def map_filter(node: Expression) -> MapFilter:
    """The form that every sequence function has, by equations 6 and 7."""
    from taskloom.algebra.operators import IDENTITY
    from taskloom.algebra.records import MapFilter, SequenceOperator

    form = MapFilter(IDENTITY(), None)
    for link in links(node):
        if link == IDENTITY():
            continue
        record = link.record if isinstance(link, Node) else None
        if not isinstance(record, SequenceOperator) or not isinstance(link, Node):
            raise TypeError(f"{link} is not a sequence function")
        form = record.layout(form, link.arguments[0])
    return form


def is_identity(node: Expression) -> bool:
    """Whether it gives each input itself, in any language."""
    return node.operator == "input" if isinstance(node, Node) else node.name == "identity" and not node.factual


def _word(node: Expression) -> Expression:
    if isinstance(node, Atom):
        return node
    return build(node.operator, [_word(part) for part in node.arguments])


def build(name: str, parts: Sequence[Expression]) -> Expression:
    """The normal form of a node whose arguments are in normal form."""
    laws = operator_of(name).laws
    found = list(parts)
    if laws.associative:
        found = [inner for part in found for inner in _inside(part, name)]
    if laws.absorbs:
        found = [part for part in found if not any(other in _inside(part, laws.absorbs, ()) for other in found)]
    if laws.idempotent:
        found = list(dict.fromkeys(found))
    if laws.commutative:
        found = sorted(found, key=repr)
    if laws.idempotent and len(found) == 1:
        return found[0]
    other = laws.rewrite(*found) if laws.rewrite is not None else None
    return Node(name, tuple(found)) if other is None else other


def _inside(node: Expression, name: str, otherwise: Iterable[Expression] | None = None) -> Iterable[Expression]:
    """The arguments of a node with that operator; of any other the node itself, or what is said."""
    if isinstance(node, Node) and node.operator == name:
        return node.arguments
    return (node,) if otherwise is None else otherwise

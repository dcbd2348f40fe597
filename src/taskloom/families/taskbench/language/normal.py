"""One form for all spellings of a function: nested maps and filters, symmetric operators, known identities.

Two expressions with the same normal form are the same function whatever the data. The converse does
not hold: that two functions agree on every word is a matter of data, see `families.taskbench.compare`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from taskloom.families.taskbench.language.tree import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Filter,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Map,
    Union,
    chain,
    children,
)
from taskloom.families.taskbench.language.types import signature

__all__ = ["MapFilter", "equal", "map_filter", "normal"]


@dataclass(frozen=True, slots=True)
class MapFilter:
    """Equation 5: a relation applied to the words that a predicate keeps.

    `relation` is the identity for a mere filter, `predicate` is None for a mere map.
    """

    relation: Expression
    predicate: Expression | None


def map_filter(node: Expression) -> MapFilter:
    """The form that every sequence function has, by equations 6 and 7."""
    match node:
        case Map(function):
            return MapFilter(function, None)
        case Filter(predicate):
            return MapFilter(Identity(), predicate)
        case Chain(outer, inner):
            first, then = map_filter(inner), map_filter(outer)
            kept = first.predicate
            if then.predicate is not None:
                mapped = chain(then.predicate, first.relation)
                kept = mapped if kept is None else Land((kept, mapped))
            return MapFilter(chain(then.relation, first.relation), kept)
        case Identity():
            return MapFilter(Identity(), None)
        case _:
            raise TypeError(f"{type(node).__name__} is not a sequence function")


def normal(node: Expression) -> Expression:
    """The normal form of an expression."""
    if not signature(node).sequence:
        return _word(node)
    form = map_filter(node)
    relation = _word(form.relation)
    if form.predicate is None:
        return Map(relation)
    kept = Filter(_word(form.predicate))
    return kept if isinstance(relation, Identity) else Chain(Map(relation), kept)


def equal(first: Expression, second: Expression) -> bool:
    """Whether two expressions are one function for every choice of data, as far as the identities tell."""
    return normal(first) == normal(second)


def _word(node: Expression) -> Expression:
    match node:
        case Chain(outer, inner):
            return _chain(_word(outer), _word(inner))
        case Union(parts):
            return _union(map(_word, parts))
        case Intersection(parts):
            return _intersection(map(_word, parts))
        case Complement(part):
            return Complement(_word(part))
        case Land(parts) | Lor(parts):
            return _logic(type(node), map(_word, parts))
        case Lnot(part):
            return _negate(_word(part))
        case Compare():
            return _compare(node)
        case Empty(part):
            return Empty(_word(part))
        case _:
            return node


def _compare(node: Compare) -> Expression:
    """Equality is symmetric, and being a part of something is for a single word to be in it."""
    left, right = _word(node.left), _word(node.right)
    if node.name == "eq":
        left, right = sorted((left, right), key=repr)
    return Compare("in" if node.name == "subset" and _is_identity(left) else node.name, left, right)


def _chain(outer: Expression, inner: Expression) -> Expression:
    """Chains lean to the right, and unions come outermost, since every relation is applied member by member."""
    if _is_identity(outer):
        return inner
    if _is_identity(inner):
        return outer
    match outer:
        case Chain(first, second):
            return _chain(first, _chain(second, inner))
        case Union(parts):
            return _union(_chain(part, inner) for part in parts)
        case Lnot(part):
            return _negate(_chain(part, inner))
    if isinstance(inner, Union) and not signature(outer).predicate:
        return _union(_chain(outer, part) for part in inner.parts)
    return Chain(outer, inner)


def _is_identity(node: Expression) -> bool:
    return isinstance(node, Identity) or (isinstance(node, Atom) and node.name == "identity")


def _sorted(parts: Iterable[Expression]) -> tuple[Expression, ...]:
    return tuple(sorted(dict.fromkeys(parts), key=repr))


def _flat(kind: type, parts: Iterable[Expression]) -> list[Expression]:
    return [inner for part in parts for inner in (children(part) if isinstance(part, kind) else (part,))]


def _union(parts: Iterable[Expression]) -> Expression:
    flat = _flat(Union, parts)
    kept = [p for p in flat if not (isinstance(p, Intersection) and any(o in p.parts for o in flat))]
    found = _sorted(kept)
    return found[0] if len(found) == 1 else Union(found)


def _intersection(parts: Iterable[Expression]) -> Expression:
    flat = _flat(Intersection, parts)
    kept = [p for p in flat if not (isinstance(p, Union) and any(o in p.parts for o in flat))]
    found = _sorted(kept)
    return found[0] if len(found) == 1 else Intersection(found)


def _logic(kind: type[Land] | type[Lor], parts: Iterable[Expression]) -> Expression:
    found = _sorted(_flat(kind, parts))
    return found[0] if len(found) == 1 else kind(found)


def _negate(node: Expression) -> Expression:
    """Negations move inwards until they meet an atom; `land` and `lor` are strict, so De Morgan holds."""
    match node:
        case Lnot(part):
            return part
        case Land(parts):
            return _logic(Lor, map(_negate, parts))
        case Lor(parts):
            return _logic(Land, map(_negate, parts))
        case _:
            return Lnot(node)

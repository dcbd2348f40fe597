"""A plain evaluation of factual expressions over a list of triples. It shares no code with the compiler."""

from __future__ import annotations

from typing import Any

Triples = set[tuple[str, str, str]]


def entities(triples: Triples) -> set[str]:
    return {s for s, _, _ in triples} | {o for _, _, o in triples}


def operator(node: Any) -> str:
    return getattr(node, "operator", "atom")


def outputs(node: Any, x: str, triples: Triples) -> set[str]:
    kind = operator(node)
    if kind == "atom":
        if node.inverse:
            return {s for s, p, o in triples if p == node.name and o == x}
        return {o for s, p, o in triples if p == node.name and s == x}
    if kind == "input":
        return {x}
    if kind == "chain":
        outer, inner = node.arguments
        return {y for middle in outputs(inner, x, triples) for y in outputs(outer, middle, triples)}
    if kind == "if":
        test, then, other = node.arguments
        decided = truth(test, x, triples)
        return set() if decided is None else outputs(then if decided else other, x, triples)
    sets = [outputs(part, x, triples) for part in node.arguments]
    if kind == "union":
        return set().union(*sets)
    if kind == "intersection":
        return set.intersection(*sets)
    if kind == "difference":
        return sets[0] - sets[1]
    assert kind == "complement"
    if not sets[0]:
        return set()
    return {y for other in entities(triples) for y in outputs(node.arguments[0], other, triples)} - sets[0]


def truth(node: Any, x: str, triples: Triples) -> bool | None:
    kind = operator(node)
    if kind == "atom":
        ((name, value),) = node.features
        values = {o for s, p, o in triples if s == x and p == name}
        return None if not values else value in values
    if kind == "lnot":
        inner = truth(node.arguments[0], x, triples)
        return None if inner is None else not inner
    if kind == "chain":
        predicate, relation = node.arguments
        found = {truth(predicate, y, triples) for y in outputs(relation, x, triples)}
        return found.pop() if len(found) == 1 else None
    if kind == "empty":
        sets = [outputs(part, x, triples) for part in node.arguments[0].arguments]
        return None if not all(sets) else not set.intersection(*sets)
    if kind in ("in", "subset", "eq"):
        left, right = (outputs(part, x, triples) for part in node.arguments)
        return None if not (left and right) else related(kind, left, right)
    truths = [truth(part, x, triples) for part in node.arguments]
    if None in truths:
        return None
    return all(truths) if kind == "land" else any(truths)


def related(kind: str, left: set[str], right: set[str]) -> bool | None:
    if kind == "in":
        return True if left <= right else None if left & right else False
    return left <= right if kind == "subset" else left == right

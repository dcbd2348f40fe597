"""A plain evaluation of factual queries over a list of triples. It shares no code with the compiler."""

from __future__ import annotations

from taskloom.sources.knowledge import query as q

Triples = set[tuple[str, str, str]]


def entities(triples: Triples) -> set[str]:
    return {s for s, _, _ in triples} | {o for _, _, o in triples}


def outputs(node: q.Query, x: str, triples: Triples) -> set[str]:
    kind = type(node).__name__
    if kind == "Relation":
        if node.inverse:
            return {s for s, p, o in triples if p == node.property and o == x}
        return {o for s, p, o in triples if p == node.property and s == x}
    if kind == "Chain":
        return {y for middle in outputs(node.inner, x, triples) for y in outputs(node.outer, middle, triples)}
    if kind == "Union":
        return outputs(node.left, x, triples) | outputs(node.right, x, triples)
    if kind == "Intersection":
        return outputs(node.left, x, triples) & outputs(node.right, x, triples)
    assert kind == "Complement"
    own = outputs(node.of, x, triples)
    if not own:
        return set()
    return {y for other in entities(triples) for y in outputs(node.of, other, triples)} - own


def truth(node: q.Query, x: str, triples: Triples) -> bool | None:
    kind = type(node).__name__
    if kind == "Is":
        values = {o for s, p, o in triples if s == x and p == node.property}
        return None if not values else node.value in values
    if kind == "Lnot":
        inner = truth(node.of, x, triples)
        return None if inner is None else not inner
    if kind == "At":
        found = {truth(node.predicate, y, triples) for y in outputs(node.relation, x, triples)}
        return found.pop() if len(found) == 1 else None
    if kind in ("Compare", "Disjoint"):
        sets = [{x} if part is None else outputs(part, x, triples) for part in compared(node)]
        return None if not all(sets) else related(node, sets)
    left, right = truth(node.left, x, triples), truth(node.right, x, triples)
    if left is None or right is None:
        return None
    return (left and right) if kind == "Land" else (left or right)


def compared(node: q.Query) -> tuple:
    return node.parts if type(node).__name__ == "Disjoint" else (node.left, node.right)


def related(node: q.Query, sets: list[set[str]]) -> bool | None:
    if type(node).__name__ == "Disjoint":
        return not set.intersection(*sets)
    left, right = sets
    if node.kind == "in":
        return True if left <= right else None if left & right else False
    return left <= right if node.kind == "subset" else left == right

"""How full a knowledge graph is: inputs, outputs, several values, shared domains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.vocabulary import INVERSES, PREDICATES, TABLE_4_RELATIONS, predicate, relation


class RelationStatistics(NamedTuple):
    """One relation as the graph has it."""

    name: str
    property: str
    inputs: int
    outputs: int
    pairs: int
    mean: float
    """Outputs per input, on average."""
    several: float
    """The share of inputs with more than one output."""
    most: int
    """The most outputs of one input."""
    commonest: float
    """The share of inputs that have the commonest output: what always giving one answer would score."""


class PredicateStatistics(NamedTuple):
    """One predicate as the graph has it."""

    name: str
    value: str
    true: int
    false: int


class Overlap(NamedTuple):
    """How far the inputs of two relations are the same."""

    left: str
    right: str
    both: int
    either: int


def statistics(graph: KnowledgeGraph, *, limit: int | None = None) -> list[RelationStatistics]:
    """The table of all relations and inverses of the paper, by name.

    Args:
        graph: Where to look.
        limit: The most pairs to fetch of each relation.
    """
    named = [(name, relation(name)) for name in TABLE_4_RELATIONS]
    named += [(f"{name}[inv]", relation(name, inverse=True)) for name in INVERSES]
    rows = []
    for name, query in sorted(named, key=lambda item: item[0]):
        function = graph.function(query, limit=limit)
        sizes = [len(outputs) for outputs in function.values()]
        counts: dict[str, int] = {}
        for outputs in function.values():
            for output in outputs:
                counts[output] = counts.get(output, 0) + 1
        inputs = len(sizes)
        rows.append(
            RelationStatistics(
                name=name,
                property=query.name,
                inputs=inputs,
                outputs=len(counts),
                pairs=sum(sizes),
                mean=sum(sizes) / inputs if inputs else 0.0,
                several=sum(size > 1 for size in sizes) / inputs if inputs else 0.0,
                most=max(sizes, default=0),
                commonest=max(counts.values(), default=0) / inputs if inputs else 0.0,
            )
        )
    return rows


def predicate_statistics(graph: KnowledgeGraph, *, limit: int | None = None) -> list[PredicateStatistics]:
    """The table of all predicates of the paper, with the label their value has in this graph."""
    rows = []
    for name in PREDICATES:
        query = predicate(name)
        truth = graph.truth(query, limit=limit)
        entity = query.features[0][1]
        value = graph.labels([graph.stand_ins.get(entity, entity)])
        rows.append(PredicateStatistics(name, next(iter(value.values()), "–"), len(truth.true), len(truth.false)))
    return rows


def overlaps(graph: KnowledgeGraph, pairs: Iterable[tuple[str, str]], *, limit: int | None = None) -> list[Overlap]:
    """How many inputs two relations share, for pairs of names."""
    rows = []
    for left, right in pairs:
        first = graph.function(relation(left), limit=limit).keys()
        second = graph.function(relation(right), limit=limit).keys()
        rows.append(Overlap(left, right, len(first & second), len(first | second)))
    return rows

"""Degrees and overlaps of the fictional world beside those of another graph, by default a sample of Wikidata.

PYTHONPATH=src python benchmarks/taskbench_graphs.py CODEX_FOLDER    CoDEx triples, or anything `-T knowledge=` takes
"""

from __future__ import annotations

import sys

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import open_graph
from taskloom.sources.knowledge.statistics import RelationStatistics, overlaps, statistics

_PAIRS = (
    ("occupation", "place of birth"),
    ("occupation", "languages spoken written or signed"),
    ("place of birth", "place of death"),
    ("member of political party", "occupation"),
    ("genre", "occupation"),
    ("influenced by", "occupation"),
    ("genre", "record label"),
    ("child", "occupation"),
)
LEAST = 20  # inputs that a relation needs in both graphs to be compared


def cells(row: RelationStatistics) -> str:
    return f"{row.inputs:,} | {row.mean:.2f} | {row.several:.2f} | {row.most} | {row.commonest:.2f}"


def degrees(other: KnowledgeGraph, world: KnowledgeGraph) -> None:
    """Outputs per input, and how far the commonest output goes."""
    print("| relation | there: inputs | per input | several | most | commonest ", end="")
    print("| world: inputs | per input | several | most | commonest |")
    print(f"| --- |{' ---: |' * 10}")
    there = {row.name: row for row in statistics(other)}
    for row in statistics(world):
        if row.name in there and min(row.inputs, there[row.name].inputs) >= LEAST:
            print(f"| {row.name} | {cells(there[row.name])} | {cells(row)} |")


def shared(other: KnowledgeGraph, world: KnowledgeGraph) -> None:
    """Inputs that two relations both know, of those that either does."""
    print("\n| left | right | there: both of either | world: both of either |\n| --- | --- | ---: | ---: |")
    for there, here in zip(overlaps(other, _PAIRS), overlaps(world, _PAIRS), strict=True):
        said = [f"{one.both:,} of {one.either:,} ({one.both / max(1, one.either):.2f})" for one in (there, here)]
        print(f"| {there.left} | {there.right} | {' | '.join(said)} |")


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[-1].startswith("taskbench"):
        print("name a graph to compare with: a CoDEx folder, a dump, an endpoint")
        return
    other, world = open_graph(sys.argv[-1]), open_graph("world")
    degrees(other, world)
    shared(other, world)


if __name__ == "__main__":
    main()

"""Degrees and overlaps of the fictional world beside those of another graph, by default a sample of Wikidata.

PYTHONPATH=src python benchmarks/taskbench_graphs.py CODEX_FOLDER    CoDEx triples, or anything `-T knowledge=` takes
"""

from __future__ import annotations

import sys
from typing import Any

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import open_graph
from taskloom.studies.taskbench.tables import overlap_rows, relation_rows

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


def cells(row: tuple[Any, ...]) -> str:
    _, _, inputs, _, _, mean, several, most, commonest = row
    return f"{inputs:,} | {mean:.2f} | {several:.2f} | {most} | {commonest:.2f}"


def degrees(other: KnowledgeGraph, world: KnowledgeGraph) -> None:
    """Outputs per input, and how far the commonest output goes."""
    print("| relation | there: inputs | per input | several | most | commonest ", end="")
    print("| world: inputs | per input | several | most | commonest |")
    print(f"| --- |{' ---: |' * 10}")
    there = {row[0]: row for row in relation_rows(other)}
    for row in relation_rows(world):
        name, _, inputs, *_ = row
        if name in there and min(inputs, there[name][2]) >= LEAST:
            print(f"| {name} | {cells(there[name])} | {cells(row)} |")


def shared(other: KnowledgeGraph, world: KnowledgeGraph) -> None:
    """Inputs that two relations both know, of those that either does."""
    print("\n| left | right | there: both of either | world: both of either |\n| --- | --- | ---: | ---: |")
    for (left, right, *there), (_, _, *here) in zip(
        overlap_rows(other, _PAIRS), overlap_rows(world, _PAIRS), strict=True
    ):
        said = [f"{both:,} of {either:,} ({both / max(1, either):.2f})" for both, either in (there, here)]
        print(f"| {left} | {right} | {' | '.join(said)} |")


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[-1].startswith("taskbench"):
        print("name a graph to compare with: a CoDEx folder, a dump, an endpoint")
        return
    other, world = open_graph(sys.argv[-1]), open_graph("world")
    degrees(other, world)
    shared(other, world)


if __name__ == "__main__":
    main()

"""What a knowledge graph holds for the factual tasks of TaskBench500."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import ClassVar

from taskloom.core import Recipe
from taskloom.core.study import Study, Table
from taskloom.sources.knowledge import KnowledgeGraph, open_graph
from taskloom.sources.knowledge.statistics import overlaps, predicate_statistics, statistics
from taskloom.store.ownership import write_ours

# Pairs whose union the paper studies and whose inputs are not plainly the same people.
_PAIRS = (
    ("creator", "father"),
    ("creator", "location"),
    ("child", "named after"),
    ("influenced by", "named after"),
    ("member of political party", "record label"),
    ("member of sports team", "record label"),
    ("place of death", "position held"),
    ("languages spoken written or signed", "occupation"),
)


class KnowledgeRecipe(Recipe, frozen=True):
    """Which graph to look at.

    Attributes:
        knowledge: `world`, `world:50000`, an RDF file, a folder of triples, or an endpoint.
        limit: The most pairs to fetch of each relation; 0 for all.
        export: Write a fictional world as `world.nt.gz` into the output folder.
    """

    knowledge: str = "world"
    limit: int = 0
    export: bool = False


class KnowledgeStatistics(Study[KnowledgeRecipe]):
    """Counts of every relation and predicate of Table 4 in a knowledge graph."""

    summary: ClassVar[str] = "how many inputs, outputs and several-valued facts a knowledge graph has (Table 4)"
    recipe: ClassVar[Recipe] = KnowledgeRecipe()

    def run(self, recipe: KnowledgeRecipe, seed: int, out: Path | None) -> list[Table]:
        graph = open_graph(recipe.knowledge, seed=seed)
        limit = recipe.limit or None
        if recipe.export and out is not None and recipe.knowledge.startswith("world"):
            _export(recipe.knowledge, seed, out)
        return [_relations(graph, limit), _predicates(graph, limit), _overlaps(graph, limit)]


def _export(source: str, seed: int, out: Path) -> None:
    from taskloom.sources.knowledge.world import open_world

    people = source.partition(":")[2]
    data = open_world(seed, int(people) if people else None).ntriples()
    # No time stamp inside, so that the same world is the same file.
    write_ours(out / "world.nt.gz", gzip.compress(data, mtime=0))


def _relations(graph: KnowledgeGraph, limit: int | None) -> Table:
    rows = statistics(graph, limit=limit)
    return Table(
        title=f"Relations of {graph.store.name}",
        columns=("relation", "id", "inputs", "outputs", "pairs", "per input", "several", "most", "commonest"),
        rows=tuple(tuple(row) for row in rows),
        note="several: share of inputs with several outputs; commonest: share of inputs that have the commonest one.",
    )


def _predicates(graph: KnowledgeGraph, limit: int | None) -> Table:
    rows = predicate_statistics(graph, limit=limit)
    return Table(
        title=f"Predicates of {graph.store.name}",
        columns=("predicate", "value here", "true", "false"),
        rows=tuple(tuple(row) for row in rows),
        note="An entity without a value of the property is in neither column.",
    )


def _overlaps(graph: KnowledgeGraph, limit: int | None) -> Table:
    return Table(
        title=f"Inputs that two relations of {graph.store.name} share",
        columns=("left", "right", "both", "either"),
        rows=tuple(tuple(row) for row in overlaps(graph, _PAIRS, limit=limit)),
    )


STATISTICS = KnowledgeStatistics()

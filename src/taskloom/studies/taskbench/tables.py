"""What a knowledge graph holds for the factual tasks of TaskBench500, and what became of the published tasks."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Table, Value
from taskloom.families.taskbench.builder import Verdict
from taskloom.families.taskbench.family import task_builder
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import open_graph
from taskloom.sources.knowledge.vocabulary import INVERSES, PREDICATES, TABLE_4_RELATIONS, predicate, relation
from taskloom.store.ownership import write_ours
from taskloom.studies.experiment import printed
from taskloom.studies.findings import table_of, table_study


def relation_rows(graph: KnowledgeGraph, limit: int | None = None) -> Iterator[tuple[Value, ...]]:
    """All relations and inverses of the paper by name, as far as so many pairs of each tell."""
    named = {name: relation(name) for name in TABLE_4_RELATIONS}
    named |= {f"{name}[inv]": relation(name, inverse=True) for name in INVERSES}
    for name, query in sorted(named.items()):
        found = graph.function(query, limit=limit)
        sizes, inputs = list(map(len, found.values())), len(found) or 1
        counts = Counter(output for outputs in found.values() for output in outputs)
        several, most = sum(size > 1 for size in sizes), max(sizes, default=0)
        # What always giving the commonest output would score.
        commonest = max(counts.values(), default=0) / inputs
        numbers = (sum(sizes), sum(sizes) / inputs, several / inputs, most, commonest)
        yield name, query.name, len(found), len(counts), *numbers


def predicate_rows(graph: KnowledgeGraph, limit: int | None = None) -> Iterator[tuple[Value, ...]]:
    """All predicates of the paper, with the label that their value has in this graph."""
    for name in PREDICATES:
        query = predicate(name)
        truth = graph.truth(query, limit=limit)
        entity = query.features[0][1]
        value = graph.labels([graph.stand_ins.get(entity, entity)])
        yield name, next(iter(value.values()), "–"), len(truth.true), len(truth.false)


def overlap_rows(
    graph: KnowledgeGraph, pairs: Iterable[tuple[str, str]], limit: int | None = None
) -> Iterator[tuple[str, str, int, int]]:
    """How many inputs two relations both have, and how many either has, for pairs of names."""
    for left, right in pairs:
        first, second = (graph.function(relation(name), limit=limit).keys() for name in (left, right))
        yield left, right, len(first & second), len(first | second)


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


def _knowledge(recipe: KnowledgeRecipe, seed: int, out: Path | None) -> list[Table]:
    """How many inputs, outputs and several-valued facts a knowledge graph has (Table 4)."""
    graph = open_graph(recipe.knowledge, seed=seed)
    limit, name = recipe.limit or None, graph.store.name
    if recipe.export and out is not None and recipe.knowledge.startswith("world"):
        _export(recipe.knowledge, seed, out)
    pairs = printed("taskbench", "unions").pairs()
    return [
        table_of("taskbench/relations", relation_rows(graph, limit), graph=name),
        table_of("taskbench/predicates", predicate_rows(graph, limit), graph=name),
        table_of("taskbench/overlaps", overlap_rows(graph, pairs, limit), graph=name),
    ]


def _export(source: str, seed: int, out: Path) -> None:
    from taskloom.sources.knowledge.world.build import whole_world
    from taskloom.sources.knowledge.world.draft import DEFAULT_PEOPLE, WorldSettings

    people = int(source.partition(":")[2] or DEFAULT_PEOPLE)
    data = whole_world(WorldSettings(seed=seed, people=people)).ntriples()
    # No time stamp inside, so that the same world is the same file.
    write_ours(out / "world.nt.gz", gzip.compress(data, mtime=0))


class StatusRecipe(TaskBenchRecipe, frozen=True, kw_only=True):
    """A suite's recipe, and which part of the list to look at.

    Attributes:
        part: The suite of listed tasks: 500, lexical, factual-closed …
        labels: The paper's labels, or the clean ones.
    """

    part: str = "500"
    labels: Literal["faithful", "clean"] = "faithful"


def _status(recipe: StatusRecipe, seed: int, out: Path | None) -> list[Table]:
    """What became of each of the published tasks, with domain sizes (Tables 4, 6, 7, 8)."""
    shop = task_builder(recipe.part, recipe, seed)
    verdict = shop.everything()
    engine = shop.engines.lexical
    sizes: list[tuple[Value, ...]] = [
        (f"input words, {language}", len(engine.vocabulary[language]), count)
        for language, count in printed("taskbench", "words").pairs()
    ]
    for name, count in printed("taskbench", "domains").pairs():
        sizes.append((name, engine.relation(parse(name)).domain, count))
    listed = [(one.name, one.entry.table, one.state, one.reason, one.domain, one.samples) for one in verdict]
    tables = [_summary(verdict), table_of("taskbench/domains", sizes), table_of("taskbench/listed", listed)]
    if out is not None:
        write_ours(out / "status.json", msgspec.json.format(msgspec.json.encode(tables), indent=1))
    return tables


def _summary(verdict: list[Verdict]) -> Table:
    """States by table, and the listed tasks in all."""
    states = sorted({one.state for one in verdict}, key=lambda state: (state != "built", state))
    found: dict[str, Counter[str]] = {}
    for one in verdict:
        found.setdefault(one.entry.table or "your own", Counter())[one.state] += 1
    found["all"] = sum(found.values(), Counter[str]())
    rows = [(table, counts.total(), *(counts[state] for state in states)) for table, counts in found.items()]
    return table_of("taskbench/states", rows, states=states)


STATISTICS = table_study(KnowledgeRecipe(), _knowledge)
STATUS = table_study(StatusRecipe(), _status)

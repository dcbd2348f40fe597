"""What a knowledge graph holds for the factual tasks of TaskBench500."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from taskloom.core import Recipe
from taskloom.core.study import Study, Table, Value
from taskloom.families.taskbench.family import workshop
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.families.taskbench.workshop import Verdict
from taskloom.sources.knowledge import KnowledgeGraph, open_graph
from taskloom.sources.knowledge.statistics import overlaps, predicate_statistics, statistics
from taskloom.store.outputs import write_ours
from taskloom.studies.papers import printed

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


class StatusRecipe(TaskBenchRecipe, frozen=True, kw_only=True):
    """A suite's recipe, and which part of the list to look at.

    Attributes:
        part: The suite of listed tasks: 500, lexical, factual-closed …
        labels: The paper's labels, or the clean ones.
    """

    part: str = "500"
    labels: Literal["faithful", "clean"] = "faithful"


class Status(Study[StatusRecipe]):
    """Judges every listed task and counts the domains of the lexical atoms."""

    summary: ClassVar[str] = "what became of each of the published tasks, with domain sizes (Tables 4, 6, 7, 8)"
    recipe: ClassVar[Recipe] = StatusRecipe()

    def run(self, recipe: StatusRecipe, seed: int, out: Path | None) -> list[Table]:
        shop = workshop(recipe.part, recipe, seed)
        verdict = shop.everything()
        engine = shop.materials.lexical
        words: list[tuple[Value, ...]] = [
            (f"input words, {language}", len(engine.vocabulary[str(language)]), count)
            for language, count in printed("taskbench", "words").rows
        ]
        domains: list[tuple[Value, ...]] = [
            (name, engine.relation(parse(str(name)))[1], count) for name, count in printed("taskbench", "domains").rows
        ]
        tables = [
            _summary(verdict),
            Table(
                "Input words and domains of the lexical atoms",
                ("atom", "inputs here", "inputs in the paper's setting"),
                (*words, *domains),
                "With -T resources=DIR, a folder that holds WordNet 3.0, the Spanish wordnet, Brown and CESS-ESP, "
                "the two columns are equal.",
            ),
            Table(
                "Every task of the list",
                ("task", "table", "state", "reason", "domain", "samples"),
                tuple((one.name, one.entry.table, one.state, one.reason, one.domain, one.samples) for one in verdict),
            ),
        ]
        if out is not None:
            write_ours(out / "status.json", msgspec.json.format(msgspec.json.encode(tables), indent=1))
        return tables


def _summary(verdict: list[Verdict]) -> Table:
    """States by table, and the listed tasks in all."""
    states = sorted({one.state for one in verdict}, key=lambda state: (state != "built", state))
    found: dict[str, Counter[str]] = {}
    for one in verdict:
        found.setdefault(one.entry.table or "your own", Counter())[one.state] += 1
    rows: list[tuple[Value, ...]] = [
        (table, sum(counts.values()), *(counts[state] for state in states)) for table, counts in found.items()
    ]
    total = sum((counts for counts in found.values()), Counter[str]())
    rows.append(("all", sum(total.values()), *(total[state] for state in states)))
    return Table("What became of the listed tasks", ("table", "listed", *states), tuple(rows))


STATUS = Status()

"""Speed of the knowledge source: worlds, queries, dumps. CPU time, both sides measured in the same run.

Run with `PYTHONPATH=src python benchmarks/knowledge.py`.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from taskloom.algebra import CHAIN, UNION
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import load_rdf, load_truthy
from taskloom.sources.knowledge.sparql import compile_pairs
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.vocabulary import PREDICATES, TABLE_4_RELATIONS, predicate, relation
from taskloom.sources.knowledge.world.build import Chapter, whole_world
from taskloom.sources.knowledge.world.draft import WorldSettings


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def graph_of(world: Chapter) -> KnowledgeGraph:
    """All of a world in a database."""
    store = LocalStore(name="world")
    store.load(world.ntriples())
    return KnowledgeGraph(store, stand_ins=world.stand_ins, labels=world.labels)


def worlds() -> Chapter:
    """Building is linear in the number of people."""
    small = cpu(lambda: whole_world(WorldSettings(people=6_000)))
    large = cpu(lambda: whole_world(WorldSettings(people=48_000)))
    print(f"world of 6,000 people      {small:6.2f} s")
    print(f"world of 48,000 people     {large:6.2f} s   x{large / small:.1f} for 8 times the people")
    world = whole_world(WorldSettings())
    build = cpu(lambda: whole_world(WorldSettings()))
    print(
        f"default world              {build:6.2f} s   {len(world.labels):,} entities, {len(world.triples):,} statements"
    )
    print(f"into the store             {cpu(lambda: graph_of(world)):6.2f} s")
    return world


def functions(world: Chapter) -> None:
    """A whole function as one query, against one query per input as the published generator asks."""
    graph = graph_of(world)
    for name, query in (
        ("mother(mother)", CHAIN(relation("mother"), relation("mother"))),
        ("union(child, named after)", UNION(relation("child"), relation("named after"))),
    ):
        inputs = list(graph.function(query))
        store = graph.store

        def one(query=query, store=store) -> None:
            for _ in store.select(compile_pairs(query), ("x", "y")):
                pass

        def each(query=query, store=store, inputs=inputs) -> None:
            for short in inputs:
                for _ in store.select(compile_pairs(query, [short]), ("x", "y")):
                    pass

        whole, single = cpu(one), cpu(each)
        print(
            f"{name:26} {whole:6.2f} s   {len(inputs):,} inputs; one query each: {single:.2f} s, x{single / whole:.0f}"
        )
    atoms = [relation(name) for name in TABLE_4_RELATIONS]
    fresh = graph_of(whole_world(WorldSettings(seed=1)))
    print(f"33 relations on labels     {cpu(lambda: [fresh.words(query) for query in atoms]):6.2f} s")
    tests = [predicate(name) for name in PREDICATES]
    print(f"15 predicates on labels    {cpu(lambda: [fresh.word_truth(query) for query in tests]):6.2f} s")


def dumps() -> None:
    """Reading a dump selectively, against keeping all of it; and the memory the reader itself needs."""
    entity, direct = "http://www.wikidata.org/entity/Q", "http://www.wikidata.org/prop/direct/P"
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    # Per entity one label and one statement that are wanted among eight lines that are not.
    noise = "".join(
        f'<{entity}{n}> <{label}> "thing {n}"@en .\n<{entity}{n}> <{direct}25> <{entity}{n + 1}> .\n'
        + "".join(f'<{entity}{n}> <{label}> "chose {n}"@{tag} .\n' for tag in ("fr", "de", "es", "pt-br"))
        + "".join(f"<{entity}{n}> <{direct}9{n % 97:02d}{k}> <{entity}{n + k}> .\n" for k in range(4))
        for n in range(1, 30_001)
    ).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truthy.nt"
        path.write_bytes(noise)

        chosen, everything = cpu(lambda: load_truthy(path)), cpu(lambda: load_rdf(path))
        rate = 300_000 / chosen
        print(
            f"dump of 300,000 lines      {chosen:6.2f} s   {rate:,.0f} lines/s; keeping all: x{everything / chosen:.1f}"
        )
        tracemalloc.start()
        load_truthy(path)
        print(f"peak memory of the reader  {tracemalloc.get_traced_memory()[1] / 1e6:6.2f} MB")
        tracemalloc.stop()


def main() -> None:
    world = worlds()
    functions(world)
    dumps()


if __name__ == "__main__":
    main()

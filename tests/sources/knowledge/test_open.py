"""Graphs by name, kept graphs, statistics."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from drawn_worlds import DrawnWorld
from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.sources.knowledge.open import keep_graph, open_graph
from taskloom.sources.knowledge.vocabulary import relation
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.studies.taskbench.tables import KnowledgeRecipe, overlap_rows, predicate_rows, relation_rows


def test_worlds_by_name() -> None:
    graph = open_graph("world:300", seed=4)
    assert graph is open_graph("world:300", seed=4)
    assert graph.words(relation("mother")) != open_graph("world:300", seed=5).words(relation("mother"))


@pytest.mark.parametrize("source", ["wrld", "world:many", "/no/such/file.nt"])
def test_names_that_are_no_graph(source: str) -> None:
    with pytest.raises(UserError):
        open_graph(source)


def test_a_kept_graph_opens_again_and_is_not_overwritten(tmp_path: Path) -> None:
    world = DrawnWorld(WorldSettings(seed=1, people=200))
    file = tmp_path / "world.nt.gz"
    file.write_bytes(gzip.compress(world.ntriples()))
    count = keep_graph(file, tmp_path / "kept")
    assert count == len(world.triples) + len(world.labels) + len(world.stand_ins)
    first, second = open_graph(str(tmp_path / "kept")), open_graph(str(tmp_path / "kept"))
    assert first.words(relation("child")) == second.words(relation("child")) == world.graph.words(relation("child"))
    with pytest.raises(UserError, match="not empty"):
        keep_graph(file, tmp_path / "kept")


def test_statistics_count_what_is_there() -> None:
    world = DrawnWorld(WorldSettings(seed=2, people=300))
    heads = ("name", "id", "inputs", "outputs", "pairs", "mean", "several", "most", "commonest")
    rows = {row[0]: dict(zip(heads, row, strict=True)) for row in relation_rows(world.graph)}
    mothers = [(s, o) for s, p, o in world.triples if p == "P25"]
    assert rows["mother"]["inputs"] == rows["mother"]["pairs"] == len(mothers)
    assert rows["mother[inv]"]["inputs"] == len({o for _, o in mothers})
    children: dict[str, int] = {}
    for s, p, _ in world.triples:
        if p == "P40":
            children[s] = children.get(s, 0) + 1
    assert rows["child"]["most"] == max(children.values())
    assert rows["child"]["several"] == pytest.approx(sum(n > 1 for n in children.values()) / len(children))
    (true,) = (true for name, _, true, _ in predicate_rows(world.graph) if name == "is-instance-human")
    assert true == 300
    ((_, _, both, _),) = overlap_rows(world.graph, [("mother", "father")])
    assert both == len({s for s, _ in mothers} & {s for s, p, _ in world.triples if p == "P22"})


def test_the_study_prints_tables_and_exports_the_world(tmp_path: Path) -> None:
    study = STUDIES.get("taskbench/knowledge")
    recipe = KnowledgeRecipe(knowledge="world:200", export=True)
    tables = study.run(recipe, 6, tmp_path)
    assert [len(table.rows) for table in tables] == [39, 15, 8]
    data = gzip.decompress((tmp_path / "world.nt.gz").read_bytes())
    assert data == DrawnWorld(WorldSettings(seed=6, people=200)).ntriples()

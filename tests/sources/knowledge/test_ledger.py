"""A ledger says what the database says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drawn_worlds import DrawnWorld
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.sparql import compile_pairs, compile_truth
from taskloom.sources.knowledge.terms import LABEL, STANDS_FOR, quote
from taskloom.sources.knowledge.vocabulary import predicate, relation
from taskloom.sources.knowledge.world import build as module
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.sources.knowledge.world.ledger import Ledger, WorldStore, ledger_graph

SETTINGS = WorldSettings(seed=5, people=200)


@pytest.fixture(scope="module")
def world():
    return DrawnWorld(SETTINGS)


@pytest.fixture(scope="module")
def store(world):
    return WorldStore(SETTINGS, Ledger.of(world.triples, world.labels, world.stand_ins))


def test_every_pattern_finds_the_same_statements(world, store):
    chosen = [*world.triples[::97], *world.triples[-3:]]
    entity, label = next(iter(world.labels.items()))
    chosen += [(entity, LABEL, quote(label, "en")), (entity, LABEL, quote(label))]
    chosen += [(entity, STANDS_FOR, real) for real, entity in list(world.stand_ins.items())[:3]]
    chosen += [("F999999", "P22", "F999998"), (entity, "P999", '"1900-01-01"')]
    for triple in chosen:
        for bits in range(1, 8):
            pattern = [end if bits >> place & 1 else None for place, end in enumerate(triple)]
            assert sorted(store.lookup(*pattern)) == sorted(world.store.lookup(*pattern)), pattern


def test_the_whole_ledger_is_the_whole_world(world, store):
    assert sorted(store.lookup(None, None, None)) == sorted(world.store.lookup(None, None, None))
    assert len(store) == len(world.store)


def test_atoms_need_no_database_and_mean_what_it_says(world, store, monkeypatch):
    graph = KnowledgeGraph(store, stand_ins=world.stand_ins, labels=world.labels)
    queries = [replace(relation(name), inverse=inverse) for name in ("mother", "genre") for inverse in (False, True)]
    expected = [world.graph._collect(compile_pairs(query, tables=True), None) for query in queries]
    texts = [compile_truth(world.graph.ground(predicate("is-occupation-actor")), wanted) for wanted in (True, False)]
    truth = tuple(world.graph._members(text, None) for text in texts)
    monkeypatch.setattr(WorldStore, "select", lambda *_, **__: pytest.fail("the database was asked"))
    assert [graph.function(query) for query in queries] == expected
    assert graph.truth(predicate("is-occupation-actor")) == truth
    assert all(truth)


def test_a_world_is_drawn_once_and_then_opened(tmp_path, monkeypatch, world):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    mother = relation("mother")
    ledger_graph.cache_clear()
    first = ledger_graph(SETTINGS)
    ledger_graph.cache_clear()
    monkeypatch.setattr(module, "whole_world", lambda *_: pytest.fail("drawn again"))
    again = ledger_graph(SETTINGS)
    people = [x for x in world.labels if x.startswith("F")]
    for graph in (first, again):
        assert graph.stand_ins == world.stand_ins
        assert graph.labels(people) == world.graph.labels(people)
        assert graph.outputs(mother, people) == world.graph.outputs(mother, people)
        assert graph.statements(people, ["P22", "P569", "P27"]) == world.graph.statements(
            people, ["P22", "P569", "P27"]
        )
        names = list(world.labels.values())[::7]
        assert graph.named(names) == world.graph.named(names)
    assert again.words(mother) == world.graph.words(mother)
    # SPARQL: the database is filled now, from the ledger.
    everything = "SELECT DISTINCT ?x ?p ?y WHERE { ?x ?p ?y }"
    ours, theirs = (sorted(one.select(everything, ("x", "p", "y"))) for one in (again.store, world.store))
    assert ours == theirs
    ledger_graph.cache_clear()

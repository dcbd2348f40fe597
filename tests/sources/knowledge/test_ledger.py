"""A ledger says what the database says."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from drawn_worlds import DrawnWorld
from taskloom.algebra import CHAIN, COMPLEMENT, IF, INTERSECTION, SUBSET, UNION
from taskloom.core import UserError
from taskloom.sources.knowledge import open_graph
from taskloom.sources.knowledge.graph import KnowledgeGraph, find_property
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


def test_expressions_need_no_database_and_mean_what_it_says(world, store, monkeypatch):
    graph = KnowledgeGraph(store, stand_ins=world.stand_ins, labels=world.labels)
    actor, mother, father, child = predicate("is-occupation-actor"), *map(relation, ("mother", "father", "child"))
    relations = [replace(relation(name), inverse=inverse) for name in ("mother", "genre") for inverse in (False, True)]
    relations += [CHAIN(father, mother), UNION(child, father), IF(actor, father, mother)]
    relations += [INTERSECTION(CHAIN(child, father), COMPLEMENT(CHAIN(child, mother)))]
    predicates = [actor, CHAIN(actor, father), SUBSET(CHAIN(child, father), CHAIN(child, mother))]
    expected = [(world.graph.function(query), world.graph.words(query)) for query in relations]
    truths = [(world.graph.truth(query), world.graph.word_truth(query)) for query in predicates]
    limited = [world.graph.words(query, limit=40) for query in relations]
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    assert [(graph.function(query), graph.words(query)) for query in relations] == expected
    assert [(graph.truth(query), graph.word_truth(query)) for query in predicates] == truths
    assert [graph.words(query, limit=40) for query in relations] == limited
    assert all(truth.true and truth.false for truth, _ in truths)
    with pytest.raises(UserError, match="property"):
        find_property(graph, "no such property")


def test_graphs_of_ones_own_name_the_extra_that_reads_them(tmp_path, monkeypatch):
    (tmp_path / "one.nt").write_text("")
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    for source in (str(tmp_path / "one.nt"), "world:50000"):
        with pytest.raises(UserError, match="pyoxigraph") as error:
            open_graph(source)
        assert "[graphs]" in error.value.hint


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
    with pytest.raises(UserError, match="SPARQL"):
        again.store.select("SELECT DISTINCT ?x ?p ?y WHERE { ?x ?p ?y }", ("x", "p", "y"))
    ledger_graph.cache_clear()

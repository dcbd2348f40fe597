"""SPARQL answers equal a plain evaluation over the same triples."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from taskloom.algebra import (
    CHAIN,
    COMPLEMENT,
    EMPTY,
    EQ,
    IDENTITY,
    IF,
    IN,
    INTERSECTION,
    LAND,
    LNOT,
    LOR,
    SUBSET,
    UNION,
    Atom,
    depth,
    signature,
)
from taskloom.core import UserError
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, quote
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.sources.knowledge.world.ledger import Ledger, WorldStore

spec = importlib.util.spec_from_file_location("oracle", Path(__file__).with_name("oracle.py"))
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)

ENTITIES = [f"Q{n}" for n in range(1, 9)]
PROPERTIES = ["P1", "P2", "P3"]

triples = st.sets(st.tuples(*map(st.sampled_from, (ENTITIES, PROPERTIES, ENTITIES))), max_size=30)


def relation(name: str, inverse: bool = False) -> Atom:
    return Atom(name, inverse=inverse)


def states(name: str, value: str) -> Atom:
    return Atom("is", ((name, value),))


atoms = st.builds(relation, st.sampled_from(PROPERTIES), st.booleans())
tests = st.builds(states, st.sampled_from(PROPERTIES), st.sampled_from(ENTITIES))


def deeper(parts):
    several = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        st.builds(CHAIN, parts, parts),
        several.map(lambda found: UNION(*found)),
        several.map(lambda found: INTERSECTION(*found)),
        parts.map(COMPLEMENT),
        st.builds(IF, tests, parts, parts),
    )


relations_2 = st.one_of(atoms, deeper(atoms))
relations_3 = st.one_of(relations_2, deeper(relations_2))
maybe = st.one_of(st.builds(IDENTITY), relations_2)
comparisons = st.one_of(
    *(st.builds(kind, relations_2, maybe) for kind in (IN, SUBSET, EQ)),
    *(st.builds(kind, maybe, relations_2) for kind in (IN, SUBSET, EQ)),
    st.lists(atoms, min_size=2, max_size=3).map(lambda parts: EMPTY(INTERSECTION(*parts))),
)
predicates_2 = st.one_of(
    tests,
    tests.map(LNOT),
    st.builds(LAND, tests, tests),
    st.builds(LOR, tests, tests),
    st.builds(CHAIN, tests, atoms),
    comparisons,
)
predicates_3 = st.one_of(
    predicates_2,
    predicates_2.map(LNOT),
    st.builds(LAND, predicates_2, predicates_2, tests),
    st.builds(LOR, predicates_2, predicates_2, tests),
    st.builds(LAND, predicates_2, predicates_2),
    st.builds(LOR, predicates_2, predicates_2),
    st.builds(CHAIN, predicates_2, relations_2),
)


def graph_of(
    facts: set[tuple[str, str, str]], labels: dict[str, str] | None = None, store: LocalStore | None = None
) -> KnowledgeGraph:
    store = LocalStore() if store is None else store
    lines = [f"<{ENTITY}{s}> <{PROPERTY}{p}> <{ENTITY}{o}> ." for s, p, o in sorted(facts)]
    lines += [f"<{ENTITY}{e}> <{LABEL}> {quote(text, 'en')} ." for e, text in (labels or {}).items()]
    store.load("\n".join(lines).encode())
    return KnowledgeGraph(store)


def ledger_of(facts: set[tuple[str, str, str]]) -> KnowledgeGraph:
    """The same statements, only looked up."""
    return KnowledgeGraph(WorldStore(WorldSettings(), Ledger.of(sorted(facts), {}, {})), stand_ins={})


@settings(max_examples=120, deadline=None)
@given(triples, st.one_of(relations_3, predicates_3), st.none() | st.integers(1, 12))
def test_joined_tables_give_what_a_database_does(facts, query, limit) -> None:
    near, joined = graph_of(facts), ledger_of(facts)
    ask = "truth" if signature(query).predicate else "function"
    assert getattr(near, ask)(query, limit=limit) == getattr(joined, ask)(query, limit=limit)
    if ask == "function":
        assert near.outputs(query, ENTITIES[:4]) == joined.outputs(query, ENTITIES[:4])


@settings(max_examples=300, deadline=None)
@given(triples, relations_3)
def test_relations(facts, query) -> None:
    expected = {x: tuple(sorted(oracle.outputs(query, x, facts))) for x in ENTITIES}
    assert graph_of(facts).function(query) == {x: ys for x, ys in expected.items() if ys}


_HALF = frozenset({("Q1", "P1", "Q1"), ("Q1", "P1", "Q2")})


@settings(max_examples=300, deadline=None)
@given(triples, predicates_3)
@example(_HALF, LOR(states("P1", "Q1"), IN(relation("P1"), IDENTITY())))
def test_predicates(facts, query) -> None:
    values = {x: oracle.truth(query, x, facts) for x in ENTITIES}
    found = graph_of(facts).truth(query)
    assert found.true == tuple(sorted(x for x, value in values.items() if value is True))
    assert found.false == tuple(sorted(x for x, value in values.items() if value is False))


class Faraway(LocalStore):
    """A store that is asked the way endpoints are."""

    local = False


@settings(max_examples=120, deadline=None)
@given(triples, st.one_of(relations_3, predicates_3))
def test_endpoints_are_asked_in_other_words_with_the_same_meaning(facts, query) -> None:
    near, far = graph_of(facts), graph_of(facts, store=Faraway())
    ask = "truth" if signature(query).predicate else "function"
    assert getattr(near, ask)(query) == getattr(far, ask)(query)


@settings(max_examples=60, deadline=None)
@given(triples, relations_3, st.integers(1, 12))
def test_a_limit_never_cuts_the_outputs_of_an_input(facts, query, limit) -> None:
    graph = graph_of(facts)
    whole, part = graph.function(query), graph.function(query, limit=limit)
    assert part.items() <= whole.items()
    assert sum(map(len, part.values())) <= limit


def test_an_entity_with_two_occupations_is_never_a_negative_of_either() -> None:
    graph = graph_of({("Q1", "P1", "Q5"), ("Q1", "P1", "Q6"), ("Q2", "P1", "Q6"), ("Q3", "P2", "Q5")})
    assert graph.truth(states("P1", "Q5")) == (("Q1",), ("Q2",))
    assert graph.truth(states("P1", "Q6")) == (("Q1", "Q2"), ())


def test_a_union_keeps_inputs_that_have_only_one_side() -> None:
    graph = graph_of({("Q1", "P1", "Q5"), ("Q2", "P2", "Q6"), ("Q3", "P1", "Q7"), ("Q3", "P2", "Q7")})
    assert graph.function(UNION(relation("P1"), relation("P2"))) == {"Q1": ("Q5",), "Q2": ("Q6",), "Q3": ("Q7",)}


def test_deep_queries_work() -> None:
    facts = {(f"Q{n}", "P1", f"Q{n + 1}") for n in range(1, 40)}
    query = relation("P1")
    for level in range(29):
        query = CHAIN(relation("P1"), query) if level % 2 else UNION(query, relation("P9"))
    assert depth(query) > 29 and not signature(query).predicate
    assert graph_of(facts).function(query)["Q1"] == ("Q16",)


def test_labels_belong_to_their_ids_whatever_the_order() -> None:
    labels = {"Q1": "Zed", "Q2": "Yvo", "Q3": "Ann", "Q4": "Bob"}
    graph = graph_of({("Q1", "P1", "Q3"), ("Q1", "P1", "Q4"), ("Q2", "P1", "Q4")}, labels)
    assert graph.words(relation("P1")) == {"Yvo": ("Bob",), "Zed": ("Ann", "Bob")}


def test_an_input_label_of_two_entities_is_not_asked() -> None:
    labels = {"Q1": "Ann", "Q2": "Ann", "Q3": "Bob", "Q4": "Cid", "Q5": "Dot"}
    facts = {("Q1", "P1", "Q4"), ("Q2", "P1", "Q5"), ("Q3", "P1", "Q4")}
    graph = graph_of(facts, labels)
    assert graph.words(relation("P1")) == {"Bob": ("Cid",)}
    assert graph.word_truth(states("P1", "Q4")) == (("Bob",), ())
    assert graph.find("Ann") == ("Q1", "Q2")


@pytest.mark.parametrize(
    ("node", "word"),
    [
        (relation("P1> ?y . ?a ?b ?c } #"), "property"),
        (states("P1", "Q1> . } DROP ALL #"), "entity"),
        (states("P1", "writer"), "entity"),
        (states("P1", '"never closed'), "entity"),
    ],
)
def test_text_that_is_no_id_never_reaches_a_query(node, word) -> None:
    graph = graph_of({("Q1", "P1", "Q2")})
    with pytest.raises(UserError, match=word):
        graph.truth(node) if signature(node).predicate else graph.function(node)


def test_the_wrong_question_is_refused() -> None:
    graph = graph_of({("Q1", "P1", "Q2")})
    with pytest.raises(UserError, match="truth"):
        graph.function(states("P1", "Q2"))
    with pytest.raises(UserError, match="function"):
        graph.truth(relation("P1"))

"""SPARQL answers equal a plain evaluation over the same triples."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.core import UserError
from taskloom.sources.knowledge import (
    At,
    Chain,
    Compare,
    Complement,
    Disjoint,
    Intersection,
    Is,
    KnowledgeGraph,
    Land,
    Lnot,
    LocalStore,
    Lor,
    Relation,
    Union,
)
from taskloom.sources.knowledge.query import depth, is_relation
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, quote

spec = importlib.util.spec_from_file_location("oracle", Path(__file__).with_name("oracle.py"))
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)

ENTITIES = [f"Q{n}" for n in range(1, 9)]
PROPERTIES = ["P1", "P2", "P3"]

triples = st.sets(st.tuples(*map(st.sampled_from, (ENTITIES, PROPERTIES, ENTITIES))), max_size=30)
atoms = st.builds(Relation, st.sampled_from(PROPERTIES), st.booleans())
tests = st.builds(Is, st.sampled_from(PROPERTIES), st.sampled_from(ENTITIES))


def deeper(parts):
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: Chain(*p)),
        two.map(lambda p: Union(*p)),
        two.map(lambda p: Intersection(*p)),
        parts.map(Complement),
    )


relations_2 = st.one_of(atoms, deeper(atoms))
relations_3 = st.one_of(relations_2, deeper(relations_2))
maybe = st.one_of(st.none(), relations_2)
kinds = st.sampled_from(["in", "subset", "eq"])
comparisons = st.one_of(
    st.builds(Compare, kinds, relations_2, maybe),
    st.builds(Compare, kinds, maybe, relations_2),
    st.lists(atoms, min_size=2, max_size=3).map(lambda parts: Disjoint(tuple(parts))),
)
predicates_2 = st.one_of(
    tests,
    tests.map(Lnot),
    st.builds(Land, tests, tests),
    st.builds(Lor, tests, tests),
    st.builds(At, tests, atoms),
    comparisons,
)
predicates_3 = st.one_of(
    predicates_2,
    predicates_2.map(Lnot),
    st.builds(Land, predicates_2, predicates_2),
    st.builds(Lor, predicates_2, predicates_2),
    st.builds(At, predicates_2, relations_2),
)


def graph_of(
    facts: set[tuple[str, str, str]], labels: dict[str, str] | None = None, store: LocalStore | None = None
) -> KnowledgeGraph:
    store = LocalStore() if store is None else store
    lines = [f"<{ENTITY}{s}> <{PROPERTY}{p}> <{ENTITY}{o}> ." for s, p, o in sorted(facts)]
    lines += [f"<{ENTITY}{e}> <{LABEL}> {quote(text, 'en')} ." for e, text in (labels or {}).items()]
    store.load("\n".join(lines).encode())
    return KnowledgeGraph(store)


@settings(max_examples=800, deadline=None)
@given(triples, relations_3)
def test_relations(facts, query) -> None:
    expected = {x: tuple(sorted(oracle.outputs(query, x, facts))) for x in ENTITIES}
    assert graph_of(facts).function(query) == {x: ys for x, ys in expected.items() if ys}


@settings(max_examples=800, deadline=None)
@given(triples, predicates_3)
def test_predicates(facts, query) -> None:
    values = {x: oracle.truth(query, x, facts) for x in ENTITIES}
    found = graph_of(facts).truth(query)
    assert found.true == tuple(sorted(x for x, value in values.items() if value is True))
    assert found.false == tuple(sorted(x for x, value in values.items() if value is False))


class Faraway(LocalStore):
    """A store that is asked the way endpoints are."""

    local = False


@settings(max_examples=300, deadline=None)
@given(triples, st.one_of(relations_3, predicates_3))
def test_endpoints_are_asked_in_other_words_with_the_same_meaning(facts, query) -> None:
    near, far = graph_of(facts), graph_of(facts, store=Faraway())
    ask = "function" if is_relation(query) else "truth"
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
    assert graph.truth(Is("P1", "Q5")) == (("Q1",), ("Q2",))
    assert graph.truth(Is("P1", "Q6")) == (("Q1", "Q2"), ())


def test_a_union_keeps_inputs_that_have_only_one_side() -> None:
    graph = graph_of({("Q1", "P1", "Q5"), ("Q2", "P2", "Q6"), ("Q3", "P1", "Q7"), ("Q3", "P2", "Q7")})
    assert graph.function(Union(Relation("P1"), Relation("P2"))) == {"Q1": ("Q5",), "Q2": ("Q6",), "Q3": ("Q7",)}


def test_deep_queries_work() -> None:
    facts = {(f"Q{n}", "P1", f"Q{n + 1}") for n in range(1, 40)}
    query = Relation("P1")
    for level in range(29):
        query = Chain(Relation("P1"), query) if level % 2 else Union(query, Relation("P9"))
    assert depth(query) > 29 and is_relation(query)
    assert graph_of(facts).function(query)["Q1"] == ("Q16",)


def test_labels_belong_to_their_ids_whatever_the_order() -> None:
    labels = {"Q1": "Zed", "Q2": "Yvo", "Q3": "Ann", "Q4": "Bob"}
    graph = graph_of({("Q1", "P1", "Q3"), ("Q1", "P1", "Q4"), ("Q2", "P1", "Q4")}, labels)
    assert graph.words(Relation("P1")) == {"Yvo": ("Bob",), "Zed": ("Ann", "Bob")}


def test_an_input_label_of_two_entities_is_not_asked() -> None:
    labels = {"Q1": "Ann", "Q2": "Ann", "Q3": "Bob", "Q4": "Cid", "Q5": "Dot"}
    facts = {("Q1", "P1", "Q4"), ("Q2", "P1", "Q5"), ("Q3", "P1", "Q4")}
    graph = graph_of(facts, labels)
    assert graph.words(Relation("P1")) == {"Bob": ("Cid",)}
    assert graph.word_truth(Is("P1", "Q4")) == (("Bob",), ())
    assert graph.find("Ann") == ("Q1", "Q2")


@pytest.mark.parametrize(
    ("node", "word"),
    [
        (Relation("P1> ?y . ?a ?b ?c } #"), "property"),
        (Is("P1", "Q1> . } DROP ALL #"), "entity"),
        (Is("P1", "writer"), "entity"),
        (Is("P1", '"never closed'), "entity"),
    ],
)
def test_text_that_is_no_id_never_reaches_a_query(node, word) -> None:
    graph = graph_of({("Q1", "P1", "Q2")})
    with pytest.raises(UserError, match=word):
        graph.function(node) if is_relation(node) else graph.truth(node)


def test_the_wrong_question_is_refused() -> None:
    graph = graph_of({("Q1", "P1", "Q2")})
    with pytest.raises(UserError, match="truth"):
        graph.function(Is("P1", "Q2"))
    with pytest.raises(UserError, match="function"):
        graph.truth(Relation("P1"))

"""Factual expressions: one SPARQL query each, against a plain evaluation over the statements of the same world."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.algebra import (
    CHAIN,
    COMPLEMENT,
    EMPTY,
    EQ,
    IDENTITY,
    IN,
    INTERSECTION,
    LAND,
    LNOT,
    LOR,
    SUBSET,
    UNION,
    Atom,
    Expression,
    Node,
)
from taskloom.core import UserError
from taskloom.families.taskbench.facts import FactualEngine
from taskloom.families.taskbench.instructions import given as handed
from taskloom.families.taskbench.language import parse
from taskloom.sources.knowledge.open import open_graph
from taskloom.sources.knowledge.vocabulary import PREDICATES, relation

NAMES = ("father", "mother", "child", "occupation", "place of birth", "influenced by", "named after", "creator")
VALUES = [
    parse(name) for name in ("is-occupation-actor", "is-occupation-writer", "is-birthplace-nyc", "is-instance-human")
]


@pytest.fixture(scope="module")
def engine() -> FactualEngine:
    return FactualEngine(open_graph("world:200"))


class Plain:
    def __init__(self, engine: FactualEngine) -> None:
        self.pairs = {name: engine.graph.function(relation(name)) for name in (*NAMES, "instance of")}
        self.stand_ins = engine.graph.stand_ins
        inverse: dict[str, dict[str, set[str]]] = {name: {} for name in self.pairs}
        for name, rows in self.pairs.items():
            for x, ys in rows.items():
                for y in ys:
                    inverse[name].setdefault(y, set()).add(x)
        self.inverse = inverse

    def whole(self, node: Expression) -> dict[str, set[str]]:
        match node:
            case Atom(name, inverse=True):
                return self.inverse[name]
            case Atom(name):
                return {x: set(ys) for x, ys in self.pairs[name].items()}
            case Node("chain", (outer, inner)):
                after, before = self.whole(outer), self.whole(inner)
                found = {x: {y for z in zs for y in after.get(z, ())} for x, zs in before.items()}
                return {x: ys for x, ys in found.items() if ys}
            case Node("union", parts) | Node("intersection", parts):
                tables = [self.whole(part) for part in parts]
                join = set.union if node.operator == "union" else set.intersection
                inputs = {x for table in tables for x in table}
                found = {x: join(*(table.get(x, set()) for table in tables)) for x in inputs}
                return {x: ys for x, ys in found.items() if ys}
            case Node("complement", (part,)):
                table = self.whole(part)
                everything = {y for ys in table.values() for y in ys}
                return {x: everything - ys for x, ys in table.items() if everything - ys}
        raise TypeError(node)

    def truth(self, node: Expression) -> dict[str, bool]:
        match node:
            case Atom("is", features):
                key, value = features[0]
                term = next(t for t in PREDICATES.values() if t.relation == key and t.value.lower() == value)
                entity = self.stand_ins.get(term.entity, term.entity)
                return {x: entity in ys for x, ys in self.pairs[key].items()}
            case Node("lnot", (part,)):
                return {x: not value for x, value in self.truth(part).items()}
            case Node("land", parts) | Node("lor", parts):
                tables = [self.truth(part) for part in parts]
                inputs = set.intersection(*map(set, tables))
                join = all if node.operator == "land" else any
                return {x: join(table[x] for table in tables) for x in inputs}
            case Node("chain", (outer, inner)):
                table = self.truth(outer)
                found = {x: {table.get(y) for y in ys} for x, ys in self.whole(inner).items()}
                return {x: values == {True} for x, values in found.items() if values in ({True}, {False})}
            case Node("in" | "subset" | "eq" as name, (left, right)):
                after = self.whole(right)
                before = {x: {x} for x in after} if left == IDENTITY() else self.whole(left)
                both = {x: (before[x], after[x]) for x in before if x in after}
                if name == "in":
                    return {x: a <= b for x, (a, b) in both.items() if a <= b or not a & b}
                return {x: a <= b if name == "subset" else a == b for x, (a, b) in both.items()}
            case Node("empty", (Node("intersection", parts),)):
                tables = [self.whole(part) for part in parts]
                inputs = set.intersection(*map(set, tables))
                return {x: not set.intersection(*(table[x] for table in tables)) for x in inputs}
        raise TypeError(node)


@pytest.fixture(scope="module")
def plain(engine: FactualEngine) -> Plain:
    return Plain(engine)


atoms = st.builds(Atom, st.sampled_from(NAMES), st.just(()), st.just(""), st.booleans())
relations = st.recursive(
    atoms,
    lambda below: st.one_of(
        st.builds(CHAIN, atoms, below),
        st.tuples(below, below).map(lambda parts: UNION(*parts)),
        st.tuples(below, below, atoms).map(lambda parts: UNION(*parts)),
        st.tuples(below, below).map(lambda parts: INTERSECTION(*parts)),
        st.tuples(below, atoms.map(COMPLEMENT)).map(lambda parts: INTERSECTION(*parts)),
    ),
    max_leaves=4,
)
marks = st.sampled_from(VALUES)
comparisons = st.one_of(
    st.builds(
        lambda kind, *sides: kind(*sides),
        st.sampled_from([IN, SUBSET, EQ]),
        st.one_of(st.builds(IDENTITY), relations),
        relations,
    ),
    st.tuples(atoms, atoms).map(lambda parts: INTERSECTION(*parts)).map(EMPTY),
)
predicates = st.recursive(
    st.one_of(marks, st.builds(CHAIN, marks, atoms), comparisons, st.builds(CHAIN, comparisons, atoms)),
    lambda below: st.one_of(
        st.tuples(below, below).map(lambda parts: LAND(*parts)),
        st.tuples(below, below, marks).map(lambda parts: LOR(*parts)),
        below.map(LNOT),
    ),
    max_leaves=4,
)


@settings(max_examples=40)
@given(relations)
def test_relations_equal_plain_evaluation(engine: FactualEngine, plain: Plain, node: Expression) -> None:
    found = engine.graph.function(engine.query(node))
    assert {x: set(ys) for x, ys in found.items()} == plain.whole(node)


@settings(max_examples=40)
@given(predicates)
def test_predicates_equal_plain_evaluation(engine: FactualEngine, plain: Plain, node: Expression) -> None:
    found = engine.graph.truth(engine.query(node))
    expected = plain.truth(node)
    assert set(found.true) == {x for x, value in expected.items() if value}
    assert set(found.false) == {x for x, value in expected.items() if not value}


def test_values_by_id_and_by_name(engine: FactualEngine) -> None:
    graph = engine.graph
    born = graph.function(relation("place of birth"))
    place = next(ys[0] for ys in born.values() if len(graph.find(graph.label(ys[0]))) == 1)
    by_id, by_name = (
        engine.predicate(Atom("is", (("place of birth", value),))) for value in (place, graph.label(place))
    )
    assert by_id == by_name
    assert by_id.true
    with pytest.raises(UserError, match="no entity is called"):
        engine.predicate(Atom("is", (("occupation", 'a "strange" } label'),)))
    with pytest.raises(UserError, match="unknown property 'fathr'"):
        engine.relation(Atom("fathr"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mother(head of state)", "the name of a country"),
        ("union(child,father)", "the name of a person"),
        ("father[inv]", "the name of a man"),
        ("synonyms[spa]", "a Spanish word"),
        ("union(creator,father)", "the name of a person, place or thing"),
        ("creator", "the name of a work or fictional character"),
        ("chain{eq(father,mother)}(creator)", "the name of a work or fictional character"),
    ],
)
def test_what_is_given_has_a_name(text: str, said: str) -> None:
    assert handed(parse(text)) == said

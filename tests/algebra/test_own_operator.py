"""An operator from one file: values against a set evaluator that shares no code, phrases, queries and lattice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taskloom.algebra import (
    CHAIN,
    COMPLEMENT,
    INTERSECTION,
    UNION,
    Atom,
    Expression,
    Node,
    RelationOperator,
    depth,
    facet,
)
from taskloom.cli.main import main
from taskloom.core import UserError, open_suite
from taskloom.core.catalog import OPERATORS, lattice_of
from taskloom.core.execute import execute_file
from taskloom.families.taskbench.language import code, parse, short
from taskloom.families.taskbench.lexical import LexicalEngine
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.sparql import compile_pairs
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, PROPERTY
from taskloom.sources.lexicon import default_lexicon

FILE = Path(__file__).resolve().parents[2] / "examples" / "difference.py"
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = ["happy", "sad", "hot", "cold", "snore", "buy", "sell", "walk", "run", "make", "dog", "good", "give", "live"]
ENTITIES, PROPERTIES = [f"Q{n}" for n in range(1, 8)], ["P1", "P2", "P3"]
Look = Callable[[Atom, str], set[str]]


@pytest.fixture
def difference(own_registries: None) -> RelationOperator:
    execute_file(FILE)
    found: RelationOperator = OPERATORS.get("difference")
    return found


def answers(node: Expression, x: str, look: Look, inputs: list[str]) -> set[str]:
    """The meaning of an expression, by sets alone."""
    if isinstance(node, Atom):
        return look(node, x)
    if node.operator == "chain":
        outer, inner = node.arguments
        return {z for y in answers(inner, x, look, inputs) for z in answers(outer, y, look, inputs)}
    sets = [answers(part, x, look, inputs) for part in node.arguments]
    if node.operator == "complement":
        everything = {y for other in inputs for y in answers(node.arguments[0], other, look, inputs)}
        return everything - sets[0] if sets[0] else set()
    if node.operator == "difference":
        return {y for y in sets[0] if y not in sets[1]}
    return set().union(*sets) if node.operator == "union" else set.intersection(*sets)


def expressions(atoms: st.SearchStrategy[Atom]) -> st.SearchStrategy[Expression]:
    """Expressions of depth 3 whose outermost or next operator is the difference."""

    def joined(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.builds(CHAIN, parts, parts),
            st.builds(UNION, parts, parts),
            st.builds(INTERSECTION, parts, parts),
            parts.map(COMPLEMENT),
        )

    def apart(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.tuples(parts, parts).map(lambda pair: Node("difference", pair))

    inner = st.one_of(atoms, joined(atoms))
    return st.one_of(apart(inner), apart(st.one_of(inner, apart(atoms))), joined(apart(atoms)))


word_atoms = st.sampled_from([Atom(name, (), "eng") for name in ("synonyms", "antonyms", "entailments")])
fact_atoms = st.builds(lambda name, inverse: Atom(name, inverse=inverse), st.sampled_from(PROPERTIES), st.booleans())
triples = st.sets(st.tuples(*map(st.sampled_from, (ENTITIES, PROPERTIES, ENTITIES))), max_size=25)


@cache
def words_engine() -> LexicalEngine:
    return LexicalEngine(default_lexicon(), {"eng": tuple(WORDS)})


@SETTINGS
@given(expressions(word_atoms))
def test_words(difference: RelationOperator, node: Expression) -> None:
    lexicon, engine = default_lexicon(), words_engine()

    def look(atom: Atom, word: str) -> set[str]:
        return {found.replace("_", " ") for found in getattr(lexicon, atom.name)(word.replace(" ", "_"), "eng")}

    for word in WORDS[::3]:
        assert set(engine.apply(node, word)) == answers(node, word, look, WORDS), node


@SETTINGS
@given(triples, expressions(fact_atoms))
def test_facts(difference: RelationOperator, facts: set[tuple[str, str, str]], node: Expression) -> None:
    def look(atom: Atom, x: str) -> set[str]:
        return {(s if atom.inverse else o) for s, p, o in facts if p == atom.name and x == (o if atom.inverse else s)}

    store = LocalStore()
    store.load("\n".join(f"<{ENTITY}{s}> <{PROPERTY}{p}> <{ENTITY}{o}> ." for s, p, o in sorted(facts)).encode())
    expected = {x: answers(node, x, look, ENTITIES) for x in ENTITIES}
    found = KnowledgeGraph(store).function(node)
    assert {x: set(ys) for x, ys in found.items()} == {x: ys for x, ys in expected.items() if ys}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "difference(synonyms[eng],antonyms[eng](antonyms[eng]))",
            "Give a synonym of the word that is not an antonym of an antonym of the word.",
        ),
        (
            "difference(child(father),child(mother))",
            "Give a child of the father of the person that is not a child of the mother of the person.",
        ),
    ],
)
def test_a_task_with_it(difference: RelationOperator, text: str, said: str) -> None:
    node = parse(text)
    assert parse(short(node)) == parse(code(node)) == node
    assert (facet(node), depth(node)) == ("difference", 3)
    suite = open_suite(f"taskbench/{text}", options={"knowledge": "world:400", "train": 10, "dev": 2, "test": 4})
    (task,) = suite.tasks.values()
    assert said in task.instruction.definition
    assert task.facets["operator"] == "difference"
    assert " is not " in task.instruction.positive[0].explanation
    lattice = lattice_of(suite)
    (cell,) = lattice.cells
    assert [part.question for part in lattice.parts(cell)] == [short(part) for part in node.arguments]
    inputs = {row.input for split in suite.splits for _, row in suite.rows(split)}
    assert next(lattice.stream(cell, 1)).instance.input not in inputs


def test_its_query_takes_away(difference: RelationOperator) -> None:
    assert "MINUS" in compile_pairs(difference(Atom("P22"), Atom("P25")))


def test_without_its_file_it_is_unknown() -> None:
    with pytest.raises(UserError, match="unknown function 'difference'"):
        parse("difference(father,mother)")


def test_forgetting_any_field_is_refused(difference: RelationOperator) -> None:
    whole: dict[str, Any] = {field.name: getattr(difference, field.name) for field in fields(difference)}
    for name in whole:
        with pytest.raises(UserError, match=rf"lacks {name}\b"):
            RelationOperator(**{key: value for key, value in whole.items() if key != name})


def test_it_is_short() -> None:
    lines = FILE.read_text("utf-8").split('"""')[2].strip().splitlines()
    assert len([line for line in lines if line.strip()]) <= 25


@pytest.mark.usefixtures("own_registries")
def test_the_command_line_runs_the_file_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["generate", "taskbench/difference(child(father),child(mother))", "-T", "knowledge=world:300"]
    assert main([*command, "-o", str(tmp_path / "one"), "--with", str(FILE)]) == 0
    assert main([*command, "-o", str(tmp_path / "two"), "--with", str(FILE), "--jobs", "2"]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "content" in line]
    assert len({line.split("content")[1] for line in said}) == 1

"""Labels are data: whatever is in them, they do no harm and come back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.algebra import Atom
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, lexical, quote
from taskloom.sources.knowledge.vocabulary import describe

HOSTILE = [
    'say "hello"',
    "it's {braces} and {x} and {v}",
    "back\\slash \\u0041 \\n",
    "\u0645\u0631\u062d\u0628\u0627 \u202e \u05e9\u05dc\u05d5\u05dd",
    '" . } ; DROP ALL ; SELECT * { ?s ?p "',
    "?x ?y } UNION { ?a ?b ?c",
    "# a comment",
    "tab\tand\nnew line\r",
    "' OR 1=1 ORDER BY ?x LIMIT 1",
    "<http://example.org/>",
    "@en",
    "^^<http://www.w3.org/2001/XMLSchema#date>",
    "snowman ☃ and 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "%20 &amp; $1 {{x}}",
]


def graph_with(labels: list[str]) -> KnowledgeGraph:
    lines = [f"<{ENTITY}Q{n}> <{LABEL}> {quote(label, 'en')} ." for n, label in enumerate(labels, 1)]
    lines += [f"<{ENTITY}Q{n}> <{PROPERTY}P1> <{ENTITY}Q{n % len(labels) + 1}> ." for n in range(1, len(labels) + 1)]
    store = LocalStore()
    store.load("\n".join(lines).encode())
    return KnowledgeGraph(store)


def test_hostile_labels_come_back_unchanged_on_one_line() -> None:
    graph = graph_with(HOSTILE)
    lines = [label.replace("\t", " ").replace("\n", " ").rstrip("\r") for label in HOSTILE]
    following = {label: (lines[(n + 1) % len(lines)],) for n, label in enumerate(lines)}
    assert graph.words(Atom("P1")) == following
    truth = graph.word_truth(Atom("is", (("P1", "Q2"),)))
    assert truth.true == (lines[0],)
    assert set(truth.false) == set(lines[1:])


@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_label_finds_itself_and_nothing_else(label: str) -> None:
    graph = graph_with(HOSTILE)
    assert graph.find(label) == (f"Q{HOSTILE.index(label) + 1}",)
    assert graph.find(label + " ") == ()


@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_label_stands_as_it_is_in_a_sentence(label: str) -> None:
    assert describe(Atom("P25"), label) == f"the mother of {label}"
    sentence = describe(Atom("is", (("P19", "Q84"),)), label, label=lambda _: HOSTILE[1])
    assert sentence == f"{label} was born in {HOSTILE[1]}"


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=1))
def test_any_text_survives_quoting(text: str) -> None:
    assert lexical(quote(text)) == text
    assert lexical(quote(text, "en")) == text
    assert graph_with([text]).find(text) == ("Q1",)

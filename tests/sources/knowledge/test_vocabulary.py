"""Names, ids and phrases of relations and predicates."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from taskloom.algebra import CHAIN, COMPLEMENT, INTERSECTION, LAND, LNOT, LOR, UNION, Atom, links
from taskloom.core import UserError
from taskloom.sources.knowledge.vocabulary import (
    INVERSES,
    PREDICATES,
    RELATIONS,
    TABLE_4_RELATIONS,
    describe,
    fact,
    predicate,
    relation,
)


def test_the_table_is_complete() -> None:
    # Table 4 has 32 relations and six inverses; "subclass of" comes from Table 7.
    assert len(TABLE_4_RELATIONS) == 33
    assert len(INVERSES) == 6
    assert len(PREDICATES) == 15
    assert set(INVERSES) <= set(TABLE_4_RELATIONS)
    assert len({term.property for term in RELATIONS.values()}) == len(RELATIONS)


@pytest.mark.parametrize("term", RELATIONS.values(), ids=lambda term: term.name)
def test_every_relation_can_be_said_forwards_and_backwards(term) -> None:
    assert re.fullmatch(r"P[1-9]\d*", term.property)
    for phrase in (term.phrase, term.inverse):
        assert phrase.count("{x}") == 1
        assert phrase.format(x="X") == describe(Atom(term.property, inverse=phrase is term.inverse), "X")


@pytest.mark.parametrize("term", PREDICATES.values(), ids=lambda term: term.name)
def test_every_predicate_has_a_name_in_both_notations(term) -> None:
    assert (
        predicate(term.name)
        == predicate(f"{term.relation}={term.value}")
        == Atom("is", ((term.property, term.entity),))
    )
    assert describe(predicate(term.name), "Ada", label=lambda _: "Here") != describe(
        LNOT(predicate(term.name)), "Ada", label=lambda _: "Here"
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (CHAIN(relation("mother"), relation("head of state")), "the mother of the head of state of X"),
        (UNION(relation("mother"), relation("father")), "the mother of X or the father of X"),
        (relation("mother", inverse=True), "someone whose mother is X"),
        (INTERSECTION(relation("child"), relation("influenced by")), "a child of X that is also"),
        (COMPLEMENT(relation("genre")), "but not a genre of X"),
        (LAND(predicate("is-occupation-actor"), predicate("is-instance-human")), "X is an actor and X is a human"),
        (LOR(predicate("is-instance-film"), predicate("is-instance-book")), "either X is a film or X is a book"),
        (
            LNOT(LOR(predicate("is-instance-film"), predicate("is-instance-book"))),
            "X is not a film and X is not a book",
        ),
        (CHAIN(predicate("is-occupation-writer"), relation("father")), "the father of X is a writer"),
        (Atom("is", (("P106", "Q1"),)), "Q1 is an occupation of X"),
        (Atom("P12345"), "the P12345 of X"),
    ],
)
def test_queries_in_plain_english(query, text: str) -> None:
    assert text in describe(query, "X")


def test_facts_and_steps() -> None:
    query = CHAIN(relation("occupation"), CHAIN(relation("mother"), relation("head of state")))
    assert links(query) == [relation("head of state"), relation("mother"), relation("occupation")]
    assert fact(relation("mother"), "Ada", "Bea") == "The mother of Ada is Bea."


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(UserError, match="mother"):
        relation("mothr")
    with pytest.raises(UserError, match="is-occupation-writer"):
        predicate("is-occupation-writter")
    with pytest.raises(UserError, match="occupation=writer"):
        predicate("occupation=writter")


def test_properties_have_the_ids_of_wikidata(reference: Path) -> None:
    labels = json.loads((reference / "taskbench/codex_s/relations.en.json").read_text("utf-8"))
    ours = {term.property: name for name, term in RELATIONS.items()}
    both = ours.keys() & labels.keys()
    assert len(both) >= 20
    for number in both:
        real = labels[number]["label"].replace(",", "").replace("(s)", "").replace("parts", "part")
        assert ours[number] == real, number

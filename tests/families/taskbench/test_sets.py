"""The original functions on sets (in, subset, eq, empty), of tags (POS, sentiment), and any property of a graph."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from taskloom.algebra import IllTypedError, equal, signature
from taskloom.core import UserError, open_suite
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import code, paper, parse, short
from taskloom.families.taskbench.recipe import TaskBenchRecipe

TEXTS = [
    "in(0,synonyms[eng](synonyms[eng](0)))",
    "subset(hyponyms[eng],hyponyms[eng](hypernyms[eng]))",
    "eq(POS[eng],POS[eng](synonyms[eng]))",
    "empty(antonyms[eng])",
    "land(empty(antonyms[eng]),is-POS-noun[eng])",
    "wiki{subset(occupation(child(0)),occupation(0))}",
    "filter{empty(intersection(occupation,occupation(father)))}",
    "chain{eq(father,mother)}(child)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_notation_reads_back(text: str) -> None:
    node = parse(text)
    assert node == parse(paper(node)) == parse(code(node)) == parse(short(node))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("in(synonyms[eng],translate[eng->spa])", "its parts give English words and Spanish words"),
        ("eq(POS[eng],synonyms[eng])", "its parts give parts of speech and English words"),
        ("synonyms[eng](POS[eng])", "takes English words, the inner one gives parts of speech"),
        ("subset(is-POS-noun[eng],synonyms[eng])", "subset takes relations"),
        ("empty(is-POS-noun[eng])", "empty takes relations"),
        ("eq(father)", "eq takes 2 inputs"),
        ("empty(father,mother)", "empty takes 1 input"),
    ],
)
def test_what_means_nothing_is_refused(text: str, reason: str) -> None:
    with pytest.raises((UserError, IllTypedError), match=reason):
        parse(text)


def test_normal_forms() -> None:
    assert equal(parse("eq(father,mother)"), parse("eq(mother,father)"))
    assert not equal(parse("subset(father,mother)"), parse("subset(mother,father)"))
    assert equal(parse("subset(0,child(child[inv]))"), parse("in(0,child(child[inv]))"))
    assert str(signature(parse("POS[spa]"))) == "Spanish words to parts of speech"


@cache
def engines(labels: str) -> Engines:
    return Engines(TaskBenchRecipe(labels=labels, knowledge="none"), 0)  # type: ignore[arg-type]


def test_tags_are_those_that_the_predicates_say() -> None:
    for labels in ("faithful", "clean"):
        found = engines(labels)
        tags = found.relation(parse("POS[eng]"))
        for name in ("noun", "verb", "adjective", "adverb"):
            truth = found.predicate(parse(f"is-POS-{name}[eng]"))
            true = set(truth.true)
            assert all((name in tags.outputs(word)) == (word in true) for word in tags.inputs[::7])


def test_clean_sets_never_say_the_opposite_of_the_lexicon() -> None:
    node = parse("empty(antonyms[eng])")
    clean, faithful = (engines(labels).predicate(node) for labels in ("clean", "faithful"))
    assert clean.true
    assert clean.false
    assert set(clean.true) <= set(faithful.true)
    assert set(clean.false) <= set(faithful.false)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("in(0,synonyms[eng](synonyms[eng]))", "the word is a synonym of a synonym of the word"),
        ("empty(antonyms[eng])", "there is no word that is an antonym of the word"),
        ("subset(synonyms[eng],hypernyms[eng])", "everything that is a synonym of the word is also a hypernym of"),
        (
            "chain{lor(is-POS-noun[eng],is-POS-verb[eng])}(synonyms[eng])",
            "of whatever is a synonym of the word this is true: it can be a noun or it can be a verb",
        ),
        (
            "chain{lor(is-occupation-actor,is-occupation-writer)}(child)",
            "this is true of every child of the person: either it is an actor or it is a writer",
        ),
        ("is-occupation-actor(child)", "every child of the person is an actor"),
        ("is-occupation-actor(father)", "the father of the person is an actor"),
    ],
)
def test_instructions_say_what_is_meant(text: str, said: str) -> None:
    suite = open_suite(f"taskbench/{text}", options={"knowledge": "world:300", "labels": "faithful"})
    (task,) = suite.tasks.values()
    assert said in task.instruction.definition


def test_a_chained_disjunction_is_asked_member_by_member() -> None:
    found = engines("faithful")
    each = found.predicate(parse("chain{lor(is-POS-noun[eng],is-POS-verb[eng])}(synonyms[eng])"))
    apart = found.predicate(parse("lor(is-POS-noun[eng](synonyms[eng]),is-POS-verb[eng](synonyms[eng]))"))
    mixed = set(each.true) - set(apart.true)  # some synonyms are nouns only, others verbs only
    nouns, verbs = (set(found.predicate(parse(f"is-POS-{name}[eng]")).true) for name in ("noun", "verb"))
    assert mixed
    for word in sorted(mixed)[:50]:
        kinds = [(other in nouns, other in verbs) for other in found.apply(parse("synonyms[eng]"), word)]
        assert len(kinds) > 1


TRIPLES = """
@prefix ex: <http://example.org/> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:title rdfs:label "chess title"@en .
wd:P999001 rdfs:label "favourite opening"@en .
ex:gm rdfs:label "grand title"@en . ex:im rdfs:label "lesser title"@en . ex:e4 rdfs:label "king pawn"@en .
ex:d4 rdfs:label "queen pawn"@en .
"""


@pytest.fixture(scope="module")
def chess(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chess") / "chess.ttl"
    players = "".join(
        f'ex:p{n} rdfs:label "Player {n}"@en ; ex:title ex:{"gm" if n % 3 else "im"} ; '
        f"wdt:P999001 ex:{'e4' if n % 2 else 'd4'} ; ex:taughtBy ex:p{n // 2} .\n"
        for n in range(2, 60)
    )
    path.write_text(TRIPLES + players, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wiki{chess title}", "the chess title of the thing"),
        ('"chess title"', "the chess title of the thing"),
        ('"http://example.org/title"', "the chess title of the thing"),
        ("wiki{favourite opening}", "the favourite opening of the thing"),
        ("P999001", "the favourite opening of the thing"),
        ("wiki{chess title(taught by)}", "the chess title of the taught by of the thing"),
        ("wiki{is{chess title=grand title}}", "grand title is the chess title of it"),
        ("wiki{eq(chess title,chess title(taughtBy))}", "everything that is the chess title of the thing"),
    ],
)
def test_any_property_of_the_graph_by_label_id_or_address(chess: Path, text: str, said: str) -> None:
    suite = open_suite(f"taskbench/{text}", options={"knowledge": str(chess)})
    (task,) = suite.tasks.values()
    assert said in task.instruction.definition
    assert suite["train"][:5]


def test_an_unknown_property_comes_with_the_nearest_of_the_graph(chess: Path) -> None:
    suite = open_suite("taskbench/wiki{ches title}", options={"knowledge": str(chess)})
    with pytest.raises(UserError, match=r"unknown property 'ches title'; did you mean 'chess title'"):
        list(suite.tasks)


def test_emptiness_of_a_plain_relation_is_nothing_a_graph_can_tell() -> None:
    suite = open_suite("taskbench/empty(child)", options={"knowledge": "world:200"})
    with pytest.raises(UserError, match="the graph cannot show that nothing is a child of it"):
        list(suite.tasks)


@pytest.mark.parametrize(
    "text", ["complement(child)", "map{complement(father(mother))}", "union(child,complement(father))"]
)
def test_a_complement_of_facts_is_guarded(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskloom.families.taskbench.facts.WIDEST_COMPLEMENT", 100)
    suite = open_suite(f"taskbench/{text}", options={"knowledge": "world:200"})
    with pytest.raises(UserError, match="subtract it from something"):
        list(suite.tasks)


def test_a_small_complement_of_facts_is_built() -> None:
    suite = open_suite("taskbench/complement(sex or gender)", options={"knowledge": "world:200"})
    assert suite["train"][0].instance.targets.canonical() in ("male", "female")


def test_a_predicate_of_one_truth_value_says_so() -> None:
    with pytest.raises(UserError, match="none of its [0-9,]+ inputs is true, or none is false") as error:
        list(open_suite("taskbench/eq(synonyms[eng],antonyms[eng])").rows("test"))
    assert "least=1" not in str(error.value)

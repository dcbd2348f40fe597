"""The language: both notations, types, normal form, equality, errors with positions."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from taskloom.algebra import (
    CHAIN,
    COMPLEMENT,
    FILTER,
    IDENTITY,
    INTERSECTION,
    LAND,
    LNOT,
    LOR,
    MAP,
    UNION,
    Atom,
    Expression,
    depth,
    equal,
    map_filter,
    normal,
    signature,
)
from taskloom.core import UserError
from taskloom.families.taskbench.language import code, paper, parse, short
from taskloom.families.taskbench.published import published

father, mother, child = (Atom(name) for name in ("father", "mother", "child"))
noun = Atom("is", (("POS", "noun"),), "eng")
verb = Atom("is", (("POS", "verb"),), "eng")

odd_names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=8)
factual_atoms = st.one_of(
    st.sampled_from([father, mother, child, Atom("place of birth"), Atom("child", inverse=True), Atom("P31")]),
    odd_names.map(Atom),
)
lexical_atoms = st.sampled_from(
    [Atom(n, (), "eng") for n in ("synonyms", "antonyms", "hyponyms", "hypernyms", "entailments")]
    + [Atom("random", (("seed", "3"),), "eng")]
)
factual_predicates = st.one_of(
    st.sampled_from([Atom("is", (("occupation", "writer"),)), Atom("is", (("place of birth", "new york city"),))]),
    st.tuples(odd_names, odd_names)
    .map(lambda pair: Atom("is", (pair,)))
    .filter(lambda a: a.features[0][0] not in ("POS", "sentiment")),
)


def relations(atoms: st.SearchStrategy[Atom]) -> st.SearchStrategy[Expression]:
    def extend(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            st.builds(CHAIN, atoms, inner),
            pairs.map(lambda parts: CHAIN(UNION(*parts), parts[0])),
            pairs.map(lambda parts: UNION(*parts)),
            pairs.map(lambda parts: INTERSECTION(*parts)),
            st.tuples(inner, inner, inner).map(lambda parts: UNION(*parts)),
            inner.map(COMPLEMENT),
        )

    return st.recursive(atoms, extend, max_leaves=6)


def predicates(atoms: st.SearchStrategy[Atom], below: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def extend(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda parts: LAND(*parts)),
            pairs.map(lambda parts: LOR(*parts)),
            inner.map(LNOT),
            st.builds(CHAIN, atoms, below),
        )

    return st.recursive(atoms, extend, max_leaves=5)


lexical_predicates = st.sampled_from([noun, verb, Atom("is", (("sentiment", "none"),), "eng")])
words = st.one_of(
    relations(factual_atoms),
    relations(lexical_atoms),
    predicates(factual_predicates, relations(factual_atoms)),
    predicates(lexical_predicates, relations(lexical_atoms)),
)
lexical_lifts = st.lists(
    st.one_of(relations(lexical_atoms).map(MAP), predicates(lexical_predicates, relations(lexical_atoms)).map(FILTER)),
    min_size=1,
    max_size=4,
)


def stacked(links: list[Expression]) -> Expression:
    node = links[-1]
    for link in reversed(links[:-1]):
        node = CHAIN(link, node)
    return node


expressions = st.one_of(words, lexical_lifts.map(stacked))


@settings(max_examples=300)
@given(expressions)
@example(Atom("is", (("0", "->"),)))
def test_every_notation_reads_back(node: Expression) -> None:
    for notation in (paper, code, short):
        assert parse(notation(node)) == node, notation(node)


@pytest.mark.parametrize("name", ["if", "union", "map", "wiki", "is not"])
def test_a_property_may_be_called_like_an_operator(name: str) -> None:
    for notation in (paper, code, short):
        assert parse(notation(Atom(name))) == Atom(name)


def test_published_tasks_read_back() -> None:
    for listed in published():
        node = listed.expression
        assert parse(paper(node)) == parse(code(node)) == parse(short(node)) == node
        assert depth(node) <= 2


def test_both_notations_are_one_expression() -> None:
    assert parse("map{λx. union(child(x), father(x))}") == parse("map{wiki{union(child(0),father(0))}}(S)")
    assert parse("is-birthplace-nyc") == parse("wiki{is{place of birth=New York City}(0)}")
    assert parse("random-seed3[eng]") == parse("random{3}[eng](0)")
    assert parse("languages spoken written or signed(child)") == parse("languages_spoken_written_or_signed(child(X))")
    assert parse("creator{inv}") == parse("creator[inv]")


def test_names_may_hold_anything_in_quotes() -> None:
    node = parse(r'is{occupation="a, b) } \"quoted\" \\ ]"}')
    assert node == Atom("is", (("occupation", 'a, b) } "quoted" \\ ]'),))
    assert parse(code(node)) == node


def test_equations_5_to_7() -> None:
    mapped = parse("map{occupation}(map{father}(S))")
    assert normal(mapped) == parse("map{occupation(father)}")
    both = parse("filter{is-POS-verb[eng]}(map{synonyms[eng]}(filter{is-POS-noun[eng]}(S)))")
    form = map_filter(both)
    assert form.relation == Atom("synonyms", (), "eng")
    assert form.predicate == LAND(noun, CHAIN(verb, Atom("synonyms", (), "eng")))
    assert map_filter(parse("filter{is-POS-noun[eng]}")).relation == IDENTITY()
    assert map_filter(parse("map{father}")).predicate is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("union(child,father)", "union(father,child)"),
        ("union(child,union(father,mother))", "union(union(mother,child),father)"),
        ("union(child,child)", "child"),
        ("intersection(child,union(father,child))", "child"),
        ("father(union(child,mother))", "union(father(mother),father(child))"),
        ("chain{union(father,mother)}(child)", "union(father(child),mother(child))"),
        ("chain{father(mother)}(child)", "father(mother(child))"),
        ("lnot(lnot(is-POS-noun[eng]))", "is-POS-noun[eng]"),
        ("lnot(land(is-POS-noun[eng],is-POS-verb[eng]))", "lor(lnot(is-POS-verb[eng]),lnot(is-POS-noun[eng]))"),
        ("filter{is-POS-noun[eng]}(filter{is-POS-verb[eng]})", "filter{land(is-POS-noun[eng],is-POS-verb[eng])}"),
    ],
)
def test_equal_functions_have_one_normal_form(first: str, second: str) -> None:
    assert equal(parse(first), parse(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("father(mother)", "mother(father)"),
        ("union(child,father)", "intersection(child,father)"),
        # Applied member by member, an intersection after a relation is smaller than the intersection of chains.
        ("chain{intersection(father,mother)}(child)", "intersection(father(child),mother(child))"),
        ("land(is-POS-noun[eng],is-POS-verb[eng])", "lor(is-POS-noun[eng],is-POS-verb[eng])"),
    ],
)
def test_different_functions_stay_different(first: str, second: str) -> None:
    assert not equal(parse(first), parse(second))


@settings(max_examples=150)
@given(expressions)
def test_normal_form_is_stable_and_keeps_the_type(node: Expression) -> None:
    form = normal(node)
    assert normal(form) == form
    assert signature(form).sequence == signature(node).sequence
    assert signature(form).predicate == signature(node).predicate


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("father(mother", 14, "expected ',' or ')'"),
        ("father(mother))", 15, "nothing can follow"),
        ("union(father)", 1, "takes 2 inputs or more"),
        ("father(fathr)", 8, "did you mean 'father'"),
        ("map{is-POS-noun[eng]}", 1, "takes relations"),
        ("filter{father}", 1, "takes predicates"),
        ("antonyms[eng](father)", 1, "takes English words"),
        ("union(antonyms[eng],antonyms[spa])", 1, "one universe"),
        ("antonyms(x)", 1, "needs a language"),
        ("antonyms[german](x)", 10, "neither a language"),
        ("translate[eng](x)", 1, "two languages"),
        ("father(is-occupation-actor)", 1, "truth value"),
        ("father(1)", 8, "one input"),
        ("father(mother)(child)", 15, "chain{f}(g)"),
        ("map{father}(child)", 1, "lift it with map or filter"),
        ("random{x}[eng]", 1, "whole number"),
        ('is{occupation="a}', 15, "never closed"),
        ("is-POS-pronoun[eng]", 1, "one of noun, verb"),
        ("father[inv](mother[eng])", 13, "unknown function 'mother'"),
        ("x", 1, "identity"),
        ("", 1, "expected a name"),
    ],
)
def test_errors_name_the_place(text: str, position: int, said: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert said in str(caught.value)
    assert f"(at character {position})" in str(caught.value)


@settings(max_examples=300)
@given(st.text('fatherx0S(){}[],"\\=λ. union', max_size=30))
def test_any_text_parses_or_is_refused_politely(text: str) -> None:
    try:
        node = parse(text)
    except UserError:
        return
    assert equal(parse(paper(node)), node)


def test_depth_has_no_limit_that_matters() -> None:
    text = "father(" * 60 + "mother" + ")" * 60
    node = parse(text)
    assert depth(node) == 61
    assert paper(normal(node)) == text
    with pytest.raises(UserError, match="nest at most"):
        parse("father(" * 5000 + "mother" + ")" * 5000)

"""Lexical expressions: matrices against a plain evaluation word by word."""

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
    signature,
)
from taskloom.families.taskbench.functions import fingerprint
from taskloom.families.taskbench.language import paper, parse
from taskloom.families.taskbench.lexical import LexicalEngine
from taskloom.sources.lexicon import Lexicon, default_lexicon

WORDS = {
    "eng": "happy sad hot cold snore buy sell walk run make made dog animal good bad give take live die may march",
    "spa": "perro gato feliz triste grande bueno malo comprar vender vivir morir abrir cerrar",
}
ENGLISH, SPANISH = (WORDS[language].split() for language in ("eng", "spa"))


@pytest.fixture(scope="module")
def engine() -> LexicalEngine:
    return LexicalEngine(default_lexicon(), {"eng": tuple(ENGLISH), "spa": tuple(SPANISH)}, seed=3)


_SPELLED = {"adj": "adjective", "adv": "adverb", "pos": "positive", "neg": "negative", "none": "neutral"}


class Plain:
    """The meaning of the language, spelled out for one word at a time over the lexicon's own look-ups."""

    def __init__(self, lexicon: Lexicon, engine: LexicalEngine) -> None:
        self.lexicon = lexicon
        self.engine = engine
        self.pool = {"eng": ENGLISH, "spa": SPANISH}
        self.tables: dict[Atom, dict[str, str]] = {}
        self.known: dict[tuple[Expression, str], set[str]] = {}

    def out(self, node: Expression, word: str) -> set[str]:
        if (node, word) not in self.known:
            self.known[node, word] = self.compute(node, word)
        return self.known[node, word]

    def compute(self, node: Expression, word: str) -> set[str]:
        match node:
            case Node("input"):
                return {word}
            case Atom("random"):
                return {self.random(node)[word]} if word in self.random(node) else set()
            case Atom("POS" | "sentiment" as key, language=language):
                marks = (self.lexicon.pos if key == "POS" else self.lexicon.sentiment)(word, language)
                return {_SPELLED.get(value, value) for value in marks}
            case Atom("translate", language=pair):
                return self.spaced(self.lexicon.translate(word, *pair.split("->")))
            case Atom(name, language=language):
                return self.spaced(getattr(self.lexicon, name)(word, language))
            case Node("chain", (outer, inner)):
                return {y for z in self.out(inner, word) for y in self.out(outer, z)}
            case Node("union", parts):
                return set().union(*(self.out(part, word) for part in parts))
            case Node("intersection", parts):
                return set.intersection(*(self.out(part, word) for part in parts))
            case Node("complement", (part,)):
                own = self.out(part, word)
                return self.range(part) - own if own else set()
        raise TypeError(node)

    def range(self, node: Expression) -> set[str]:
        return {y for word in self.pool[signature(node).source] for y in self.out(node, word)}

    def random(self, atom: Atom) -> dict[str, str]:
        """Random relations are taken as they are; their own test looks at their properties."""
        if atom not in self.tables:
            relation = self.engine.relation(atom)
            self.tables[atom] = {word: relation.outputs(word)[0] for word in relation.inputs}
        return self.tables[atom]

    def truth(self, node: Expression, word: str) -> bool | None:
        match node:
            case Atom("is", features):
                key, value = features[0]
                marks = (self.lexicon.pos if key == "POS" else self.lexicon.sentiment)(word, node.language)
                return value in marks if marks else None
            case Node("lnot", (part,)):
                found = self.truth(part, word)
                return None if found is None else not found
            case Node("land", parts) | Node("lor", parts):
                values = [self.truth(part, word) for part in parts]
                if None in values:
                    return None
                return all(values) if node.operator == "land" else any(values)
            case Node("chain", (Node("chain", (first, second)), inner)):
                return self.truth(CHAIN(first, CHAIN(second, inner)), word)
            case Node("chain", (outer, inner)):
                values = {self.truth(outer, z) for z in self.out(inner, word)}
                return values.pop() if len(values) == 1 else None
            case Node("in" | "subset" | "eq" as name, (left, right)):
                before, after = self.out(left, word), self.out(right, word)
                if not (before and after):
                    return None
                if name == "in":
                    return True if before <= after else None if before & after else False
                return before <= after if name == "subset" else before == after
            case Node("empty", (part,)):
                return not self.out(part, word)
        raise TypeError(node)

    @staticmethod
    def spaced(words: tuple[str, ...]) -> set[str]:
        return {word.replace("_", " ") for word in words}


@pytest.fixture(scope="module")
def plain(engine: LexicalEngine) -> Plain:
    return Plain(default_lexicon(), engine)


small = [Atom(name, (), "eng") for name in ("synonyms", "antonyms", "entailments")]
atoms = st.sampled_from([*small, Atom("hypernyms", (), "eng"), Atom("random", (("seed", "1"),), "eng")])
inner_atoms = st.sampled_from([*small, Atom("random", (("seed", "0"),), "eng")])


def extend(below: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.tuples(below, below)
    return st.one_of(
        st.builds(CHAIN, atoms, below),
        pairs.map(lambda parts: UNION(*parts)),
        pairs.map(lambda parts: INTERSECTION(*parts)),
        st.tuples(below, inner_atoms.map(COMPLEMENT)).map(lambda parts: INTERSECTION(*parts)),
        inner_atoms.map(COMPLEMENT),
    )


relations = st.recursive(inner_atoms, extend, max_leaves=4)
marks = st.sampled_from(
    [Atom("is", ((key, value),), "eng") for key, value in (("POS", "noun"), ("POS", "adj"), ("sentiment", "neg"))]
)
tags = st.sampled_from([Atom(name, (), "eng") for name in ("POS", "sentiment")])
comparisons = st.one_of(
    st.builds(
        lambda kind, *sides: kind(*sides),
        st.sampled_from([IN, SUBSET, EQ]),
        st.one_of(st.builds(IDENTITY), relations),
        relations,
    ),
    st.builds(lambda tag, inner: EQ(tag, CHAIN(tag, inner)), tags, inner_atoms),
    st.builds(lambda tag, inner: IN(tag, CHAIN(tag, inner)), tags, inner_atoms),
    relations.map(EMPTY),
)
predicates = st.recursive(
    st.one_of(
        comparisons,
        marks,
        st.builds(CHAIN, marks, inner_atoms),
        st.builds(CHAIN, marks, st.builds(CHAIN, inner_atoms, inner_atoms)),
    ),
    lambda below: st.one_of(
        st.tuples(below, below).map(lambda parts: LAND(*parts)),
        st.tuples(below, below).map(lambda parts: LOR(*parts)),
        below.map(LNOT),
    ),
    max_leaves=4,
)


@settings(max_examples=40)
@given(relations)
def test_relations_equal_plain_evaluation(engine: LexicalEngine, plain: Plain, node: Expression) -> None:
    relation = engine.relation(node)
    domain = relation.domain
    expected = {word: plain.out(node, word) for word in ENGLISH}
    assert {word: set(relation.outputs(word)) for word in relation.inputs} == {
        w: out for w, out in expected.items() if out
    }
    assert domain == len(relation.inputs)
    for word in relation.inputs[:3]:
        assert set(engine.apply(node, word)) == expected[word], paper(node)


@settings(max_examples=60)
@given(predicates)
def test_predicates_equal_plain_evaluation(engine: LexicalEngine, plain: Plain, node: Expression) -> None:
    predicate = engine.predicate(node)
    expected = {word: plain.truth(node, word) for word in ENGLISH}
    assert set(predicate.true) == {word for word, value in expected.items() if value is True}
    assert set(predicate.false) == {word for word, value in expected.items() if value is False}


@pytest.mark.parametrize(
    "text",
    [
        "translate[eng->spa]", "hyponyms[eng](antonyms[eng])", "antonyms[eng](translate[spa->eng])", "synonyms[spa]",
        "hyponyms[spa](entailments[spa])", "translate[spa->eng](translate[eng->spa])", "union(hyponyms[eng],x)",
        "antonyms[eng](antonyms[eng](antonyms[eng]))", "POS[eng]", "sentiment[eng]", "POS[spa](synonyms[spa])",
    ],
)  # fmt: skip
def test_both_languages_and_deeper_chains(engine: LexicalEngine, plain: Plain, text: str) -> None:
    node = parse(text)
    relation = engine.relation(node)
    for word in plain.pool[signature(node).source]:
        given = set(relation.outputs(word)) if word in relation.inputs else set()
        assert given == plain.out(node, word), word


def test_land_and_lor_are_what_they_say(engine: LexicalEngine) -> None:
    noun, verb = (set(engine.predicate(parse(f"is-POS-{name}[eng]")).true) for name in ("noun", "verb"))
    both = engine.predicate(parse("land(is-POS-noun[eng],is-POS-verb[eng])"))
    either = engine.predicate(parse("lor(is-POS-noun[eng],is-POS-verb[eng])"))
    assert set(both.true) == noun & verb != noun
    assert set(either.true) == noun | verb
    assert set(both.false) == set(ENGLISH) - (noun & verb)


def test_constant_predicates_have_a_universe(engine: LexicalEngine) -> None:
    assert engine.predicate(parse("acceptall[eng]")).true == tuple(sorted(ENGLISH))
    assert engine.predicate(parse("rejectall[spa]")).false == tuple(sorted(SPANISH))


def test_random_relations_are_functions_of_seed_and_word_alone() -> None:
    words = {"eng": tuple(ENGLISH), "spa": tuple(SPANISH)}
    tables = {}
    for seed in (0, 1):
        engine = LexicalEngine(default_lexicon(), words, seed=seed)
        for number in (0, 1):
            relation = engine.relation(parse(f"random{{{number}}}[eng]"))
            tables[seed, number] = {word: relation.outputs(word) for word in relation.inputs}
            assert list(tables[seed, number]) == sorted(ENGLISH)
            for word, outputs in tables[seed, number].items():
                assert len(outputs) == 1
                assert outputs[0] in ENGLISH
                assert outputs[0] != word
    assert len({tuple(sorted(table.items())) for table in tables.values()}) == 4


def test_equal_functions_have_equal_fingerprints(engine: LexicalEngine) -> None:
    def printed(text: str) -> str:
        return fingerprint(engine.relation(parse(text)))

    assert printed("union(antonyms[eng],synonyms[eng])") == printed("union(synonyms[eng],antonyms[eng])")
    assert printed("intersection(hypernyms[eng],union(hypernyms[eng],antonyms[eng]))") == printed("hypernyms[eng]")
    assert printed("antonyms[eng]") != printed("synonyms[eng]")


def test_too_many_outputs_are_left_out_and_counted(engine: LexicalEngine) -> None:
    everything = engine.relation(parse("hyponyms[eng]"))
    few = engine.relation(parse("hyponyms[eng]"), most_outputs=20)
    assert everything.domain == few.domain == len(everything.inputs)
    assert set(few.inputs) == {word for word in everything.inputs if len(everything.outputs(word)) <= 20}


def test_direct_antonyms() -> None:
    engine = LexicalEngine(default_lexicon(), {"eng": tuple(ENGLISH), "spa": ()}, direct=True)
    relation = engine.relation(parse("antonyms[eng]"))
    assert relation.outputs("happy") == ("unhappy",)

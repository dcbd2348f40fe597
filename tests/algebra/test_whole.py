"""Every operator above every other: forms, types, depths, words, values and spellings (see `tests/approved.py`)."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from approved import approved, plain
from taskloom.algebra import (
    CHAIN,
    COMPLEMENT,
    EMPTY,
    EQ,
    FILTER,
    IDENTITY,
    IF,
    IN,
    INTERSECTION,
    LAND,
    LNOT,
    LOR,
    MAP,
    SUBSET,
    UNION,
    Answers,
    Atom,
    Evaluator,
    IllTypedError,
    Notation,
    Speaker,
    Truths,
    atoms,
    depth,
    equal,
    facet,
    is_identity,
    links,
    map_filter,
    normal,
    quote,
    read,
    reasons,
    replace_atoms,
    signature,
    spoken,
    width,
)  # fmt: skip
from taskloom.core import UserError
from taskloom.core.catalog import OPERATORS

F, G, P, Q = Atom("f"), Atom("g"), Atom("p", language="entity->truth"), Atom("is")
RELATIONS = {"f": {"a": "bc", "b": "a", "c": ""}, "g": {"a": "c", "b": "ab", "c": "b"}}
PREDICATES = {"p": {"a": True, "b": False, "c": None}, "is": {"a": False, "b": False, "c": True}}


class Table(Evaluator):
    """The letters above, on three inputs."""

    def here(self, node, x):
        if not isinstance(node, Atom):
            return node.record.value(self, x, node.arguments)
        if node.name in PREDICATES:
            return Truths({name: PREDICATES[node.name].get(name) for name in x.rows})
        return Answers({name: RELATIONS[node.name].get(name, "") for name in x.rows}, reach=lambda: set("abc"))


class OfWords(Speaker):
    facts = False

    def atom(self, atom, x):
        return f"an {atom.name} of {x}"


def expressions():
    """Every operator over letters, and over every other operator."""
    relations = [
        F,
        G,
        UNION(F, G),
        INTERSECTION(F, G),
        COMPLEMENT(F),
        IF(P, F, G),
        CHAIN(F, G),
        IDENTITY(),
        UNION(G, F, F),
    ]
    predicates = [P, Q, LAND(P, Q), LOR(P, Q), LNOT(P), SUBSET(F, G), EQ(G, F), IN(F, G), EMPTY(INTERSECTION(F, G)),
                  CHAIN(P, F), EMPTY(F), SUBSET(IDENTITY(), G), EQ(F, IDENTITY()), IN(IDENTITY(), F)]  # fmt: skip
    yield from relations + predicates
    for outer, (one, two) in product((UNION, INTERSECTION, CHAIN, SUBSET, EQ, IN), product(relations[2::2], repeat=2)):
        yield outer(one, two)
    for one in relations:
        yield from (COMPLEMENT(one), EMPTY(one), UNION(INTERSECTION(one, F), F), INTERSECTION(UNION(one, F), F))
    for outer, (one, two) in product((LAND, LOR), product(predicates[::3], repeat=2)):
        yield outer(one, two)
    for one in predicates:
        yield from (
            LNOT(one),
            LNOT(LNOT(one)),
            IF(one, F, G),
            CHAIN(one, F),
            CHAIN(one, UNION(F, G)),
            LAND(one, LOR(one, P)),
        )


def lists():
    functions = [MAP(F), MAP(UNION(F, G)), FILTER(P), FILTER(LNOT(Q)), MAP(IDENTITY())]
    yield from functions
    for one, two in product(functions, repeat=2):
        yield CHAIN(one, two)
    yield CHAIN(MAP(F), CHAIN(FILTER(P), FILTER(Q)))


PLAIN = Notation(name=lambda atom: atom.name)
NOTATIONS = (PLAIN, Notation(lambda atom: quote(atom.name), "x", ", "),
             Notation(lambda atom: atom.name, "0", wrapper="wiki"),
             Notation(lambda atom: atom.name, "x", binder="λx. "))  # fmt: skip


def shown(value):
    return {x: y if isinstance(y, bool | None) else "".join(y) for x, y in value.rows.items()}


def said_of(node):
    yield PLAIN.text(node)
    kind = signature(node)
    bound = "" if kind.sequence or kind.predicate else width(node)
    yield plain([str(kind), depth(node), facet(node), str(bound), PLAIN.text(normal(node)), is_identity(node)])
    if kind.sequence:
        yield plain(["".join(shown(Table()(node, Answers.of("cab"))).get(x) or "-") for x in "cab"])
        form = map_filter(node)
        yield plain(
            [PLAIN.text(form.relation), form.predicate and PLAIN.text(form.predicate), form.maps, len(links(node))]
        )
    else:
        yield plain(shown(Table()(node, Answers.of("abc"))))
        for say in (Speaker(), OfWords()):
            if kind.predicate:
                yield from (say.clause(node, "x", holds=holds) for holds in (True, False))
                yield " ; ".join(PLAIN.text(one) for one in reasons(node))
            else:
                yield say(node, "x")
    yield " ; ".join(notation.text(node) for notation in NOTATIONS[1:])


def test_every_operator_above_every_other():
    said = []
    for node in expressions():
        try:
            said += said_of(node)
        except (IllTypedError, TypeError) as error:
            said.append(f"{node!r}: {error}")
    for node in lists():
        said += said_of(node)
    said += [f"{name}: {OPERATORS.get(name).summary}" for name in sorted(OPERATORS) if "." not in name]
    approved(Path(__file__).with_name("expressions.txt"), "\n".join(said) + "\n")


def test_what_a_normal_form_makes_equal():
    same = [
        (UNION(F, G), UNION(G, F)),
        (LNOT(LAND(P, Q)), LOR(LNOT(Q), LNOT(P))),
        (MAP(F), CHAIN(MAP(F), MAP(IDENTITY()))),
    ]
    other = [(UNION(F, G), INTERSECTION(F, G)), (CHAIN(F, G), CHAIN(G, F)), (SUBSET(F, G), SUBSET(G, F))]
    assert all(equal(*pair) for pair in same) and not any(equal(*pair) for pair in other)
    node = UNION(F, CHAIN(F, G))
    assert [atom.name for atom in atoms(node)] == ["f", "f", "g"]
    assert replace_atoms(node, lambda atom: G if atom == F else P) == UNION(G, CHAIN(G, P))


SPELLED = ["f", " union( f ,g ) ", "map{λx. union(child(x), father(x))}", r"map{\y.f(y)}(S)", "lambda x . f",
           'a "b,c"d=e', '"x = y" = z',
           "is{occupation = writer}[eng->spa](f)", r'"\"q\" \\"', '""', "a b c", "f{a,b}[c](d)"]  # fmt: skip
FAULTY = [
    "",
    "f(",
    "f(a",
    "f(a}",
    "f(a)(b)",
    "f(a){b}",
    "f[a]{b}",
    'f("a',
    "f) x",
    "f,g",
    "f(,)",
    "(",
    "(" * 2,
    "f(" * 151,
    "f\n(a",
]


def test_every_spelling_and_every_fault():
    said = [f"{text} -> {read(text)!r}" for text in SPELLED]
    for text in FAULTY:
        with pytest.raises(UserError) as raised:
            read(text)
        said.append(f"{text[:20]!r}: {raised.value.message[:100]} {raised.value.hint}")
    assert read("f(" * 150 + "x" + ")" * 150).end == 451
    names = ["plain", "two words", "two_words", " edge", "a,b", "a=b", 'a"b', "a\\b", "λ", "1.5"]
    said += [f"{name!r} {quote(name)} {quote(name, always=True)} {read(quote(name)).name == name}" for name in names]
    said += [spoken(one) for one in ("any", "truth", "entity", "eng", "colour", "POS")]
    said += [str(atom.signature) for atom in (F, Atom("f", language="eng"), Atom("POS", language="eng"), Atom("POS"),
                                              Atom("synonyms", language="eng->spa"), Q,
                                              Atom("is", language="eng"))]  # fmt: skip
    approved(Path(__file__).with_name("spellings.txt"), "\n".join(said) + "\n")


ILL = {
    "a predicate among relations": lambda: UNION(F, P),
    "a relation among predicates": lambda: LAND(P, F),
    "a map inside": lambda: UNION(MAP(F), G),
    "two universes": lambda: UNION(F, Atom("s", language="eng")),
    "two targets": lambda: EQ(Atom("s", language="eng"), Atom("t", language="eng->spa")),
    "a truth value as input": lambda: CHAIN(F, P),
    "words and sequences": lambda: CHAIN(MAP(F), G),
    "sequences and words": lambda: CHAIN(F, MAP(G)),
    "an inner of another universe": lambda: CHAIN(F, Atom("s", language="eng")),
}


def test_every_expression_that_means_nothing_is_refused_in_a_sentence():
    said = []
    for name, make in ILL.items():
        with pytest.raises(IllTypedError) as raised:
            signature(make())
        said.append(f"{name}: {raised.value}")
    approved(Path(__file__).with_name("ill-typed.txt"), "\n".join(said) + "\n")

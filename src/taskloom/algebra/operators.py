"""The operators that Taskloom brings along, one record each, and one form for all spellings of a function.

A plug-in registers its own operators in the same way. Two expressions with the same normal form are the same function,
on any data. The converse does not hold: that two functions agree on every word is a matter of data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import inf
from operator import and_, or_
from typing import Any, Final

from taskloom.algebra import types
from taskloom.algebra.records import (
    Composition,
    ControlOperator,
    Laws,
    PredicateOperator,
    RelationOperator,
    Rule,
    SequenceOperator,
    map_filter,
    width,
)
from taskloom.algebra.types import Atom, Expression, Node, signature


def normal(node: Expression) -> Expression:
    """The normal form of an expression."""
    if not signature(node).sequence:
        return _word(node)
    form = map_filter(node)
    relation = _word(form.relation)
    if form.predicate is None:
        return MAP(relation)
    kept = FILTER(_word(form.predicate))
    return kept if relation == IDENTITY() else CHAIN(MAP(relation), kept)


def equal(first: Expression, second: Expression) -> bool:
    """Whether two expressions are one function for every choice of data, as far as the identities tell."""
    return normal(first) == normal(second)


def is_identity(node: Expression) -> bool:
    """Whether it gives each input itself, in any language."""
    return node.name == "identity" and not node.factual if isinstance(node, Atom) else node == IDENTITY()


def _word(node: Expression) -> Expression:
    return node if isinstance(node, Atom) else build(node.operator, [_word(part) for part in node.arguments])


def build(name: str, parts: Sequence[Expression]) -> Expression:
    """The normal form of a node whose arguments are in normal form."""
    found = list(parts)
    laws = Node(name).record.laws
    if laws.associative:
        found = [inner for part in found for inner in (part.arguments if part.operator == name else (part,))]
    if laws.absorbs:
        found = [part for part in found if part.operator != laws.absorbs or not {*part.arguments} & {*found}]
    if laws.idempotent:
        found = list(dict.fromkeys(found))
    if laws.commutative:
        found = sorted(found, key=repr)
    if laws.idempotent and len(found) == 1:
        return found[0]
    other = laws.rewrite(*found) if laws.rewrite is not None else None
    return Node(name, tuple(found)) if other is None else other


_ARTICLE = re.compile(r"(?:^|(?<= of ))an? ")


IDENTITY: Final[RelationOperator] = RelationOperator(
    name="input", arity=(0, 0), types=lambda name, given: types.Signature("any", "any"), laws=Laws(),
    facet="identity", example=({"x": "x"},),
    semantics=lambda at, x: x,
    bound=lambda reach: 1,
    sparql=lambda ask, x, y: ask.refuse("the input itself"),
    phrase=lambda say, x: x,
    explain=lambda why, x, y: [],
)  # fmt: skip

UNION: Final[RelationOperator] = RelationOperator(
    name="union", arity=(2, None), types=types.set_operation,
    laws=Laws(commutative=True, associative=True, idempotent=True, absorbs="intersection"), facet="union",
    example=({"x": "ab"}, {"x": "b", "y": "c"}, {"x": "ab", "y": "c"}),
    semantics=lambda at, x, *parts: reduce(or_, (at(part, x) for part in parts)),
    bound=lambda reach, *parts: sum(parts),
    sparql=lambda ask, x, y, *parts: " UNION ".join(f"{{ {ask(part, x, y)} }}" for part in parts),
    phrase=lambda say, x, *parts: ("" if say.facts else "either ") + " or ".join(say(part, x) for part in parts),
    explain=lambda why, x, y, *parts: next(
        (why(part, x, y) for part in parts if why.gives(part, x, y)), [why.pair(UNION(*parts), x, y)]
    ),
)  # fmt: skip

INTERSECTION: Final[RelationOperator] = RelationOperator(
    name="intersection", arity=(2, None), types=types.set_operation,
    laws=Laws(commutative=True, associative=True, idempotent=True, absorbs="union", distributes=True),
    facet="intersection", example=({"x": "ab"}, {"x": "bc", "y": "c"}, {"x": "b", "y": ""}),
    # What has no bound of its own is taken away from what the others give, so it comes last.
    semantics=lambda at, x, *fs: reduce(and_, (at(part, x) for part in sorted(fs, key=lambda f: width(f) == inf))),
    bound=lambda reach, *parts: min(parts),
    sparql=lambda ask, x, y, *parts: ask.join(parts, x, y),
    phrase=lambda say, x, part, *others: (
        f"{say(part, x)} that is also " + (" that is also " if say.facts else " and ").join(say(f, x) for f in others)
    ),
    explain=lambda why, x, y, *parts: [step for part in parts for step in why(part, x, y)],
)  # fmt: skip

COMPLEMENT: Final[RelationOperator] = RelationOperator(
    name="complement", arity=(1, 1), types=types.set_operation, laws=Laws(), facet="complement",
    example=({"x": "a", "y": "bc"}, {"x": "bc", "y": "a", "z": ""}),
    semantics=lambda at, x, part: at(part, x).others(),
    bound=lambda reach, part: reach,
    sparql=lambda ask, x, y, part: ask.outside(part, x, y),
    phrase=lambda say, x, part: (
        f"something that is {say(part, 'something else')} but not {say(part, x)}"
        if say.facts
        else f"a word that is not {say(part, x)}"
    ),
    explain=lambda why, x, y, part: [why.pair(COMPLEMENT(part), x, y)],
)  # fmt: skip

IF: Final[ControlOperator] = ControlOperator(
    name="if", arity=(3, 3), types=types.choice, laws=Laws(), facet="if",
    example=({"x": True, "y": False}, {"x": "a", "y": "b"}, {"x": "c", "y": "d"}, {"x": "a", "y": "d", "z": ""}),
    semantics=lambda at, x, test, then, other: at(test, x).choose(at(then, x), at(other, x)),
    bound=lambda reach, test, then, other: max(then, other),
    sparql=lambda ask, x, y, test, then, other: " UNION ".join(
        f"{{ {{ {ask.holds(test, x, wanted)} }} {{ {ask(part, x, y)} }} }}"
        for part, wanted in ((then, True), (other, False))
    ),
    phrase=lambda say, x, test, then, other: f"{say(then, x)} if {say.clause(test, x)}, and otherwise {say(other, x)}",
    explain=lambda why, x, y, test, then, other: why(then if why.truth(test, x) else other, x, y),
    condition=lambda test, then, other: test,
)  # fmt: skip


def _every(ask: Any, x: str, parts: tuple[Expression, ...], wanted: bool | None) -> str:
    return " ".join(f"{{ {ask.holds(part, x, wanted)} }}" for part in parts)


def _some(ask: Any, x: str, parts: tuple[Expression, ...], wanted: bool | None) -> str:
    """One argument decides, and all others are known."""
    cases = [" ".join(f"{{ {ask.holds(p, x, wanted if p is part else None)} }}" for p in parts) for part in parts]
    return " UNION ".join(f"{{ {case} }}" for case in cases)


def _either(ask: Any, x: str, holds: Callable[..., str], *parts: Any) -> str:
    return " UNION ".join(f"{{ {holds(ask, x, wanted, *parts)} }}" for wanted in (True, False))


def _junction(name: str, dual: str, word: str, other: str, join: Callable[[Any, Any], Any]) -> PredicateOperator:
    """A connective that is unknown as soon as one argument is; what it says is said of all, or of one."""
    values = {"x": join(True, False), "y": join(False, False), "z": join(True, True), "w": None}
    return PredicateOperator(
        name=name, arity=(2, None), types=types.logic,
        laws=Laws(commutative=True, associative=True, idempotent=True, dual=dual), facet=name,
        example=({"x": True, "y": False, "z": True}, {"x": False, "y": False, "z": True, "w": True}, values),
        semantics=lambda at, x, *parts: reduce(join, (at(part, x) for part in parts)),
        holds=lambda ask, x, wanted, *parts: (_some if wanted is (word == "or") else _every)(ask, x, parts, wanted),
        clause=lambda say, x, holds, *parts: (
            ("either " if say.facts and holds is (word == "or") else "")
            + f" {word if holds else other} ".join(say.clause(part, x, holds=holds) for part in parts)
        ),
    )  # fmt: skip


LAND: Final[PredicateOperator] = _junction("land", "lor", "and", "or", and_)
LOR: Final[PredicateOperator] = _junction("lor", "land", "or", "and", or_)


def _negated(part: Expression) -> Expression | None:
    """Negations move inwards until they meet an atom; `land` and `lor` are strict, so De Morgan holds."""
    if part.operator == "lnot":
        return part.arguments[0]
    dual = part.record.laws.dual if part.record else ""
    return build(dual, [build("lnot", [inner]) for inner in part.arguments]) if dual else None


LNOT: Final[PredicateOperator] = PredicateOperator(
    name="lnot", arity=(1, 1), types=types.logic, laws=Laws(rewrite=_negated), facet="lnot",
    example=({"x": True, "y": False}, {"x": False, "y": True, "z": None}),
    semantics=lambda at, x, part: ~at(part, x),
    holds=lambda ask, x, wanted, part: ask.holds(part, x, None if wanted is None else not wanted),
    clause=lambda say, x, holds, part: say.clause(part, x, holds=not holds),
)  # fmt: skip


def _included(left: str, right: str, x: str, holds: bool, name: str) -> str:
    """Two noun phrases compared, either of which may be the input itself."""
    if left == x:
        return f"{x} is {'' if holds else 'not '}{right}"
    if name == "in" and not holds:
        return f"nothing that is {left} is {right}"
    return f"{'' if holds else 'not '}everything that is {left} is {'' if right == x else 'also '}{right}"


def _beyond(ask: Any, x: str, wanted: bool | None, sides: Iterable[tuple[Expression, Expression]]) -> str:
    """That no left side gives what its right side does not, or that one does; nothing where either is wanted."""
    if wanted is None:
        return ""
    beyond = [f"{{ {ask.beyond(*pair, x)} }}" for pair in sides]
    return " ".join(f"MINUS {each}" for each in beyond) if wanted else f"{{ {' UNION '.join(beyond)} }}"


def _all_or_none(ask: Any, x: str, wanted: bool | None, sides: Iterable[tuple[Expression, Expression]]) -> str:
    (both,) = sides
    beyond, shared = f"{{ {ask.beyond(*both, x)} }}", ask.shared(both, x)
    # Some but not all, which is unknown, is both.
    return f"MINUS {{ {beyond if wanted else shared if wanted is False else f'{beyond} {shared}'} }}"


def _comparison(
    name: str, rule: Rule, yes: str, laws: Laws, *, mutual: bool = False, holds: Any = _beyond
) -> PredicateOperator:
    """What two relations give for the input, compared from the left or from both sides; asked where both give some."""

    def sides(f: Any, g: Any) -> list[tuple[Any, Any]]:
        return [(f, g), (g, f)] if mutual else [(f, g)]

    result = {x: x in yes for x in "xyz"}
    return PredicateOperator(
        name=name, arity=(2, 2), types=types.comparison, laws=laws, facet=name,
        example=({"x": "a", "y": "ab", "z": "c"}, {"x": "ab", "y": "ab", "z": "d"}, {**result, "w": None}),
        semantics=lambda at, x, f, g: at(f, x).compare(
            at(g, x), lambda a, b, shared: rule(a, b, shared) if a and b else None
        ),
        holds=lambda ask, x, wanted, f, g: f"{ask.domains((f, g), x)} {holds(ask, x, wanted, sides(f, g))}",
        clause=lambda say, x, told, f, g: (", and " if told else ", or ").join(
            _included(*pair, x, told, name) for pair in sides(say(f, x), say(g, x))
        ),
    )  # fmt: skip


SUBSET: Final[PredicateOperator] = _comparison(
    "subset", lambda first, second, shared: shared == first, "xy",
    # For a single thing to be a part of something is to be in it.
    Laws(rewrite=lambda f, g: build("in", [f, g]) if is_identity(f) else None),
)  # fmt: skip

EQ: Final[PredicateOperator] = _comparison(
    "eq", lambda first, second, shared: shared == first == second, "y", Laws(commutative=True), mutual=True
)

IN: Final[PredicateOperator] = _comparison(
    "in", lambda first, second, shared: True if shared == first else None if shared else False, "xy", Laws(),
    holds=_all_or_none,
)  # fmt: skip


def _shown_empty(ask: Any, x: str, wanted: bool | None, part: Expression) -> str:
    """A graph shows that relations share nothing; that one gives nothing it cannot show."""
    parts = ask.shared_parts(part)
    shared = "" if wanted is None else ask.shared(parts, x)
    return shared if wanted is False else f"{ask.domains(parts, x)} {f'MINUS {{ {shared} }}' if wanted else ''}"


EMPTY: Final[PredicateOperator] = PredicateOperator(
    name="empty", arity=(1, 1), types=types.comparison, laws=Laws(), facet="empty",
    example=({"x": "a"}, {"x": False, "y": True}),
    semantics=lambda at, x, part: at(part, x).compare(at(part, x), lambda size, *_: size == 0),
    holds=_shown_empty,
    clause=lambda say, x, holds, part: (
        f"{'nothing' if holds else 'something'} is both {' and '.join(say(one, x) for one in part.arguments)}"
        if say.facts and part.arguments
        else f"there is {'no' if holds else 'a'} word that is {say(part, x)}"
    ),
)  # fmt: skip


def _rewritten(outer: Expression, inner: Expression) -> Expression | None:
    """Unions come outermost, since every relation is applied member by member; so do negations."""
    if is_identity(outer):
        return inner
    if is_identity(inner):
        return outer
    if outer.operator == "chain":
        return build("chain", [outer.arguments[0], build("chain", [outer.arguments[1], inner])])
    if outer.operator in ("union", "lnot"):
        return build(outer.operator, [build("chain", [part, inner]) for part in outer.arguments])
    if inner.operator == "union" and not signature(outer).predicate:
        return build("union", [build("chain", [outer, part]) for part in inner.arguments])
    return None


def _between(why: Any, x: str, y: str, outer: Expression, inner: Expression) -> list[str]:
    middle = why.between(outer, inner, x, y)
    if middle is None:
        return [why.pair(CHAIN(outer, inner), x, y)]
    return [*why(inner, x, middle), *why(outer, middle, y)]


def _of_every(ask: Any, x: str, wanted: bool | None, outer: Expression, inner: Expression) -> str:
    if wanted is None:
        return _either(ask, x, _of_every, outer, inner)
    member = ask.fresh()
    against, accepted = ask(inner, x, member), ask.holds(outer, member, wanted)
    return f"{ask.domains((inner,), x)} MINUS {{ {against} MINUS {{ {accepted} }} }}"


def _said_of_every(say: Any, x: str, holds: bool, outer: Expression, inner: Expression) -> str:
    """A predicate asked of every member: either noun or verb each, not all of them nouns or all of them verbs."""
    members = say(inner, x)
    every = _ARTICLE.sub("every ", members) if say.facts else f"whatever is {members}"
    if isinstance(outer, Atom) and (holds or not say.facts or every == members):
        return str(say.clause(outer, every, holds=holds))
    told = f"this is {'true' if holds else 'false'}"
    return f"{f'{told} of {every}' if say.facts else f'of {every} {told}'}: {say.clause(outer, 'it')}"


CHAIN: Final[Composition] = Composition(
    name="chain", arity=(2, 2), types=types.composition, laws=Laws(distributes=True, rewrite=_rewritten),
    facet="chain", example=({"a": "c", "b": "d"}, {"x": "ab", "y": "b"}, {"x": "cd", "y": "d", "z": ""}),
    semantics=lambda at, x, outer, inner: at(outer, at(inner, x)),
    bound=lambda reach, outer, inner: outer * inner,
    sparql=lambda ask, x, y, outer, inner: (
        f"{ask.operand(inner, x, (middle := ask.fresh()))} {ask.operand(outer, middle, y)}"
    ),
    phrase=lambda say, x, outer, inner: say(outer, say(inner, x)),
    explain=_between,
    holds=_of_every,
    clause=_said_of_every,
)  # fmt: skip

MAP: Final[SequenceOperator] = SequenceOperator(
    name="map", arity=(1, 1), types=types.mapping, laws=Laws(), facet="map", facet_after="map-filter",
    example=({"a": "b"}, {"a": "b"}),
    layout=lambda form, function: form._replace(relation=CHAIN(function, form.relation)),
)  # fmt: skip

FILTER: Final[SequenceOperator] = SequenceOperator(
    name="filter", arity=(1, 1), types=types.filtering, laws=Laws(), facet="filter", facet_after="filter",
    example=({"a": True, "b": False}, {"a": "a", "b": ""}),
    layout=lambda form, predicate: form._replace(
        predicate=reduce(LAND, [f for f in (form.predicate, CHAIN(predicate, form.relation)) if f])
    ),
)  # fmt: skip

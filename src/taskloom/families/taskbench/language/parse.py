"""From text to a typed tree, for both notations.

The paper's `map{λx. union(child(x), father(x))}`, the code's `map{wiki{union(child(0),father(0))}}(S)` and the
short `map{union(child,father)}` are the same expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from taskloom.core import UserError, nearest
from taskloom.families.taskbench.language.atoms import (
    FACTUAL_RELATIONS,
    LEXICAL_RELATIONS,
    MARKS,
    canonical_key,
    canonical_value,
    clean,
)
from taskloom.families.taskbench.language.syntax import Term, fault, read
from taskloom.families.taskbench.language.tree import (
    Atom,
    Compare,
    Complement,
    Empty,
    Expression,
    Filter,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Map,
    Union,
    chain,
)
from taskloom.families.taskbench.language.types import IllTypedError, signature
from taskloom.sources.language_codes import ISO_639

__all__ = ["parse"]

_MANY: dict[str, Callable[[tuple[Expression, ...]], Expression]] = {
    "union": Union,
    "intersection": Intersection,
    "land": Land,
    "lor": Lor,
}
_ONE: dict[str, Callable[[Expression], Expression]] = {"complement": Complement, "lnot": Lnot, "empty": Empty}
_TWO: dict[str, Callable[[Expression, Expression], Expression]] = {
    "in": partial(Compare, "in"),
    "subset": partial(Compare, "subset"),
    "eq": partial(Compare, "eq"),
}
_LIFTS: dict[str, Callable[[Expression], Expression]] = {"map": Map, "filter": Filter, "chain": lambda f: f}
_INPUTS = frozenset({"0", "x", "X", "S", "s"})
_OTHER_INPUT = re.compile(r"[1-9][0-9]?|Y|y")
_LANGUAGE = re.compile(r"[a-z]{3}")
_PROPERTY = re.compile(r"P[1-9][0-9]*")
_PAPER_IS = re.compile(r"is-(\w+)-(.+)")
_PAPER_RANDOM = re.compile(r"random-seed(\d+)")


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The tree of an expression in either notation, type-checked.

    Raises:
        UserError: The text does not parse or does not type, with the position.

    Example:
        >>> parse("father(mother(0))") == parse("wiki{father(mother)}")
        True
    """
    tree = _Elaborator(text).expression(read(text), frozenset(), open_names=False)
    type_ = signature(tree)
    if type_.source == "any":
        raise fault(text, 0, "the identity alone is not a task; name its language: identity[eng]")
    return tree


class _Elaborator:
    def __init__(self, text: str) -> None:
        self.text = text

    def expression(self, term: Term, bound: frozenset[str], *, open_names: bool) -> Expression:
        """The tree of a term; every node is type-checked as soon as it exists, so errors point at it."""
        inner = bound | {term.binder} if term.binder else bound
        tree = self._build(term, inner, open_names)
        try:
            signature(tree)
        except IllTypedError as problem:
            raise fault(self.text, term.start, str(problem)) from None
        return tree

    def _build(self, term: Term, bound: frozenset[str], open_names: bool) -> Expression:
        name = term.name if term.quoted else clean(term.name)
        bare = not (term.braces or term.brackets or term.parens or term.quoted)
        if bare and (name in bound or name in _INPUTS):
            return Identity()
        if bare and _OTHER_INPUT.fullmatch(name):
            raise fault(self.text, term.start, f"a task has one input, written 0 or x, so {name!r} cannot be another")
        if not term.quoted and name in _MANY:
            parts = self._inputs(term, bound, open_names, least=2)
            return _MANY[name](tuple(parts))
        if not term.quoted and name in _ONE:
            return _ONE[name](self._inputs(term, bound, open_names, least=1, most=1)[0])
        if not term.quoted and name in _TWO:
            return _TWO[name](*self._inputs(term, bound, open_names, least=2, most=2))
        if not term.quoted and (name in _LIFTS or name == "wiki"):
            return self._lift(term, name, bound, open_names)
        atom = self._atom(term, name, open_names)
        if term.parens is None:
            return atom
        return chain(atom, self._inputs(term, bound, open_names, least=1, most=1)[0])

    def _inputs(
        self, term: Term, bound: frozenset[str], open_names: bool, *, least: int, most: int | None = None
    ) -> list[Expression]:
        given = term.parens or ()
        if len(given) < least or (most is not None and len(given) > most):
            wanted = f"{least} input{'s' if least > 1 else ''}" + (" or more" if most is None else "")
            raise fault(self.text, term.start, f"{term.name} takes {wanted}, not {len(given)}")
        return [self.expression(one, bound, open_names=open_names) for one in given]

    def _lift(self, term: Term, name: str, bound: frozenset[str], open_names: bool) -> Expression:
        """`map{f}(S)`, `filter{p}(S)`, `chain{f}(g)`, and `wiki{f}`, which only opens the names of properties."""
        if term.braces is None or len(term.braces) != 1:
            raise fault(self.text, term.start, f"{name} needs one function in braces: {name}{{f}}")
        if term.brackets is not None:
            raise fault(self.text, term.start, f"{name} takes no brackets")
        wiki = name == "wiki"
        inner = self.expression(term.braces[0], bound, open_names=wiki or open_names)
        if wiki and signature(inner).source not in ("entity", "any"):
            raise fault(self.text, term.braces[0].start, "wiki{...} holds factual functions only")
        if name == "chain" and term.parens is None:
            raise fault(self.text, term.start, "chain needs what it follows: chain{f}(g)")
        lifted = inner if wiki else _LIFTS[name](inner)
        if term.parens is None:
            return lifted
        try:
            signature(lifted)
        except IllTypedError as problem:
            raise fault(self.text, term.start, str(problem)) from None
        return chain(lifted, self._inputs(term, bound, open_names, least=1, most=1)[0])

    def _atom(self, term: Term, name: str, open_names: bool) -> Atom:
        language, inverse = self._brackets(term)
        if not term.quoted and (match := _PAPER_RANDOM.fullmatch(name)):
            return self._lexical(term, Atom("random", (("seed", str(int(match[1]))),), language, inverse))
        if not term.quoted and (match := _PAPER_IS.fullmatch(name)):
            return self._predicate(term, match[1], match[2], language, inverse)
        if not term.quoted and name == "is":
            feature = self._one_feature(term)
            if feature.equals < 0:
                raise fault(self.text, feature.start, "is needs key=value in braces, such as is{occupation=writer}")
            key, value = feature.name[: feature.equals], feature.name[feature.equals + 1 :]
            return self._predicate(term, key, value, language, inverse, literal=feature.quoted)
        if not term.quoted and name == "random":
            seed = self._one_feature(term).name
            if not seed.isascii() or not seed.isdigit():
                raise fault(self.text, term.start, f"the seed of a random relation is a whole number, not {seed!r}")
            return self._lexical(term, Atom("random", (("seed", str(int(seed))),), language, inverse))
        if term.braces is not None and [brace.name for brace in term.braces] == ["inv"]:
            inverse = True
        elif term.braces is not None:
            raise fault(self.text, term.braces[0].start, f"{term.name} takes nothing in braces")
        if not term.quoted and name in (*LEXICAL_RELATIONS, "acceptall", "rejectall"):
            return self._lexical(term, Atom(name, (), language, inverse))
        return self._relation(term, name, language, inverse, open_names)

    def _one_feature(self, term: Term) -> Term:
        if term.braces is None or len(term.braces) != 1:
            raise fault(self.text, term.start, f"{term.name} needs exactly one entry in braces")
        return term.braces[0]

    def _brackets(self, term: Term) -> tuple[str, bool]:
        language, inverse = "", False
        for entry in term.brackets or ():
            if entry.name == "inv":
                inverse = True
                continue
            ends = re.split(r"\s*->\s*|\s*-\s*", entry.name)
            ends = [ISO_639.get(end, end) for end in ends]
            unknown = [end for end in ends if not _LANGUAGE.fullmatch(end)]
            if unknown or len(ends) > 2 or language:
                hint = "eng and spa are embedded; others need a wordnet: -T resources=DIR"
                raise fault(self.text, entry.start, f"{entry.name!r} is neither a language code nor a pair a->b", hint)
            language = "->".join(ends)
        return language, inverse

    def _lexical(self, term: Term, atom: Atom) -> Atom:
        if atom.inverse:
            raise fault(self.text, term.start, f"only factual relations have an inverse, not {atom.name}")
        pair = "->" in atom.language
        if not atom.language:
            example = "translate[eng->spa]" if atom.name == "translate" else f"{atom.name}[eng]"
            raise fault(self.text, term.start, f"{atom.name} needs a language, such as {example}")
        if pair != (atom.name == "translate") or (pair and len(set(atom.language.split("->"))) == 1):
            wanted = "two languages, such as [eng->spa]" if atom.name == "translate" else "one language, such as [eng]"
            raise fault(self.text, term.start, f"{atom.name} takes {wanted}")
        return atom

    def _predicate(
        self, term: Term, key: str, value: str, language: str, inverse: bool, *, literal: bool = False
    ) -> Atom:
        if not literal:
            key = canonical_key(key)
            value = canonical_value(key, value)
        if not value:
            raise fault(self.text, term.start, f"is{{{key}=...}} needs a value")
        if key not in MARKS:
            if language:
                raise fault(self.text, term.start, f"{key!r} is a factual key and takes no language")
            if inverse:
                raise fault(self.text, term.start, "a predicate has no inverse")
            return Atom("is", ((key, value),))
        if value not in MARKS[key]:
            options = ", ".join(MARKS[key])
            raise fault(self.text, term.start, f"{key} is one of {options}, not {value!r}")
        return self._lexical(term, Atom("is", ((key, value),), language, inverse))

    def _relation(self, term: Term, name: str, language: str, inverse: bool, open_names: bool) -> Atom:
        if language:
            raise self._unknown(term, name, LEXICAL_RELATIONS)
        if not (open_names or term.quoted or name in FACTUAL_RELATIONS or _PROPERTY.fullmatch(name)):
            operators = (*_MANY, *_ONE, *_TWO, *_LIFTS, "is")
            raise self._unknown(term, name, (*LEXICAL_RELATIONS, *FACTUAL_RELATIONS, *operators))
        return Atom(name, (), "", inverse)

    def _unknown(self, term: Term, name: str, options: tuple[str, ...]) -> UserError:
        close = nearest(name, options)
        tail = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        hint = "inside wiki{...} any property of the knowledge graph may be named"
        return fault(self.text, term.start, f"unknown function {name!r}{tail}", hint)

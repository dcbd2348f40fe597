"""The language of TaskBench: its atoms, in the paper's notation and in that of the reference code.

`is-birthplace-nyc` and `is{place of birth=New York City}`, `random-seed3[eng]` and `random{3}[eng]` are the same.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

import msgspec

from taskloom.algebra.operators import CHAIN, IDENTITY
from taskloom.algebra.parse import Notation, Term, fault, operator_names, quote, read
from taskloom.algebra.records import Operator, SequenceOperator
from taskloom.algebra.types import TAGS, Atom, Expression, IllTypedError, Node, atoms, signature
from taskloom.core import unknown_name
from taskloom.core.catalog import ATOMS, OPERATORS
from taskloom.core.decode import read_toml
from taskloom.core.language_codes import ISO_639, LANGUAGES
from taskloom.sources.atoms import own_atom


class LexicalAtom(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A relation between words that the lexicon has, written with its languages in brackets; see `atoms.toml`."""

    phrase: str
    note: str = ""
    noun: bool = True
    languages: int = 1

    @property
    def summary(self) -> str:
        said = self.phrase.replace("{x}", "x").replace("{seed}", "N")
        return f"{said}. {self.note}" if self.note else said


class _Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    values: dict[str, str]


class _Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lexical: dict[str, LexicalAtom]
    tag: dict[str, str]
    property: dict[str, dict[Literal["of", "gives"], str]]
    predicate: dict[str, _Predicate]


LANGUAGE = read_toml(Path(__file__).with_name("atoms.toml"), type=_Language)
"""All the names of the language, with how to speak of them."""
_PROPERTY = re.compile(r"P[1-9][0-9]*")
_WRAPPER = "wiki"
"""A name that stands around expressions, means nothing by itself, and lets atoms have names of any kind."""
_OPEN = "*"
_INPUTS = frozenset({"0", "x", "X", "S", "s"})
_OTHER_INPUT = re.compile(r"[1-9][0-9]?|Y|y")
_PAPER = re.compile(r"is-(\w+)-(.+)|random-seed(\d+)")
_KEYS = {record.key.lower(): key for key, record in LANGUAGE.predicate.items()}
_USUAL = {name.lower(): name for name in LANGUAGE.property}


def __getattr__(name: str) -> LexicalAtom:
    if name not in LANGUAGE.lexical:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return LANGUAGE.lexical[name]


def languages(node: Expression) -> set[str]:
    """The languages of the words in an expression."""
    own = [own_atom(atom.name) for atom in atoms(node)]
    named = {end for atom in atoms(node) if own_atom(atom.name) is None for end in atom.language.split("->") if end}
    ends = {end for record in own if record is not None for end in (record.domain, record.language)}
    return named | (ends & LANGUAGES.keys())


def parse(text: str) -> Expression:
    """The tree of an expression in either notation, type-checked.

    Raises:
        UserError: The text does not parse or does not type, with the position.

    Example:
        >>> parse("father(mother(0))") == parse("wiki{father(mother)}")
        True
    """
    return _parsed(text, len(ATOMS), len(OPERATORS))


@lru_cache(maxsize=4096)
def _parsed(text: str, *registered: int) -> Expression:
    """A tree, kept as long as nothing else is registered that it could name."""
    return _Parser(text).tree()


class _Parser:
    """Reads one expression: lexical atoms with a language in brackets, properties of a graph, predicates of both.

    `scope` holds the variables that are bound, and `_OPEN` inside `wiki{...}`, where any property may be named.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def tree(self) -> Expression:
        """The expression, type-checked."""
        whole = read(self.text)
        tree = self._expression(whole, frozenset())
        named = signature(tree).source != "any"
        self._require(named, whole, "the identity alone is not a task; name its language: identity[eng]")
        return tree

    def _require(self, holds: bool, term: Term, message: str, hint: str | None = None) -> None:
        if not holds:
            raise fault(self.text, term.start, message, hint)

    def _expression(self, term: Term, scope: frozenset[str]) -> Expression:
        """The tree of a term; every node is type-checked as soon as it exists, so errors point at it."""
        return self._typed(self._build(term, scope | {term.binder} if term.binder else scope), term)

    def _typed(self, tree: Expression, term: Term) -> Expression:
        try:
            signature(tree)
        except IllTypedError as problem:
            raise fault(self.text, term.start, str(problem)) from None
        return tree

    def _build(self, term: Term, scope: frozenset[str]) -> Expression:
        name = term.name if term.quoted else _clean(term.name)
        if not (term.braces or term.brackets or term.parens or term.quoted):
            if name in scope or name in _INPUTS:
                return IDENTITY()
            another = _OTHER_INPUT.fullmatch(name)
            self._require(not another, term, f"a task has one input, written 0 or x, so {name!r} cannot be another")
        record = Node(name).record if not term.quoted and name in operator_names() else None
        if record is not None and not isinstance(record, SequenceOperator) and record is not CHAIN:
            return record(*self._inputs(term, scope, record.arity))
        lifts = record is not None or (name == _WRAPPER and not term.quoted)
        tree = self._lift(term, name, record, scope) if lifts else self._atom(term, name, _OPEN in scope)
        return tree if term.parens is None else CHAIN(self._typed(tree, term), *self._inputs(term, scope))

    def _inputs(self, term: Term, scope: frozenset[str], arity: tuple[int, int | None] = (1, 1)) -> list[Expression]:
        given, (least, most) = term.parens or (), arity
        wanted = f"{least} input{'s' if least > 1 else ''}" + (" or more" if most is None else "")
        fits = least <= len(given) <= (len(given) if most is None else most)
        self._require(fits, term, f"{term.name} takes {wanted}, not {len(given)}")
        return [self._expression(one, scope) for one in given]

    def _lift(self, term: Term, name: str, record: Operator | None, scope: frozenset[str]) -> Expression:
        """`map{f}(S)`, `filter{p}(S)`, `chain{f}(g)`, and the wrapper, which only opens the names of atoms."""
        braces = term.braces or ()
        self._require(len(braces) == 1, term, f"{name} needs one function in braces: {name}{{f}}")
        self._require(term.brackets is None, term, f"{name} takes no brackets")
        inner = self._expression(braces[0], scope if record else scope | {_OPEN})
        factual = record is not None or signature(inner).source in ("entity", "any")
        self._require(factual, braces[0], "wiki{...} holds factual functions only")
        alone = record is CHAIN and term.parens is None
        self._require(not alone, term, "chain needs what it follows: chain{f}(g)")
        return record(inner) if isinstance(record, SequenceOperator) else inner

    def _atom(self, term: Term, name: str, open_names: bool) -> Atom:
        """The atom of a term, without what stands in its parentheses."""
        if not term.quoted and (own := own_atom(name)) is not None:
            free = own.name.replace("_", " ") not in LANGUAGE.property
            self._require(free, term, f"{own.name} is a property already; give your {own.sort} another name")
            alone = term.braces is None and term.brackets is None
            self._require(alone, term, f"{own.name} takes nothing in braces or brackets")
            return own.leaf()
        name, features = (name, ()) if term.quoted else self._features(term, name)
        atom = Atom(name, features, *self._brackets(term, inside=() if features else term.braces or ()))
        if not term.quoted and (name in LANGUAGE.lexical or (features and features[0][0] in TAGS)):
            return self._lexical(term, atom)
        if features:
            self._require(not atom.language, term, f"{features[0][0]!r} is a factual key and takes no language")
            self._require(not atom.inverse, term, "a predicate has no inverse")
        elif atom.language or not (term.quoted or open_names or name in LANGUAGE.property or _PROPERTY.fullmatch(name)):
            known = LANGUAGE.lexical if atom.language else (*ATOMS, *LANGUAGE.property, *operator_names(), "is")
            hint = "inside wiki{...} any property of the knowledge graph may be named"
            raise fault(self.text, term.start, unknown_name("function", name, known).message, hint)
        return atom

    def _brackets(self, term: Term, inside: tuple[Term, ...]) -> tuple[str, bool]:
        """A language, and whether the atom is read from object to subject, which may stand in braces too."""
        language, inverse = "", [brace.name for brace in inside] == ["inv"]
        self._require(inverse or not inside, (*inside, term)[0], f"{term.name} takes nothing in braces")
        for entry in term.brackets or ():
            if entry.name == "inv":
                inverse = True
                continue
            ends = [ISO_639.get(end, end) for end in re.split(r"\s*->\s*|\s*-\s*", entry.name)]
            known = not language and len(ends) <= 2 and all(re.fullmatch("[a-z]{3}", end) for end in ends)
            hint = "eng and spa are embedded; others need a wordnet: -T resources=DIR"
            self._require(known, entry, f"{entry.name!r} is neither a language code nor a pair a->b", hint)
            language = "->".join(ends)
        return language, inverse

    def _lexical(self, term: Term, atom: Atom) -> Atom:
        self._require(not atom.inverse, term, f"only factual relations have an inverse, not {atom.name}")
        wanted = 1 if atom.name == "is" else LANGUAGE.lexical[atom.name].languages
        count, example = ("one language", "[eng]") if wanted == 1 else ("two languages", "[eng->spa]")
        self._require(bool(atom.language), term, f"{atom.name} needs a language, such as {atom.name}{example}")
        ends = atom.language.split("->")
        self._require(len(ends) == len(set(ends)) == wanted, term, f"{atom.name} takes {count}, such as {example}")
        return atom

    def _features(self, term: Term, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The name of an atom and what its braces hold, which the paper writes behind hyphens."""
        if match := _PAPER.fullmatch(name):
            (key, value, seed), literal = match.groups(), False
        elif name in ("is", "random"):
            braces = term.braces or ()
            self._require(len(braces) == 1, term, f"{name} needs exactly one entry in braces")
            given, at, literal = braces[0], braces[0].equals, braces[0].quoted
            key, value, seed = given.name[:at], given.name[at + 1 :], given.name if name == "random" else None
            said = "is needs key=value in braces, such as is{occupation=writer}"
            self._require(at >= 0 or seed is not None, given, said)
        else:
            return name, ()
        if seed is not None:
            number = seed.isascii() and seed.isdigit()
            self._require(number, term, f"the seed of a random relation is a whole number, not {seed!r}")
            return "random", (("seed", str(int(seed))),)
        if not literal:
            key = _KEYS.get(_clean(key).lower(), _clean(key))
            value = _usual_value(key, value)
        self._require(bool(value), term, f"is{{{key}=...}} needs a value")
        tags = TAGS.get(key, (value,))
        self._require(value in tags, term, f"{key} is one of {', '.join(tags)}, not {value!r}")
        return "is", ((key, value),)


def _clean(name: str) -> str:
    """A name in its usual spelling."""
    text = " ".join(name.replace("_", " ").split())
    return _USUAL.get(text.lower(), text)


def _usual_value(key: str, value: str) -> str:
    """`adjective` and `adj`, `nyc` and `New York City` are one value of the keys the paper uses."""
    text = " ".join(value.replace("_", " ").split())
    known = LANGUAGE.predicate[key].values if key in LANGUAGE.predicate else {}
    return next((one for one, spelling in known.items() if text.lower() in (one, spelling)), text)


def _name(atom: Atom, *, paper: bool) -> str:
    """An atom as the paper writes it, or as the reference code does."""
    if own_atom(atom.name) is not None:
        return quote(atom.name.replace("_", " "))
    key, value = atom.features[0] if atom.features else ("", "")
    known = LANGUAGE.predicate.get(key)
    if atom.name == "random":
        name = f"random-seed{value}" if paper else f"random{{{value}}}"
    elif paper and known is not None and value in known.values:
        name = f"is-{known.key}-{known.values[value]}"
    elif atom.features:
        name = f"is{{{quote(key)}={quote(value)}}}"
    else:
        # A property that bears the name of an operator is told apart by its quotes. In the paper's notation, so is one
        # that the language does not know: it can then be read without `wiki{...}`.
        taken = atom.name in operator_names() or atom.name in (_WRAPPER, "is")
        strange = atom.name not in LANGUAGE.property and not _PROPERTY.fullmatch(atom.name)
        name = quote(atom.name, always=atom.factual and (strange if paper else taken))
    return name + (f"[{atom.language}]" if atom.language else "[inv]" if atom.inverse else "")


def _short_name(atom: Atom) -> str:
    name = _name(atom, paper=True)
    if '"' in name:
        return name
    languages = f"[{atom.language}]"
    if name.endswith(languages):  # elsewhere an arrow is part of a name
        name = name.removesuffix(languages) + languages.replace("->", "-")
    return name.replace(" ", "_")


paper = Notation(partial(_name, paper=True), comma=", ", binder="λx. ").text
"""The notation of the paper: word functions without variables, λ inside map and filter."""
code = Notation(partial(_name, paper=False), variable="0", wrapper=_WRAPPER).text
"""The notation of the reference code: inputs `0` and `S`, factual parts inside `wiki{...}`."""
short = Notation(_short_name).text
"""A name for files and tables: the paper's notation without λ, blanks and arrows. `parse` reads it too."""

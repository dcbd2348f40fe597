"""The language of TaskBench: its atoms, in the paper's notation and in that of the reference code.

`is-birthplace-nyc` and `is{place of birth=New York City}`, `random-seed3[eng]` and `random{3}[eng]` are the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import msgspec

from taskloom.algebra import (
    TAGS,
    Atom,
    Expression,
    Notation,
    Parser,
    Term,
    atoms,
    fault,
    operator_names,
    quote,
    signature,
)  # fmt: skip
from taskloom.core import UserError, nearest
from taskloom.core.catalog import ATOMS, OPERATORS
from taskloom.core.decode import read_toml
from taskloom.core.language_codes import ISO_639, LANGUAGES
from taskloom.sources.atoms import AtomRecord, own_atom

EMBEDDED_LANGUAGES = ("eng", "spa")


class LexicalAtom(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A relation between words that the lexicon has, written with a language in brackets; see `atoms.toml`."""

    phrase: str
    note: str = ""
    noun: bool = True

    @property
    def summary(self) -> str:
        """What lists say of it."""
        said = self.phrase.replace("{x}", "x").replace("{seed}", "N")
        return f"{said}. {self.note}" if self.note else said


class _Property(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    of: str = "thing"
    gives: str = "thing"


class _Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    values: dict[str, str]


class _Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lexical: dict[str, LexicalAtom]
    tag: dict[str, str]
    property: dict[str, _Property]
    predicate: dict[str, _Predicate]


LANGUAGE = read_toml(Path(__file__).with_name("atoms.toml"), type=_Language)
"""All the names of the language, with how to speak of them."""
_PROPERTY = re.compile(r"P[1-9][0-9]*")
_PAPER = re.compile(r"is-(\w+)-(.+)|random-seed(\d+)")
_KEYS = {record.key.lower(): key for key, record in LANGUAGE.predicate.items()}
_USUAL = {name.lower(): name for name in LANGUAGE.property} | {
    "languages spoken, written or signed": "languages spoken written or signed"
}


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
    return TaskBenchParser(text).tree()


class TaskBenchParser(Parser):
    """Lexical atoms with a language in brackets, properties of a knowledge graph, and predicates of both."""

    wrapper = "wiki"

    def clean(self, name: str) -> str:
        text = " ".join(name.replace("_", " ").split())
        return _USUAL.get(text.lower(), text)

    def check_wrapped(self, inner: Expression, term: Term) -> None:
        if signature(inner).source not in ("entity", "any"):
            raise fault(self.text, term.start, "wiki{...} holds factual functions only")

    def atom(self, term: Term, name: str, open_names: bool) -> Atom:
        plain = not term.quoted
        if plain and (own := own_atom(name)) is not None:
            return self._own(term, own)
        language, inverse = self._brackets(term)
        if plain and (match := _PAPER.fullmatch(name)):
            key, value, seed = match.groups()
            return (
                self._random(term, seed, language, inverse) if seed else self._is(term, key, value, language, inverse)
            )
        if plain and name in ("is", "random"):
            return self._featured(term, name, language, inverse)
        if term.braces is not None and [brace.name for brace in term.braces] == ["inv"]:
            inverse = True
        elif term.braces is not None:
            raise fault(self.text, term.braces[0].start, f"{term.name} takes nothing in braces")
        if plain and (name in LANGUAGE.lexical or name in ("acceptall", "rejectall")):
            return self._lexical(term, Atom(name, (), language, inverse))
        if language:
            raise self._unknown(term, name, tuple(LANGUAGE.lexical))
        if plain and not (open_names or name in LANGUAGE.property or _PROPERTY.fullmatch(name)):
            raise self._unknown(term, name, (*ATOMS, *LANGUAGE.property, *operator_names(), "is"))
        return Atom(name, (), "", inverse)

    def _own(self, term: Term, own: AtomRecord) -> Atom:
        if own.name.replace("_", " ") in LANGUAGE.property:
            raise fault(self.text, term.start, f"{own.name} is a property already; give your {own.sort} another name")
        if term.braces is not None or term.brackets is not None:
            raise fault(self.text, term.start, f"{own.name} takes nothing in braces or brackets")
        return own.leaf()

    def _featured(self, term: Term, name: str, language: str, inverse: bool) -> Atom:
        if term.braces is None or len(term.braces) != 1:
            raise fault(self.text, term.start, f"{term.name} needs exactly one entry in braces")
        given = term.braces[0]
        if name == "random":
            return self._random(term, given.name, language, inverse)
        if given.equals < 0:
            raise fault(self.text, given.start, "is needs key=value in braces, such as is{occupation=writer}")
        key, value = given.name[: given.equals], given.name[given.equals + 1 :]
        return self._is(term, key, value, language, inverse, literal=given.quoted)

    def _brackets(self, term: Term) -> tuple[str, bool]:
        language, inverse = "", False
        for entry in term.brackets or ():
            if entry.name == "inv":
                inverse = True
                continue
            ends = [ISO_639.get(end, end) for end in re.split(r"\s*->\s*|\s*-\s*", entry.name)]
            if language or len(ends) > 2 or not all(re.fullmatch("[a-z]{3}", end) for end in ends):
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

    def _random(self, term: Term, seed: str, language: str, inverse: bool) -> Atom:
        if not seed.isascii() or not seed.isdigit():
            raise fault(self.text, term.start, f"the seed of a random relation is a whole number, not {seed!r}")
        return self._lexical(term, Atom("random", (("seed", str(int(seed))),), language, inverse))

    def _is(self, term: Term, key: str, value: str, language: str, inverse: bool, *, literal: bool = False) -> Atom:
        if not literal:
            key = _KEYS.get(self.clean(key).lower(), self.clean(key))
            value = _usual_value(key, value)
        if not value:
            raise fault(self.text, term.start, f"is{{{key}=...}} needs a value")
        if key in TAGS:
            if value not in TAGS[key]:
                raise fault(self.text, term.start, f"{key} is one of {', '.join(TAGS[key])}, not {value!r}")
            return self._lexical(term, Atom("is", ((key, value),), language, inverse))
        if language:
            raise fault(self.text, term.start, f"{key!r} is a factual key and takes no language")
        if inverse:
            raise fault(self.text, term.start, "a predicate has no inverse")
        return Atom("is", ((key, value),))

    def _unknown(self, term: Term, name: str, options: tuple[str, ...]) -> UserError:
        close = nearest(name, options)
        tail = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        hint = "inside wiki{...} any property of the knowledge graph may be named"
        return fault(self.text, term.start, f"unknown function {name!r}{tail}", hint)


def _usual_value(key: str, value: str) -> str:
    """`adjective` and `adj`, `nyc` and `New York City` are one value of the keys the paper uses."""
    text = " ".join(value.replace("_", " ").split())
    known = LANGUAGE.predicate[key].values if key in LANGUAGE.predicate else {}
    return next((one for one, spelling in known.items() if text.lower() in (one, spelling)), text)


def paper(node: Expression) -> str:
    """The notation of the paper: word functions without variables, λ inside map and filter."""
    return _Paper().text(node)


def code(node: Expression) -> str:
    """The notation of the reference code: inputs `0` and `S`, factual parts inside `wiki{...}`."""
    return _Code().text(node)


def short(node: Expression) -> str:
    """A name for files and tables: the paper's notation without λ, blanks and arrows. `parse` reads it too."""
    return _Short().text(node)


class _Names(Notation):
    def name(self, atom: Atom) -> str:
        if own_atom(atom.name) is not None:
            return quote(atom.name.replace("_", " "))
        return self.bare(atom) + (f"[{atom.language}]" if atom.language else "[inv]" if atom.inverse else "")

    def bare(self, atom: Atom) -> str:
        """The name of an atom without its brackets."""
        if atom.name == "random":
            return f"random{{{atom.features[0][1]}}}"
        if atom.name == "is":
            key, value = atom.features[0]
            return f"is{{{quote(key)}={quote(value)}}}"
        # A property that bears the name of an operator is told apart by its quotes.
        taken = atom.name in operator_names() or atom.name in ("wiki", "is")
        return quote(atom.name, always=taken) if atom.factual else atom.name


class _Code(_Names):
    variable = "0"
    comma = ","
    whole = "(S)"

    def word(self, node: Expression) -> str:
        text = self.apply(node, "0")
        return f"wiki{{{text}}}" if signature(node).source == "entity" else text

    def lifted(self, node: Expression) -> str:
        return self.apply(node, "0")

    def braced(self, node: Expression) -> str:
        return self.word(node)


class _Paper(_Names):
    def bare(self, atom: Atom) -> str:
        if atom.name == "random":
            return f"random-seed{atom.features[0][1]}"
        if atom.name == "is":
            key, value = atom.features[0]
            known = LANGUAGE.predicate.get(key)
            return f"is-{known.key}-{known.values[value]}" if known and value in known.values else super().bare(atom)
        if atom.language or atom.name in LANGUAGE.property:
            return quote(atom.name)
        # Names the language does not know stand in quotes, so that they can be read without `wiki{...}`.
        return atom.name if _PROPERTY.fullmatch(atom.name) else quote(atom.name, always=True)

    def lifted(self, node: Expression) -> str:
        return f"λx. {self.apply(node, 'x')}"


class _Short(_Paper):
    comma = ","

    def name(self, atom: Atom) -> str:
        name = super().name(atom)
        return name if '"' in name else name.replace(" ", "_").replace("->", "-")

    def lifted(self, node: Expression) -> str:
        return self.word(node)

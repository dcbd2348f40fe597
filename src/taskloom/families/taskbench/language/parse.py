"""The atoms of the language, in both notations.

`is-birthplace-nyc` and `is{place of birth=New York City}`, `random-seed3[eng]` and `random{3}[eng]` are the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom.algebra import TAGS, Atom, Expression, Parser, Term, fault, operator_names, signature
from taskloom.core import UserError, nearest
from taskloom.core.catalog import ATOMS, OPERATORS
from taskloom.core.language_codes import ISO_639
from taskloom.families.taskbench.language.atoms import (
    FACTUAL_RELATIONS,
    LEXICAL_RELATIONS,
    canonical_key,
    canonical_value,
    clean,
)
from taskloom.sources.atoms import AtomRecord, own_atom

__all__ = ["parse"]

_LANGUAGE = re.compile(r"[a-z]{3}")
_PROPERTY = re.compile(r"P[1-9][0-9]*")
_PAPER_IS = re.compile(r"is-(\w+)-(.+)")
_PAPER_RANDOM = re.compile(r"random-seed(\d+)")


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
        return clean(name)

    def check_wrapped(self, inner: Expression, term: Term) -> None:
        if signature(inner).source not in ("entity", "any"):
            raise fault(self.text, term.start, "wiki{...} holds factual functions only")

    def atom(self, term: Term, name: str, open_names: bool) -> Atom:
        if not term.quoted and (own := own_atom(name)) is not None:
            return self._own(term, own)
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

    def _own(self, term: Term, own: AtomRecord) -> Atom:
        if own.name.replace("_", " ") in FACTUAL_RELATIONS:
            raise fault(self.text, term.start, f"{own.name} is a property already; give your {own.sort} another name")
        if term.braces is not None or term.brackets is not None:
            raise fault(self.text, term.start, f"{own.name} takes nothing in braces or brackets")
        return own.leaf()

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
        if key not in TAGS:
            if language:
                raise fault(self.text, term.start, f"{key!r} is a factual key and takes no language")
            if inverse:
                raise fault(self.text, term.start, "a predicate has no inverse")
            return Atom("is", ((key, value),))
        if value not in TAGS[key]:
            options = ", ".join(TAGS[key])
            raise fault(self.text, term.start, f"{key} is one of {options}, not {value!r}")
        return self._lexical(term, Atom("is", ((key, value),), language, inverse))

    def _relation(self, term: Term, name: str, language: str, inverse: bool, open_names: bool) -> Atom:
        if language:
            raise self._unknown(term, name, LEXICAL_RELATIONS)
        if not (open_names or term.quoted or name in FACTUAL_RELATIONS or _PROPERTY.fullmatch(name)):
            raise self._unknown(term, name, (*ATOMS, *FACTUAL_RELATIONS, *operator_names(), "is"))
        return Atom(name, (), "", inverse)

    def _unknown(self, term: Term, name: str, options: tuple[str, ...]) -> UserError:
        close = nearest(name, options)
        tail = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        hint = "inside wiki{...} any property of the knowledge graph may be named"
        return fault(self.text, term.start, f"unknown function {name!r}{tail}", hint)

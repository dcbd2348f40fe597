"""Expressions in plain English: noun phrases for relations, clauses for predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.algebra import Atom, Expression, Speaker, children, signature
from taskloom.core.catalog import ATOMS
from taskloom.core.language_codes import LANGUAGES
from taskloom.families.taskbench.language import LANGUAGE, LexicalAtom
from taskloom.sources.atoms import PredicateAtom, own_atom
from taskloom.sources.knowledge import FactSpeaker

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["called", "clause", "given", "noun_phrase"]


def given(node: Expression) -> str:
    """What a person is handed: an English word, the name of a country."""
    source = signature(node).source
    if source in LANGUAGES:
        return f"{_in_language(source)} word"
    if source != "entity":
        return f"{_article(source)} {source}"
    noun = _noun(node)
    return f"the name of {_article(noun)} {noun}"


def called(node: Expression) -> str:
    """What to call it afterwards: the word, the country; "it" where that would be long."""
    source = signature(node).source
    noun = "word" if source in LANGUAGES else source if source != "entity" else _noun(node)
    return "it" if " or " in noun else f"the {noun}"


def _noun(node: Expression) -> str:
    nouns = {_subject(atom) for atom in _innermost(node)}
    return nouns.pop() if len(nouns) == 1 else "person, place or thing"


def _subject(atom: Atom) -> str:
    if atom.name == "is":
        asked = LANGUAGE.property.get(atom.features[0][0])
        return asked.of if asked and asked.of != "thing" else "person, place or thing"
    known = LANGUAGE.property.get(atom.name)
    return "thing" if known is None else known.gives if atom.inverse else known.of


def _innermost(node: Expression) -> list[Atom]:
    """The atoms that see the input itself."""
    if isinstance(node, Atom):
        return [node]
    inside = children(node)[-1:] if node.operator == "chain" else children(node)
    return [atom for part in inside for atom in _innermost(part)]


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiouAEIO" else "a"


def _in_language(code: str) -> str:
    """A language with its article: a Spanish, an English."""
    name = LANGUAGES.get(code, code)
    return f"{_article(name)} {name}"


def noun_phrase(node: Expression, x: str, materials: Materials) -> str:
    """What a relation gives for `x`: "an antonym of a verb that it entails"."""
    return _WordSpeaker(materials)(node, x)


def clause(node: Expression, x: str, materials: Materials, *, holds: bool = True) -> str:
    """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
    return _WordSpeaker(materials).clause(node, x, holds=holds)


class _WordSpeaker(Speaker):
    """Says what is asked of words."""

    facts = False

    def __init__(self, materials: Materials) -> None:
        self._materials = materials

    def beside(self, node: Expression) -> Speaker:
        own = isinstance(node, Atom) and own_atom(node.name) is not None
        return self if own or signature(node).source != "entity" else _EntitySpeaker(self._materials)

    def atom(self, atom: Atom, x: str) -> str:
        if (own := own_atom(atom.name)) is not None:
            return own.phrase.replace("{x}", x)
        record = ATOMS.get(atom.name)
        assert isinstance(record, LexicalAtom)
        said = record.phrase.replace("{x}", x)
        if not record.noun:
            return said.replace("{seed}", dict(atom.features).get("seed", ""))
        noun = said if atom.language == "eng" else f"{LANGUAGES.get(atom.target, atom.target)} {said}"
        return f"{_article(noun)} {noun}"

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        if isinstance(own := own_atom(atom.name), PredicateAtom):
            return (own.phrase if holds else own.denial).replace("{x}", x)
        if atom.name in ("acceptall", "rejectall"):
            return f"{x} is {'' if (atom.name == 'acceptall') == holds else 'not '}a word"
        said = LANGUAGE.tag[atom.features[0][1]]
        return f"{x} {said if holds else said.replace('can', 'cannot', 1)}"


class _EntitySpeaker(FactSpeaker):
    """Says what is asked of a graph, with the names that properties and entities have in it."""

    def __init__(self, materials: Materials) -> None:
        super().__init__(materials.factual.label)
        self._materials = materials

    def beside(self, node: Expression) -> Speaker:
        own = isinstance(node, Atom) and own_atom(node.name) is not None
        graph = not own and signature(node).source in ("entity", "any")
        return self if graph else _WordSpeaker(self._materials)

    def atom(self, atom: Atom, x: str) -> str:
        return super().atom(self._resolved(atom), x)

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        return super().atom_clause(self._resolved(atom), x, holds=holds)

    def _resolved(self, atom: Atom) -> Atom:
        found = self._materials.factual.query(atom)
        assert isinstance(found, Atom)
        return found

"""Expressions in plain English: noun phrases for relations, clauses for predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Union,
    atoms,
    children,
    signature,
)
from taskloom.families.taskbench.language.atoms import LANGUAGES
from taskloom.sources.knowledge import describe, query
from taskloom.sources.knowledge.phrases import compared

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["TERMS", "called", "clause", "given", "noun_phrase"]

_RELATIONS = {
    "synonyms": "synonym of {x}",
    "antonyms": "antonym of {x}",
    "hyponyms": "hyponym of {x}",
    "hypernyms": "hypernym of {x}",
    "entailments": "verb that {x} entails",
    "identity": "{x}",
    "POS": "a part of speech (noun, verb, adjective or adverb) that {x} can be",
    "sentiment": "a sign (positive, negative or neutral) that {x} can have",
}

_NOUNS = ("synonyms", "antonyms", "hyponyms", "hypernyms", "entailments")

TERMS = {
    "synonyms": "A synonym is another word for one of the meanings of a word, as 'car' is for 'automobile'.",
    "antonyms": "An antonym is a word of opposite meaning, as 'cold' is to 'hot'; any word for that opposite will do.",
    "hyponyms": "A hyponym is a word for a particular kind of something, however special: 'poodle' is one of 'animal'.",
    "hypernyms": "A hypernym is a word for something more general, however general: 'animal' is one of 'poodle'.",
    "entailments": "A verb entails another if whoever does the first must also do the second: 'snore' entails 'sleep'.",
    "translate": "Any word of the other language for any of its meanings is a translation.",
    "random": "The table pairs words at random: no rule leads from a word to its partner, it can only be remembered.",
    "POS": "A word counts as a noun, verb, adjective or adverb if any of its meanings is one.",
    "sentiment": "A word is positive, negative or neutral if any of its meanings is; it may be several at once.",
}
"""One sentence on each word that an instruction may use."""

_MARKS = {
    "noun": "can be a noun",
    "verb": "can be a verb",
    "adj": "can be an adjective",
    "adv": "can be an adverb",
    "pos": "can have a positive meaning",
    "neg": "can have a negative meaning",
    "none": "can have a neutral meaning",
}

_PEOPLE = (
    "child,country of citizenship,father,influenced by,languages spoken written or signed,member of political party,"
    "member of sports team,mother,native language,occupation,place of birth,place of death,position held,"
    "position played on team,sex or gender,employer,date of birth"
)
_SUBJECTS = {
    **dict.fromkeys(_PEOPLE.split(","), "person"),
    "diplomatic relation": "country",
    "head of state": "country",
    "official language": "country or place",
    "continent": "country or place",
    "country": "place or institution",
    "record label": "artist",
    "creator": "work or fictional character",
    "performer": "work",
    "genre": "work or artist",
    "original language of film or TV show": "film or show",
    "developer": "product",
    "manufacturer": "product",
    "subclass of": "kind of thing",
}
_OBJECTS = {
    "child": "person",
    "father": "man",
    "mother": "woman",
    "creator": "person",
    "head of state": "head of state",
    "location": "place",
}


def given(node: Expression) -> str:
    """What a person is handed: an English word, the name of a country."""
    source = signature(node).source
    if source != "entity":
        return f"{_in_language(source)} word"
    noun = _noun(node)
    return f"the name of {_article(noun)} {noun}"


def called(node: Expression) -> str:
    """What to call it afterwards: the word, the country; "it" where that would be long."""
    noun = "word" if signature(node).source != "entity" else _noun(node)
    return "it" if " or " in noun else f"the {noun}"


def _noun(node: Expression) -> str:
    nouns = {_subject(atom) for atom in _innermost(node)}
    return nouns.pop() if len(nouns) == 1 else "person, place or thing"


def _subject(atom: Atom) -> str:
    if atom.name == "is":
        key = atom.features[0][0]
        return "person, place or thing" if key == "instance of" else _SUBJECTS.get(key, "person, place or thing")
    return (_OBJECTS if atom.inverse else _SUBJECTS).get(atom.name, "thing")


def _innermost(node: Expression) -> list[Atom]:
    """The atoms that see the input itself."""
    match node:
        case Chain(_, inner):
            return _innermost(inner)
        case Union() | Intersection() | Land() | Lor() | Complement() | Lnot() | Compare() | Empty():
            return [atom for part in children(node) for atom in _innermost(part)]
        case _:
            return list(atoms(node))


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiouAEIO" else "a"


def _in_language(code: str) -> str:
    """A language with its article: a Spanish, an English."""
    name = LANGUAGES.get(code, code)
    return f"{_article(name)} {name}"


def noun_phrase(node: Expression, x: str, materials: Materials) -> str:
    """What a relation gives for `x`: "an antonym of a verb that it entails"."""
    if signature(node).source == "entity":
        engine = materials.factual
        return describe(engine.relation_query(node), x, label=engine.label)
    match node:
        case Identity():
            return x
        case Atom():
            return _atom_phrase(node, x)
        case Chain(outer, inner):
            return noun_phrase(outer, noun_phrase(inner, x, materials), materials)
        case Union(parts):
            return "either " + " or ".join(noun_phrase(part, x, materials) for part in parts)
        case Intersection(parts):
            taken = [noun_phrase(part, x, materials) for part in parts]
            return f"{taken[0]} that is also {' and '.join(taken[1:])}"
        case Complement(part):
            return f"a word that is not {noun_phrase(part, x, materials)}"
        case _:
            raise TypeError(f"{type(node).__name__} is not a relation")


def _of_whatever(node: Expression, members: str, materials: Materials, *, holds: bool) -> str:
    """A predicate asked member by member: either noun or verb each, not all of them nouns or all of them verbs."""
    if isinstance(node, Atom | Chain):
        return clause(node, members, materials, holds=holds)
    return f"of {members} this is {'true' if holds else 'false'}: {clause(node, 'it', materials)}"


def _atom_phrase(atom: Atom, x: str) -> str:
    if atom.name == "random":
        return f"the partner of {x} in table {atom.features[0][1]}"
    if atom.name == "translate":
        return f"{_in_language(atom.language.partition('->')[2])} translation of {x}"
    said = _RELATIONS[atom.name].replace("{x}", x)
    if atom.name not in _NOUNS:
        return said
    noun = said if atom.language == "eng" else f"{LANGUAGES.get(atom.language, atom.language)} {said}"
    return f"{_article(noun)} {noun}"


def clause(node: Expression, x: str, materials: Materials, *, holds: bool = True) -> str:
    """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
    if signature(node).source == "entity":
        engine = materials.factual
        asked = engine.predicate_query(node)
        return describe(asked if holds else query.Lnot(asked), x, label=engine.label)
    match node:
        case Atom("acceptall" | "rejectall"):
            return f"{x} is {'' if (node.name == 'acceptall') == holds else 'not '}a word"
        case Atom():
            said = _MARKS[node.features[0][1]]
            return f"{x} {said if holds else said.replace('can', 'cannot', 1)}"
        case Lnot(part):
            return clause(part, x, materials, holds=not holds)
        case Land(parts) | Lor(parts):
            word = "and" if isinstance(node, Land) == holds else "or"
            return f" {word} ".join(clause(part, x, materials, holds=holds) for part in parts)
        case Chain(outer, inner):
            return _of_whatever(outer, f"whatever is {noun_phrase(inner, x, materials)}", materials, holds=holds)
        case Compare(name, left, right):
            return compared(name, noun_phrase(left, x, materials), noun_phrase(right, x, materials), x, holds)
        case Empty(part):
            return f"there is {'no' if holds else 'a'} word that is {noun_phrase(part, x, materials)}"
        case _:
            raise TypeError(f"{type(node).__name__} is not a predicate")

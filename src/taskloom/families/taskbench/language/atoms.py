"""The names of the language: atoms, their short and long spellings, and the values predicates compare with."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from taskloom.algebra import TAGS, Expression, atoms
from taskloom.core.language_codes import LANGUAGES
from taskloom.sources.atoms import own_atom

__all__ = [
    "EMBEDDED_LANGUAGES",
    "FACTUAL_RELATIONS",
    "LEXICAL_RELATIONS",
    "PAPER_KEYS",
    "PAPER_PREDICATES",
    "PAPER_VALUES",
    "LexicalAtom",
    "canonical_key",
    "canonical_value",
    "clean",
    "languages",
]

EMBEDDED_LANGUAGES = ("eng", "spa")


class LexicalAtom(NamedTuple):
    """A relation between words that the lexicon has, written with a language in brackets.

    Attributes:
        name: As it is written in expressions.
        phrase: How to speak of it, with `{x}` for the input; a noun, unless it says otherwise, without its article.
        note: What the term means, for instructions.
        noun: Whether an article, and in other languages their name, comes before the phrase.
    """

    name: str
    phrase: str
    note: str = ""
    noun: bool = True


_LEXICAL = {
    atom.name: atom
    for atom in (
        LexicalAtom("synonyms", "synonym of {x}",
            "A synonym is another word for one of the meanings of a word, as 'car' is for 'automobile'."),
        LexicalAtom("antonyms", "antonym of {x}",
            "An antonym is a word of opposite meaning, as 'cold' is to 'hot'; any word for that opposite will do."),
        LexicalAtom("hyponyms", "hyponym of {x}",
            "A hyponym is a word for a particular kind of something, however special: 'poodle' is one of 'animal'."),
        LexicalAtom("hypernyms", "hypernym of {x}",
            "A hypernym is a word for something more general, however general: 'animal' is one of 'poodle'."),
        LexicalAtom("entailments", "verb that {x} entails",
            "A verb entails another if whoever does the first must also do the second: 'snore' entails 'sleep'."),
        LexicalAtom("translate", "translation of {x}",
            "Any word of the other language for any of its meanings is a translation."),
        LexicalAtom("random", "the partner of {x} in table {seed}",
            "The table pairs words at random: no rule leads from a word to its partner, it can only be remembered.",
            noun=False),
        LexicalAtom("identity", "{x}", noun=False),
        LexicalAtom("POS", "a part of speech (noun, verb, adjective or adverb) that {x} can be",
            "A word counts as a noun, verb, adjective or adverb if any of its meanings is one.", noun=False),
        LexicalAtom("sentiment", "a sign (positive, negative or neutral) that {x} can have",
            "A word is positive, negative or neutral if any of its meanings is; it may be several at once.",
            noun=False),
    )
}  # fmt: skip
LEXICAL_RELATIONS = tuple(_LEXICAL)
"""Relations between words; each is written with a language in brackets."""


def __getattr__(name: str) -> LexicalAtom:
    if name not in _LEXICAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _LEXICAL[name]


FACTUAL_RELATIONS = (
    "child", "continent", "country", "country of citizenship", "country of origin", "creator", "date of birth",
    "developer", "diplomatic relation", "employer", "father", "genre", "has part", "head of state", "influenced by",
    "instance of", "languages spoken written or signed", "location", "manufacturer", "member of political party",
    "member of sports team", "mother", "named after", "native language", "occupation", "official language",
    "original language of film or TV show", "owned by", "performer", "place of birth", "place of death",
    "position held", "position played on team", "record label", "sex or gender", "subclass of",
)  # fmt: skip
"""Properties the paper and its code speak of. Inside `wiki{...}` any other property name is welcome too."""

PAPER_KEYS = MappingProxyType(
    {"POS": "POS", "sentiment": "sentiment", "instance of": "instance", "occupation": "occupation",
     "place of birth": "birthplace"}
)  # fmt: skip
"""How the paper writes the key of a predicate: `is-birthplace-nyc` asks for the place of birth."""

PAPER_VALUES = MappingProxyType(
    {"adj": "adjective", "adv": "adverb", "pos": "positive", "neg": "negative", "none": "neutral",
     "new york city": "nyc", "los angeles": "la", "buenos aires": "buenosaires"}
)  # fmt: skip
"""How the paper writes the values whose names it shortens or lengthens."""

PAPER_PREDICATES = MappingProxyType(
    {
        **TAGS,
        "instance of": ("human", "film", "book", "city", "taxon"),
        "occupation": ("actor", "politician", "writer", "journalist", "teacher", "composer"),
        "place of birth": ("london", "new york city", "los angeles", "buenos aires"),
    }
)
"""The predicates of Table 4, by key."""

_VALUE_SPELLINGS = MappingProxyType({paper: value for value, paper in PAPER_VALUES.items()})
_KEY_SPELLINGS = MappingProxyType({paper.lower(): key for key, paper in PAPER_KEYS.items()})
_BY_LOWER = MappingProxyType({name.lower(): name for name in FACTUAL_RELATIONS})
_ALIASES = MappingProxyType({"languages spoken, written or signed": "languages spoken written or signed"})


def clean(name: str) -> str:
    """A name with single blanks; underscores count as blanks, and known names get their usual case."""
    text = " ".join(name.replace("_", " ").split())
    return _BY_LOWER.get(_ALIASES.get(text.lower(), text.lower()), text)


def canonical_key(key: str) -> str:
    """`birthplace` and `place of birth` are one key."""
    text = clean(key)
    return _KEY_SPELLINGS.get(text.lower(), text)


def canonical_value(key: str, value: str) -> str:
    """`adjective` and `adj`, `nyc` and `New York City` are one value of the keys the paper uses."""
    text = " ".join(value.replace("_", " ").split())
    known = _VALUE_SPELLINGS.get(text.lower(), text.lower())
    return known if known in PAPER_PREDICATES.get(key, ()) else text


def languages(node: Expression) -> set[str]:
    """The languages of the words in an expression."""
    own = [own_atom(atom.name) for atom in atoms(node)]
    named = {end for atom in atoms(node) if own_atom(atom.name) is None for end in atom.language.split("->") if end}
    ends = {end for record in own if record is not None for end in (record.domain, record.language)}
    return named | (ends & LANGUAGES.keys())

"""The names of the language: atoms, their short and long spellings, and the values predicates compare with."""

from __future__ import annotations

from types import MappingProxyType

from taskloom.algebra import TAGS

__all__ = [
    "EMBEDDED_LANGUAGES",
    "FACTUAL_RELATIONS",
    "LEXICAL_RELATIONS",
    "PAPER_KEYS",
    "PAPER_PREDICATES",
    "PAPER_VALUES",
    "canonical_key",
    "canonical_value",
    "clean",
]

EMBEDDED_LANGUAGES = ("eng", "spa")

LEXICAL_RELATIONS = (
    "synonyms", "antonyms", "hyponyms", "hypernyms", "entailments", "translate", "random", "identity", "POS",
    "sentiment",
)  # fmt: skip
"""Relations between words; each is written with a language in brackets."""

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

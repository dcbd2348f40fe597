"""Sentence pairs for textual inference: a grammar that makes them, and a reader of SICK."""

from taskloom.sources.sentences.grammar import ASPECTS, Aspect, Clause, Phrase, capitalise, say
from taskloom.sources.sentences.pairs import (
    PASSIVES,
    STRUCTURAL_CONTRASTS,
    Contrast,
    Pair,
    lexical_pair,
    structural_pair,
)
from taskloom.sources.sentences.polarity import (
    NEGATIONS,
    QUANTIFIERS,
    RELATIONS,
    entailing_relations,
    negated_pair,
    quantified_pair,
)
from taskloom.sources.sentences.sick import extract_pairs, read_sick
from taskloom.sources.sentences.words import conjugate, lexis

__all__ = [
    "ASPECTS",
    "NEGATIONS",
    "PASSIVES",
    "QUANTIFIERS",
    "RELATIONS",
    "STRUCTURAL_CONTRASTS",
    "Aspect",
    "Clause",
    "Contrast",
    "Pair",
    "Phrase",
    "capitalise",
    "conjugate",
    "entailing_relations",
    "extract_pairs",
    "lexical_pair",
    "lexis",
    "negated_pair",
    "quantified_pair",
    "read_sick",
    "say",
    "structural_pair",
]

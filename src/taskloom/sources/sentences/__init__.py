"""Sentence pairs for textual inference: a grammar that makes them, and a reader of SICK."""

from taskloom.sources.sentences.grammar import ASPECTS, Aspect, Clause, Phrase, capitalise, say
from taskloom.sources.sentences.pairs import (
    PASSIVES,
    STRUCTURAL_CONTRASTS,
    Contrast,
    Pair,
    PairOrder,
    PairSpace,
    lexical_space,
    structural_space,
)
from taskloom.sources.sentences.polarity import (
    NEGATIONS,
    QUANTIFIERS,
    RELATIONS,
    OperatorKind,
    OperatorOrder,
    entailing_relations,
)
from taskloom.sources.sentences.scenes import LANES
from taskloom.sources.sentences.sick import SPAN, contradictions, extract_pairs, read_sick
from taskloom.sources.sentences.words import conjugate, inventory

__all__ = [
    "ASPECTS",
    "LANES",
    "NEGATIONS",
    "PASSIVES",
    "QUANTIFIERS",
    "RELATIONS",
    "SPAN",
    "STRUCTURAL_CONTRASTS",
    "Aspect",
    "Clause",
    "Contrast",
    "OperatorKind",
    "OperatorOrder",
    "Pair",
    "PairOrder",
    "PairSpace",
    "Phrase",
    "capitalise",
    "conjugate",
    "contradictions",
    "entailing_relations",
    "extract_pairs",
    "inventory",
    "lexical_space",
    "read_sick",
    "say",
    "structural_space",
]

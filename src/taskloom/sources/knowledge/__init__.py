"""Facts as a graph: queries, SPARQL, stores, and a fictional world."""

from taskloom.sources.knowledge.graph import KnowledgeGraph, Truth, WordTruth
from taskloom.sources.knowledge.open import keep_graph, open_graph
from taskloom.sources.knowledge.phrases import FactSpeaker, describe, fact
from taskloom.sources.knowledge.store import LocalStore, TripleStore
from taskloom.sources.knowledge.vocabulary import (
    INVERSES,
    PREDICATES,
    RELATIONS,
    TABLE_4_RELATIONS,
    predicate,
    relation,
)

__all__ = [
    "INVERSES",
    "PREDICATES",
    "RELATIONS",
    "TABLE_4_RELATIONS",
    "FactSpeaker",
    "KnowledgeGraph",
    "LocalStore",
    "TripleStore",
    "Truth",
    "WordTruth",
    "describe",
    "fact",
    "keep_graph",
    "open_graph",
    "predicate",
    "relation",
]

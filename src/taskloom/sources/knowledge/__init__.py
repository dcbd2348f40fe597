"""Facts as a graph: queries, SPARQL, stores, and a fictional world."""

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.open import keep_graph, open_graph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.vocabulary import (
    INVERSES,
    PREDICATES,
    RELATIONS,
    TABLE_4_RELATIONS,
    FactSpeaker,
    describe,
    fact,
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
    "describe",
    "fact",
    "keep_graph",
    "open_graph",
    "predicate",
    "relation",
]

"""Facts as a graph: queries, SPARQL, stores, and a fictional world."""

from taskloom.sources.knowledge.graph import KnowledgeGraph, Truth, WordTruth
from taskloom.sources.knowledge.open import keep_graph, open_graph
from taskloom.sources.knowledge.phrases import describe, fact, steps_of
from taskloom.sources.knowledge.query import (
    At,
    Chain,
    Compare,
    Complement,
    Disjoint,
    Intersection,
    Is,
    Land,
    Lnot,
    Lor,
    PredicateQuery,
    Query,
    Relation,
    RelationQuery,
    Union,
)
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
    "At",
    "Chain",
    "Compare",
    "Complement",
    "Disjoint",
    "Intersection",
    "Is",
    "KnowledgeGraph",
    "Land",
    "Lnot",
    "LocalStore",
    "Lor",
    "PredicateQuery",
    "Query",
    "Relation",
    "RelationQuery",
    "TripleStore",
    "Truth",
    "Union",
    "WordTruth",
    "describe",
    "fact",
    "keep_graph",
    "open_graph",
    "predicate",
    "relation",
    "steps_of",
]

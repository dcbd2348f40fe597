"""Facts as a graph: queries, SPARQL, stores, and a fictional world."""

from taskloom.sources.knowledge.open import keep_graph as keep_graph
from taskloom.sources.knowledge.open import open_graph as open_graph
from taskloom.sources.knowledge.vocabulary import describe as describe
from taskloom.sources.knowledge.vocabulary import predicate as predicate
from taskloom.sources.knowledge.vocabulary import relation as relation

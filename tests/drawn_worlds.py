"""A world drawn anew and loaded into a database: what worlds that are opened otherwise are compared with."""

from __future__ import annotations

from functools import cache, cached_property

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.world.build import whole_world
from taskloom.sources.knowledge.world.draft import WorldSettings


class DrawnWorld:
    """A world with its statements, and the graph of them all in a database."""

    def __init__(self, settings: WorldSettings) -> None:
        self.chapter = whole_world(settings)
        self.triples, self.labels, self.stand_ins = self.chapter

    def ntriples(self) -> bytes:
        return self.chapter.ntriples()

    @cached_property
    def store(self) -> LocalStore:
        store = LocalStore(name="drawn")
        store.load(self.ntriples())
        return store

    @cached_property
    def graph(self) -> KnowledgeGraph:
        return KnowledgeGraph(self.store, stand_ins=self.stand_ins, labels=self.labels)


@cache
def default_world() -> DrawnWorld:
    return DrawnWorld(WorldSettings())

"""A whole world from a seed."""

from __future__ import annotations

from functools import cached_property, lru_cache

from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, STANDS_FOR, WORLD, quote
from taskloom.sources.knowledge.world.careers import make_careers
from taskloom.sources.knowledge.world.concepts import SPORTS
from taskloom.sources.knowledge.world.draft import Draft, Triple
from taskloom.sources.knowledge.world.institutions import make_institutions
from taskloom.sources.knowledge.world.namesakes import make_kinds, make_namesakes, make_species
from taskloom.sources.knowledge.world.people import make_people, state_families, state_lives
from taskloom.sources.knowledge.world.places import make_geography
from taskloom.sources.knowledge.world.settings import PRESENT, WorldSettings
from taskloom.sources.knowledge.world.works import make_works

__all__ = ["World", "build_world", "open_world"]


class World:
    """A fictional world: consistent facts about nobody real.

    Attributes:
        settings: The recipe it was made from.
        triples: Every statement as (subject, property, value) in short ids, distinct.
        labels: The label of every entity; no two entities of a world share one.
        stand_ins: The invented cities that play the part of the real ones predicates ask about.
    """

    def __init__(self, settings: WorldSettings) -> None:
        draft = Draft(settings)
        geography = make_geography(draft)
        people = make_people(draft, geography)
        institutions = make_institutions(draft, geography, SPORTS)
        make_careers(draft, geography, institutions, people)
        make_works(draft, geography, people)
        make_namesakes(draft, geography, people)
        make_species(draft, people)
        make_kinds(draft, geography)
        state_families(draft, people)
        state_lives(draft, geography, people, PRESENT)
        self.settings = settings
        self.triples: list[Triple] = list(dict.fromkeys(draft.triples))
        self.labels: dict[str, str] = draft.labels
        self.stand_ins: dict[str, str] = draft.stand_ins

    def ntriples(self) -> bytes:
        """The world as N-Triples, the same bytes on every machine."""
        lines = [f"<{_iri(s)}> <{PROPERTY}{p}> {_value(o)} ." for s, p, o in self.triples]
        lines += [f"<{_iri(entity)}> <{LABEL}> {quote(label, 'en')} ." for entity, label in sorted(self.labels.items())]
        lines += [
            f"<{_iri(entity)}> <{STANDS_FOR}> <{_iri(real)}> ." for real, entity in sorted(self.stand_ins.items())
        ]
        return ("\n".join(lines) + "\n").encode()

    @cached_property
    def graph(self) -> KnowledgeGraph:
        """The world in an RDF store in this process, ready for queries."""
        store = LocalStore(name=f"world {self.settings.seed}")
        store.load(self.ntriples())
        return KnowledgeGraph(store, stand_ins=self.stand_ins, labels=self.labels)


def _iri(short: str) -> str:
    return (WORLD if short[0] == "F" else ENTITY) + short


def _value(short: str) -> str:
    return short if short[0] == '"' else f"<{_iri(short)}>"


def build_world(settings: WorldSettings | None = None) -> World:
    """Build a world anew."""
    return World(settings or WorldSettings())


@lru_cache(maxsize=2)
def _remembered(settings: WorldSettings) -> World:
    return build_world(settings)


def open_world(seed: int = 0, people: int | None = None) -> World:
    """The world of a seed, built on first use and kept in this process."""
    return _remembered(WorldSettings(seed=seed) if people is None else WorldSettings(seed=seed, people=people))

"""A whole world from a seed, chapter by chapter: only one of them is ever in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from taskloom.core import Progress
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, STANDS_FOR, WORLD, quote
from taskloom.sources.knowledge.world.careers import Famous, make_careers
from taskloom.sources.knowledge.world.draft import CONCEPTS, POSITIONS, Draft, Triple, WorldSettings
from taskloom.sources.knowledge.world.people import make_people, state_families, state_lives
from taskloom.sources.knowledge.world.places import make_atlas, make_geography, make_institutions
from taskloom.sources.knowledge.world.works import make_kinds, make_namesakes, make_species, make_works, state_classes


class Chapter(NamedTuple):
    """A piece of a world, or all of it.

    Attributes:
        triples: Its statements as (subject, property, value) in short ids, distinct.
        labels: The labels of the entities it introduces; no two entities of a world share one.
        stand_ins: The invented cities that play the part of real ones; all in the first chapter.
    """

    triples: list[Triple]
    labels: dict[str, str]
    stand_ins: dict[str, str]

    def ntriples(self) -> bytes:
        """The chapter as N-Triples, the same bytes on every machine."""
        lines = [f"<{_iri(s)}> <{PROPERTY}{p}> {_value(o)} ." for s, p, o in self.triples]
        lines += [f"<{_iri(entity)}> <{LABEL}> {quote(label, 'en')} ." for entity, label in self.labels.items()]
        lines += [f"<{_iri(entity)}> <{STANDS_FOR}> <{_iri(real)}> ." for real, entity in self.stand_ins.items()]
        return ("\n".join(lines) + "\n").encode()


def _iri(short: str) -> str:
    return (WORLD if short[0] == "F" else ENTITY) + short


def _value(short: str) -> str:
    return short if short[0] == '"' else f"<{_iri(short)}>"


def chapters(settings: WorldSettings, taken: Callable[[str], bool]) -> Iterator[Chapter]:
    """A world in pieces. Memory does not depend on how many there are.

    Args:
        settings: The recipe.
        taken: Whether a label belongs to a chapter that was given out before.
    """
    draft = Draft(settings, -1, 1, taken)
    atlas = make_atlas(draft)
    state_classes(draft)
    positions = {
        sport: [entity or draft.new(name, "position") for name, entity in places.items()]
        for sport, places in POSITIONS.items()
    }
    yield _finished(draft, CONCEPTS)
    famous: list[Famous] = []
    with Progress("writing the world", settings.people, unit="people") as progress:
        for number in range(settings.chapters):
            draft = Draft(settings, number, draft.next, taken)
            make_geography(draft, atlas)
            make_people(draft)
            make_institutions(draft)
            make_careers(draft, positions, famous)
            for make in (make_works, make_namesakes, make_species, make_kinds, state_families, state_lives):
                make(draft)
            yield _finished(draft, {})
            progress.advance(draft.size)


def _finished(draft: Draft, concepts: Mapping[str, str]) -> Chapter:
    return Chapter(list(dict.fromkeys(draft.triples)), {**concepts, **draft.labels}, draft.stand_ins)


def whole_world(settings: WorldSettings) -> Chapter:
    """A world that fits into memory, as one chapter."""
    found, used = Chapter([], {}, {}), set[str]()
    for chapter in chapters(settings, used.__contains__):
        used.update(chapter.labels.values())
        found.triples.extend(chapter.triples)
        found.labels.update(chapter.labels)
        found.stand_ins.update(chapter.stand_ins)
    return found

"""What is on record about lives: families, births and deaths. Stated last, when all that people did is known."""

from __future__ import annotations

from taskloom.sources.knowledge.world.concepts import CLASSES, GENDERS
from taskloom.sources.knowledge.world.draft import Draft, some_date
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Geography
from taskloom.sources.knowledge.world.settings import PRESENT

__all__ = ["state_families", "state_lives"]


def state_families(draft: Draft, people: list[Person]) -> None:
    """Parents, children, brothers and sisters, spouses, namesakes, genders; who is a twin."""
    for person in people:
        entity = person.entity
        draft.state(entity, "P21", GENDERS[person.gender])
        if person.twin:
            draft.state(entity, "P31", CLASSES["twin"])
        for parent, property_id in ((person.father, "P22"), (person.mother, "P25")):
            if parent is not None:
                draft.state(entity, property_id, parent.entity)
        for child in (*person.children, *person.adopted):
            draft.state(entity, "P40", child.entity)
        for spouse in dict.fromkeys(person.spouses):
            draft.state(entity, "P26", spouse.entity)
        siblings = [
            child
            for parent in (person.father, person.mother)
            if parent is not None
            for child in parent.children
            if child is not person
        ]
        for sibling in dict.fromkeys(siblings):
            draft.state(entity, "P3373", sibling.entity)
        if person.namesake is not None:
            draft.state(entity, "P138", person.namesake.entity)


def state_lives(draft: Draft, geography: Geography, people: list[Person]) -> None:
    """Births and deaths. Nobody dies before the last thing they did."""
    rng = draft.random("lives")
    for person in people:
        entity = person.entity
        if rng.random() < 0.97:
            draft.state(entity, "P19", person.birthplace.entity)
        draft.dated(entity, "P569", person.birth)
        span = int(rng.triangular(30, 100, 78))
        year = max(person.year + span, person.active_until + 1)
        if year > PRESENT:
            continue
        draft.dated(entity, "P570", some_date(rng, year))
        if rng.random() < 0.85:
            stay = rng.random()
            place = person.birthplace if stay < 0.35 else geography.some_city(rng, person.country)
            if stay > 0.85:
                place = rng.choice(geography.metropolises)
            draft.state(entity, "P20", place.entity)

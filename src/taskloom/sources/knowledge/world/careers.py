"""What people do: occupations, offices, parties, teams, records, languages, influences."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.world.concepts import GENRES, OCCUPATIONS, SPORTS
from taskloom.sources.knowledge.world.draft import Draft
from taskloom.sources.knowledge.world.institutions import Institutions
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Country, Geography
from taskloom.sources.knowledge.world.settings import PRESENT

__all__ = ["MUSICIANS", "WRITERS", "Famous", "make_careers"]

WRITERS = frozenset({"writer", "poet", "novelist", "playwright"})
MUSICIANS = frozenset({"singer", "pianist", "guitarist", "songwriter", "composer"})
_THINKERS = WRITERS | MUSICIANS | {
    "painter", "sculptor", "philosopher", "physicist", "chemist", "mathematician", "astronomer", "film director",
    "architect", "economist", "historian", "programmer", "inventor", "politician",
}  # fmt: skip
_OFFICIALS = frozenset({"politician", "diplomat", "judge", "lawyer", "military officer"})

# How common each occupation is; those of the paper's predicates are common enough to ask about.
_WEIGHTS = {
    "politician": 12.0, "actor": 8.0, "writer": 5.0, "journalist": 4.0, "teacher": 5.0, "composer": 4.0, "singer": 6.0,
    "association football player": 6.0, "basketball player": 3.0, "ice hockey player": 3.0, "cricketer": 3.0,
    "programmer": 3.0, "painter": 3.0, "sculptor": 2.0, "novelist": 2.0,
}  # fmt: skip
_NAMES = tuple(OCCUPATIONS)
_TOTALS = tuple(accumulate(_WEIGHTS.get(name, 1.2) for name in _NAMES))

# Before these years of birth the occupation did not exist.
_SINCE = {**dict.fromkeys(SPORTS, 1875), "singer": 1885, "songwriter": 1885, "guitarist": 1885, "programmer": 1935}
_SINCE |= {"film director": 1870, "screenwriter": 1870, "photographer": 1830}


# The grown-ups: younger people have a family, a country and a language, and no career yet.
_GROWN = PRESENT - 20

# How many well-known people of earlier chapters later ones remember.
_REMEMBERED = 1_500


class Famous(NamedTuple):
    """Somebody who can influence others, by year of birth."""

    year: int
    entity: str


def make_careers(
    draft: Draft,
    geography: Geography,
    institutions: Institutions,
    people: list[Person],
    places: dict[str, list[str]],
    famous: list[Famous],
) -> None:
    """Give everybody an occupation and what comes with it.

    Args:
        draft: The chapter.
        geography: Its places.
        institutions: What can be joined.
        people: Everybody in it.
        places: The positions on a team, by sport.
        famous: Well-known people of earlier chapters; those of this one are added, and some forgotten.
    """
    rng = draft.random("careers")
    metropolitan = {city.entity for city in geography.metropolises}
    for person in people:
        if person.year <= _GROWN:
            _occupations(rng, person, metropolitan)
    heads = _heads_of_state(draft, rng, geography, institutions, people)
    for person in people:
        country = geography.countries[person.country]
        for name in person.occupations:
            draft.state(person.entity, "P106", OCCUPATIONS[name])
        _citizenship(draft, rng, geography, person, country)
        _languages(draft, rng, geography, person, country)
        if person.year > _GROWN:
            continue
        _offices(draft, rng, institutions, person)
        _party(draft, rng, institutions, person)
        _sport(draft, rng, institutions, places, person)
        _music(draft, rng, institutions, person)
        _schooling(draft, rng, institutions, person)
    _influences(draft, rng, people, heads, famous)


def _draw(rng: Random, person: Person) -> str | None:
    name = _NAMES[bisect_right(_TOTALS, rng.random() * _TOTALS[-1])]
    return name if person.year >= _SINCE.get(name, 0) else None


def _occupations(rng: Random, person: Person, metropolitan: set[str]) -> None:
    """One to three occupations. Some follow a parent; the stage and politics draw people in the metropolises."""
    chosen: list[str | None] = []
    if person.birthplace.entity in metropolitan and rng.random() < 0.38:
        chosen.append(rng.choice(("actor", "actor", "politician")))
    else:
        chosen.append(_draw(rng, person) or "farmer")
    inherited = [name for parent in (person.father, person.mother) if parent for name in parent.occupations]
    if inherited and rng.random() < 0.3:
        chosen.append(rng.choice(inherited))
    while rng.random() < 0.3 and len(chosen) < 4:
        chosen.append(_draw(rng, person))
    if rng.random() < 0.95:
        person.occupations = list(dict.fromkeys(name for name in chosen if name is not None))
    person.notable = any(name in _THINKERS for name in person.occupations)


def _heads_of_state(
    draft: Draft, rng: Random, geography: Geography, institutions: Institutions, people: list[Person]
) -> set[str]:
    """One living head for every country, two for some. Their parents are mostly on record."""
    grown = [person for person in people if PRESENT - 80 <= person.year <= PRESENT - 36]
    known = [person for person in grown if person.father and person.mother] or grown
    rng.shuffle(known)
    by_country: dict[int, list[Person]] = {}
    for person in known:
        by_country.setdefault(person.country, []).append(person)
    heads: set[str] = set()
    for country in geography.opening:
        for _ in range(2 if rng.random() < 0.1 else 1):
            # A country without a suitable citizen calls somebody from abroad.
            for candidates in (by_country.get(country.number, []), known):
                while candidates and candidates[-1].entity in heads:
                    candidates.pop()
            head = next((group[-1] for group in (by_country.get(country.number), known) if group), None)
            if head is None:
                continue
            heads.add(head.entity)
            head.active(PRESENT)
            if "politician" not in head.occupations:
                head.occupations.append("politician")
            draft.state(country.entity, "P35", head.entity)
            draft.state(head.entity, "P39", institutions.offices[country.number][0])
            if head.country != country.number:
                draft.state(head.entity, "P27", country.entity)
    return heads


def _citizenship(draft: Draft, rng: Random, geography: Geography, person: Person, country: Country) -> None:
    draft.state(person.entity, "P27", country.entity)
    born_in = geography.countries[person.birthplace.country]
    if born_in is not country and rng.random() < 0.5:
        draft.state(person.entity, "P27", born_in.entity)


def _languages(draft: Draft, rng: Random, geography: Geography, person: Person, country: Country) -> None:
    """The native language is one of the country's; others are learned."""
    native = rng.choice(country.languages)
    if rng.random() < 0.45:
        draft.state(person.entity, "P103", native)
    if rng.random() < 0.75:
        spoken = [native]
        while rng.random() < 0.4 and len(spoken) < 6:
            spoken.append(rng.choice(geography.atlas.some_country(rng).languages))
        for language in dict.fromkeys(spoken):
            draft.state(person.entity, "P1412", language)


def _offices(draft: Draft, rng: Random, institutions: Institutions, person: Person) -> None:
    share = 0.8 if "politician" in person.occupations else 0.3 if _OFFICIALS & set(person.occupations) else 0.02
    if rng.random() >= share or not person.reaches(35):
        return
    open_to_all = institutions.offices[person.country][1:]
    for office in rng.sample(open_to_all, k=min(rng.choice((1, 1, 1, 2)), len(open_to_all))):
        draft.state(person.entity, "P39", office)


def _party(draft: Draft, rng: Random, institutions: Institutions, person: Person) -> None:
    if rng.random() >= (0.92 if "politician" in person.occupations else 0.06):
        return
    joined: dict[str, None] = {}
    for _ in range(2 if rng.random() < 0.15 else 1):
        party = institutions.parties.pick(rng, person.year + 30, person.country, home=1.0)
        if party is not None and person.active(max(person.year + 20, party.year)):
            joined[party.entity] = None
    for entity in joined:
        draft.state(person.entity, "P102", entity)


def _sport(draft: Draft, rng: Random, institutions: Institutions, places: dict[str, list[str]], person: Person) -> None:
    sports = [name for name in person.occupations if name in institutions.teams]
    joined: dict[str, None] = {}
    positions: dict[str, None] = {}
    for sport in sports:
        for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
            team = institutions.teams[sport].pick(rng, person.year + 28, person.country)
            if team is not None and person.active(max(person.year + 19, team.year)):
                joined[team.entity] = None
        if rng.random() < 0.93:
            positions[rng.choice(places[sport])] = None
    for entity in joined:
        draft.state(person.entity, "P54", entity)
    for entity in positions:
        draft.state(person.entity, "P413", entity)


def _music(draft: Draft, rng: Random, institutions: Institutions, person: Person) -> None:
    if not MUSICIANS & set(person.occupations):
        return
    for genre in rng.sample(list(GENRES["music"].values()), k=rng.choice((1, 1, 2))):
        draft.state(person.entity, "P136", genre)
    labels: dict[str, None] = {}
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        label = institutions.labels.pick(rng, person.year + 35, person.country, home=0.6)
        if label is not None and person.active(max(person.year + 20, label.year)):
            labels[label.entity] = None
    for entity in labels:
        draft.state(person.entity, "P264", entity)


def _schooling(draft: Draft, rng: Random, institutions: Institutions, person: Person) -> None:
    if rng.random() < 0.3:
        school = institutions.schools.pick(rng, person.year + 16, person.country)
        if school is not None and person.reaches(20):
            draft.state(person.entity, "P69", school.entity)
    if person.notable and rng.random() < 0.15 and person.reaches(40):
        draft.state(person.entity, "P166", rng.choice(institutions.awards))


def _fame(person: Person) -> float:
    """How likely somebody is an example to others without having written or invented anything."""
    return 0.5 if any(name in SPORTS for name in person.occupations) else 0.12


def _influences(draft: Draft, rng: Random, people: list[Person], heads: set[str], famous: list[Famous]) -> None:
    """Influence comes from people born at least twelve years before, here or abroad; a few influence very many."""
    everyone = sorted((person for person in people if person.year <= _GROWN), key=lambda p: (p.birth, p.entity))
    own = [Famous(p.year, p.entity) for p in everyone if p.notable or rng.random() < _fame(p)]
    # A large world must not drown a chapter's own people in those of all others.
    abroad = rng.sample(famous, k=min(len(famous), len(own) // 4))
    models = sorted([*own, *abroad])
    years = [model.year for model in models]
    for person in everyone:
        eager = person.entity in heads or "programmer" in person.occupations
        share = 0.85 if eager else 0.45 if person.notable else 0.12
        if rng.random() >= share:
            continue
        elders = bisect_right(years, person.year - 12)
        chosen: dict[str, None] = {}
        for _ in range(rng.choice((1, 1, 2, 2, 3))):
            if elders:
                # The square makes influence uneven, as it is.
                chosen[models[int(elders * (1 - rng.random() ** 2))].entity] = None
        for entity in chosen:
            draft.state(person.entity, "P737", entity)
    famous += own
    if len(famous) > _REMEMBERED:
        famous[:] = rng.sample(famous, k=_REMEMBERED)

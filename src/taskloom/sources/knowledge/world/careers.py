"""What people do: occupations, offices, parties, teams, records, languages, influences."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.world.draft import (
    GENRES,
    MUSICIANS,
    OCCUPATIONS,
    OFFICIALS,
    PRESENT,
    SINCE,
    SPORTS,
    THINKERS,
    WEIGHTS,
    Draft,
)
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Country, InstitutionPool

_NAMES = tuple(OCCUPATIONS)
_TOTALS = tuple(accumulate(WEIGHTS.get(name, 1.2) for name in _NAMES))

# The grown-ups: younger people have a family, a country and a language, and no career yet.
_GROWN = PRESENT - 20

# How many well-known people of earlier chapters later ones remember.
_REMEMBERED = 1_500


class Famous(NamedTuple):
    """A person who can influence others, by year of birth."""

    year: int
    entity: str


def make_careers(draft: Draft, positions: dict[str, list[str]], famous: list[Famous]) -> None:
    """Give all people an occupation and what comes with it.

    Args:
        draft: The chapter.
        positions: The positions on a team, by sport.
        famous: Well-known people of earlier chapters; those of this one are added, and some forgotten.
    """
    rng = draft.random("careers")
    metropolitan = {city.entity for city in draft.geography.metropolises}
    for person in draft.people:
        if person.year <= _GROWN:
            _occupations(rng, person, metropolitan)
    heads = _heads_of_state(draft, rng)
    for person in draft.people:
        country = draft.geography.countries[person.country]
        draft.state(person.entity, "P106", *(OCCUPATIONS[name] for name in person.occupations))
        _citizenship(draft, rng, person, country)
        _languages(draft, rng, person, country)
        if person.year <= _GROWN:
            _offices(draft, rng, person)
            _party(draft, rng, person)
            _sport(draft, rng, positions, person)
            _music(draft, rng, person)
            _schooling(draft, rng, person)
    _influences(draft, rng, heads, famous)


def _draw(rng: Random, person: Person) -> str | None:
    name = _NAMES[bisect_right(_TOTALS, rng.random() * _TOTALS[-1])]
    return name if person.year >= SINCE.get(name, 0) else None


def _occupations(rng: Random, person: Person, metropolitan: set[str]) -> None:
    """One to three occupations. Some follow a parent; the stage and politics draw people in the metropolises."""
    chosen: list[str | None] = []
    if person.birthplace.entity in metropolitan and rng.random() < 0.38:
        chosen.append(rng.choice(("actor", "actor", "politician")))
    else:
        chosen.append(_draw(rng, person) or "farmer")
    inherited = [name for parent in person.parents for name in parent.occupations]
    if inherited and rng.random() < 0.3:
        chosen.append(rng.choice(inherited))
    while rng.random() < 0.3 and len(chosen) < 4:
        chosen.append(_draw(rng, person))
    if rng.random() < 0.95:
        person.occupations = list(dict.fromkeys(name for name in chosen if name is not None))
    person.notable = any(name in THINKERS for name in person.occupations)


def _heads_of_state(draft: Draft, rng: Random) -> set[str]:
    """One living head for every country, two for some. Their parents are mostly on record."""
    grown = [person for person in draft.people if PRESENT - 80 <= person.year <= PRESENT - 36]
    known = [person for person in grown if len(person.parents) == 2] or grown
    rng.shuffle(known)
    by_country: dict[int, list[Person]] = {}
    for person in known:
        by_country.setdefault(person.country, []).append(person)
    heads: set[str] = set()
    for country in draft.geography.opening:
        for _ in range(2 if rng.random() < 0.1 else 1):
            # A country without a suitable citizen takes a head from abroad.
            groups = (by_country.get(country.number, []), known)
            for candidates in groups:
                while candidates and candidates[-1].entity in heads:
                    candidates.pop()
            head = next((group[-1] for group in groups if group), None)
            if head is None:
                continue
            heads.add(head.entity)
            head.active(PRESENT)
            if "politician" not in head.occupations:
                head.occupations.append("politician")
            draft.state(country.entity, "P35", head.entity)
            draft.state(head.entity, "P39", draft.institutions.offices[country.number][0])
            if head.country != country.number:
                draft.state(head.entity, "P27", country.entity)
    return heads


def _citizenship(draft: Draft, rng: Random, person: Person, country: Country) -> None:
    draft.state(person.entity, "P27", country.entity)
    born_in = draft.geography.countries[person.birthplace.country]
    if born_in is not country and rng.random() < 0.5:
        draft.state(person.entity, "P27", born_in.entity)


def _languages(draft: Draft, rng: Random, person: Person, country: Country) -> None:
    """The native language is one of the country's; others are learned."""
    native = rng.choice(country.languages)
    if rng.random() < 0.45:
        draft.state(person.entity, "P103", native)
    if rng.random() < 0.75:
        spoken = [native]
        while rng.random() < 0.4 and len(spoken) < 6:
            spoken.append(rng.choice(draft.geography.atlas.some_country(rng).languages))
        draft.state(person.entity, "P1412", *dict.fromkeys(spoken))


def _offices(draft: Draft, rng: Random, person: Person) -> None:
    share = 0.8 if "politician" in person.occupations else 0.3 if OFFICIALS & set(person.occupations) else 0.02
    if rng.random() >= share or not person.reaches(35):
        return
    open_to_all = draft.institutions.offices[person.country][1:]
    draft.state(person.entity, "P39", *rng.sample(open_to_all, k=min(rng.choice((1, 1, 1, 2)), len(open_to_all))))


def _joined(
    rng: Random, person: Person, pool: InstitutionPool, times: int, ages: tuple[int, int], home: float
) -> list[str]:
    """The institutions a person joins in some tries: founded by the later age, joined at the earlier one or later."""
    youngest, oldest = ages
    found: dict[str, None] = {}
    for _ in range(times):
        one = pool.pick(rng, person.year + oldest, person.country, home)
        if one is not None and person.active(max(person.year + youngest, one.year)):
            found[one.entity] = None
    return list(found)


def _party(draft: Draft, rng: Random, person: Person) -> None:
    if rng.random() < (0.92 if "politician" in person.occupations else 0.06):
        times = 2 if rng.random() < 0.15 else 1
        joined = _joined(rng, person, draft.institutions.parties, times, (20, 30), 1.0)
        draft.state(person.entity, "P102", *joined)


def _sport(draft: Draft, rng: Random, positions: dict[str, list[str]], person: Person) -> None:
    teams = draft.institutions.teams
    joined: list[str] = []
    played: list[str] = []
    for sport in [name for name in person.occupations if name in teams]:
        joined += _joined(rng, person, teams[sport], rng.choice((1, 1, 2, 2, 3, 4)), (19, 28), 0.75)
        if rng.random() < 0.93:
            played.append(rng.choice(positions[sport]))
    draft.state(person.entity, "P54", *dict.fromkeys(joined))
    draft.state(person.entity, "P413", *dict.fromkeys(played))


def _music(draft: Draft, rng: Random, person: Person) -> None:
    if not MUSICIANS & set(person.occupations):
        return
    genres = rng.sample(list(GENRES["music"].values()), k=rng.choice((1, 1, 2)))
    draft.state(person.entity, "P136", *genres)
    times = rng.choice((1, 1, 1, 2, 2, 3))
    draft.state(person.entity, "P264", *_joined(rng, person, draft.institutions.labels, times, (20, 35), 0.6))


def _schooling(draft: Draft, rng: Random, person: Person) -> None:
    if rng.random() < 0.3:
        school = draft.institutions.schools.pick(rng, person.year + 16, person.country)
        if school is not None and person.reaches(20):
            draft.state(person.entity, "P69", school.entity)
    if person.notable and rng.random() < 0.15 and person.reaches(40):
        draft.state(person.entity, "P166", rng.choice(draft.institutions.awards))


def _fame(person: Person) -> float:
    """How likely a person influences others without having written or invented anything."""
    return 0.5 if any(name in SPORTS for name in person.occupations) else 0.12


def _influences(draft: Draft, rng: Random, heads: set[str], famous: list[Famous]) -> None:
    """Influence comes from people born at least twelve years before, here or abroad; a few influence very many."""
    everyone = sorted((person for person in draft.people if person.year <= _GROWN), key=lambda p: (p.birth, p.entity))
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
        draft.state(person.entity, "P737", *chosen)
    famous += own
    if len(famous) > _REMEMBERED:
        famous[:] = rng.sample(famous, k=_REMEMBERED)

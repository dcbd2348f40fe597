"""Parties, teams, record labels, schools, offices, awards: what people belong to and hold."""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.world.draft import Draft, some_date
from taskloom.sources.knowledge.world.places import Country, Geography

__all__ = ["Institution", "Institutions", "Roll", "make_institutions"]


class Institution(NamedTuple):
    """Something that exists from a year on."""

    year: int
    entity: str
    country: int


class Roll:
    """Institutions of one kind, to be joined by people who live late enough."""

    def __init__(self, items: list[Institution]) -> None:
        self._all = _Shelf(sorted(items))
        by_country: dict[int, list[Institution]] = {}
        for item in self._all.items:
            by_country.setdefault(item.country, []).append(item)
        self._by_country = {country: _Shelf(local) for country, local in by_country.items()}

    def pick(self, rng: Random, latest: int, country: int, home: float = 0.75) -> Institution | None:
        """One founded in `latest` or before, of the country with probability `home`; None if there is none."""
        local = self._by_country.get(country) if rng.random() < home else None
        return (local.pick(rng, latest) if local else None) or self._all.pick(rng, latest)


class _Shelf:
    """Institutions by age."""

    def __init__(self, items: list[Institution]) -> None:
        self.items = items
        self._years = [item.year for item in items]

    def pick(self, rng: Random, latest: int) -> Institution | None:
        """One of those founded in `latest` or before."""
        count = bisect_right(self._years, latest)
        return self.items[rng.randrange(count)] if count else None


class Institutions(NamedTuple):
    """Everything one can belong to."""

    parties: Roll
    teams: dict[str, Roll]
    labels: Roll
    schools: Roll
    awards: list[str]
    offices: dict[int, list[str]]  # by country; the first is that of the head of state


def make_institutions(draft: Draft, geography: Geography, sports: tuple[str, ...]) -> Institutions:
    """Found them all."""
    rng = draft.random("institutions")
    return Institutions(
        parties=Roll(_parties(draft, rng, geography)),
        teams={sport: Roll(_teams(draft, rng, geography, draft.count(30 * len(sports), least=6))) for sport in sports},
        labels=Roll(_record_labels(draft, rng, geography)),
        schools=Roll(_schools(draft, rng, geography)),
        awards=[draft.new(draft.names.around("award"), "award") for _ in range(draft.count(100))],
        offices={country.number: _offices(draft, country) for country in geography.home},
    )


def _found(draft: Draft, rng: Random, label: str, kind: str, *, country: Country, years: range) -> Institution:
    entity = draft.new(label, kind)
    year = rng.choice(years)
    draft.state(entity, "P17", country.entity)
    draft.dated(entity, "P571", some_date(rng, year))
    return Institution(year, entity, country.number)


def _parties(draft: Draft, rng: Random, geography: Geography) -> list[Institution]:
    # Every country has two parties from early on, so that politicians of any time find one at home.
    early = [
        _found(draft, rng, draft.names.party(country.name), "political party", country=country, years=years)
        for country in geography.home
        for years in (range(1790, 1815), range(1815, 1970))
    ]
    return early + [
        _found(draft, rng, draft.names.party(country.name), "political party", country=country, years=range(1830, 1990))
        for country in (geography.some_country(rng) for _ in range(draft.count(80)))
    ]


def _teams(draft: Draft, rng: Random, geography: Geography, count: int) -> list[Institution]:
    teams = []
    for index in range(count):
        country = geography.some_country(rng)
        city = geography.some_city(rng, country.number)
        years = range(1865, 1900) if index % 3 == 0 else range(1900, 1985)
        team = _found(draft, rng, draft.names.team(city.name), "sports team", country=country, years=years)
        draft.state(team.entity, "P276", city.entity)
        teams.append(team)
    return teams


def _record_labels(draft: Draft, rng: Random, geography: Geography) -> list[Institution]:
    labels = []
    for index in range(draft.count(90)):
        country = geography.some_country(rng)
        years = range(1890, 1912) if index % 3 == 0 else range(1912, 1995)
        label = draft.names.title("record_label", country.culture)
        labels.append(_found(draft, rng, label, "record label", country=country, years=years))
    return labels


def _schools(draft: Draft, rng: Random, geography: Geography) -> list[Institution]:
    schools = []
    for _ in range(draft.count(60)):
        country = geography.some_country(rng)
        name = draft.names.around("school", country.culture)
        school = _found(draft, rng, name, "university", country=country, years=range(1600, 1800))
        draft.state(school.entity, "P276", geography.some_city(rng, country.number).entity)
        schools.append(school)
    return schools


def _offices(draft: Draft, country: Country) -> list[str]:
    titles = [f"President of {country.name}", f"Minister of Justice of {country.name}", f"Senator of {country.name}"]
    titles += [f"Mayor of {city.name}" for city in country.cities[:4]]
    # A country that fills several chapters has its offices from the first, and new mayors in each.
    offices = [draft.new(title, "position") for title in titles if draft.names.claim(title)]
    for office in offices:
        draft.state(office, "P17", country.entity)
    return offices

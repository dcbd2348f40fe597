"""The map, and what people belong to: parties, teams, record labels, schools, offices, awards.

Continents, countries, languages and metropolises are made first, the towns and institutions of a chapter after them.
"""

from __future__ import annotations

from bisect import bisect, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.vocabulary import PREDICATES
from taskloom.sources.knowledge.world.draft import SPORTS, Draft, some_date
from taskloom.sources.names import CULTURE_NAMES

# The places of birth that predicates ask about. Each is played by an invented metropolis.
_METROPOLISES = tuple(term.entity for term in PREDICATES.values() if term.relation == "place of birth")
_LONDON, _NEW_YORK, _LOS_ANGELES, _BUENOS_AIRES = _METROPOLISES


class City(NamedTuple):
    """A city."""

    entity: str
    name: str
    country: int


class Country(NamedTuple):
    """A country; `cities` is where its people are born, largest first: the capital and those of the chapter at hand."""

    number: int
    entity: str
    name: str
    culture: str
    continent: str
    languages: tuple[str, ...]
    cities: list[City]


class Atlas(NamedTuple):
    """What every chapter shares. It does not grow with the number of people beyond a few thousand."""

    countries: list[Country]
    metropolises: list[City]
    weights: list[float]

    def some_country(self, rng: Random) -> Country:
        """Any country of the world, large ones more often."""
        return self.countries[bisect(self.weights, rng.random() * self.weights[-1])]


class Geography(NamedTuple):
    """The places of a chapter.

    Attributes:
        atlas: The whole world.
        home: The countries the chapter tells of.
        weights: Their sizes, added up.
        opening: The countries that no earlier chapter describes.
    """

    atlas: Atlas
    home: list[Country]
    weights: list[float]
    opening: list[Country]

    @property
    def countries(self) -> list[Country]:
        return self.atlas.countries

    @property
    def metropolises(self) -> list[City]:
        """The four cities that draw people from everywhere."""
        return self.atlas.metropolises

    def some_country(self, rng: Random) -> Country:
        """A country of the chapter, large ones more often."""
        return self.home[bisect(self.weights, rng.random() * self.weights[-1])]

    def some_city(self, rng: Random, country: int) -> City:
        """A city of a country, large ones more often."""
        cities = self.countries[country].cities
        return cities[int(len(cities) * rng.random() ** 2)]


def make_atlas(draft: Draft) -> Atlas:
    """Continents, countries with their languages and capitals, metropolises, diplomatic relations."""
    rng = draft.random("atlas")
    continents = [(draft.new(draft.names.word("country"), "continent"), culture) for culture in CULTURE_NAMES]
    countries: list[Country] = []
    languages: list[str] = []
    for index in range(draft.settings.countries):
        countries.append(_country(draft, rng, index, continents[index % len(continents)], languages))
    atlas = Atlas(countries, [], _sizes(countries))
    for real, home in {_LONDON: 0, _NEW_YORK: 1, _LOS_ANGELES: 1, _BUENOS_AIRES: 2}.items():
        city = _city(draft, countries[home])
        draft.stand_ins[real] = city.entity
        atlas.metropolises.append(city)
    for country in countries:
        if not country.cities:
            _city(draft, country)
        draft.state(country.entity, "P36", country.cities[0].entity)
    _relations_between(draft, rng, countries)
    return atlas


def _sizes(countries: list[Country]) -> list[float]:
    return list(accumulate(1.0 / (1.0 + country.number / 8) for country in countries))


def make_geography(draft: Draft, atlas: Atlas) -> None:
    """The countries of a chapter with towns, regions and nature of their own."""
    chapters = draft.settings.chapters
    numbers = range(draft.chapter, len(atlas.countries), chapters) or [draft.chapter % len(atlas.countries)]
    home = [atlas.countries[number] for number in numbers]
    metropolitan = {city.entity for city in atlas.metropolises}
    for country in home:  # only the capital and the metropolises are remembered from chapter to chapter
        country.cities[1:] = [city for city in country.cities[1:] if city.entity in metropolitan]
    opening = home if draft.chapter < len(atlas.countries) else []
    draft.geography = Geography(atlas, home, _sizes(home), opening)
    rng = draft.random("places")
    for _ in range(draft.count(10) - len(opening)):
        _city(draft, draft.geography.some_country(rng))
    _regions(draft, rng)
    _nature(draft, rng)


def _country(draft: Draft, rng: Random, number: int, home: tuple[str, str], languages: list[str]) -> Country:
    continent, culture = home
    name = draft.names.word("country", culture)
    entity = draft.new(name, "country")
    draft.state(entity, "P30", continent)
    own = draft.new(draft.names.language(name), "language")
    languages.append(own)
    spoken = [own]
    # Neighbours share languages; about a third of the countries have more than one.
    while rng.random() < 0.35 and len(spoken) < 4:
        other = languages[int(len(languages) * (1 - rng.random() ** 2 * 0.999)) - 1]
        if other not in spoken:
            spoken.append(other)
    draft.state(entity, "P37", *spoken)
    return Country(number, entity, name, culture, continent, tuple(spoken), [])


def _city(draft: Draft, country: Country) -> City:
    name = draft.names.word("city", country.culture)
    city = City(draft.new(name, "city"), name, country.number)
    draft.state(city.entity, "P17", country.entity)
    country.cities.append(city)
    return city


def _regions(draft: Draft, rng: Random) -> None:
    for country in draft.geography.home:
        for _ in range(rng.randrange(1, 4)):
            region = draft.new(draft.names.around("region", country.culture), "administrative territorial entity")
            draft.state(region, "P17", country.entity)
            draft.state(region, "P36", rng.choice(country.cities).entity)
            draft.state(region, "P37", rng.choice(country.languages))


def _relations_between(draft: Draft, rng: Random, countries: list[Country]) -> None:
    """Diplomatic relations go both ways."""
    seen: set[tuple[int, int]] = set()
    for country in countries:
        for _ in range(rng.randrange(2, 11)):
            other = rng.randrange(len(countries))
            pair = (min(country.number, other), max(country.number, other))
            if country.number == other or pair in seen:
                continue
            seen.add(pair)
            draft.state(country.entity, "P530", countries[other].entity)
            draft.state(countries[other].entity, "P530", country.entity)


def _nature(draft: Draft, rng: Random) -> None:
    """Rivers, mountains, lakes and islands, each in a country; islands make archipelagos."""
    kinds = ("river", "mountain", "lake", "island")
    islands: list[str] = []
    for index in range(draft.count(12)):
        kind = kinds[index % len(kinds)]
        country = draft.geography.some_country(rng)
        entity = draft.new(draft.names.around(kind, country.culture), kind)
        draft.state(entity, "P17", country.entity)
        draft.state(entity, "P30", country.continent)
        if kind == "island":
            islands.append(entity)
    while len(islands) >= 2:
        size = min(len(islands), rng.randrange(2, 7))
        group, islands = islands[:size], islands[size:]
        name = f"{draft.names.word('city')} Islands"
        if draft.names.claim(name):
            draft.state(draft.new(name, "archipelago"), "P527", *group)


# ------------------------------------------------------------------------- institutions


class Institution(NamedTuple):
    """Something that exists from a year on."""

    year: int
    entity: str
    country: int


class InstitutionPool:
    """Institutions of one kind, to be joined by people who live late enough."""

    def __init__(self, items: Iterable[Institution]) -> None:
        self._all = sorted(items)
        self._by_country: dict[int, list[Institution]] = {}
        for item in self._all:
            self._by_country.setdefault(item.country, []).append(item)

    def pick(self, rng: Random, latest: int, country: int, home: float = 0.75) -> Institution | None:
        """One founded in `latest` or before, of the country with probability `home`; None if there is none."""
        local = self._by_country.get(country, []) if rng.random() < home else []
        for items in (local, self._all):
            if count := bisect_right(items, latest, key=lambda item: item.year):
                return items[rng.randrange(count)]
        return None


class Institutions(NamedTuple):
    """Everything one can belong to."""

    parties: InstitutionPool
    teams: dict[str, InstitutionPool]
    labels: InstitutionPool
    schools: InstitutionPool
    awards: list[str]
    offices: dict[int, list[str]]  # by country; the first is that of the head of state


def make_institutions(draft: Draft) -> None:
    """Found them all."""
    rng, team_count = draft.random("institutions"), draft.count(30 * len(SPORTS), least=6)
    draft.institutions = Institutions(
        parties=InstitutionPool(_parties(draft, rng)),
        teams={sport: InstitutionPool(_teams(draft, rng, team_count)) for sport in SPORTS},
        labels=InstitutionPool(_record_labels(draft, rng)),
        schools=InstitutionPool(_schools(draft, rng)),
        awards=[draft.new(draft.names.around("award"), "award") for _ in range(draft.count(100))],
        offices={country.number: _offices(draft, country) for country in draft.geography.home},
    )


def _found(draft: Draft, rng: Random, label: str, kind: str, country: Country, years: range) -> Institution:
    entity = draft.new(label, kind)
    year = rng.choice(years)
    draft.state(entity, "P17", country.entity)
    draft.dated(entity, "P571", some_date(rng, year))
    return Institution(year, entity, country.number)


def _parties(draft: Draft, rng: Random) -> Iterator[Institution]:
    """Every country has two parties from early on, so that politicians of any time find one at home."""
    for country in draft.geography.home:
        for years in (range(1790, 1815), range(1815, 1970)):
            yield _found(draft, rng, draft.names.party(country.name), "political party", country, years)
    for _ in range(draft.count(80)):
        country = draft.geography.some_country(rng)
        yield _found(draft, rng, draft.names.party(country.name), "political party", country, range(1830, 1990))


def _teams(draft: Draft, rng: Random, count: int) -> Iterator[Institution]:
    for index in range(count):
        country = draft.geography.some_country(rng)
        city = draft.geography.some_city(rng, country.number)
        years = range(1865, 1900) if index % 3 == 0 else range(1900, 1985)
        team = _found(draft, rng, draft.names.team(city.name), "sports team", country, years)
        draft.state(team.entity, "P276", city.entity)
        yield team


def _record_labels(draft: Draft, rng: Random) -> Iterator[Institution]:
    for index in range(draft.count(90)):
        country = draft.geography.some_country(rng)
        years = range(1890, 1912) if index % 3 == 0 else range(1912, 1995)
        label = draft.names.title("record_label", country.culture)
        yield _found(draft, rng, label, "record label", country, years)


def _schools(draft: Draft, rng: Random) -> Iterator[Institution]:
    for _ in range(draft.count(60)):
        country = draft.geography.some_country(rng)
        name = draft.names.around("school", country.culture)
        school = _found(draft, rng, name, "university", country, range(1600, 1800))
        draft.state(school.entity, "P276", draft.geography.some_city(rng, country.number).entity)
        yield school


def _offices(draft: Draft, country: Country) -> list[str]:
    titles = [f"{title} of {country.name}" for title in ("President", "Minister of Justice", "Senator")]
    titles += [f"Mayor of {city.name}" for city in country.cities[:4]]
    # A country that fills several chapters has its offices from the first, and new mayors in each.
    offices = [draft.new(title, "position") for title in titles if draft.names.claim(title)]
    for office in offices:
        draft.state(office, "P17", country.entity)
    return offices

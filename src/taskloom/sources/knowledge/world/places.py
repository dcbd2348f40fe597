"""Continents, countries, languages, regions, cities, rivers, mountains, and the four metropolises."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.vocabulary import PREDICATES
from taskloom.sources.knowledge.world.draft import Draft
from taskloom.sources.names import CULTURE_NAMES

__all__ = ["City", "Country", "Geography", "make_geography"]

# The places of birth that predicates ask about. Each is played by an invented metropolis.
_METROPOLISES = tuple(term.entity for term in PREDICATES.values() if term.relation == "place of birth")
_LONDON, _NEW_YORK, _LOS_ANGELES, _BUENOS_AIRES = _METROPOLISES


class City(NamedTuple):
    """A city."""

    entity: str
    name: str
    country: int


class Country(NamedTuple):
    """A country; `cities` is where its people are born, largest first."""

    number: int
    entity: str
    name: str
    culture: str
    continent: str
    languages: tuple[str, ...]
    cities: list[City]


class Geography(NamedTuple):
    """All places of a world."""

    countries: list[Country]
    languages: list[str]
    metropolises: list[City]
    weights: list[float]

    def some_country(self, rng: Random) -> Country:
        """A country, large ones more often."""
        return self.countries[bisect(self.weights, rng.random() * self.weights[-1])]

    def some_city(self, rng: Random, country: int) -> City:
        """A city of a country, large ones more often."""
        cities = self.countries[country].cities
        return cities[int(len(cities) * rng.random() ** 2)]


def make_geography(draft: Draft) -> Geography:
    """Draw the map."""
    rng = draft.random("places")
    names = draft.names
    continents = [(draft.new(names.country(), "continent"), culture) for culture in CULTURE_NAMES]
    countries: list[Country] = []
    languages: list[str] = []
    for index in range(draft.count(40, least=24)):
        countries.append(_country(draft, rng, index, continents[index % len(continents)], languages))
    weights = list(accumulate(1.0 / (1.0 + index / 8) for index in range(len(countries))))
    geography = Geography(countries, languages, [], weights)
    _cities(draft, rng, geography)
    _relations_between(draft, rng, countries)
    _nature(draft, rng, geography)
    return geography


def _country(draft: Draft, rng: Random, number: int, home: tuple[str, str], languages: list[str]) -> Country:
    continent, culture = home
    name = draft.names.country(culture)
    entity = draft.new(name, "country")
    draft.state(entity, "P30", continent)
    own = draft.new(draft.names.language(country=name), "language")
    languages.append(own)
    spoken = [own]
    # Neighbours share languages; about a third of the countries have more than one.
    while rng.random() < 0.35 and len(spoken) < 4:
        other = languages[int(len(languages) * (1 - rng.random() ** 2 * 0.999)) - 1]
        if other not in spoken:
            spoken.append(other)
    for language in spoken:
        draft.state(entity, "P37", language)
    return Country(number, entity, name, culture, continent, tuple(spoken), [])


def _cities(draft: Draft, rng: Random, geography: Geography) -> None:
    """At least one city in every country; the first is the capital, unless it is a metropolis of another kind."""
    countries = geography.countries
    homes = {_LONDON: 0, _NEW_YORK: 1, _LOS_ANGELES: 1, _BUENOS_AIRES: 2}
    for real, home in homes.items():
        city = _city(draft, countries[home])
        draft.stand_ins[real] = city.entity
        geography.metropolises.append(city)
    for country in countries:
        if not country.cities:
            _city(draft, country)
    for _ in range(draft.count(10) - len(countries)):
        _city(draft, geography.some_country(rng))
    for country in countries:
        capital = country.cities[0]
        draft.state(country.entity, "P36", capital.entity)
        for _ in range(rng.randrange(1, 4)):
            region = draft.new(draft.names.region(country.culture), "administrative territorial entity")
            seat = rng.choice(country.cities)
            draft.state(region, "P17", country.entity)
            draft.state(region, "P36", seat.entity)
            draft.state(region, "P37", rng.choice(country.languages))


def _city(draft: Draft, country: Country) -> City:
    city = City(draft.new(draft.names.city(country.culture), "city"), "", country.number)
    city = city._replace(name=draft.labels[city.entity])
    draft.state(city.entity, "P17", country.entity)
    country.cities.append(city)
    return city


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


def _nature(draft: Draft, rng: Random, geography: Geography) -> None:
    """Rivers, mountains, lakes and islands, each in a country; islands make archipelagos."""
    names = draft.names
    makers = (("river", names.river), ("mountain", names.mountain), ("lake", names.lake), ("island", names.island))
    islands: list[str] = []
    for index in range(draft.count(12)):
        kind, make = makers[index % len(makers)]
        country = geography.some_country(rng)
        entity = draft.new(make(country.culture), kind)
        draft.state(entity, "P17", country.entity)
        draft.state(entity, "P30", country.continent)
        if kind == "island":
            islands.append(entity)
    while len(islands) >= 2:
        size = min(len(islands), rng.randrange(2, 7))
        group, islands = islands[:size], islands[size:]
        entity = draft.new(f"{names.city()} Islands", "archipelago")
        for island in group:
            draft.state(entity, "P527", island)

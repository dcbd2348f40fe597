"""The map: continents, countries, languages and metropolises first, the towns and rivers of a chapter after them."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.vocabulary import PREDICATES
from taskloom.sources.knowledge.world.draft import Draft
from taskloom.sources.names import CULTURE_NAMES

__all__ = ["Atlas", "City", "Country", "Geography", "make_atlas", "make_geography"]

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
        """All countries of the world, by number."""
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
    continents = [(draft.new(draft.names.country(), "continent"), culture) for culture in CULTURE_NAMES]
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


def make_geography(draft: Draft, atlas: Atlas) -> Geography:
    """The countries of a chapter with towns, regions and nature of their own."""
    chapters = draft.settings.chapters
    numbers = range(draft.chapter, len(atlas.countries), chapters) or [draft.chapter % len(atlas.countries)]
    home = [atlas.countries[number] for number in numbers]
    metropolitan = {city.entity for city in atlas.metropolises}
    for country in home:  # only the capital and the metropolises are remembered from chapter to chapter
        country.cities[1:] = [city for city in country.cities[1:] if city.entity in metropolitan]
    opening = home if draft.chapter < len(atlas.countries) else []
    geography = Geography(atlas, home, _sizes(home), opening)
    rng = draft.random("places")
    for _ in range(draft.count(10) - len(opening)):
        _city(draft, geography.some_country(rng))
    _regions(draft, rng, geography)
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


def _city(draft: Draft, country: Country) -> City:
    name = draft.names.city(country.culture)
    city = City(draft.new(name, "city"), name, country.number)
    draft.state(city.entity, "P17", country.entity)
    country.cities.append(city)
    return city


def _regions(draft: Draft, rng: Random, geography: Geography) -> None:
    for country in geography.home:
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


def _nature(draft: Draft, rng: Random, geography: Geography) -> None:
    """Rivers, mountains, lakes and islands, each in a country; islands make archipelagos."""
    names = draft.names
    kinds = ("river", "mountain", "lake", "island")
    islands: list[str] = []
    for index in range(draft.count(12)):
        kind = kinds[index % len(kinds)]
        country = geography.some_country(rng)
        entity = draft.new(names.around(kind, country.culture), kind)
        draft.state(entity, "P17", country.entity)
        draft.state(entity, "P30", country.continent)
        if kind == "island":
            islands.append(entity)
    while len(islands) >= 2:
        size = min(len(islands), rng.randrange(2, 7))
        group, islands = islands[:size], islands[size:]
        name = f"{names.city()} Islands"
        if not names.claim(name):
            continue
        entity = draft.new(name, "archipelago")
        for island in group:
            draft.state(entity, "P527", island)

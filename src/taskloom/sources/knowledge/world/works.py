"""What people make: books, films, series, albums, paintings, software, products, companies, bands."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.world.careers import MUSICIANS, WRITERS
from taskloom.sources.knowledge.world.concepts import GENDERS, GENRES
from taskloom.sources.knowledge.world.draft import Draft, some_date
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Country, Geography
from taskloom.sources.knowledge.world.settings import PRESENT

__all__ = ["Company", "make_works"]


class Company(NamedTuple):
    """A business; `year` is when it was founded."""

    entity: str
    name: str
    country: Country
    year: int


class _Maker:
    """Shared by everything in this module: the draft, the people by occupation, and the dates."""

    def __init__(self, draft: Draft, geography: Geography, people: list[Person]) -> None:
        self.draft = draft
        self.rng: Random = draft.random("works")
        self.geography = geography
        self.grown = [person for person in people if person.occupations]
        self.by_occupation: dict[str, list[Person]] = {}
        for person in people:
            for name in person.occupations:
                self.by_occupation.setdefault(name, []).append(person)

    def those(self, *occupations: str) -> list[Person]:
        """Everybody with one of the occupations, in a fixed order; all people where there is nobody."""
        found = {p.entity: p for name in occupations for p in self.by_occupation.get(name, [])}
        return list(found.values()) or self.grown

    def at_work(self, person: Person) -> int:
        """A year the person works in, and is alive in. Makers are at least twenty years old."""
        year = min(person.year + self.rng.randrange(20, 60), PRESENT)
        person.active(year)
        return year

    def since(self, people: list[Person], year: int) -> list[Person]:
        """Those born in a year or later; everybody where there is none."""
        return [person for person in people if person.year >= year] or people

    def partner(self, people: list[Person], year: int, share: float) -> list[Person]:
        """With probability `share` somebody else who can have worked in that year; nobody otherwise."""
        if self.rng.random() >= share:
            return []
        for _ in range(6):
            other = self.rng.choice(people)
            if 20 <= year - other.year <= 60:
                other.active(year)
                return [other]
        return []

    def country(self, person: Person) -> Country:
        return self.geography.countries[person.country]

    def work(self, label: str, kind: str, year: int, genres: str | None = None) -> str:
        entity = self.draft.new(label, kind)
        self.draft.dated(entity, "P577", some_date(self.rng, year))
        if genres is not None:
            options = list(GENRES[genres].values())
            for genre in self.rng.sample(options, k=self.rng.choice((1, 1, 2))):
                self.draft.state(entity, "P136", genre)
        return entity


def make_works(draft: Draft, geography: Geography, people: list[Person]) -> list[Company]:
    """Make everything and return the companies, which later things are named after."""
    maker = _Maker(draft, geography, people)
    _books(maker)
    _screen(maker)
    _music(maker)
    _art(maker)
    companies = _companies(maker)
    _software(maker, companies)
    _products(maker, companies)
    return companies


def _books(maker: _Maker) -> None:
    """Books, series of books, and the people inside them."""
    draft, rng = maker.draft, maker.rng
    writers = maker.those(*sorted(WRITERS))
    shelf: list[str] = []
    for _ in range(draft.count(9)):
        author = rng.choice(writers)
        country = maker.country(author)
        year = maker.at_work(author)
        book = maker.work(draft.names.title("book", country.culture), "book", year, "book")
        for writer in (author, *maker.partner(writers, year, 0.06)):
            draft.state(book, "P50", writer.entity)
        draft.state(book, "P495", country.entity)
        shelf.append(book)
        if rng.random() < 0.3:
            _characters(maker, author, country)
        if len(shelf) >= 6 and rng.random() < 0.15:
            title = f"The {draft.names.city(country.culture)} Cycle"
            parts, shelf = shelf[-rng.randrange(2, 6) :], []
            if draft.names.claim(title):
                series = draft.new(title, "book series")
                for part in parts:
                    draft.state(series, "P527", part)


def _characters(maker: _Maker, author: Person, country: Country) -> None:
    """A family that lives in a book: created by the author, with parents and children of its own."""
    draft, rng = maker.draft, maker.rng
    family = draft.names.family(country.culture)

    def character(gender: str) -> str:
        name = draft.names.person("female" if gender == "female" else "male", family=family, culture=country.culture)
        entity = draft.new(str(name), "fictional human")
        draft.state(entity, "P170", author.entity)
        draft.state(entity, "P21", GENDERS[gender])
        return entity

    father, mother = character("male"), character("female")
    draft.state(father, "P26", mother)
    draft.state(mother, "P26", father)
    children = [character(rng.choice(("female", "male"))) for _ in range(rng.randrange(1, 4))]
    for child in children:
        for parent, property_id in ((father, "P22"), (mother, "P25")):
            draft.state(child, property_id, parent)
            draft.state(parent, "P40", child)
        for sibling in children:
            if sibling != child:
                draft.state(child, "P3373", sibling)


def _screen(maker: _Maker) -> None:
    """Films and television series, with director, cast and language."""
    draft, rng = maker.draft, maker.rng
    since = 1900
    directors = maker.since(maker.those("film director", "screenwriter"), since - 30)
    actors = maker.since(maker.those("actor", "comedian"), since - 30)
    for kind, count, first in (("film", draft.count(9), since), ("television series", draft.count(25), 1950)):
        for _ in range(count):
            director = rng.choice(directors)
            year = min(max(director.year + rng.randrange(20, 62), first), PRESENT)
            if not director.year + 20 <= year <= director.year + 80:
                continue
            director.active(year)
            country = maker.country(director)
            entity = maker.work(draft.names.title("film", country.culture), kind, year, "film")
            draft.state(entity, "P57", director.entity)
            draft.state(entity, "P495", country.entity)
            if rng.random() < 0.12:
                draft.state(entity, "P495", maker.geography.atlas.some_country(rng).entity)
            draft.state(entity, "P364", rng.choice(country.languages))
            if kind == "television series":
                draft.state(entity, "P170", director.entity)
            for _ in range(rng.randrange(1, 5)):
                actor = rng.choice(actors)
                if actor.year + 17 <= year <= actor.year + 70:
                    actor.active(year)
                    draft.state(entity, "P161", actor.entity)


def _music(maker: _Maker) -> None:
    """Bands with members; albums and songs with performer and composer."""
    draft, rng = maker.draft, maker.rng
    musicians = maker.since(maker.those(*sorted(MUSICIANS)), 1885)
    composers = maker.those("composer", "songwriter")
    musicians.sort(key=lambda person: (person.year, person.entity))
    bands: list[tuple[str, list[Person]]] = []
    for _ in range(draft.count(30)):
        # Members are of one age, so that they can have met.
        start = rng.randrange(max(len(musicians) - 12, 1))
        circle = musicians[start : start + 12]
        members = rng.sample(circle, k=min(len(circle), rng.randrange(2, 6)))
        country = maker.country(members[0])
        band = draft.new(draft.names.title("band", country.culture), "musical group")
        draft.state(band, "P495", country.entity)
        draft.state(band, "P136", rng.choice(list(GENRES["music"].values())))
        for member in members:
            draft.state(band, "P527", member.entity)
        bands.append((band, members))
    for index in range(draft.count(6)):
        lead, performer = rng.choice(musicians), ""
        if rng.random() < 0.25:
            performer, members = rng.choice(bands)
            lead = max(members, key=lambda person: person.year)
        year = maker.at_work(lead)
        kind = "album" if index % 2 else "song"
        entity = maker.work(draft.names.title("song", maker.country(lead).culture), kind, year, "music")
        draft.state(entity, "P175", performer or lead.entity)
        for other in maker.partner(musicians, year, 0.12):
            draft.state(entity, "P175", other.entity)
        _composed(maker, entity, year, rng.choice(composers))


def _composed(maker: _Maker, entity: str, year: int, composer: Person) -> None:
    """Recordings are made while the composer lives. After that they are classical music, and say so."""
    if composer.year + 20 <= year <= composer.year + 75:
        composer.active(year)
    elif composer.year + 75 < year:
        maker.draft.state(entity, "P136", GENRES["music"]["classical music"])
        composer.reaches(20)
    else:
        return
    maker.draft.state(entity, "P86", composer.entity)


def _art(maker: _Maker) -> None:
    """Museums, and paintings and sculptures in them; collectors own some."""
    draft, rng = maker.draft, maker.rng
    artists = maker.those("painter", "sculptor", "photographer", "architect")
    owners = maker.since([person for person in maker.grown if person.notable], 1900)
    museums: list[str] = []
    for _ in range(draft.count(40)):
        country = maker.geography.some_country(rng)
        museum = draft.new(draft.names.around("museum", country.culture), "museum")
        draft.state(museum, "P17", country.entity)
        draft.state(museum, "P276", maker.geography.some_city(rng, country.number).entity)
        museums.append(museum)
    for index in range(draft.count(5)):
        artist = rng.choice(artists)
        year = maker.at_work(artist)
        title = draft.names.title("artwork", maker.country(artist).culture)
        work = maker.work(title, "sculpture" if index % 4 == 0 else "painting", year, "art")
        for hand in (artist, *maker.partner(artists, year, 0.06)):
            draft.state(work, "P170", hand.entity)
        if rng.random() < 0.8:
            draft.state(work, "P276", rng.choice(museums))
        if rng.random() < 0.4:
            owner = rng.choice(owners)
            if year <= owner.year + 70 and owner.active(max(year, owner.year + 22)):
                draft.state(work, "P127", owner.entity)


def _companies(maker: _Maker) -> list[Company]:
    """Half of the companies carry the name of their founder."""
    draft, rng = maker.draft, maker.rng
    founders = maker.those("businessperson", "engineer", "inventor", "programmer")
    owners = maker.since([person for person in maker.grown if person.notable], 1920)
    companies: list[Company] = []
    for _ in range(draft.count(25)):
        founder = rng.choice(founders)
        year = maker.at_work(founder)
        country = maker.country(founder)
        eponymous = rng.random() < 0.5
        label = draft.names.company(country.culture, founder=founder.name.family if eponymous else None)
        company = Company(draft.new(label, "business"), label, country, year)
        draft.state(company.entity, "P112", founder.entity)
        draft.state(company.entity, "P17", country.entity)
        draft.dated(company.entity, "P571", some_date(rng, year))
        if label.startswith(founder.name.family):
            draft.state(company.entity, "P138", founder.entity)
        if rng.random() < 0.7:
            owner = rng.choice(owners)
            if owner.year + 75 >= year and owner.active(max(year, owner.year + 22)):
                draft.state(company.entity, "P127", owner.entity)
        companies.append(company)
    return companies


def _software(maker: _Maker, companies: list[Company]) -> None:
    """Programs and games, by companies and by single people."""
    draft, rng = maker.draft, maker.rng
    programmers = maker.since(maker.those("programmer", "inventor", "engineer"), 1935)
    for index in range(draft.count(12)):
        if rng.random() < 0.5:
            programmer = rng.choice(programmers)
            developer, year, country = programmer.entity, maker.at_work(programmer), maker.country(programmer)
        else:
            company = rng.choice(companies)
            developer, country = company.entity, company.country
            year = rng.randrange(max(company.year, 1965), PRESENT + 1)
        kind = "video game" if index % 2 else "software"
        entity = maker.work(draft.names.title("game", country.culture), kind, year)
        draft.state(entity, "P178", developer)
        draft.state(entity, "P495", country.entity)


def _products(maker: _Maker, companies: list[Company]) -> None:
    """Cars and ships, made by companies; people own ships."""
    draft, rng = maker.draft, maker.rng
    owners = maker.since([person for person in maker.grown if person.notable], 1930)
    for index in range(draft.count(12)):
        company = rng.choice(companies)
        kind = "ship" if index % 2 else "automobile model"
        name = draft.names.title("ship") if kind == "ship" else draft.names.product(company.name)
        entity = draft.new(name, kind)
        draft.state(entity, "P176", company.entity)
        draft.state(entity, "P495", company.country.entity)
        if kind == "ship" and rng.random() < 0.8:
            for owner in {p.entity: p for p in rng.sample(owners, k=2 if rng.random() < 0.1 else 1)}.values():
                # A ship is owned after its yard was founded.
                if company.year <= owner.year + 75 and owner.active(max(company.year, owner.year + 22)):
                    draft.state(entity, "P127", owner.entity)

"""What people make, and what is named after them: books, films, music, art, companies, products, towns, species."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from taskloom.sources.knowledge.world.draft import (
    BROADER,
    CLASSES,
    GENDERS,
    GENRES,
    HONOURS,
    KINDS,
    MUSICIANS,
    OCCUPATIONS,
    PRESENT,
    SPORTS,
    WRITERS,
    Draft,
    Honour,
    some_date,
)
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Country
from taskloom.sources.names import Gender


class Company(NamedTuple):
    """A business; `year` is when it was founded."""

    entity: str
    name: str
    country: Country
    year: int


def make_works(draft: Draft) -> None:
    """Make everything that people make."""
    maker = _WorkMaker(draft)
    maker.books()
    maker.screen()
    maker.music()
    maker.art()
    companies = maker.companies()
    maker.software(companies)
    maker.products(companies)


class _WorkMaker:
    """Makes works, with the people of a chapter by occupation."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.geography = draft, draft.geography
        self.rng: Random = draft.random("works")
        self.grown = [person for person in draft.people if person.occupations]
        self.by_occupation: dict[str, list[Person]] = {}
        for person in draft.people:
            for name in person.occupations:
                self.by_occupation.setdefault(name, []).append(person)

    def _those(self, *occupations: str, since: int = 0) -> list[Person]:
        """The people with one of the occupations, in a fixed order; all people if there are none.

        Only those born in a year or later, where there are any.
        """
        found = {p.entity: p for name in occupations for p in self.by_occupation.get(name, [])}
        return _since(list(found.values()) or self.grown, since)

    def _owners(self, since: int) -> list[Person]:
        return _since([person for person in self.grown if person.notable], since)

    def _owned(self, entity: str, owner: Person, year: int, age: int) -> None:
        """State an owner who can have lived to that age in a year, and own it then or when grown up."""
        if year <= owner.year + age and owner.active(max(year, owner.year + 22)):
            self.draft.state(entity, "P127", owner.entity)

    def _at_work(self, person: Person) -> int:
        """A year the person works in, and is alive in. Makers are at least twenty years old."""
        year = min(person.year + self.rng.randrange(20, 60), PRESENT)
        person.active(year)
        return year

    def _partner(self, people: list[Person], year: int, share: float) -> list[str]:
        """With probability `share` one further person who can have worked in that year, else an empty list."""
        if self.rng.random() >= share:
            return []
        for _ in range(6):
            other = self.rng.choice(people)
            if 20 <= year - other.year <= 60:
                other.active(year)
                return [other.entity]
        return []

    def _country(self, person: Person) -> Country:
        return self.geography.countries[person.country]

    def _work(self, label: str, kind: str, year: int, genres: str | None = None) -> str:
        entity = self.draft.new(label, kind)
        self.draft.dated(entity, "P577", some_date(self.rng, year))
        if genres is not None:
            options = list(GENRES[genres].values())
            self.draft.state(entity, "P136", *self.rng.sample(options, k=self.rng.choice((1, 1, 2))))
        return entity

    def books(self) -> None:
        """Books, series of books, and the people inside them."""
        draft, rng = self.draft, self.rng
        writers = self._those(*sorted(WRITERS))
        shelf: list[str] = []
        for _ in range(draft.count(9)):
            author = rng.choice(writers)
            country = self._country(author)
            year = self._at_work(author)
            book = self._work(draft.names.title("book", country.culture), "book", year, "book")
            draft.state(book, "P50", author.entity, *self._partner(writers, year, 0.06))
            draft.state(book, "P495", country.entity)
            shelf.append(book)
            if rng.random() < 0.3:
                self._characters(author, country)
            if len(shelf) >= 6 and rng.random() < 0.15:
                title = f"The {draft.names.word('city', country.culture)} Cycle"
                parts, shelf = shelf[-rng.randrange(2, 6) :], []
                if draft.names.claim(title):
                    draft.state(draft.new(title, "book series"), "P527", *parts)

    def _characters(self, author: Person, country: Country) -> None:
        """A family that lives in a book: created by the author, with parents and children of its own."""
        draft, rng = self.draft, self.rng
        family = draft.names.word("family", country.culture)

        def character(gender: Gender) -> str:
            entity = draft.new(
                str(draft.names.person(gender, family=family, culture=country.culture)), "fictional human"
            )
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
            draft.state(child, "P3373", *(sibling for sibling in children if sibling != child))

    def screen(self) -> None:
        """Films and television series, with director, cast and language."""
        draft, rng, since = self.draft, self.rng, 1900
        directors = self._those("film director", "screenwriter", since=since - 30)
        actors = self._those("actor", "comedian", since=since - 30)
        for kind, count, first in (("film", draft.count(9), since), ("television series", draft.count(25), 1950)):
            for _ in range(count):
                director = rng.choice(directors)
                year = min(max(director.year + rng.randrange(20, 62), first), PRESENT)
                if not director.year + 20 <= year <= director.year + 80:
                    continue
                director.active(year)
                country = self._country(director)
                entity = self._work(draft.names.title("film", country.culture), kind, year, "film")
                draft.state(entity, "P57", director.entity)
                draft.state(entity, "P495", country.entity)
                if rng.random() < 0.12:
                    draft.state(entity, "P495", self.geography.atlas.some_country(rng).entity)
                draft.state(entity, "P364", rng.choice(country.languages))
                if kind == "television series":
                    draft.state(entity, "P170", director.entity)
                for _ in range(rng.randrange(1, 5)):
                    actor = rng.choice(actors)
                    if actor.year + 17 <= year <= actor.year + 70:
                        actor.active(year)
                        draft.state(entity, "P161", actor.entity)

    def music(self) -> None:
        """Bands with members; albums and songs with performer and composer."""
        draft, rng = self.draft, self.rng
        musicians = self._those(*sorted(MUSICIANS), since=1885)
        composers = self._those("composer", "songwriter")
        musicians.sort(key=lambda person: (person.year, person.entity))
        bands: list[tuple[str, list[Person]]] = []
        for _ in range(draft.count(30)):
            # Members are of one age, so that they can have met.
            start = rng.randrange(max(len(musicians) - 12, 1))
            circle = musicians[start : start + 12]
            members = rng.sample(circle, k=min(len(circle), rng.randrange(2, 6)))
            country = self._country(members[0])
            band = draft.new(draft.names.title("band", country.culture), "musical group")
            draft.state(band, "P495", country.entity)
            draft.state(band, "P136", rng.choice(list(GENRES["music"].values())))
            draft.state(band, "P527", *(member.entity for member in members))
            bands.append((band, members))
        for index in range(draft.count(6)):
            lead, performer = rng.choice(musicians), ""
            if rng.random() < 0.25:
                performer, members = rng.choice(bands)
                lead = max(members, key=lambda person: person.year)
            year = self._at_work(lead)
            kind = "album" if index % 2 else "song"
            entity = self._work(draft.names.title("song", self._country(lead).culture), kind, year, "music")
            draft.state(entity, "P175", performer or lead.entity, *self._partner(musicians, year, 0.12))
            self._composed(entity, year, rng.choice(composers))

    def _composed(self, entity: str, year: int, composer: Person) -> None:
        """Recordings are made while the composer lives. After that they are classical music, and say so."""
        if year < composer.year + 20:
            return
        if year <= composer.year + 75:
            composer.active(year)
        else:
            self.draft.state(entity, "P136", GENRES["music"]["classical music"])
            composer.reaches(20)
        self.draft.state(entity, "P86", composer.entity)

    def art(self) -> None:
        """Museums, and paintings and sculptures in them; collectors own some."""
        draft, rng, geography = self.draft, self.rng, self.geography
        artists = self._those("painter", "sculptor", "photographer", "architect")
        owners = self._owners(1900)
        museums: list[str] = []
        for _ in range(draft.count(40)):
            country = geography.some_country(rng)
            museum = draft.new(draft.names.around("museum", country.culture), "museum")
            draft.state(museum, "P17", country.entity)
            draft.state(museum, "P276", geography.some_city(rng, country.number).entity)
            museums.append(museum)
        for index in range(draft.count(5)):
            artist = rng.choice(artists)
            year = self._at_work(artist)
            title = draft.names.title("artwork", self._country(artist).culture)
            work = self._work(title, "sculpture" if index % 4 == 0 else "painting", year, "art")
            draft.state(work, "P170", artist.entity, *self._partner(artists, year, 0.06))
            if rng.random() < 0.8:
                draft.state(work, "P276", rng.choice(museums))
            if rng.random() < 0.4:
                self._owned(work, rng.choice(owners), year, 70)

    def companies(self) -> list[Company]:
        """Half of the companies carry the name of their founder."""
        draft, rng = self.draft, self.rng
        founders = self._those("businessperson", "engineer", "inventor", "programmer")
        owners = self._owners(1920)
        companies: list[Company] = []
        for _ in range(draft.count(25)):
            founder = rng.choice(founders)
            year = self._at_work(founder)
            country, family = self._country(founder), founder.name.family
            label = draft.names.company(country.culture, founder=family if rng.random() < 0.5 else None)
            company = Company(draft.new(label, "business"), label, country, year)
            draft.state(company.entity, "P112", founder.entity)
            draft.state(company.entity, "P17", country.entity)
            draft.dated(company.entity, "P571", some_date(rng, year))
            if label.startswith(family):
                draft.state(company.entity, "P138", founder.entity)
            if rng.random() < 0.7:
                self._owned(company.entity, rng.choice(owners), year, 75)
            companies.append(company)
        return companies

    def software(self, companies: list[Company]) -> None:
        """Programs and games, by companies and by single people."""
        draft, rng = self.draft, self.rng
        programmers = self._those("programmer", "inventor", "engineer", since=1935)
        for index in range(draft.count(12)):
            if rng.random() < 0.5:
                programmer = rng.choice(programmers)
                developer, year, country = programmer.entity, self._at_work(programmer), self._country(programmer)
            else:
                company = rng.choice(companies)
                developer, country = company.entity, company.country
                year = rng.randrange(max(company.year, 1965), PRESENT + 1)
            kind = "video game" if index % 2 else "software"
            entity = self._work(draft.names.title("game", country.culture), kind, year)
            draft.state(entity, "P178", developer)
            draft.state(entity, "P495", country.entity)

    def products(self, companies: list[Company]) -> None:
        """Cars and ships, made by companies; people own ships, after the yard was founded."""
        draft, rng = self.draft, self.rng
        owners = self._owners(1930)
        for index in range(draft.count(12)):
            company = rng.choice(companies)
            kind = "ship" if index % 2 else "automobile model"
            name = draft.names.title("ship") if kind == "ship" else draft.names.product(company.name)
            entity = draft.new(name, kind)
            draft.state(entity, "P176", company.entity)
            draft.state(entity, "P495", company.country.entity)
            if kind == "ship" and rng.random() < 0.8:
                for owner in rng.sample(owners, k=2 if rng.random() < 0.1 else 1):
                    self._owned(entity, owner, company.year, 75)


def _since(people: list[Person], year: int) -> list[Person]:
    """The people born in a year or later; all of them if there are none."""
    return [person for person in people if person.year >= year] or people


# ------------------------------------------------------------------------- namesakes and kinds


def make_namesakes(draft: Draft) -> None:
    """Towns, mountains, stadiums, schools and prizes named after a person."""
    rng = draft.random("namesakes")
    grown = [person for person in draft.people if person.occupations] or draft.people
    honoured = {
        "any": grown,
        "athletes": [p for p in grown if any(name in SPORTS for name in p.occupations)] or grown,
        "thinkers": [p for p in grown if p.notable] or grown,
    }
    for index in range(draft.count(8)):
        honour = HONOURS[index % len(HONOURS)]
        person = rng.choice(honoured[honour.who])
        label = _label(draft, rng, honour, person)
        if draft.names.claim(label):
            entity = draft.new(label, honour.kind)
            draft.state(entity, "P138", person.entity)
            _place(draft, rng, (entity, honour.kind), person)


def _label(draft: Draft, rng: Random, honour: Honour, person: Person) -> str:
    if rng.random() < 0.5 or not person.occupations:
        return rng.choice(honour.by_name).format(family=person.name.family, given=person.name.given)
    trade = rng.choice(person.occupations).title()
    culture = draft.geography.countries[person.country].culture
    return honour.by_trade.format(trade=trade, place=draft.names.word("city", culture))


def _place(draft: Draft, rng: Random, thing: tuple[str, str], person: Person) -> None:
    """Most namesakes are in the country of the person."""
    (entity, kind), geography = thing, draft.geography
    if kind == "award":
        return
    country = geography.countries[person.country] if rng.random() < 0.8 else geography.some_country(rng)
    draft.state(entity, "P17", country.entity)
    if kind in {"mountain", "island"}:
        draft.state(entity, "P30", country.continent)
    elif kind != "city":
        draft.state(entity, "P276", geography.some_city(rng, country.number).entity)


def make_species(draft: Draft) -> None:
    """Genera and their species; some species honour a botanist."""
    rng = draft.random("species")
    botanists = [p for p in draft.people if "botanist" in p.occupations] or draft.people
    genera = [draft.new(draft.names.word("genus"), "taxon") for _ in range(draft.count(120))]
    for genus in genera:
        draft.state(genus, "P105", CLASSES["genus"])
    for _ in range(draft.count(20)):
        genus = rng.choice(genera)
        species = draft.new(draft.names.taxon(draft.labels[genus]), "taxon")
        draft.state(species, "P105", CLASSES["species"])
        draft.state(species, "P171", genus)
        if rng.random() < 0.2:
            draft.state(species, "P138", rng.choice(botanists).entity)


def make_kinds(draft: Draft) -> None:
    """Invented cheeses, dances and instruments."""
    rng = draft.random("kinds")
    made: dict[str, list[str]] = {kind: [CLASSES[kind]] for kind in KINDS}
    for index in range(draft.count(25)):
        kind = KINDS[index % len(KINDS)]
        country = draft.geography.some_country(rng)
        entity = draft.new(draft.names.word("kind", country.culture))
        # Most are kinds of the real class; some are kinds of an invented one.
        draft.state(entity, "P279", made[kind][0] if rng.random() < 0.6 else rng.choice(made[kind]))
        draft.state(entity, "P495", country.entity)
        made[kind].append(entity)


def state_classes(draft: Draft) -> None:
    """The real classes of occupations, the same in every world."""
    for broader in BROADER.values():
        draft.state(broader.entity, "P31", CLASSES["occupation"])
        for name in broader.narrower:
            draft.state(OCCUPATIONS[name], "P279", broader.entity)
            draft.state(OCCUPATIONS[name], "P31", CLASSES["occupation"])

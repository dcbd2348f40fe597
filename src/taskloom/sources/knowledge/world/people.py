"""Families across generations: births, parents, marriages, names."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from taskloom.sources.knowledge.world.concepts import GENDERS
from taskloom.sources.knowledge.world.draft import Draft, some_date
from taskloom.sources.knowledge.world.places import City, Geography
from taskloom.sources.names import Gender, PersonName

__all__ = ["Person", "make_people", "state_families", "state_lives"]

_FIRST_GENERATION = 1795
_GENERATIONS = 7
_YEARS_BETWEEN = 28

# How many of all births happen in one of the four metropolises, beyond those of families who live there.
_METROPOLITAN_BIRTHS = 0.12


class Person:
    """One person, as far as the world knows.

    `active_until` is the last year something says the person was alive; death comes after it.
    `adopted` are the children brought up for others, `brought_up` says that one was such a child.
    """

    __slots__ = (
        "active_until",
        "adopted",
        "birth",
        "birthplace",
        "brought_up",
        "children",
        "country",
        "death",
        "entity",
        "father",
        "gender",
        "mother",
        "name",
        "namesake",
        "notable",
        "occupations",
        "spouses",
        "year",
    )

    def __init__(self, entity: str, name: PersonName, birth: str, birthplace: City, country: int) -> None:
        self.entity = entity
        self.name = name
        self.gender: Gender = name.gender
        self.birth = birth
        self.year = int(birth[:4])
        self.birthplace = birthplace
        self.country = country
        self.father: Person | None = None
        self.mother: Person | None = None
        self.children: list[Person] = []
        self.adopted: list[Person] = []
        self.brought_up = False
        self.spouses: list[Person] = []
        self.namesake: Person | None = None
        self.occupations: list[str] = []
        self.notable = False
        self.active_until = self.year
        self.death: str | None = None

    def active(self, year: int) -> None:
        """Note that the person was alive in a year."""
        self.active_until = max(self.active_until, year)


def make_people(draft: Draft, geography: Geography) -> list[Person]:
    """Everybody who ever lived, oldest generation first."""
    rng = draft.random("people")
    people: list[Person] = []
    previous: list[Person] = []
    for generation in range(_GENERATIONS):
        share = (generation + 1) * draft.settings.people // _GENERATIONS
        size = share - len(people)
        current = _children(draft, rng, geography, previous, size)
        while len(current) < size:
            current.append(_founder(draft, rng, geography, _FIRST_GENERATION + generation * _YEARS_BETWEEN))
        people += current
        previous = current
    return people


def _founder(draft: Draft, rng: Random, geography: Geography, year: int) -> Person:
    """Somebody whose parents nobody remembers."""
    country = geography.some_country(rng)
    city = _birthplace(rng, geography, country.number, None)
    gender: Gender = rng.choice(("female", "male"))
    name = draft.names.person(gender, culture=country.culture)
    return _person(draft, name, some_date(rng, year + rng.randrange(-12, 13)), city, country.number)


def _person(draft: Draft, name: PersonName, date: str, city: City, country: int) -> Person:
    return Person(draft.new(str(name), "human"), name, date, city, country)


def _birthplace(rng: Random, geography: Geography, country: int, home: City | None) -> City:
    draw = rng.random()
    if draw < _METROPOLITAN_BIRTHS:
        return rng.choice(geography.metropolises)
    if home is not None and draw < 0.6:
        return home
    return geography.some_city(rng, country)


def _children(draft: Draft, rng: Random, geography: Geography, parents: list[Person], size: int) -> list[Person]:
    """The next generation, from couples of this one. Nine in ten have parents; some move in."""
    children: list[Person] = []
    limit = int(size * 0.92)
    for father, mother in _couples(rng, parents):
        father.spouses.append(mother)
        mother.spouses.append(father)
        year = max(mother.year + 19, father.year + 20) + rng.randrange(0, 8)
        father.active(year - 1)
        mother.active(year - 1)
        wished = rng.choice((0, 1, 2, 2, 3, 3, 4, 5))
        if not wished and children and rng.random() < 0.7:
            _adopt(rng.choice(children), father, mother)
        for _ in range(wished):
            if year > mother.year + 44 or year > father.year + 60 or len(children) >= limit:
                break
            children.append(_child(draft, rng, geography, (father, mother), year))
            year += rng.randrange(1, 5)
    return children


def _adopt(child: Person, father: Person, mother: Person) -> None:
    """A couple without children brings up somebody else's, who is their child and keeps the parents of birth."""
    stranger = father is not child.father and mother is not child.mother and not child.brought_up
    if stranger and child.year >= max(father.year, mother.year) + 20:
        child.brought_up = True
        for parent in (father, mother):
            parent.adopted.append(child)
            parent.active(child.year + 3)


def _couples(rng: Random, people: list[Person]) -> list[tuple[Person, Person]]:
    """Couples of about one age, mostly of one country, never siblings; a few marry twice."""
    groups: defaultdict[tuple[int, str], list[Person]] = defaultdict(list)
    for person in people:
        # One in six looks for a partner anywhere.
        country = person.country if rng.random() < 0.84 else -1
        groups[country, person.gender].append(person)
    couples: list[tuple[Person, Person]] = []
    left: dict[str, list[Person]] = {"male": groups[-1, "male"], "female": groups[-1, "female"]}
    for country in sorted({country for country, _ in groups if country >= 0}):
        couples += _pair(groups[country, "male"], groups[country, "female"], left)
    couples += _pair(left["male"], left["female"], {"male": [], "female": []})
    rng.shuffle(couples)
    again = [
        (couples[i][0], couples[j][1])
        for i, j in ((index, len(couples) - 1 - index) for index in range(len(couples) // 20))
        if abs(couples[i][0].year - couples[j][1].year) <= 10 and not _related(couples[i][0], couples[j][1])
    ]
    return couples + again


def _pair(men: list[Person], women: list[Person], left: dict[str, list[Person]]) -> list[tuple[Person, Person]]:
    """Pair by age. Who finds nobody goes to `left`."""
    men, women = sorted(men, key=_by_birth), sorted(women, key=_by_birth)
    couples = []
    for man, woman in zip(men, women, strict=False):
        if abs(man.year - woman.year) <= 14 and not _related(man, woman):
            couples.append((man, woman))
        else:
            left["male"].append(man)
            left["female"].append(woman)
    shorter = min(len(men), len(women))
    left["male"] += men[shorter:]
    left["female"] += women[shorter:]
    return couples


def _by_birth(person: Person) -> str:
    return person.birth


def _related(one: Person, other: Person) -> bool:
    return (one.father is not None and one.father is other.father) or (
        one.mother is not None and one.mother is other.mother
    )


def _child(draft: Draft, rng: Random, geography: Geography, parents: tuple[Person, Person], year: int) -> Person:
    father, mother = parents
    country = (father if rng.random() < 0.5 else mother).country
    city = _birthplace(rng, geography, country, mother.birthplace if mother.country == country else father.birthplace)
    gender: Gender = rng.choice(("female", "male"))
    namesake = _elder(rng, father, mother, gender) if rng.random() < 0.14 else None
    name = draft.names.person(
        gender,
        given=namesake.name.given if namesake else None,
        family=father.name.family,
        culture=geography.countries[country].culture,
    )
    child = _person(draft, name, some_date(rng, year), city, country)
    child.namesake = namesake
    _link(rng, child, father, mother)
    return child


def _elder(rng: Random, father: Person, mother: Person, gender: str) -> Person | None:
    """A grandparent of the right gender, or the parent, to be named after."""
    grandparents = [p for parent in (father, mother) for p in (parent.father, parent.mother) if p is not None]
    elders = [person for person in (*grandparents, father, mother) if person.gender == gender]
    return rng.choice(elders) if elders else None


def _link(rng: Random, child: Person, father: Person, mother: Person) -> None:
    """Who the parents are is on record for both, for one, or lost; then no statement mentions it."""
    draw = rng.random()
    father.active(child.year)
    mother.active(child.year)
    if draw < 0.92:
        child.father = father
        father.children.append(child)
    if draw < 0.80 or draw >= 0.96:
        child.mother = mother
        mother.children.append(child)


def state_families(draft: Draft, people: list[Person]) -> None:
    """Parents, children, brothers and sisters, spouses, namesakes, genders."""
    for person in people:
        entity = person.entity
        draft.state(entity, "P21", GENDERS[person.gender])
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


def state_lives(draft: Draft, geography: Geography, people: list[Person], present: int) -> None:
    """Births and deaths. Called last: nobody dies before the last thing they did."""
    rng = draft.random("lives")
    for person in people:
        entity = person.entity
        if rng.random() < 0.97:
            draft.state(entity, "P19", person.birthplace.entity)
        draft.dated(entity, "P569", person.birth)
        span = int(rng.triangular(30, 100, 78))
        year = max(person.year + span, person.active_until + 1)
        if year > present:
            continue
        person.death = some_date(rng, year)
        draft.dated(entity, "P570", person.death)
        if rng.random() < 0.85:
            stay = rng.random()
            place = person.birthplace if stay < 0.35 else geography.some_city(rng, person.country)
            if stay > 0.85:
                place = rng.choice(geography.metropolises)
            draft.state(entity, "P20", place.entity)

"""Families across generations: births, parents, marriages."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from random import Random

from taskloom.sources.knowledge.world.draft import Draft, some_date
from taskloom.sources.knowledge.world.naming import Naming
from taskloom.sources.knowledge.world.places import City, Geography
from taskloom.sources.knowledge.world.settings import PRESENT
from taskloom.sources.names import Gender, PersonName

__all__ = ["Person", "make_people"]

_FIRST_GENERATION = 1790
_YEARS_BETWEEN = 29
# How large each generation is beside the others; the last one is still being born.
_GENERATIONS = (1.0, 1.2, 1.45, 1.75, 2.1, 2.5, 3.0, 3.4, 2.0)

# How many of all births happen in one of the four metropolises, beyond those of families who live there.
_METROPOLITAN_BIRTHS = 0.12

# Births of one mother are at least this many calendar months apart, which makes more than ten months by the day.
_MONTHS_APART = 11
_TWINS = 0.012


class Person:
    """One person, as far as the world knows.

    `active_until` is the last year in which something shows the person alive; death comes after it. `adopted` are the
    children brought up for others, `brought_up` says that one was such a child. `births` are the months (years times
    twelve) in which a mother gave birth.
    """

    __slots__ = (
        "active_until",
        "adopted",
        "birth",
        "birthplace",
        "births",
        "brought_up",
        "children",
        "country",
        "entity",
        "father",
        "gender",
        "mother",
        "name",
        "namesake",
        "notable",
        "occupations",
        "spouses",
        "twin",
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
        self.births: list[int] = []
        self.brought_up = False
        self.spouses: list[Person] = []
        self.namesake: Person | None = None
        self.occupations: list[str] = []
        self.notable = False
        self.twin = False
        self.active_until = self.year

    def active(self, year: int) -> bool:
        """Note that the person was alive in a year; False, and nothing noted, where the year has not come yet."""
        if year > PRESENT:
            return False
        self.active_until = max(self.active_until, year)
        return True

    def reaches(self, age: int) -> bool:
        """Note that the person reached an age; False where that day has not come yet."""
        return self.active(self.year + age)


def make_people(draft: Draft, geography: Geography) -> list[Person]:
    """Everybody of a chapter, oldest generation first."""
    rng = draft.random("people")
    naming = Naming(draft.names, draft.random("naming"))
    people: list[Person] = []
    previous: list[Person] = []
    total, passed = fsum(_GENERATIONS), 0.0
    for generation, weight in enumerate(_GENERATIONS):
        passed += weight
        size = max(0, round(draft.people * passed / total) - len(people))
        current = _children(draft, rng, naming, geography, previous, size)
        # What the last generation lacks is filled by newcomers of the one before it.
        base = _FIRST_GENERATION + min(generation, len(_GENERATIONS) - 2) * _YEARS_BETWEEN
        while len(current) < size:
            current.append(_founder(draft, rng, naming, geography, base))
        people += current
        previous = current
    return people


def _founder(draft: Draft, rng: Random, naming: Naming, geography: Geography, year: int) -> Person:
    """Somebody whose parents nobody remembers."""
    country = geography.some_country(rng)
    city = _birthplace(rng, geography, country.number, None)
    gender: Gender = rng.choice(("female", "male"))
    name = naming.newcomer(gender, country.culture)
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


def _children(
    draft: Draft, rng: Random, naming: Naming, geography: Geography, parents: list[Person], size: int
) -> list[Person]:
    """The next generation, from couples of this one. Nine in ten have parents; some move in."""
    children: list[Person] = []
    limit = int(size * 0.92)
    for father, mother in _couples(rng, parents):
        if not (father.reaches(18) and mother.reaches(18)):
            continue
        father.spouses.append(mother)
        mother.spouses.append(father)
        month = 12 * (max(mother.year + 19, father.year + 20) + rng.randrange(0, 8)) + rng.randrange(12)
        wished = rng.choice((0, 1, 2, 2, 3, 3, 4, 5))
        if not wished and children and rng.random() < 0.7:
            _adopt(rng.choice(children), father, mother)
        for _ in range(wished):
            while any(abs(month - other) < _MONTHS_APART for other in mother.births):
                month += _MONTHS_APART
            year = month // 12
            last = min(mother.year + 44, father.year + 60, PRESENT - 1)
            if year > last or len(children) >= limit:
                break
            mother.births.append(month)
            date = f"{year:04d}-{month % 12 + 1:02d}-{rng.randrange(1, 29):02d}"
            born = [_child(draft, rng, naming, geography, (father, mother), date)]
            if rng.random() < _TWINS and len(children) + 1 < limit:
                born.append(_child(draft, rng, naming, geography, (father, mother), date, like=born[0]))
            children += born
            month += rng.randrange(_MONTHS_APART, 54)
    return children


def _adopt(child: Person, father: Person, mother: Person) -> None:
    """A couple without children brings up somebody else's, who is their child and keeps the parents of birth."""
    stranger = father is not child.father and mother is not child.mother and not child.brought_up
    youngest, oldest = max(father.year, mother.year) + 20, min(father.year, mother.year) + 60
    if stranger and youngest <= child.year <= min(oldest, PRESENT - 3):
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


def _child(
    draft: Draft,
    rng: Random,
    naming: Naming,
    geography: Geography,
    parents: tuple[Person, Person],
    date: str,
    like: Person | None = None,
) -> Person:
    """A child of two people; one `like` another is its twin."""
    father, mother = parents
    country = (father if rng.random() < 0.5 else mother).country if like is None else like.country
    home = mother.birthplace if mother.country == country else father.birthplace
    city = _birthplace(rng, geography, country, home) if like is None else like.birthplace
    gender: Gender = rng.choice(("female", "male"))
    culture = geography.countries[country].culture
    namesake = _elder(rng, father, mother) if rng.random() < 0.14 else None
    family = naming.inherited(culture, father.name.family, mother.name.family) if like is None else like.name.family
    name = naming.child(gender, culture, family, namesake.name if namesake else None)
    child = _person(draft, name, date, city, country)
    child.namesake = namesake
    if like is None:
        _link(rng, child, father, mother)
    else:
        child.twin = like.twin = True
        _attach(child, like.father, like.mother)
    return child


def _elder(rng: Random, father: Person, mother: Person) -> Person:
    """A parent or grandparent to be named after."""
    grandparents = [p for parent in (father, mother) for p in (parent.father, parent.mother) if p is not None]
    return rng.choice([*grandparents, father, mother])


def _link(rng: Random, child: Person, father: Person, mother: Person) -> None:
    """Who the parents are is on record for both, for one, or lost; then no statement mentions it."""
    draw = rng.random()
    father.active(child.year)
    mother.active(child.year)
    _attach(child, father if draw < 0.92 else None, mother if draw < 0.80 or draw >= 0.96 else None)


def _attach(child: Person, father: Person | None, mother: Person | None) -> None:
    child.father, child.mother = father, mother
    for parent in (father, mother):
        if parent is not None:
            parent.children.append(child)

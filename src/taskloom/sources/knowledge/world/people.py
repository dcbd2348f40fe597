"""Families across generations: names, births, parents, marriages, and at the end what is on record of each life."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import fsum
from random import Random

from taskloom.sources.knowledge.world.draft import CLASSES, GENDERS, PRESENT, Draft, some_date
from taskloom.sources.knowledge.world.places import City
from taskloom.sources.names import CULTURE_NAMES, Gender, NameMaker, PersonName

_FIRST_GENERATION = 1790
_YEARS_BETWEEN = 29
# How large each generation is beside the others; the last one is still being born.
_GENERATIONS = (1.0, 1.2, 1.45, 1.75, 2.1, 2.5, 3.0, 3.4, 2.0)

# How many of all births happen in one of the four metropolises, beyond those of families who live there.
_METROPOLITAN_BIRTHS = 0.12

# Births of one mother are at least this many calendar months apart, which makes more than ten months by the day.
_MONTHS_APART = 11
_TWINS = 0.012

# The chances of the father's name, the mother's name, and a name of one's own, by culture in turn.
_CUSTOMS = ((0.85, 0.10, 0.05), (0.45, 0.45, 0.10), (0.10, 0.80, 0.10), (0.75, 0.10, 0.15), (0.45, 0.45, 0.10),
            (0.15, 0.15, 0.70))  # fmt: skip
_SHARED = 0.35

Parents = tuple["Person", "Person"]


@dataclass(slots=True, eq=False)
class Person:
    """One person, as far as the world knows.

    Attributes:
        adopted: The children brought up for others.
        brought_up: Whether the person was such a child.
        births: The months (years times twelve) in which a mother gave birth.
        active_until: The last year in which something shows the person alive; death comes after it.
    """

    entity: str
    name: PersonName
    birth: str
    birthplace: City
    country: int
    father: Person | None = None
    mother: Person | None = None
    children: list[Person] = field(default_factory=list)
    adopted: list[Person] = field(default_factory=list)
    births: list[int] = field(default_factory=list)
    brought_up: bool = False
    spouses: list[Person] = field(default_factory=list)
    namesake: Person | None = None
    occupations: list[str] = field(default_factory=list)
    notable: bool = False
    twin: bool = False
    year: int = field(init=False)
    active_until: int = field(init=False)

    def __post_init__(self) -> None:
        self.year = self.active_until = int(self.birth[:4])

    @property
    def parents(self) -> list[Person]:
        """Those of the parents who are on record."""
        return [parent for parent in (self.father, self.mother) if parent is not None]

    def active(self, year: int) -> bool:
        """Note that the person was alive in a year; False, and nothing noted, where the year has not come yet."""
        if year > PRESENT:
            return False
        self.active_until = max(self.active_until, year)
        return True

    def reaches(self, age: int) -> bool:
        """Note that the person reached an age; False where that day has not come yet."""
        return self.active(self.year + age)


class _Naming:
    """Gives names to the people of a chapter: family names by the custom of a culture, first names after an elder.

    Were every child to carry the father's family name, `father` would be half solved by copying a piece of the
    question. So customs differ between cultures, newcomers may share a name with others, and who is named after an
    elder of the other gender bears another form of the name.

    Args:
        names: Where names come from.
        rng: Which custom wins.
    """

    def __init__(self, names: NameMaker, rng: Random) -> None:
        self._names = names
        self._rng = rng
        self._families: dict[str, list[str]] = {culture: [] for culture in CULTURE_NAMES}

    def newcomer(self, gender: Gender, culture: str) -> PersonName:
        """A person without known parents; one in three bears a family name that others have too."""
        return self._names.person(gender, family=self._family(culture), culture=culture)

    def _family(self, culture: str) -> str:
        known = self._families[culture]
        if known and self._rng.random() < _SHARED:
            return self._rng.choice(known)
        known.append(self._names.word("family", culture))
        return known[-1]

    def inherited(self, culture: str, parents: Parents) -> str:
        paternal, maternal, _ = _CUSTOMS[CULTURE_NAMES.index(culture)]
        draw = self._rng.random()
        if draw < paternal:
            return parents[0].name.family
        return parents[1].name.family if draw < paternal + maternal else self._family(culture)

    def child(self, gender: Gender, culture: str, family: str, elder: Person | None) -> PersonName:
        """A child's name, after an elder where there is one."""
        given = None
        if elder is not None:
            given = elder.name.given
            given = given if elder.name.gender == gender else self._other_form(given, gender, culture)
        return self._names.person(gender, given=given, family=family, culture=culture)

    def _other_form(self, given: str, gender: Gender, culture: str) -> str:
        """A first name with the ending of the other gender: Storan, Stora."""
        model = self._names.given(gender, culture)
        stem = given.rstrip("aeiouy") or given
        end = next((i for i in range(len(model) - 1, 0, -1) if model[i] in "aeiouy"), len(model) - 1)
        formed = stem + model[end:]
        return formed if formed != given else stem + ("ina" if gender == "female" else "or")


def make_people(draft: Draft) -> None:
    """All people of a chapter, oldest generation first."""
    births = _Births(draft)
    draft.people = []
    previous: list[Person] = []
    total, passed = fsum(_GENERATIONS), 0.0
    for generation, weight in enumerate(_GENERATIONS):
        passed += weight
        size = max(0, round(draft.size * passed / total) - len(draft.people))
        current = births.children(previous, size)
        # What the last generation lacks is filled by newcomers of the one before it.
        base = _FIRST_GENERATION + min(generation, len(_GENERATIONS) - 2) * _YEARS_BETWEEN
        while len(current) < size:
            current.append(births.founder(base))
        draft.people += current
        previous = current


class _Births:
    """Makes people, with and without parents."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.geography = draft, draft.geography
        self.rng = draft.random("people")
        self.naming = _Naming(draft.names, draft.random("naming"))

    def founder(self, year: int) -> Person:
        """A person without parents on record."""
        rng, country = self.rng, self.geography.some_country(self.rng)
        city = self._birthplace(country.number, None)
        name = self.naming.newcomer(rng.choice(("female", "male")), country.culture)
        return self._person(name, some_date(rng, year + rng.randrange(-12, 13)), city, country.number)

    def _person(self, name: PersonName, date: str, city: City, country: int) -> Person:
        return Person(self.draft.new(str(name), "human"), name, date, city, country)

    def _birthplace(self, country: int, home: City | None) -> City:
        draw = self.rng.random()
        if draw < _METROPOLITAN_BIRTHS:
            return self.rng.choice(self.geography.metropolises)
        if home is not None and draw < 0.6:
            return home
        return self.geography.some_city(self.rng, country)

    def children(self, parents: list[Person], size: int) -> list[Person]:
        """The next generation, from couples of this one. Nine in ten have parents; some move in."""
        rng, limit = self.rng, int(size * 0.92)
        children: list[Person] = []
        for couple in _couples(rng, parents):
            father, mother = couple
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
                children.append(self._child(couple, date))
                if rng.random() < _TWINS and len(children) < limit:
                    children.append(self._child(couple, date, like=children[-1]))
                month += rng.randrange(_MONTHS_APART, 54)
        return children

    def _child(self, parents: Parents, date: str, like: Person | None = None) -> Person:
        """A child of two people; one `like` another is its twin."""
        rng, (father, mother) = self.rng, parents
        country = (father if rng.random() < 0.5 else mother).country if like is None else like.country
        home = mother.birthplace if mother.country == country else father.birthplace
        city = self._birthplace(country, home) if like is None else like.birthplace
        gender: Gender = rng.choice(("female", "male"))
        culture = self.geography.countries[country].culture
        namesake = _elder(rng, parents) if rng.random() < 0.14 else None
        family = self.naming.inherited(culture, parents) if like is None else like.name.family
        child = self._person(self.naming.child(gender, culture, family, namesake), date, city, country)
        child.namesake = namesake
        if like is None:
            # Who the parents are is on record for both, for one, or lost; then no statement mentions it.
            draw = rng.random()
            father.active(child.year)
            mother.active(child.year)
            child.father = father if draw < 0.92 else None
            child.mother = mother if draw < 0.80 or draw >= 0.96 else None
        else:
            child.twin = like.twin = True
            child.father, child.mother = like.father, like.mother
        for parent in child.parents:
            parent.children.append(child)
        return child


def _adopt(child: Person, father: Person, mother: Person) -> None:
    """A couple without children brings up a child of others, who counts as theirs and keeps the parents of birth."""
    stranger = father is not child.father and mother is not child.mother and not child.brought_up
    youngest, oldest = max(father.year, mother.year) + 20, min(father.year, mother.year) + 60
    if stranger and youngest <= child.year <= min(oldest, PRESENT - 3):
        child.brought_up = True
        for parent in (father, mother):
            parent.adopted.append(child)
            parent.active(child.year + 3)


def _couples(rng: Random, people: list[Person]) -> list[Parents]:
    """Couples of about one age, mostly of one country, never siblings; a few marry twice."""
    groups: defaultdict[tuple[int, str], list[Person]] = defaultdict(list)
    for person in people:
        # One in six looks for a partner anywhere.
        country = person.country if rng.random() < 0.84 else -1
        groups[country, person.name.gender].append(person)
    couples: list[Parents] = []
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


def _pair(men: list[Person], women: list[Person], left: dict[str, list[Person]]) -> list[Parents]:
    """Pair by age. People without a partner are added to `left`."""
    men, women = (sorted(people, key=lambda person: person.birth) for people in (men, women))
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


def _related(one: Person, other: Person) -> bool:
    return any(parent in other.parents for parent in one.parents)


def _elder(rng: Random, parents: Parents) -> Person:
    """A parent or grandparent to be named after."""
    return rng.choice([*(elder for parent in parents for elder in parent.parents), *parents])


# ------------------------------------------------------------------------- records


def state_families(draft: Draft) -> None:
    """Parents, children, brothers and sisters, spouses, namesakes, genders; who is a twin."""
    for person in draft.people:
        entity = person.entity
        draft.state(entity, "P21", GENDERS[person.name.gender])
        if person.twin:
            draft.state(entity, "P31", CLASSES["twin"])
        for parent, property_id in ((person.father, "P22"), (person.mother, "P25")):
            if parent is not None:
                draft.state(entity, property_id, parent.entity)
        draft.state(entity, "P40", *(child.entity for child in (*person.children, *person.adopted)))
        draft.state(entity, "P26", *dict.fromkeys(spouse.entity for spouse in person.spouses))
        siblings = [child.entity for parent in person.parents for child in parent.children if child is not person]
        draft.state(entity, "P3373", *dict.fromkeys(siblings))
        if person.namesake is not None:
            draft.state(entity, "P138", person.namesake.entity)


def state_lives(draft: Draft) -> None:
    """Births and deaths, when all that people did is known: no person dies before the last thing they did."""
    rng, geography = draft.random("lives"), draft.geography
    for person in draft.people:
        entity = person.entity
        if rng.random() < 0.97:
            draft.state(entity, "P19", person.birthplace.entity)
        draft.dated(entity, "P569", person.birth)
        span = int(rng.triangular(30, 100, 78))
        year = max(person.year + span, person.active_until + 1)
        if year > PRESENT:
            continue
        draft.dated(entity, "P570", some_date(rng, year))
        if rng.random() < 0.85:
            stay = rng.random()
            place = person.birthplace if stay < 0.35 else geography.some_city(rng, person.country)
            if stay > 0.85:
                place = rng.choice(geography.metropolises)
            draft.state(entity, "P20", place.entity)

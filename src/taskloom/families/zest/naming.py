"""Names of entities, numbered: each number is another pair of a name and a home town.

Every passage shows both, so passages with different numbers are different texts. Splits, examples and streams own
ranges of the numbers, and so never share a passage.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

import msgspec

from taskloom.core.rng import below, pick
from taskloom.families.zest.domain import Domain
from taskloom.sources.names import CULTURE_NAMES, Gender, family_names, given_names, place_names, ship_names

__all__ = ["Namer", "Naming", "alike", "name_at", "name_beside", "name_count"]

_ROMAN = ("I", "II", "III", "IV", "V")
_GENDERS: tuple[Gender, ...] = ("female", "male")
_HEAD = 4

_ENDED: dict[str, tuple[str, ...]] = {
    "breed": ("the {} Hound", "the {} Pointer", "the {} Shepherd", "the {} Setter"),
    "bridge": ("{} Bridge", "the {} Viaduct", "the Old {} Bridge", "{} Weir Bridge"),
    "castle": ("{} Castle", "Castle {}", "{} Keep", "{} Hold"),
    "festival": ("the {} Fair", "the {} Feast", "the {} Gathering", "the {} Fayre"),
    "mountain": ("Mount {}", "{} Peak", "{} Fell", "{} Horn"),
    "museum": ("the {} Museum", "the {} Memorial Museum", "the Old {} Museum", "the {} House"),
    "railway": ("the {} Railway", "the {} Valley Line", "the {} Light Railway", "the {} Branch"),
    "reserve": ("{} Common", "{} Warren", "{} Bottom", "{} Corner", "{} Green"),
}


class Naming(msgspec.Struct, frozen=True, gc=False):
    """How one entity is called and where it is at home. `word` is the place its name is made of, "" for none."""

    name: str
    word: str
    gender: Gender
    culture: str
    town: str


@cache
def _names(kind: str, culture: str) -> tuple[tuple[str, str, Gender], ...]:
    """Every name of a kind in a culture, with the place it is made of and a gender."""
    if kind == "person":
        return tuple(
            (f"{given} {number}", "", gender)
            for gender in _GENDERS
            for given in given_names(culture, gender)
            for number in _ROMAN
        )
    if kind == "ship":
        return tuple((f"the {name}", "", "female") for name in ship_names())
    return tuple(
        (pattern.format(place), place, "female")
        for pattern in _ENDED[kind]
        for place in place_names(culture)
        # Never "Malbridge Bridge".
        if not place.lower().endswith(pattern.split()[-1].lower())
    )


class _Culture(NamedTuple):
    """The names of a kind in a culture, with its towns.

    Attributes:
        name: The culture.
        names: Every name, with the place it is made of, a gender, and that place's number among the towns.
        towns: Every town.
    """

    name: str
    names: tuple[tuple[str, str, Gender, int], ...]
    towns: tuple[str, ...]


@cache
def _cultures(kind: str) -> tuple[tuple[_Culture, ...], tuple[int, ...]]:
    """All cultures, and how many pairs of a name and a town there are up to the end of each."""
    found = []
    for culture in CULTURE_NAMES:
        towns = place_names(culture)
        numbers = {town: number for number, town in enumerate(towns)}
        # The town is never the place that the name is made of: where it is made of none, the last one is left out.
        names = tuple(
            (name, word, gender, numbers[word] if word else len(towns) - 1)
            for name, word, gender in _names(kind, culture)
        )
        found.append(_Culture(culture, names, towns))
    return tuple(found), tuple(accumulate(len(one.names) * (len(one.towns) - 1) for one in found))


def name_count(domain: Domain) -> int:
    """How many pairs of a name and a town there are."""
    return _cultures(domain.name)[1][-1]


def name_at(domain: Domain, number: int) -> Naming:
    """The pair of that number."""
    cultures, ends = _cultures(domain.name)
    at = bisect_right(ends, number)
    culture, names, towns = cultures[at]
    which, town = divmod(number - (ends[at - 1] if at else 0), len(towns) - 1)
    name, word, gender, taken = names[which]
    return Naming(name, word, gender, culture, towns[town + (town >= taken)])


def name_beside(domain: Domain, named: Naming, rng: Random) -> Naming:
    """Another entity from the same country, whose name nobody would take for this one or for its town."""
    _, ends = _cultures(domain.name)
    at = CULTURE_NAMES.index(named.culture)
    low = ends[at - 1] if at else 0
    while True:
        other = name_at(domain, low + below(rng, ends[at] - low))
        if not alike(named, other) and other.word[:_HEAD] != named.town[:_HEAD]:
            return other


def alike(one: Naming, other: Naming) -> bool:
    """Whether a reader could take one for the other: the Asham and the Old Asham Museum, Daglaug I and Daglaug II."""
    if one.word or other.word:
        return one.word[:_HEAD] == other.word[:_HEAD]
    return one.name.rpartition(" ")[0] == other.name.rpartition(" ")[0]


_REGIONS = ("Upper {}", "Lower {}", "North {}", "South {}", "West {}", "East {}", "{} March", "{} Vale")
_ISLANDS = ("{} Island", "{} Skerry", "{} Cay")


class Namer:
    """Names of people and places for one passage: no two begin alike, so that no reader mixes them up.

    Args:
        rng: Where the choices come from.
        taken: Names that the passage has already.
    """

    def __init__(self, rng: Random, *taken: str) -> None:
        self._rng = rng
        self._heads = {name[:_HEAD] for name in taken}

    def _fresh(self, names: tuple[str, ...]) -> str:
        while (head := (name := pick(self._rng, names))[:_HEAD]) in self._heads:
            pass
        self._heads.add(head)
        return name

    def place(self, culture: str) -> str:
        """A town or village."""
        return self._fresh(place_names(culture))

    def region(self, culture: str) -> str:
        """A county."""
        return pick(self._rng, _REGIONS).format(self.place(culture))

    def island(self, culture: str) -> str:
        """An island."""
        return pick(self._rng, _ISLANDS).format(self.place(culture))

    def person(self, culture: str) -> str:
        """Somebody with a first and a family name."""
        given = self._fresh(given_names(culture, pick(self._rng, _GENDERS)))
        return f"{given} {self._fresh(family_names(culture))}"

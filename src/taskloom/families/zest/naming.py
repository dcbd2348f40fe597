"""Names of entities, numbered: each number is another pair of a name and a home town.

Every passage shows both, so passages with different numbers are different texts. Splits, examples and streams own
ranges of the numbers, and so never share a passage.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

import msgspec

from taskloom.core.rng import Wheel, below, spin, wheel
from taskloom.families.zest.domain import Domain
from taskloom.sources.names import CULTURE_NAMES, Gender, family_names, given_names, place_names, ship_names

_ROMAN = ("I", "II", "III", "IV", "V")
_GENDERS: tuple[Gender, ...] = ("female", "male")
_HEAD = 4
_NAMED = re.compile(r"\{(place|ship|person)\}")


class EntityNaming(msgspec.Struct, frozen=True, gc=False):
    """How one entity is called and where it is at home.

    Attributes:
        name: Its name.
        word: The place that the name is made of, "" for none.
        gender: Its gender.
        town: Its home.
        among: The names it is one of.
    """

    name: str
    word: str
    gender: Gender
    town: str
    among: _Culture

    @property
    def culture(self) -> str:
        """How names sound where it is at home."""
        return self.among.name


class _Series(msgspec.Struct, frozen=True, gc=False):
    """Names of one form: each is a word with the same before and behind it.

    Attributes:
        before, behind: What stands there.
        words: The words.
        places: Their numbers among the towns; empty where they are not places.
        gender: The gender of those who have the names.
    """

    before: str
    behind: str
    words: tuple[str, ...]
    places: tuple[int, ...] = ()
    gender: Gender = "female"


def _series(pattern: str, culture: str) -> Iterator[_Series]:
    """All names of a form in a culture; they are put together when they are asked for, since there are many."""
    before, kind, behind = _NAMED.split(pattern)
    if kind == "person":
        for gender in _GENDERS:
            words = tuple(f"{name} {n}" for name in given_names(culture, gender) for n in _ROMAN)
            yield _Series(before, behind, words, gender=gender)
    elif kind == "ship":
        yield _Series(before, behind, ship_names())
    else:
        # Never "Malbridge Bridge".
        end = behind.split()[-1].lower() if behind else "-"
        towns = place_names(culture)
        places = tuple(number for number, town in enumerate(towns) if not town.lower().endswith(end))
        yield _Series(before, behind, tuple(towns[number] for number in places), places)


class _Culture(msgspec.Struct, frozen=True, gc=False):
    """The names of a kind in a culture, with its towns.

    Attributes:
        name: The culture.
        series: Every name.
        ends: How many names there are up to the end of each series.
        towns: Every town.
        pairs: How many pairs of a name and a town there are.
    """

    name: str
    series: tuple[_Series, ...]
    ends: tuple[int, ...]
    towns: tuple[str, ...]
    pairs: int

    def pair(self, number: int) -> EntityNaming:
        """The name and the town of that number."""
        towns, ends = self.towns, self.ends
        which, town = divmod(number, len(towns) - 1)
        at = bisect_right(ends, which)
        series = self.series[at]
        if at:
            which -= ends[at - 1]
        word = series.words[which]
        name = f"{series.before}{word}{series.behind}"
        # The town is never the place that the name is made of: where it is made of none, the last one is left out.
        if not series.places:
            return EntityNaming(name, "", series.gender, towns[town], self)
        return EntityNaming(name, word, series.gender, towns[town + (town >= series.places[which])], self)


@cache
def _cultures(patterns: tuple[str, ...]) -> tuple[tuple[_Culture, ...], tuple[int, ...]]:
    """All cultures, and how many pairs of a name and a town there are up to the end of each."""
    found = []
    for culture in CULTURE_NAMES:
        series = tuple(one for pattern in patterns for one in _series(pattern, culture))
        ends = tuple(accumulate(len(one.words) for one in series))
        towns = place_names(culture)
        found.append(_Culture(culture, series, ends, towns, ends[-1] * (len(towns) - 1)))
    return tuple(found), tuple(accumulate(one.pairs for one in found))


def name_count(domain: Domain) -> int:
    """How many pairs of a name and a town there are."""
    return _cultures(domain.names)[1][-1]


def name_at(domain: Domain, number: int) -> EntityNaming:
    """The pair of that number."""
    cultures, ends = _cultures(domain.names)
    at = bisect_right(ends, number)
    return cultures[at].pair(number - ends[at - 1] if at else number)


def name_beside(named: EntityNaming, rng: Random) -> EntityNaming:
    """Another entity from the same country, whose name cannot be mistaken for this one or for its town."""
    among, town = named.among, named.town[:_HEAD]
    while True:
        other = among.pair(below(rng, among.pairs))
        if not alike(named, other) and other.word[:_HEAD] != town:
            return other


def alike(one: EntityNaming, other: EntityNaming) -> bool:
    """Whether a reader could take one for the other: the Asham and the Old Asham Museum, Daglaug I and Daglaug II."""
    if one.word or other.word:
        return one.word[:_HEAD] == other.word[:_HEAD]
    return one.name.rpartition(" ")[0] == other.name.rpartition(" ")[0]


# What stands before and behind the name of a place.
_REGIONS = wheel((
    ("Upper ", ""), ("Lower ", ""), ("North ", ""), ("South ", ""), ("West ", ""), ("East ", ""), ("", " March"),
    ("", " Vale"),
))  # fmt: skip
_ISLANDS = wheel((" Island", " Skerry", " Cay"))


class _CultureNames(NamedTuple):
    """The names of people and places of a culture, laid out for drawing."""

    places: Wheel[str]
    families: Wheel[str]
    given: Wheel[Wheel[str]]


@cache
def _names_in(culture: str) -> _CultureNames:
    given = wheel([wheel(given_names(culture, gender)) for gender in _GENDERS])
    return _CultureNames(wheel(place_names(culture)), wheel(family_names(culture)), given)


class Namer:
    """Names of people and places for one passage: no two begin alike, so that no reader mixes them up.

    Args:
        rng: Where the choices come from.
        one: The name of a person in the passage; all names sound like this one.
        other: The name of another person in it.
    """

    __slots__ = ("_families", "_given", "_heads", "_places", "bits")

    def __init__(self, rng: Random, one: EntityNaming, other: EntityNaming) -> None:
        self.bits = rng.getrandbits
        self._heads = {one.word[:_HEAD], one.town[:_HEAD], other.word[:_HEAD], other.town[:_HEAD]}
        self._places, self._families, self._given = _names_in(one.among.name)

    def _fresh(self, names: Wheel[str]) -> str:
        bits, heads, (width, places) = self.bits, self._heads, names
        while (name := places[bits(width)]) is None or (head := name[:_HEAD]) in heads:
            pass
        heads.add(head)
        return name

    def place(self) -> str:
        return self._fresh(self._places)

    def region(self) -> str:
        before, behind = spin(self.bits, _REGIONS)
        return f"{before}{self._fresh(self._places)}{behind}"

    def island(self) -> str:
        behind = spin(self.bits, _ISLANDS)
        return f"{self._fresh(self._places)}{behind}"

    def person(self) -> str:
        given = self._fresh(spin(self.bits, self._given))
        return f"{given} {self._fresh(self._families)}"

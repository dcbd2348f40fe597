"""Names of entities, numbered: each number is another pair of a name and a home town.

Every passage shows both, so passages with different numbers are different texts. Splits, examples and streams own
ranges of the numbers, and so never share a passage.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from taskloom.families.zest.domain import Domain
from taskloom.sources.names import CULTURE_NAMES, Gender, given_names, place_names, ship_names

__all__ = ["Naming", "alike", "name_at", "name_count"]

_ROMAN = ("I", "II", "III", "IV", "V")
_GENDERS: tuple[Gender, ...] = ("female", "male")

_ENDED: dict[str, tuple[str, ...]] = {
    "breed": ("the {} Hound", "the {} Terrier", "the {} Shepherd", "the {} Spaniel"),
    "bridge": ("{} Bridge", "the {} Viaduct", "the Old {} Bridge", "{} Weir Bridge"),
    "castle": ("{} Castle", "Castle {}", "{} Keep", "{} Hold"),
    "festival": ("the {} Fair", "the {} Feast", "the {} Gathering", "the {} Fayre"),
    "mountain": ("Mount {}", "{} Peak", "{} Fell", "{} Horn"),
    "museum": ("the {} Museum", "the Museum of {}", "the Old {} Museum", "the {} House"),
    "railway": ("the {} Railway", "the {} Valley Line", "the {} Light Railway", "the {} Branch"),
    "reserve": ("{} Common", "{} Warren", "{} Bottom", "{} Corner", "{} Green"),
}


class Naming(NamedTuple):
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


@cache
def _place_numbers(culture: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(place_names(culture))}


@cache
def _sizes(kind: str) -> tuple[int, ...]:
    return tuple(len(_names(kind, culture)) * (len(place_names(culture)) - 1) for culture in CULTURE_NAMES)


def name_count(domain: Domain) -> int:
    """How many pairs of a name and a town there are."""
    return sum(_sizes(domain.name))


def name_at(domain: Domain, number: int) -> Naming:
    """The pair of that number."""
    for culture, size in zip(CULTURE_NAMES, _sizes(domain.name), strict=True):
        if number < size:
            places = place_names(culture)
            which, town = divmod(number, len(places) - 1)
            name, word, gender = _names(domain.name, culture)[which]
            # The town is never the place that the name is made of.
            taken = _place_numbers(culture)[word] if word else len(places) - 1
            return Naming(name, word, gender, culture, places[town + (town >= taken)])
        number -= size
    raise IndexError(number)


def alike(one: Naming, other: Naming) -> bool:
    """Whether a reader could take one for the other: the Asham and the Old Asham Museum, Daglaug I and Daglaug II."""
    if one.word or other.word:
        return one.word == other.word
    return one.name.rpartition(" ")[0] == other.name.rpartition(" ")[0]

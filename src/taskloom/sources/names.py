"""Invented names that sound like names: people, places, works, teams, companies.

Every name comes from a `random.Random` the caller owns, so the same generator gives the same names.
A `NameMaker` remembers what it gave away and never gives it twice, not even to another kind of
thing; where the short names run out they grow by a syllable, so there is no largest world. Six
*cultures* (invented sound patterns) keep the names of one country alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import msgspec

from taskloom.core.decode import read_toml
from taskloom.core.rng import pick

Gender = Literal["female", "male"]

_GENDERS: tuple[Gender, ...] = ("female", "male")

# After this many collisions with shorter names, the next attempt is one syllable longer.
_PATIENCE = 5


class Culture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stems and endings that sound alike, and the links that stand between them where short names have run out."""

    given: tuple[str, ...]
    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]
    family_ends: tuple[str, ...]
    place: tuple[str, ...]
    place_ends: tuple[str, ...]
    country_ends: tuple[str, ...]
    links: tuple[str, ...]

    def given_ends(self, gender: Gender) -> tuple[str, ...]:
        return self.female if gender == "female" else self.male


class _Parts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of parts; its comments say what the entries mean."""

    real_names: frozenset[str]
    words: dict[str, tuple[str, ...]]
    places: dict[str, tuple[str, ...]]
    titles: dict[str, tuple[str, ...]]
    cultures: dict[str, Culture]


_PARTS = read_toml(Path(__file__).with_suffix(".toml"), type=_Parts)
_WORDS, _REAL_NAMES = _PARTS.words, _PARTS.real_names

CULTURES = _PARTS.cultures
CULTURE_NAMES: tuple[str, ...] = tuple(CULTURES)


class PersonName(NamedTuple):
    """A person's name and gender; `str()` gives the name as it is written."""

    given: str
    family: str
    gender: Gender
    middle: str = ""

    def __str__(self) -> str:
        return f"{self.given} {self.middle} {self.family}" if self.middle else f"{self.given} {self.family}"


def _joined(stems: Sequence[str], ends: Sequence[str]) -> dict[str, None]:
    return dict.fromkeys(_join(stem, end) for stem in stems for end in ends)


def _invented(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name.lower() not in _REAL_NAMES)


@cache
def place_names(culture: str) -> tuple[str, ...]:
    """Every short name of a town in a culture, in a fixed order, for callers that number them."""
    return _invented(_joined(CULTURES[culture].place, CULTURES[culture].place_ends))


@cache
def given_names(culture: str, gender: Gender) -> tuple[str, ...]:
    """Every first name of a culture, in a fixed order."""
    return tuple(_joined(CULTURES[culture].given, CULTURES[culture].given_ends(gender)))


@cache
def family_names(culture: str) -> tuple[str, ...]:
    """Every short family name of a culture, in a fixed order."""
    return _invented(_joined(CULTURES[culture].family, CULTURES[culture].family_ends))


@cache
def ship_names() -> tuple[str, ...]:
    """Every name of a ship that is an adjective and a noun, in a fixed order."""
    return tuple(dict.fromkeys(f"{adjective} {noun}" for adjective in _WORDS["adjectives"] for noun in _WORDS["ships"]))


class NameMaker:
    """A source of distinct invented names.

    Args:
        rng: Where the choices come from. Two makers over equal generators, asked the same
            questions, give the same answers.
        taken: Whether a name is taken already, for names that are kept elsewhere than in memory.

    Example:
        >>> names = NameMaker(Random(7))
        >>> str(names.person("female")) != str(names.person("female"))
        True
    """

    def __init__(self, rng: Random, *, taken: Callable[[str], bool] | None = None) -> None:
        self._rng = rng
        self._used: set[str] = set()
        self._taken = taken or (lambda _: False)

    def free(self, name: str) -> bool:
        return name not in self._used and not self._taken(name)

    # ------------------------------------------------------------------ people

    def culture(self) -> str:
        """One of the sound patterns, for names that should belong together."""
        return pick(self._rng, CULTURE_NAMES)

    def given(self, gender: Gender, culture: str | None = None) -> str:
        """A first name. First names repeat, as they do in life."""
        parts = self._culture(culture)
        return _join(pick(self._rng, parts.given), pick(self._rng, parts.given_ends(gender)))

    def person(
        self,
        gender: Gender | None = None,
        *,
        given: str | None = None,
        family: str | None = None,
        culture: str | None = None,
    ) -> PersonName:
        """A person with a full name of their own.

        Args:
            gender: Drawn evenly where not given.
            given: A first name to carry on; a new one where not given.
            family: A family name to share with relatives; a new one where not given.
            culture: The sound pattern; drawn where not given.
        """
        culture = culture or self.culture()
        chosen = gender if gender is not None else pick(self._rng, _GENDERS)
        family = family or self.word("family", culture)
        for attempt in range(_PATIENCE):
            # A second given name joins once the plain ones of the family are taken.
            middle = self.given(chosen, culture) if attempt > (0 if given else _PATIENCE // 2) else ""
            name = PersonName(given or self.given(chosen, culture), family, chosen, middle)
            if middle != name.given and self.claim(str(name)):
                return name
        name = PersonName(given or self.given(chosen, culture), family, chosen, self.word("family", culture))
        while not self.claim(str(name)):
            name = name._replace(middle=self.word("family", culture))
        return name

    def claim(self, name: str) -> bool:
        """Take a name made elsewhere, such as a family name with a word behind it; False if it is taken."""
        if not self.free(name):
            return False
        self._used.add(name)
        return True

    # ------------------------------------------------------------------ words

    def word(self, kind: str, culture: str | None = None) -> str:
        """One word for a family, a city, a country, a genus, or in lower case for an invented kind of thing."""
        parts = self._culture(culture)
        stems, ends = {
            "family": (parts.family, parts.family_ends),
            "city": (parts.place, parts.place_ends),
            "country": (parts.place, parts.country_ends),
            "genus": (parts.place, _WORDS["genus_ends"]),
            "kind": (parts.place, _WORDS["kind_ends"]),
        }[kind]
        say = str.lower if kind == "kind" else str
        return self._fresh(lambda extra: say(self._compound(parts, stems, ends, extra)))

    def language(self, country: str) -> str:
        parts = self._culture(None)
        return self._fresh(lambda extra: _adjective(self._compound(parts, (country,), ("",), extra)))

    def taxon(self, genus: str) -> str:
        """A species of a genus, in two Latin-looking words."""
        parts = self._culture(None)
        ends = _WORDS["epithet_ends"]
        return self._fresh(lambda extra: f"{genus} {self._compound(parts, parts.family, ends, extra).lower()}")

    # ------------------------------------------------------------------ several words

    def around(self, kind: str, culture: str | None = None) -> str:
        """A name around an invented place: a region, a school, an award; `names.toml` lists the kinds."""
        patterns = _PARTS.places[kind]
        return self._fresh(lambda extra: pick(self._rng, patterns).format(self._place(culture, extra)))

    def company(self, culture: str, *, founder: str | None = None) -> str:
        """A company, named after its founder's family name where given."""
        parts = self._culture(culture)

        def make(extra: int) -> str:
            eponymous = founder is not None and not extra
            stem = founder if eponymous else self._compound(parts, parts.family, parts.place_ends, extra)
            return f"{stem} {pick(self._rng, _WORDS['companies'])}"

        return self._fresh(make)

    def team(self, city: str) -> str:

        def make(extra: int) -> str:
            tail = pick(self._rng, _WORDS["teams"])
            return f"{city} {self._place(None, extra)} {tail}" if extra else f"{city} {tail}"

        return self._fresh(make)

    def party(self, country: str) -> str:

        def make(extra: int) -> str:
            words = pick(self._rng, _WORDS["parties"])
            if extra:
                return f"{self._place(None, extra)} {words}"
            return pick(self._rng, (f"{words} of {country}", f"{_adjective(country)} {words}"))

        return self._fresh(make)

    def product(self, maker: str) -> str:
        """A product model, by the first word of its maker's name."""

        def make(extra: int) -> str:
            number = self._rng.randrange(2, 10 ** (2 + extra)) * 10
            name = f"{maker.split(maxsplit=1)[0]} {pick(self._rng, _WORDS['animals'])}"
            return f"{name} {number}" if extra else name

        return self._fresh(make)

    def title(self, kind: str, culture: str | None = None) -> str:
        """The title of a work, or the name of a thing that is called by words; `names.toml` lists the kinds.

        When the words have run out, an invented place makes a title new.
        """
        patterns = _PARTS.titles[kind]

        def make(extra: int) -> str:
            thing = pick(self._rng, _WORDS["things"])
            words = {
                "a_thing": f"An {thing}" if thing[0] in "AEIOU" else f"A {thing}",
                "adjective": pick(self._rng, _WORDS["adjectives"]),
                "animal": pick(self._rng, _WORDS["animals"]),
                "band": pick(self._rng, _WORDS["bands"]),
                "colour": pick(self._rng, _WORDS["colours"]),
                "given": self.given(pick(self._rng, _GENDERS), culture),
                "place": self._place(culture, max(extra - 1, 0)),
                "plural": pick(self._rng, _WORDS["plurals"]),
                "ship": pick(self._rng, _WORDS["ships"]),
                "thing": thing,
            }
            title = pick(self._rng, patterns).format(**words)
            return f"{title} of {self._place(culture, extra - 1)}" if extra and words["place"] not in title else title

        return self._fresh(make)

    # ----------------------------------------------------------------- machinery

    def _culture(self, name: str | None) -> Culture:
        return CULTURES[name if name is not None else self.culture()]

    def _compound(self, parts: Culture, stems: tuple[str, ...], ends: tuple[str, ...], extra: int) -> str:
        """A stem, `extra` links and an ending, joined so that it can be said aloud."""
        rng = self._rng
        while True:
            name = pick(rng, stems)
            for _ in range(extra):
                name = _join(name, pick(rng, parts.links))
            name = _join(name, pick(rng, ends)) if extra else _short(name, pick(rng, ends))
            if name and (not extra or name.lower() not in _REAL_NAMES):
                return name

    def _place(self, culture: str | None, extra: int) -> str:
        parts = self._culture(culture)
        return self._compound(parts, parts.place, parts.place_ends, extra)

    def _fresh(self, make: Callable[[int], str]) -> str:
        """The first name made that is new."""
        attempt = 0
        while True:
            name = make(attempt // _PATIENCE)
            if self.free(name):
                self._used.add(name)
                return name
            attempt += 1


@lru_cache(maxsize=1 << 14)
def _short(stem: str, end: str) -> str:
    """A stem and an ending, "" where the name belongs to something real."""
    name = _join(stem, end)
    return "" if name.lower() in _REAL_NAMES else name


def _join(stem: str, end: str) -> str:
    """Put two parts together, without a doubled letter or a hiatus of equal vowels at the seam."""
    if end and (stem[-1].lower() == end[0].lower() or (stem[-1] in "aeiou" and end[0] in "aeiou")):
        stem = stem[:-1]
    return stem + end


def _adjective(place: str) -> str:
    """The adjective and language name of a country: Veldia -> Veldian, Norrmark -> Norrmarkish."""
    for end, adjective in (("ia", "ian"), ("land", "landic"), ("a", "an"), ("o", "ese"), ("e", "ish"), ("y", "ian")):
        if place.endswith(end):
            return place[: -len(end)] + adjective
    return place + ("ese" if place[-1] in "nr" else "ish")

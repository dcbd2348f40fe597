"""Invented names that sound like names: people, places, works, teams, companies.

Every name comes from a `random.Random` the caller owns, so the same generator gives the same names.
A `Names` object remembers what it gave away and never gives it twice, not even to another kind of
thing; where the short names run out they grow by a syllable, so there is no largest world. Six
*cultures* (invented sound patterns) keep the names of one country alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from random import Random
from typing import Literal, NamedTuple

from taskloom.core.rng import pick
from taskloom.sources._name_parts import (
    ADJECTIVES,
    ANIMALS,
    BAND_NOUNS,
    COLOURS,
    COMPANY_ENDS,
    CULTURES,
    PARTY_WORDS,
    PERIODICAL_WORDS,
    PLURALS,
    REAL_NAMES,
    SHIP_NOUNS,
    TEAM_NICKNAMES,
    THINGS,
    Culture,
)

__all__ = ["CULTURE_NAMES", "Gender", "Names", "PersonName", "family_names", "given_names", "place_names", "ship_names"]

Gender = Literal["female", "male"]

_GENDERS: tuple[Gender, ...] = ("female", "male")

CULTURE_NAMES: tuple[str, ...] = tuple(CULTURES)

# After this many collisions with shorter names, the next attempt is one syllable longer.
_PATIENCE = 5

_GENUS_ENDS = ("ella", "ops", "odon", "aria", "ites", "ophis", "anthus")
_EPITHET_ENDS = ("ensis", "oides", "ata", "icola", "ifera", "alis")


class PersonName(NamedTuple):
    """A person's name and gender; `str()` gives the name as it is written."""

    given: str
    family: str
    gender: Gender
    middle: str = ""

    def __str__(self) -> str:
        return f"{self.given} {self.middle} {self.family}" if self.middle else f"{self.given} {self.family}"


@cache
def place_names(culture: str) -> tuple[str, ...]:
    """Every short name of a town in a culture, in a fixed order, for callers that number them."""
    parts = CULTURES[culture]
    found = dict.fromkeys(_join(stem, end) for stem in parts.place for end in parts.place_ends)
    return tuple(name for name in found if name.lower() not in REAL_NAMES)


@cache
def given_names(culture: str, gender: Gender) -> tuple[str, ...]:
    """Every first name of a culture, in a fixed order."""
    parts = CULTURES[culture]
    ends = parts.female if gender == "female" else parts.male
    return tuple(dict.fromkeys(_join(stem, end) for stem in parts.given for end in ends))


@cache
def family_names(culture: str) -> tuple[str, ...]:
    """Every short family name of a culture, in a fixed order."""
    parts = CULTURES[culture]
    found = dict.fromkeys(_join(stem, end) for stem in parts.family for end in parts.family_ends)
    return tuple(name for name in found if name.lower() not in REAL_NAMES)


@cache
def ship_names() -> tuple[str, ...]:
    """Every name of a ship that is an adjective and a noun, in a fixed order."""
    return tuple(dict.fromkeys(f"{adjective} {noun}" for adjective in ADJECTIVES for noun in SHIP_NOUNS))


class Names:
    """A source of distinct invented names.

    Args:
        rng: Where the choices come from. Two `Names` over equal generators, asked the same
            questions, give the same answers.
        taken: Whether somebody else has a name already, for names that are kept elsewhere than in memory.

    Example:
        >>> names = Names(Random(7))
        >>> str(names.person("female")) != str(names.person("female"))
        True
    """

    def __init__(self, rng: Random, *, taken: Callable[[str], bool] | None = None) -> None:
        self._rng = rng
        self._used: set[str] = set()
        self._taken = taken or (lambda _: False)

    def free(self, name: str) -> bool:
        """Whether nobody has the name yet."""
        return name not in self._used and not self._taken(name)

    # ------------------------------------------------------------------ people

    def culture(self) -> str:
        """One of the sound patterns, for names that should belong together."""
        return pick(self._rng, CULTURE_NAMES)

    def given(self, gender: Gender, culture: str | None = None) -> str:
        """A first name. First names repeat, as they do in life."""
        parts = self._culture(culture)
        ends = parts.female if gender == "female" else parts.male
        return _join(pick(self._rng, parts.given), pick(self._rng, ends))

    def family(self, culture: str | None = None) -> str:
        """A family name that was not given before."""
        parts = self._culture(culture)
        return self._fresh(lambda extra: self._compound(parts, parts.family, parts.family_ends, extra))

    def person(
        self,
        gender: Gender | None = None,
        *,
        given: str | None = None,
        family: str | None = None,
        culture: str | None = None,
    ) -> PersonName:
        """A person with a full name nobody else has.

        Args:
            gender: Drawn evenly where not given.
            given: A first name to carry on; a new one where not given.
            family: A family name to share with relatives; a new one where not given.
            culture: The sound pattern; drawn where not given.
        """
        culture = culture or self.culture()
        chosen = gender if gender is not None else pick(self._rng, _GENDERS)
        family = family or self.family(culture)
        for attempt in range(_PATIENCE):
            # A second given name joins once the plain ones of the family are taken.
            middle = self.given(chosen, culture) if attempt > (0 if given else _PATIENCE // 2) else ""
            name = PersonName(given or self.given(chosen, culture), family, chosen, middle)
            if middle != name.given and self.claim(str(name)):
                return name
        name = PersonName(given or self.given(chosen, culture), family, chosen, self.family(culture))
        while not self.claim(str(name)):
            name = name._replace(middle=self.family(culture))
        return name

    def claim(self, name: str) -> bool:
        """Take a name made elsewhere, such as a family name with a word behind it; False if it is taken."""
        if not self.free(name):
            return False
        self._used.add(name)
        return True

    # ------------------------------------------------------------------ places

    def city(self, culture: str | None = None) -> str:
        """A town or city."""
        parts = self._culture(culture)
        return self._fresh(lambda extra: self._compound(parts, parts.place, parts.place_ends, extra))

    def country(self, culture: str | None = None) -> str:
        """A country."""
        parts = self._culture(culture)
        return self._fresh(lambda extra: self._compound(parts, parts.place, parts.country_ends, extra))

    def region(self, culture: str | None = None) -> str:
        """A province or county."""
        words = ("{}shire", "Upper {}", "Lower {}", "{} March", "West {}", "East {}", "{} Vale", "{}land")
        return self._around(words, culture)

    def river(self, culture: str | None = None) -> str:
        """A river."""
        return self._around(("River {}", "{} River", "{} Beck", "{} Water"), culture)

    def mountain(self, culture: str | None = None) -> str:
        """A mountain."""
        return self._around(("Mount {}", "{} Peak", "{} Fell", "{} Horn"), culture)

    def lake(self, culture: str | None = None) -> str:
        """A lake."""
        return self._around(("Lake {}", "{} Lake", "{} Tarn", "{} Mere"), culture)

    def island(self, culture: str | None = None) -> str:
        """An island."""
        return self._around(("{} Island", "Isle of {}", "{} Skerry", "{} Cay"), culture)

    def language(self, culture: str | None = None, *, country: str | None = None) -> str:
        """A language, named after `country` where given."""
        parts = self._culture(culture)
        if country is not None:
            return self._fresh(lambda extra: _adjective(self._compound(parts, (country,), ("",), extra)))
        return self._fresh(lambda extra: _adjective(self._compound(parts, parts.place, parts.country_ends, extra)))

    def venue(self, kind: str, culture: str | None = None) -> str:
        """A building of some kind: `venue("Museum")`."""
        return self._around((f"{{}} {kind}", f"{kind} of {{}}", f"Old {{}} {kind}"), culture)

    # ------------------------------------------------------------- institutions

    def company(self, culture: str | None = None, *, founder: str | None = None) -> str:
        """A company, named after its founder's family name where given."""
        parts = self._culture(culture)

        def make(extra: int) -> str:
            stem = (
                founder
                if founder is not None and not extra
                else self._compound(parts, parts.family, parts.place_ends, extra)
            )
            return f"{stem} {pick(self._rng, COMPANY_ENDS)}"

        return self._fresh(make)

    def record_label(self, culture: str | None = None) -> str:
        """A record label."""
        return self._pattern(("{colour} {thing} Records", "{place} Records", "{animal} Sound"), culture)

    def team(self, city: str | None = None, culture: str | None = None) -> str:
        """A sports team, of a city where given."""

        def make(extra: int) -> str:
            home = city if city is not None else self._place(culture, extra)
            tail = pick(self._rng, TEAM_NICKNAMES)
            return f"{home} {tail}" if extra == 0 or city is None else f"{home} {self._place(culture, extra)} {tail}"

        return self._fresh(make)

    def party(self, country: str | None = None, culture: str | None = None) -> str:
        """A political party, of a country where given."""

        def make(extra: int) -> str:
            words = pick(self._rng, PARTY_WORDS)
            if country is not None and not extra:
                return pick(self._rng, (f"{words} of {country}", f"{_adjective(country)} {words}"))
            return f"{self._place(culture, extra)} {words}"

        return self._fresh(make)

    def school(self, culture: str | None = None) -> str:
        """A university or academy."""
        return self._around(("University of {}", "{} Academy", "{} College", "{} Institute"), culture)

    def award(self, culture: str | None = None) -> str:
        """A prize."""
        return self._around(("{} Prize", "{} Medal", "Order of {}", "{} Award"), culture)

    def band(self, culture: str | None = None) -> str:
        """A music group."""
        patterns = ("The {adjective} {plural}", "{colour} {band}", "{place} {band}", "The {place} {plural}")
        return self._pattern(patterns, culture)

    def newspaper(self, city: str | None = None, culture: str | None = None) -> str:
        """A newspaper."""

        def make(extra: int) -> str:
            home = city if city is not None and not extra else self._place(culture, extra)
            return f"The {home} {pick(self._rng, PERIODICAL_WORDS)}"

        return self._fresh(make)

    # -------------------------------------------------------------------- works

    def book(self, culture: str | None = None) -> str:
        """The title of a book."""
        patterns = (
            "The {adjective} {thing}",
            "{plural} of {place}",
            "The {thing} of {place}",
            "{a_thing} for {given}",
            "{given}'s {thing}",
            "The {place} {plural}",
            "{adjective} {plural}",
        )
        return self._pattern(patterns, culture)

    def film(self, culture: str | None = None) -> str:
        """The title of a film."""
        patterns = (
            "{given} and the {thing}",
            "Return to {place}",
            "The {animal} of {place}",
            "{adjective} {thing}",
            "Goodbye, {place}",
            "Nights in {place}",
            "The {colour} {thing}",
        )
        return self._pattern(patterns, culture)

    def song(self, culture: str | None = None) -> str:
        """The title of a song or album."""
        patterns = ("{given}'s {animal}", "{colour} {plural}", "Leaving {place}", "{adjective} {animal}", "Oh, {given}")
        return self._pattern(patterns, culture)

    def artwork(self, culture: str | None = None) -> str:
        """The title of a painting or sculpture."""
        patterns = (
            "{given} and the {animal}",
            "{plural} at {place}",
            "The {colour} {animal}",
            "Portrait of {given} with {plural}",
            "{place} in the Rain",
            "The {adjective} {thing}, a Study",
        )
        return self._pattern(patterns, culture)

    def game(self, culture: str | None = None) -> str:
        """A computer game or piece of software."""
        return self._pattern(("{place} Quest", "{animal} Command", "{thing}Works {place}", "{place} Saga"), culture)

    # ------------------------------------------------------------------- things

    def ship(self, culture: str | None = None) -> str:
        """A ship."""
        return self._pattern(("{adjective} {ship}", "{ship} of {place}", "{given} of {place}"), culture)

    def product(self, maker: str | None = None, culture: str | None = None) -> str:
        """A product model, by the first word of its maker's name where given."""

        def make(extra: int) -> str:
            brand = maker.split()[0] if maker is not None else self._place(culture, extra)
            number = self._rng.randrange(2, 10 ** (2 + extra)) * 10
            return f"{brand} {pick(self._rng, ANIMALS)} {number}" if extra else f"{brand} {pick(self._rng, ANIMALS)}"

        return self._fresh(make)

    def genus(self, culture: str | None = None) -> str:
        """A Latin-looking word for a genus."""
        parts = self._culture(culture)
        return self._fresh(lambda extra: self._compound(parts, parts.place, _GENUS_ENDS, extra))

    def taxon(self, genus: str | None = None, culture: str | None = None) -> str:
        """A species in two Latin-looking words, of a genus where given."""
        parts = self._culture(culture)

        def make(extra: int) -> str:
            first = genus or self._compound(parts, parts.place, _GENUS_ENDS, extra)
            return f"{first} {self._compound(parts, parts.family, _EPITHET_ENDS, extra).lower()}"

        return self._fresh(make)

    def kind(self, culture: str | None = None) -> str:
        """A common noun for an invented kind of thing, in lower case: a cheese, a dance, an instrument."""
        parts = self._culture(culture)
        ends = ("ello", "ushka", "ibar", "orrel", "umba", "izzet", "undo", "ockle", "aline", "ette")
        return self._fresh(lambda extra: self._compound(parts, parts.place, ends, extra).lower())

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
            if name and (not extra or name.lower() not in REAL_NAMES):
                return name

    def _place(self, culture: str | None, extra: int) -> str:
        parts = self._culture(culture)
        return self._compound(parts, parts.place, parts.place_ends, extra)

    def _around(self, patterns: tuple[str, ...], culture: str | None) -> str:
        return self._fresh(lambda extra: pick(self._rng, patterns).format(self._place(culture, extra)))

    def _pattern(self, patterns: tuple[str, ...], culture: str | None) -> str:
        """A title from word lists. When the lists run dry an invented place makes it new."""

        def make(extra: int) -> str:
            thing = pick(self._rng, THINGS)
            words = {
                "a_thing": f"An {thing}" if thing[0] in "AEIOU" else f"A {thing}",
                "adjective": pick(self._rng, ADJECTIVES),
                "animal": pick(self._rng, ANIMALS),
                "band": pick(self._rng, BAND_NOUNS),
                "colour": pick(self._rng, COLOURS),
                "given": self.given(pick(self._rng, _GENDERS), culture),
                "place": self._place(culture, max(extra - 1, 0)),
                "plural": pick(self._rng, PLURALS),
                "ship": pick(self._rng, SHIP_NOUNS),
                "thing": thing,
            }
            title = pick(self._rng, patterns).format(**words)
            return f"{title} of {self._place(culture, extra - 1)}" if extra and words["place"] not in title else title

        return self._fresh(make)

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
    return "" if name.lower() in REAL_NAMES else name


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

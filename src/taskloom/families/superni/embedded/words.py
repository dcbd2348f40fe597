"""The small vocabulary of the embedded tasks: English and Spanish side by side, with what grammar needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import msgspec


class BilingualNoun(NamedTuple):
    """A noun with its Spanish counterpart and the kind of thing it is."""

    english: str
    spanish: str
    gender: str
    kind: str

    @property
    def plural(self) -> str:
        """The English plural; the vocabulary holds regular nouns only."""
        if self.english.endswith(("s", "x", "ch", "sh")):
            return f"{self.english}es"
        if self.english.endswith("y") and self.english[-2] not in "aeiou":
            return f"{self.english[:-1]}ies"
        return f"{self.english}s"

    @property
    def article(self) -> str:
        """The Spanish definite article."""
        return "el" if self.gender == "m" else "la"


class BilingualAdjective(NamedTuple):
    """An adjective with its Spanish masculine and feminine forms."""

    english: str
    masculine: str
    feminine: str

    def spanish(self, noun: BilingualNoun) -> str:
        """The form that agrees with a noun."""
        return self.masculine if noun.gender == "m" else self.feminine


class BilingualVerb(NamedTuple):
    """A verb that takes a thing as its object: base, third person, past, participle; Spanish present and past."""

    base: str
    third: str
    past: str
    participle: str
    spanish: str
    spanish_past: str


class Numerals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Number words: the small ones from zero on, then tens from the first that is regular, and hundreds."""

    small: tuple[str, ...]
    tens: tuple[str, ...]
    hundreds: tuple[str, ...] = ()


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cities: tuple[str, ...]
    adjectives: list[tuple[str, str, str]]
    verbs: list[tuple[str, str, str, str, str, str]]
    names: dict[Literal["english", "spanish"], dict[Literal["f", "m"], tuple[str, ...]]]
    nouns: dict[str, list[tuple[str, str, Literal["f", "m"]]]]
    numerals: dict[Literal["english", "spanish"], Numerals]


_FILE = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_Words)

NOUNS = [BilingualNoun(*noun, kind) for kind, listed in _FILE.nouns.items() for noun in listed]
KINDS = list(_FILE.nouns)
ADJECTIVES = [BilingualAdjective(*entry) for entry in _FILE.adjectives]
VERBS = [BilingualVerb(*entry) for entry in _FILE.verbs]
NAMES, NAMES_ES = _FILE.names["english"], _FILE.names["spanish"]
CITIES = _FILE.cities
NUMERALS = _FILE.numerals

WORDS: list[str] = [noun.english for noun in NOUNS] + [adjective.english for adjective in ADJECTIVES]
WORDS_ES: list[str] = [noun.spanish for noun in NOUNS] + [adjective.masculine for adjective in ADJECTIVES]


def sample(rng: Random, pool: Sequence[str], low: int, high: int | None = None) -> list[str]:
    """Between `low` and `high` different members of a pool."""
    return rng.sample(pool, rng.randint(low, high or low))


def line(rng: Random, low: int, high: int | None = None, *, spanish: bool = False) -> str:
    """Between `low` and `high` different words, a blank between them."""
    return " ".join(sample(rng, WORDS_ES if spanish else WORDS, low, high))

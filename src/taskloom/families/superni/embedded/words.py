"""The small vocabulary of the embedded tasks, English and Spanish side by side, and the grammar of their sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core.rng import below, pick
from taskloom.core.rng import sample as sample_of


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
    cities_es: tuple[str, ...]
    months: tuple[str, ...]
    months_es: tuple[str, ...]
    weekdays: tuple[str, ...]
    states: tuple[str, ...]
    fitting: tuple[str, ...]
    test_categories: frozenset[str]
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
CITIES, MONTHS, MONTHS_ES, WEEKDAYS, STATES = (
    _FILE.cities, _FILE.months, _FILE.months_es, _FILE.weekdays, _FILE.states
)  # fmt: skip
NUMERALS, TEST_CATEGORIES = _FILE.numerals, _FILE.test_categories

WORDS: list[str] = [noun.english for noun in NOUNS] + [adjective.english for adjective in ADJECTIVES]
WORDS_ES: list[str] = [noun.spanish for noun in NOUNS] + [adjective.masculine for adjective in ADJECTIVES]


def sample(rng: Random, pool: Sequence[str], low: int, high: int | None = None) -> list[str]:
    """Between `low` and `high` different members of a pool."""
    return sample_of(rng, pool, low + below(rng, (high or low) - low + 1))


Maker: TypeAlias = Callable[[Random], str]
Solver: TypeAlias = Callable[[str], str]


def drawn_line(low: int, high: int, *, spanish: bool = False) -> Maker:
    """A maker of lines with between `low` and `high` different words."""
    return lambda rng: line(rng, low, high, spanish=spanish)


def each(change: Solver, joint: str = " ") -> Solver:
    """A solver that changes every part of a text on its own."""
    return lambda text: joint.join(map(change, text.split(joint)))


def decided(test: Callable[[str], bool], yes: str = "yes", no: str = "no") -> Solver:
    """A solver that says one of two labels."""
    return lambda text: yes if test(text) else no


def line(rng: Random, low: int, high: int | None = None, *, spanish: bool = False) -> str:
    """Between `low` and `high` different words, a blank between them."""
    return " ".join(sample(rng, WORDS_ES if spanish else WORDS, low, high))


PEOPLE = NAMES["f"] + NAMES["m"]
PEOPLE_ES = NAMES_ES["f"] + NAMES_ES["m"]
BY_ENGLISH = {noun.english: noun for noun in NOUNS}
BY_SPANISH = {noun.spanish: noun for noun in NOUNS}
BY_ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
BY_ADJECTIVE_ES = {form: adjective for adjective in ADJECTIVES for form in (adjective.masculine, adjective.feminine)}
BY_VERB = {form: verb for verb in VERBS for form in (verb.third, verb.past)}
BY_VERB_ES = {form: verb for verb in VERBS for form in (verb.spanish, verb.spanish_past)}


class BilingualSentence(NamedTuple):
    """Who does what to which thing: the grammar behind every sentence of this module."""

    name: str
    verb: BilingualVerb
    adjective: BilingualAdjective
    noun: BilingualNoun
    city: str

    def english(self, verb: str | None = None) -> str:
        """Anna paints the red chair in Rome."""
        return f"{self.name} {verb or self.verb.third} the {self.adjective.english} {self.noun.english} in {self.city}."

    def spanish(self, verb: str | None = None) -> str:
        """Marta pinta la silla roja en Roma."""
        thing = f"{self.noun.article} {self.noun.spanish} {self.adjective.spanish(self.noun)}"
        return f"{self.name} {verb or self.verb.spanish} {thing} en {SPANISH_CITY[self.city]}."


SPANISH_CITY = dict(zip(CITIES, _FILE.cities_es, strict=True))
ENGLISH_CITY = {spanish: english for english, spanish in SPANISH_CITY.items()}

THINGS: list[BilingualNoun] = [noun for noun in NOUNS if noun.kind in ("clothing", "furniture", "instrument")]
"""Things that people buy, find, hide or paint: scenes about them make sense."""

THING_ADJECTIVES: list[BilingualAdjective] = [
    adjective for adjective in ADJECTIVES if adjective.english in _FILE.fitting
]
"""Adjectives that fit every one of these things."""


def draw_sentence(rng: Random, people: tuple[str, ...] = PEOPLE) -> BilingualSentence:
    """A sentence, every part drawn on its own."""
    return BilingualSentence(
        pick(rng, people), pick(rng, VERBS), pick(rng, THING_ADJECTIVES), pick(rng, THINGS), pick(rng, CITIES)
    )


def present_or_past_es(rng: Random) -> str:
    """A Spanish sentence in one of two tenses."""
    sentence = draw_sentence(rng, PEOPLE_ES)
    return sentence.spanish(rng.choice([sentence.verb.spanish, sentence.verb.spanish_past]))


def parse(text: str) -> BilingualSentence:
    """The sentence behind an English text."""
    name, verb, _, adjective, noun, _, city = text.strip(".").split()
    return BilingualSentence(name, BY_VERB[verb], BY_ADJECTIVE[adjective], BY_ENGLISH[noun], city)


def parse_es(text: str) -> BilingualSentence:
    """The sentence behind a Spanish text, with any article and any agreement of its adjective."""
    name, verb, _, noun, adjective, _, city = text.strip(".").split()
    return BilingualSentence(name, BY_VERB_ES[verb], BY_ADJECTIVE_ES[adjective], BY_SPANISH[noun], ENGLISH_CITY[city])


def article(word: str) -> str:
    """The indefinite article that goes before a word of the vocabulary."""
    return "an" if word[0] in "aeiou" else "a"


def with_articles(rng: Random, wrong: bool) -> str:
    """One to three things, some of them with the other article where `wrong`."""
    nouns = rng.sample(_VOWEL_NOUNS, 1) + rng.sample(THINGS, 2)
    rng.shuffle(nouns)
    spoilt = rng.randrange(3) if wrong else -1
    parts = []
    for index, noun in enumerate(dict.fromkeys(nouns)):
        right = article(noun.english)
        parts.append(f"{ ({'a': 'an', 'an': 'a'}[right] if index == spoilt else right) } {noun.english}")
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{rng.choice(PEOPLE)} {rng.choice(VERBS).past} {listed} in {rng.choice(CITIES)}."


_VOWEL_NOUNS = [noun for noun in NOUNS if noun.english[0] in "aeiou"]


def correct_articles(text: str) -> str:
    """The text with every indefinite article as it should be."""
    return re.sub(r"\ban? (\w+)", lambda match: f"{article(match[1])} {match[1]}", text)


_ENGLISH, _SPANISH = NUMERALS["english"], NUMERALS["spanish"]
_ROMAN = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9,
    "V": 5, "IV": 4, "I": 1,
}  # fmt: skip


def english(number: int) -> str:
    """A number below a million in English words, without 'and'."""
    if number < 20:
        return _ENGLISH.small[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _ENGLISH.tens[tens - 2] + (f"-{_ENGLISH.small[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ENGLISH.small[hundreds]} hundred" + (f" {english(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{english(thousands)} thousand" + (f" {english(rest)}" if rest else "")


def spanish(number: int) -> str:
    """A number below ten thousand in Spanish words."""
    if number < 30:
        return _SPANISH.small[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _SPANISH.tens[tens - 3] + (f" y {_SPANISH.small[ones]}" if ones else "")
    if number == 100:
        return "cien"
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return _SPANISH.hundreds[hundreds - 1] + (f" {spanish(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    head = "mil" if thousands == 1 else f"{spanish(thousands)} mil"
    return head + (f" {spanish(rest)}" if rest else "")


def roman(number: int) -> str:
    """A number from 1 to 3999 in Roman numerals."""
    signs = []
    for sign, value in _ROMAN.items():
        count, number = divmod(number, value)
        signs.append(sign * count)
    return "".join(signs)

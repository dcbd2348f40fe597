"""The grammar behind the language tasks: who does what to which thing, in English and in Spanish."""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

from taskloom.families.superni.embedded.words import (
    ADJECTIVES,
    CITIES,
    NAMES,
    NAMES_ES,
    NOUNS,
    VERBS,
    BilingualAdjective,
    BilingualNoun,
    BilingualVerb,
)

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


SPANISH_CITY = dict(
    zip(
        CITIES,
        ("Roma", "París", "Berlín", "Viena", "Lisboa", "Dublín", "Oslo", "Atenas", "Praga", "Madrid"),
        strict=True,
    )
)
ENGLISH_CITY = {spanish: english for english, spanish in SPANISH_CITY.items()}


_THING_KINDS = ("clothing", "furniture", "instrument")
_FITTING = (
    "red",
    "white",
    "black",
    "yellow",
    "green",
    "blue",
    "big",
    "small",
    "old",
    "new",
    "expensive",
    "cheap",
    "pretty",
)

THINGS: list[BilingualNoun] = [noun for noun in NOUNS if noun.kind in _THING_KINDS]
"""Things that people buy, find, hide or paint: scenes about them make sense."""

THING_ADJECTIVES: list[BilingualAdjective] = [adjective for adjective in ADJECTIVES if adjective.english in _FITTING]
"""Adjectives that fit every one of these things."""


def draw_sentence(rng: Random, people: tuple[str, ...] = PEOPLE) -> BilingualSentence:
    """A sentence, every part drawn on its own."""
    return BilingualSentence(
        rng.choice(people), rng.choice(VERBS), rng.choice(THING_ADJECTIVES), rng.choice(THINGS), rng.choice(CITIES)
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

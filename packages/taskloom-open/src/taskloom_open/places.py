"""Questions that name a country in another language, to be asked in plain English."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import WorkedItem, aligned, define

_QUESTIONS = (
    "How many people live in this country or territory: {0}?",
    "What is the highest mountain of this country or territory: {0}?",
    "Which languages are spoken in this country or territory: {0}?",
    "What is the weather like in this country or territory: {0}?",
    "Which countries or seas surround this country or territory: {0}?",
)


def places() -> Iterator[Blueprint]:
    """Every task of this module."""
    for language in LANGUAGES:
        if language == "English":
            continue
        pairs = [
            (one, two)
            for one, two in aligned("territories", "b", "English", language)
            if one.id.startswith("country-") and one.text != two.text
            if not {"(", "&"}.intersection(one.text + two.text)  # "Wallis & Futuna" has "and" as well
        ]
        if len(pairs) < 40:
            continue

        def make(
            rng: Random, key: int, pairs: list[tuple[SourceText, SourceText]] = pairs, language: str = language
        ) -> WorkedItem:
            english, other = rng.choice(pairs)
            stem = rng.choice(_QUESTIONS)
            return WorkedItem(
                stem.format(other.text),
                stem.format(english.text),
                f"'{other.text}' is the {language} name for '{english.text}'.",
                stem.format(other.text),
                "The name of the country was not translated.",
                (english.id,),
            )

        yield define(
            "name_country_in_english",
            make,
            table="territories",
            language=language,
            output_language="English",
            scorer="rouge-l",
        )

"""Small exact tasks in many languages: sorting names, moving words, naming languages, finding days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import WorkedItem, aligned, choices, define, rows

Make = Callable[[Random, int], WorkedItem]
_SPACED = [name for name in LANGUAGES if name not in ("Chinese", "Japanese", "Thai", "Khmer", "Lao", "Burmese")]


def puzzles() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _things()
    for language in LANGUAGES:
        yield from _everywhere(language)


def _pick(held: dict[str, list[tuple[str, str]]], show: str = "{0}") -> Make:
    """A classifier: label -> (text, unit of material)."""
    labels = sorted(held)

    def make(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(labels)
        text, unit = rng.choice(held[label])
        wrong = rng.choice([other for other in labels if other != label])
        return WorkedItem(
            show.format(text), label, f"The right class is '{label}'.", wrong, f"It is not '{wrong}'.", (unit,)
        )

    return make


def _change(held: Sequence[tuple[str, str, str]], why: str, spoil: Callable[[str, str], str]) -> Make:
    """A rewriting: (input, output, unit)."""

    def make(rng: Random, key: int) -> WorkedItem:
        text, right, unit = held[key]
        wrong = spoil(text, right)
        return WorkedItem(
            text, right, why, wrong if wrong != right else f"{right} {right}", "The rule was not followed.", (unit,)
        )

    return make


_NO_ANIMAL = re.compile(
    r"\b(?:edible|flesh|meat|plant|part|limb|organ|appendage|covering|tail|wing|horn|shell|egg|skin)s?\b"
)
"""What the meaning of a word says that WordNet files under animals although a reader may not."""


def _things() -> Iterator[Blueprint]:
    files = {5: "animal", 8: "body part", 13: "food", 20: "plant", 18: "person"}
    held: dict[str, list[tuple[str, str]]] = {name: [] for name in files.values()}
    for row in rows("wordnet", "a"):
        word = row.more["words"][0]
        kind = files.get(row.more["file"]) if row.more["pos"] == "noun" and re.fullmatch("[a-z]{3,}", word) else None
        # "Whitebait: the edible young of herrings" is filed under animals, and so is the hand.
        if kind and not (kind == "animal" and _NO_ANIMAL.search(row.text)):
            held[kind].append((f"{word}: {row.text}", row.id))
    known = {name: own for name, own in held.items() if name != "plant"}
    yield define("kind_of_thing", _pick(known), table="wordnet", labels=tuple(sorted(known)), suffix="")
    other = [*held["food"], *held["plant"]]
    living = {
        "yes": [(f"{a[0]}\n{b[0]}", a[1]) for a in held["animal"] for b in held["animal"][:12] if a is not b],
        "no": [(f"{a[0]}\n{b[0]}", a[1]) for a in other for b in other[:12] if a is not b],
    }
    yield define("is_it_an_animal", _pick(living), table="wordnet", labels=("yes", "no"), suffix="")


def _everywhere(language: str) -> Iterator[Blueprint]:
    yield from _sorted_names(language)
    yield from _shuffled_words(language)
    yield from _languages(language)
    yield from _time(language)


def _sorted_names(language: str) -> Iterator[Blueprint]:
    names = [row for row in rows("names", "a", language) if row.text.isalpha()]
    if len(names) < 60 or language in ("Swahili", "Yoruba"):
        return

    def by_length(rng: Random, key: int) -> WorkedItem:
        picked = rng.sample(names, 4)
        order = sorted(picked, key=lambda row: (len(row.text), picked.index(row)))
        return WorkedItem(
            ", ".join(row.text for row in picked),
            ", ".join(row.text for row in order),
            "The names get longer; equally long ones keep their order.",
            ", ".join(row.text for row in reversed(order)),
            "The longest name comes first here.",
            tuple(row.id for row in picked),
        )

    yield define("sort_names_by_length", by_length, table="names", language=language, scorer="exact")


def _shuffled_words(language: str) -> Iterator[Blueprint]:
    own = [(row, row.text.rstrip(".!?").split()) for row in rows("home", "a", language)]
    own = [(row, words) for row, words in own if 5 <= len(row.text.split()) <= 14]
    if len(own) < 115 or language not in _SPACED:
        return
    swapped = [(row.text, " ".join([words[-1], *words[1:-1], words[0]]), row.id) for row, words in own]
    second = [(row.text, " ".join(words[1::2]), row.id) for row, words in own]
    for template, make in (
        ("swap_first_and_last", _change(swapped, "The outer words changed places.", lambda text, _: text)),
        (
            "every_second_word",
            _change(second, "Words number 2, 4, 6 and so on are kept.", lambda text, _: " ".join(text.split()[::2])),
        ),
    ):
        yield define(template, make, table="home", keys=len(own), language=language, scorer="exact")


def _languages(language: str) -> Iterator[Blueprint]:
    tongues = [
        (one, two)
        for one, two in aligned("territories", "a", "English", language)
        if one.id.startswith("language-") and one.text != two.text
    ]
    if language == "English" or len(tongues) < 30:
        return

    def spoken(rng: Random, key: int) -> WorkedItem:
        one, two = rng.choice(tongues)
        options, wrong = choices(rng, one.text, [first.text for first, _ in tongues], 5)
        return WorkedItem(
            f"{two.text}\nOptions: {'; '.join(options)}",
            one.text,
            f"'{two.text}' is the {language} word for '{one.text}'.",
            wrong,
            f"The {language} word for '{wrong}' is another one.",
            (one.id,),
        )

    yield define(
        "name_the_language",
        spoken,
        table="territories",
        language=language,
        output_language="English",
        scorer="exact",
    )


_PAIRS = """
    English German Dutch Swedish Danish Spanish Italian Portuguese French Turkish Hungarian Finnish Estonian Bulgarian
    Georgian Swahili Basque Catalan Galician
"""
_PAIRED = frozenset(_PAIRS.split())


def _time(language: str) -> Iterator[Blueprint]:
    """Phrases of relative time, for languages whose plain plural goes with all numbers from two to nine."""
    if language not in _PAIRED:
        return
    held = {row.id: row for part in ("a", "b") for row in rows("dates", part, language)}
    steps = {"day": 1, "week": 7}

    def when(rng: Random, key: int) -> WorkedItem:
        unit, sense, number = rng.choice(sorted(steps)), rng.choice(["past", "future"]), rng.randint(2, 9)
        today = date(2001, 1, 1) + timedelta(days=rng.randrange(9000))
        phrase = held[f"relative-{unit}-{sense}"].more["forms"]["other"].replace("{0}", str(number))
        shift = timedelta(days=number * steps[unit] * (1 if sense == "future" else -1))
        return WorkedItem(
            f"Today: {today.isoformat()}\nPhrase: {phrase}",
            (today + shift).isoformat(),
            f"'{phrase}' means {number} {unit}s {'later' if sense == 'future' else 'earlier'}.",
            (today - shift).isoformat(),
            "The date lies on the wrong side of today.",
            (f"{language}:relative-{unit}-{sense}",),
        )

    if all(f"relative-{unit}-{sense}" in held for unit in steps for sense in ("past", "future")):
        yield define("relative_date", when, table="dates", language=language, output_language="English", scorer="exact")

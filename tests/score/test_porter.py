"""Stems against NLTK, which published ROUGE numbers were made with."""

from __future__ import annotations

import random
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from taskloom.score.porter import stem

SUFFIXES = str.split(
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti "
    "iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent "
    "ion ou ism ate iti ous ive ize ed ing eed ied ies s sses y ll e"
)


def made_up_words(count: int) -> list[str]:
    draw = random.Random(11)
    letters = "aeiouybcdfgstlz7"
    return [
        "".join(draw.choices(letters, k=draw.randint(0, 5))) + draw.choice(SUFFIXES) + draw.choice(["", *SUFFIXES])
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("caresses", "caress"),
        ("flies", "fli"),
        ("dies", "die"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("falling", "fall"),
        ("enjoy", "enjoy"),
        ("relational", "relat"),
        ("news", "news"),
        ("is", "is"),
        ("controlling", "control"),
    ],
)
def test_known_stems(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def real_words() -> list[str]:
    """The words of our own pages, and the most frequent ones where wordfreq is installed."""
    pages = " ".join(page.read_text("utf-8").lower() for page in (Path(__file__).parents[2] / "docs").glob("*.md"))
    words = sorted(set(re.findall("[a-z0-9]+", pages)))
    if find_spec("wordfreq"):
        from wordfreq import top_n_list

        words += [word for word in top_n_list("en", 40_000) if word.isascii() and word.isalnum()]
    return words


def test_equals_nltk_on_words_and_on_every_pair_of_suffixes() -> None:
    official = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    words = real_words()
    assert len(words) > 1000
    assert [word for word in [*words, *made_up_words(60_000)] if stem(word) != official.stem(word)] == []

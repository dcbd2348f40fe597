"""Stems against NLTK, which published ROUGE numbers were made with."""

from __future__ import annotations

import random
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from taskloom.score.rouge import ends_cvc, stem, suffix_pairs, suffix_table, word_shape

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


def test_rules_stand_by_their_last_letters_with_the_longest_first() -> None:
    assert list(suffix_pairs("ational>ate ful>")) == [("ational", "ate"), ("ful", "")]
    table = suffix_table(suffix_pairs("al> ical>ic ful> tional>tion ness>"))
    assert table == {
        "al": (("tional", "tion"), ("ical", "ic"), ("al", "")),
        "ul": (("ful", ""),),
        "ss": (("ness", ""),),
    }


@pytest.mark.parametrize(
    ("word", "shape"),
    [("tree", "ccvv"), ("happy", "cvccv"), ("yes", "cvc"), ("toy", "cvc"), ("syy", "cvc"), ("a7", "vc"), ("", "")],
)
def test_shapes_of_words(word: str, shape: str) -> None:
    assert word_shape(word) == shape


@pytest.mark.parametrize(
    ("word", "ends"),
    [("hop", True), ("how", False), ("box", False), ("toy", False), ("at", True), ("to", False), ("tree", False)],
)
def test_words_that_end_in_a_short_syllable(word: str, ends: bool) -> None:
    assert ends_cvc(word, word_shape(word)) is ends


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        # Porter (1980), step by step, with NLTK's extensions.
        ("ponies", "poni"), ("ties", "tie"),
        ("caress", "caress"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"),
        ("plastered", "plaster"), ("bled", "bled"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"),
        ("troubled", "troubl"), ("sized", "size"), ("tanned", "tan"), ("hissing", "hiss"), ("fizzed", "fizz"),
        ("failing", "fail"), ("happy", "happi"), ("sky", "sky"), ("by", "by"), ("died", "die"), ("cried", "cri"),
        ("conditional", "condit"), ("valenci", "valenc"), ("digitizer", "digit"), ("radically", "radic"),
        ("differentli", "differ"), ("analogousli", "analog"), ("operator", "oper"), ("feudalism", "feudal"),
        ("hopefulness", "hope"), ("formaliti", "formal"), ("sensibiliti", "sensibl"), ("geologi", "geolog"),
        ("logi", "logi"), ("triplicate", "triplic"), ("formative", "form"), ("electrical", "electr"),
        ("goodness", "good"), ("revival", "reviv"), ("adjustable", "adjust"), ("replacement", "replac"),
        ("adoption", "adopt"), ("union", "union"), ("bowdlerize", "bowdler"), ("probate", "probat"), ("rate", "rate"),
        ("cease", "ceas"), ("controll", "control"), ("roll", "roll"), ("syying", "sy"), ("as", "as"), ("ass", "ass"),
        ("rationally", "ration"), ("e", "e"), ("ees", "ee"),
    ],
)  # fmt: skip
def test_every_rule_by_an_example(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed
    if find_spec("nltk"):
        from nltk.stem.porter import PorterStemmer

        assert PorterStemmer().stem(word) == stemmed

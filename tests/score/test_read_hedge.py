"""Words that take an answer back, and the signs that spare ordinary answers the search for them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from taskloom.score.read import hedge

sys.path.insert(0, str(Path(__file__).parent))

from styles import ROUNDS

TEXTS = [re.sub(r"⟨[^⟩]*⟩", "office", text) for each in ROUNDS for text in (*each.styles, *each.hedges)]


def _words(text):
    return set(re.findall(r"\w+", text.casefold()))


def test_signs_are_never_missing_where_a_pattern_finds_something():
    for text in TEXTS:
        if hedge.ALTERNATIVE.search(text):
            assert hedge.may_doubt(_words(text), text), text
        if hedge.DENIAL.search(text):
            assert hedge.may_deny(_words(text), text), text
        if hedge._HARMLESS.search(text):
            assert hedge.without_harmless(text) != text, text


@pytest.mark.parametrize(
    "doubt",
    ["maybe", "may well", "could go", "not so certain", "hard to tell", "no idea", "who knows", "i don't know",
     "cannot decide", "one of", "toss-up", "50/50", "some say", "second guess", "untrue that", "not the case that",
     "mistaken to think", "before i can", "could both", "both fit", "on the other hand",
     "changing my mind", "on second thought", "i take it back", "no, wait", "wondering if", "asked whether",
     "unless it", "choose between", "pick any", "select from", "back and forth", "which of these", "would have been",
     "if you read", "a lo mejor", "no lo sé", "weiß es nicht", "x or y", "x / y", "x o y", "x > y", "x < y",
     "(50 %) or so (50 %)"],
)  # fmt: skip
def test_every_doubt_has_a_sign(doubt):
    text = f"a {doubt} b"
    assert hedge.ALTERNATIVE.search(text), text
    assert hedge.may_doubt(_words(text), text)
    assert hedge.takes_back(text)


@pytest.mark.parametrize(
    "denial",
    ["not", "never", "no longer", "no way", "ruled out", "false that", "rather than", "less likely", "far from",
     "excludes", "rejected", "refuted", "disproves", "invalidated", "fails", "is out", "was clearly false", "keinem",
     "no está", "isn't", "isn’t", "anything but", "opposite of", "weder"],
)  # fmt: skip
def test_every_denial_has_a_sign(denial):
    text = f"it {denial} b"
    assert hedge.DENIAL.search(text), text
    assert hedge.may_deny(_words(text), text)


@pytest.mark.parametrize("plain", ["the office", "sure it is so", "I would think", "all of the following", "well, now"])
def test_ordinary_words_are_no_signs_of_denial(plain):
    assert not hedge.may_deny(_words(plain), plain)


@pytest.mark.parametrize("plain", ["the office", "here is the result", "all of it", "as requested now"])
def test_ordinary_words_are_no_signs_of_doubt(plain):
    assert not hedge.may_doubt(_words(plain), plain)


@pytest.mark.parametrize(
    "harmless",
    ["there is only one answer", "in other words", "both times", "correct me if i'm wrong", "cannot be anything but",
     "nothing but", "no explanation needed", "if we follow the story,", "if you look closely, you'll", "when in doubt",
     "no doubt", "without further ado", "is not difficult", "I won't repeat", "this one", "beyond any doubt", "no more",
     "no other place", "nothing else to add", "some thought", "most certainly", "if i am reading it, ",
     "if i had to choose one", "could not be clearer", "not only", "many thanks", "without hesitation"],
)  # fmt: skip
def test_negations_that_deny_nothing_are_taken_out(harmless):
    assert hedge.without_harmless(f"x {harmless} y") != f"x {harmless} y"


def test_long_texts_are_read_like_short_ones():
    talk = "and so on and on it goes, here and there. " * 8
    assert hedge.without_harmless(f"{talk}no doubt") == f"{talk} "
    assert hedge.takes_back(f"{talk}perhaps it is ")
    assert not hedge.takes_back(talk)
    assert not hedge.takes_back("")

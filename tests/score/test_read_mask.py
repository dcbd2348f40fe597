"""Phrases are masked at sight as the pattern masks them."""

from __future__ import annotations

import pytest

from taskloom.score.read.mask import MASK, _mask_at_sight, mask, phrase_pattern

TEXTS = [
    "It is the office.", "The OFFICE, the office and the offices.", "an office-like office_x x_office office's",
    "the **office** or `the  office`", "It is the\noffice | the.", "12.5 and 2.5 and 2.5.1, 2,5", "no the the office",
    "Anna sees the guitar. Anna sees the guitar.x Anna sees the guitar.. Anna sees the guitar.5", "", "ⵣ office",
    "steel-grey office or -office", "İ office", "one of the ones is one", "n/a, N/A.", "He’s office’s",
    "red | blue", "red  |  blue", "red|blue", "red blue", "red | | blue", "| red | blue |",
]  # fmt: skip
PHRASES = ["office", "the office", "The Office", "2.5", "5", "Anna sees the guitar.", "n/a", "the", "offices", "is the",
           "the the", "grey office", "  office.", "one",
           "red | blue", "red | | blue", "| red |", "red |", '"office"', "*x", "office's"]  # fmt: skip


@pytest.mark.parametrize("phrase", PHRASES)
def test_at_sight_as_by_pattern(phrase):
    pattern = phrase_pattern(phrase)
    for text in TEXTS:
        sight = _mask_at_sight(text, phrase)
        assert sight is None or sight == pattern.sub(MASK, text), (text, phrase)
        assert mask(text, phrase) == pattern.sub(MASK, text)


def test_what_only_a_pattern_will_do_for():
    assert _mask_at_sight("one", "one") is None
    assert _mask_at_sight("İ office", "office") is None
    assert _mask_at_sight("office", " . ") is None
    assert _mask_at_sight('say "x', '*"x y') is None


def test_case_and_lists():
    assert mask("Red Boat, red boat", "Red Boat", case=True) == f"{MASK}, red boat"
    assert mask("apple; then the milk", "apple, milk", free=True) == MASK
    assert mask("apple; then the milk", "apple, milk") == "apple; then the milk"


def test_nothing_to_look_for():
    assert mask("some text", "...") == "some text"
    assert mask("some text", "x" * 5_000) == "some text"
    assert phrase_pattern("x" * 4_001) is None
    assert phrase_pattern("x" * 4_000) is not None

"""Numbers in digits and in words: what they are, and what is no number."""

from __future__ import annotations

import pytest

from taskloom.score.read.text import whole_number

NUMBERS = {
    "zero": 0, "seven": 7, "nineteen": 19, "forty-two": 42, "ninety nine": 99, "hundred": None, "one hundred": 100,
    "two hundred and five": 205, "nine hundred ninety-nine": 999, "thousand": None, "two thousand": 2000,
    "three thousand and one": 3001, "twelve hundred": 1200, "one million": 1_000_000,
    "two hundred thousand three hundred and forty": 200_340, "one million two thousand": 1_002_000, "mil": 1000,
    "dos mil": 2000, "treinta y dos": 32, "twenty seven": 27, "seven twenty": None, "seven seven": None,
    "ten one": None, "eleven one": None, "twenty thirty": None, "five and": None, "and five": None,
    "one hundred and ten": 110, "one hundred ten five": None, "": None, "word": None, "12": 12, "-3.5": -3.5, "−4": -4,
    "1,234": 1234, "1 234 567": 1_234_567, "$5": 5, "7 %": 7, "1e3": 1000, ".5": 0.5, "5.": 5, "3 apples": None,
    "**8**": 8, "(nine)": 9, "1" * 100: float("1" * 100), "1" * 101: None,
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS, ids=lambda text: text[:30])
def test_a_text_is_a_number_or_none(text):
    assert whole_number(text) == NUMBERS[text]

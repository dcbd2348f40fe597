"""Which of several phrases a text asserts."""

from __future__ import annotations

import pytest

from taskloom.score.read.claim import sentence_stance
from taskloom.score.read.stance import asserted, stance


@pytest.mark.parametrize("phrases", [["office", "the office"], ["the office", "office"]])
def test_the_longest_phrase_that_is_asserted(phrases):
    assert asserted("So he is in the office.", phrases, 2) == "the office"


def test_what_is_not_asserted():
    assert asserted("So he is in the office.", ["garden", ""], 2) is None
    assert asserted("He is not in the office.", ["office"], 2) is None
    assert asserted("Is he in the office?", ["office"], 2) is None


@pytest.mark.parametrize(
    "text",
    ["Not answer: office", "Not my label: office", "Say office and you'd be wrong.", "It is office, and that's wrong.",
     "Previously I answered office.", "I had previously said office.", "I answered earlier office.",
     "Any answer but office.", "Every room but the office.", "Office. I now believe it is something else altogether."],
)  # fmt: skip
def test_what_is_taken_back(text):
    assert stance(text, "office", 1) == "taken back", text


@pytest.mark.parametrize(
    "text",
    ["As previously stated, the answer is office.", "Not the garden: office", "I now believe it is office.",
     "In one word or phrase: office", "In a word or two: office", "All in all but simply: office"],
)  # fmt: skip
def test_what_stands(text):
    assert stance(text, "office", 1) == "asserted", text


@pytest.mark.parametrize(
    ("sentence", "said"),
    [("ⵣ", "asserted"), ("The answer is ⵣ.", "asserted"), ("No, the answer is ⵣ.", "asserted"), ("ⵣ?", "taken back"),
     ("Is it ⵣ?", "taken back"), ("The garden, ⵣ.", "open"), ("ⵣ, the garden.", "open"),
     ("Garden is the answer, ⵣ.", "taken back"), ("The answer is garden, ⵣ.", "taken back"),
     ("He walked to ⵣ in the rain.", "open"), ("1. ⵣ 2. garden", "taken back")],
)  # fmt: skip
def test_one_sentence(sentence, said):
    assert sentence_stance(sentence, "", 2, alone=False, final=True) == said
    assert sentence_stance(sentence, "Possible answers:", 2, alone=False, final=True) == "taken back"

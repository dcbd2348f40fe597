"""Which of several phrases a text asserts."""

from __future__ import annotations

import pytest

from taskloom.score.read.stance import asserted


@pytest.mark.parametrize("phrases", [["office", "the office"], ["the office", "office"]])
def test_the_longest_phrase_that_is_asserted(phrases):
    assert asserted("So he is in the office.", phrases, 2) == "the office"


def test_what_is_not_asserted():
    assert asserted("So he is in the office.", ["garden", ""], 2) is None
    assert asserted("He is not in the office.", ["office"], 2) is None
    assert asserted("Is he in the office?", ["office"], 2) is None

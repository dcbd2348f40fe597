"""What an output repeats of its prompt is no answer."""

from __future__ import annotations

import pytest

from taskloom.score.read.locate import _without_repeated_line


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Where is Mary?\nkitchen", "Mary went there.\nWhere is Mary?"),
        ("Question: Where is Mary?\nkitchen", "Mary went there.\nWhere is Mary?"),
        ("> **Where is Mary?**\nkitchen", "Mary went there. Where is Mary?\nAnswer in one word."),
        ("Answer in one word.\nkitchen", "Where is Mary?\nAnswer in one word."),
    ],
)
def test_a_line_that_repeats_the_question_goes(said, asked):
    assert _without_repeated_line(said, asked) == "kitchen"


def test_another_question_stays():
    said = "Where is John?\nkitchen"
    assert _without_repeated_line(said, "Mary went there.\nWhere is Mary?") == said

"""What a sentence says around its answer."""

from __future__ import annotations

import pytest

from taskloom.score.read.frame import answer_after_link, is_frame


@pytest.mark.parametrize(
    ("said", "most", "answer"),
    [
        ("After all of that, the thing she carries is a zorp", 1, "a zorp"),
        ("What he wanted, as far as anyone knows, was the big red zorp", 3, "the big red zorp"),
        ("The zorp is what she was said to carry around all day", 1, None),
        ("Nothing links anything here and nothing ever did zorp", 1, None),
        ("It is a zorp", 1, None),
    ],
)
def test_an_answer_follows_a_link_near_the_end_of_a_long_sentence(said, most, answer):
    assert answer_after_link(said, most) == answer


def test_sentences_begin_with_a_capital():
    said = "When it was over and all was said, the last line was {} zorp came home"
    assert answer_after_link(said.format("The"), 4, sentence=True) == "The zorp came home"
    assert answer_after_link(said.format("the"), 4, sentence=True) is None


@pytest.mark.parametrize("said", ["No problem, happy to help!", "Without further ado", "No doubt about it"])
def test_words_of_denial_that_deny_nothing_are_talk(said):
    assert is_frame(said)


@pytest.mark.parametrize("said", ["No kitchen", "Not at all sure", "No garden, happy to help!"])
def test_words_that_say_something_are_not(said):
    assert not is_frame(said)

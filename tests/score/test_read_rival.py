"""What stands beside an answer: another answer, or talk and comments."""

from __future__ import annotations

import pytest

from taskloom.score.read.rival import is_rival


@pytest.mark.parametrize(
    ("sentence", "place"),
    [("The garden.", 1), ("garden", 1), ("I find that the answer is garden.", 1), ("I'd say garden.", 1),
     ("The answer is the big garden.", 1), ("Garden is the answer.", 1), ("Perhaps: nothing", None),
     ("None", 1), ("Then again, garden", 1), ("the other garden", None)],
)  # fmt: skip
def test_as_short_as_an_answer(sentence, place):
    if sentence == "Perhaps: nothing":
        assert not is_rival(sentence, 1, place)
    else:
        assert is_rival(sentence, 2, place), sentence


@pytest.mark.parametrize(
    ("sentence", "place"),
    [("Garden:", 1), ("Garden?", 1), ("Garden!", 0), ("Drumroll please.", 0), ("I walked home.", 1), ("Here it is.", 1),
     ("It is not the garden.", 1), ("There is no garden.", 1), ("Although the garden is nice, he left.", 1),
     ("He went to the garden and stayed there all day long.", 1), ("This", 1), ("Right", 1),
     ("That is how the story ends", 1), ("I hope this helps", 1), ("", 1), ("I'd say so.", 1)],
)  # fmt: skip
def test_talk_questions_denials_and_long_sentences_are_none(sentence, place):
    assert not is_rival(sentence, 1, place), sentence


def test_an_exclamation_counts_after_the_first_sentence():
    assert is_rival("Garden!", 1, 1)
    assert not is_rival("Garden!", 1, 0)
    assert not is_rival("Well then…", 1, 0)


@pytest.mark.parametrize(("most", "rival"), [(1, False), (2, False), (3, True)])
def test_answers_may_be_a_little_longer_than_the_examples(most, rival):
    assert is_rival("Silver River Valley Hall Club Room Seven", most, 1) == rival


def test_comments_speak_of_the_story_in_more_words():
    assert is_rival("silver old story", 4, None)
    assert not is_rival("silver river old story", 4, None)
    assert is_rival("old story", 4, 1)
    assert not is_rival("silver old story", 4, 1)

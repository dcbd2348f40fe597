"""What a sentence adds to the question that it restates."""

from __future__ import annotations

import pytest

from taskloom.score.read.restate import added_words, question_of, restated_truth

WITH = "Where is Daniel with the football?"


@pytest.mark.parametrize(
    ("sentence", "question", "added"),
    [
        ("Daniel is in the hallway.", "Where is Daniel?", "hallway"),
        ("He is in the hallway now.", "Where is Daniel?", "hallway"),
        ("Sandra is in the hallway.", "Where is Daniel?", None),
        ("Daniel football hallway", WITH, "hallway"),
        ("Daniel hallway", WITH, None),
        ("Daniel is not in the hallway.", "Where is Daniel?", None),
        ("Daniel is there.", "Where is Daniel?", None),
        ("Daniel is in the old town hall.", "Where is Daniel?", "old town hall"),
        ("hallway Daniel is in the garden", "Where is Daniel?", "garden"),
        ("Mary: three", "How many objects is Mary carrying?", "three"),
    ],
)
def test_added_words(sentence, question, added):
    assert added_words(sentence, question) == added


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("A story.\nWhere is Daniel?", "Where is Daniel?"),
        ("Who? Then: where is he? Say it.", "where is he?"),
        ("¿Dónde está?\n", "Dónde está?"),
        ("Name it.\n  the last line \n\n", "the last line"),
        ("", ""),
        ("old question? " + "x" * 1_600, "x" * 1_500),
    ],
)
def test_the_question_of_a_prompt(prompt, question):
    assert question_of(prompt) == question


def test_yes_and_no_in_whole_sentences():
    asked = "Is Daniel in the hallway?"
    assert restated_truth("Daniel is in the hallway", asked) is True
    assert restated_truth("Daniel is not in the hallway", asked) is False
    assert restated_truth("Daniel is not never in the hallway", asked) is None
    assert restated_truth("Daniel is in the garden", asked) is None
    assert restated_truth("Daniel is in the hallway", "Is Daniel in the hallway") is None
    assert restated_truth("Daniel", "?") is None

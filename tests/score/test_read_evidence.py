"""Sentences of the prompt that an output repeats are evidence: neither hedges nor answers of its own."""

from __future__ import annotations

import pytest

from taskloom.ask import judge_answer
from taskloom.core import Example, Instance, Instruction, Task, any_of
from taskloom.score.read.evidence import is_evidence, shares_sentence, without_evidence
from taskloom.score.read.profile import profile_of

WHERE = Task("t", Instruction("Say where the person is.", (Example("x", "garden"),)), "text", "exact")
WHAT = Task("t", Instruction("Say what somebody is afraid of.", (Example("x", "mouse"),)), "text", "exact")
WHY = Task("t", Instruction("Say why.", (Example("x", "tired"),)), "text", "exact")
SENTENCE = Task("t", Instruction("Correct it.", (Example("x", "He is in the old house."),)), "text", "exact")
STORY = (
    "Daniel is either in the school or the office.\nDaniel is not in the school.\nMary took the milk.\nWhere is Daniel?"
)
FEARS = "Sheep are afraid of cats.\nGertrude is a sheep.\nWhat is Gertrude afraid of?"
KITCHEN = "Jason is thirsty.\nJason went to the kitchen.\nWhy did Jason go to the kitchen?"


def _score(task: Task, prompt: str, right: str, said: str) -> float:
    return judge_answer(task, Instance("i", prompt, any_of(right)), said).score or 0.0


@pytest.mark.parametrize(
    "said",
    [
        "Office. Daniel is either in the school or the office.",
        'I believe the answer is office. The story says "Daniel is either in the school or the office."',
        "The office, because Daniel is not in the school.",
        "- Daniel is either in the school or the office.\n- Daniel is not in the school.\n\nSo: office",
        '"Daniel is not in the school." So the answer is the office.',
        "> Daniel is not in the school.\n\nDaniel is in the office.",
    ],
)
def test_who_quotes_the_story_does_not_hedge(said):
    assert _score(WHERE, STORY, "office", said) == 1.0
    assert _score(WHERE, STORY, "school", said) == 0.0


@pytest.mark.parametrize(
    "said",
    [
        "The answer is the sheep, because Sheep are afraid of cats.",
        'The answer is **sheep**, since the input says "Sheep are afraid of cats."',
        "Sheep are afraid of cats.",
        'Gertrude is afraid of the sheep.\n\nThis is because the input says "Sheep are afraid of cats."',
    ],
)
def test_a_right_word_in_the_evidence_earns_nothing(said):
    assert _score(WHAT, FEARS, "cats", said) == 0.0


def test_a_sentence_of_the_story_answers_only_the_question_about_it():
    assert _score(WHERE, "Mary went to the garden.\nWhere is Mary?", "garden", "Mary went to the garden.") == 1.0
    assert _score(WHERE, "Mary went to the garden.\nWhere is the milk?", "garden", "Mary went to the garden.") == 0.0


def test_a_reason_is_the_answer_where_one_is_asked_for():
    assert _score(WHY, KITCHEN, "thirsty", "Jason went to the kitchen because he was thirsty.") == 1.0
    assert _score(WHERE, STORY, "school", "He is in the office because nobody saw him in the school.") == 0.0


def test_what_may_be_the_answer_is_not_evidence():
    shown = "He is in the old house."
    assert without_evidence(f"So: {shown} Sure.", shown, profile_of(SENTENCE)) == f"So: {shown} Sure."
    # Two words are an answer's length, and nothing else would remain.
    assert without_evidence("old house. Sure.", "old house", profile_of(WHERE)) == "old house. Sure."
    assert without_evidence("Mary took the milk.", STORY, profile_of(WHERE)) == "Mary took the milk."
    assert is_evidence("mary took the milk", STORY, profile_of(WHERE))
    assert not is_evidence("Mary took the apple", STORY, profile_of(WHERE))
    assert shares_sentence("Well, where is Daniel?", STORY, profile_of(WHERE))
    assert not shares_sentence("Well, the office.", STORY, profile_of(WHERE))

"""Answers that break off before their end, after they have been given once."""

from __future__ import annotations

import pytest

from taskloom.core import Example, Instruction, Task
from taskloom.core.catalog import READERS

LENIENT = READERS.get("lenient")
STORY = "Daniel journeyed to the office.\nMary went to the garden.\nWhere is Mary?"
WHERE = Task("t", Instruction("Say where the person is.", (Example("x", "kitchen"),)), "text", "exact")
FOLLOWS = Task("t", Instruction("Say it."), "label", "label", ("entailment", "not-entailment"))
SAID = "Mary is in the garden."


def _read(text, task=WHERE, prompt=STORY):
    return LENIENT.read(text, task, prompt).answer


@pytest.mark.parametrize(
    "ending",
    ["The answer is: Mary is in", "The answer is", "Final answer:", "Final answer: the gar", "The answer is **gar",
     "**Answer:**", "### Final answer", "The answer is the", "Answer: \"Mary is", "So, the answer is \\boxed{",
     "The answer is \\boxed{gar", "\\boxed{", "<answer>", "The answer is Mary is in the ga", "Answer: MARY IS IN"],
)  # fmt: skip
def test_an_answer_that_breaks_off_while_it_is_repeated_takes_nothing_back(ending):
    assert _read(f"{SAID}\n\n{ending}") == "garden"


@pytest.mark.parametrize(
    "ending",
    ["The answer is: Daniel is in", "The answer is not", "Answer: off", "Answer: art", "The answer is: Mary is in.",
     "Answer: the office or", "The answer is the office", "The answer is the den", "\\boxed{off"],
)  # fmt: skip
def test_other_endings_stand(ending):
    assert _read(f"{SAID}\n\n{ending}") != "garden"


def test_what_was_said_before_has_to_say_something():
    assert _read("The answer is: Mary is in") != "garden"
    assert _read("Mary is either in the garden or in the office.\n\nThe answer is: Mary is") != "garden"
    assert _read("She is an artist. Answer: art", WHERE, "What is she good at?") == "art"
    assert _read("She is an artist. Answer: **art", WHERE, "What is she?") == "artist"


@pytest.mark.parametrize(
    ("ending", "label"),
    [("Final answer: entail", "entailment"), ("Final answer: not", None), ("Final answer: not-ent", None),
     ("Final answer: not-entailment", "not-entailment"), ("Answer:", "entailment")],
)  # fmt: skip
def test_a_label_that_breaks_off_stands_for_the_one_that_was_named(ending, label):
    assert _read(f"The label is entailment.\n\n{ending}", FOLLOWS, "a\nb") == label


def test_not_entailment_that_breaks_off():
    assert _read("This is not-entailment.\n\nFinal answer: not-en", FOLLOWS, "a\nb") == "not-entailment"
    assert _read("This is not-entailment.\n\nFinal answer: Not", FOLLOWS, "a\nb") == "not-entailment"


def test_wordings_do_not_hide_that_a_word_breaks_off():
    assert _read("It is the cinema.\n\nFinal answer: the cin", WHERE, "Where?") == "the cinema"
    assert _read("It is the cinema.\n\nFinal answer: the zoo", WHERE, "Where?") == "the zoo"
    assert _read("It is the hallway.\n\nFinal answer: the hall", WHERE, "Where?") == "the hallway"

"""What is read at a glance is read as the patient rules read it."""

from __future__ import annotations

import pytest

from taskloom.core import Example, Instruction, Task
from taskloom.core.catalog import READERS
from taskloom.score.read.glance import at_a_glance, plain_sentence
from taskloom.score.read.profile import profile_of
from taskloom.score.read.wrapped import unwrapped

LENIENT = READERS.get("lenient")


def _task(kind, output, labels=(), definition="Say it."):
    scorer = {"label": "label", "number": "number"}.get(kind, "exact")
    return Task("t", Instruction(definition, (Example("x", output),)), kind, scorer, labels)


WHERE, TITLE = _task("text", "garden"), _task("text", "Brave New World")
COUNT, WAY = _task("number", "3"), _task("text", "s,w")
TRUTH = _task("label", "yes", ("yes", "no"))
SENTENCE = _task("text", "Ann does not run home at all.")
ROWS = _task("json", '[{"a": 1}]', definition="Answer with JSON, or n/a.")
FRAMES = [
    "{}", "{}.", "**{}**", "The answer is {}.", "The final answer is **{}**.", "Answer: {}", "**Answer:** {}",
    "So the answer is {}.", "Therefore, the correct answer is {}.", "I think the answer is {}.", "Result → {}",
    "Output: {}", "Answer = {}", "My answer would be: {}", "The answer to the question is {}.", "I'd say {}.",
    "It is {}.", "That would be {}.", "I believe it's {}.", "We get {}.", "Sure! The answer is {}.",
    "Great question! {}.",
    "Based on the story, it is {}.", "After reading the text carefully: {}.", "Here is the answer:\n\n{}",
    "Answer: {}\n\nLet me know if you need anything else!", "{}\n\nI hope this helps!", "{} ✅", "> {}", "- {}",
    "```{}```",
    "```\n{}\n```", "<answer>{}</answer>", "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$", '{{"answer": "{}"}}',
    "It's {}, I'm fairly confident.", "So, to sum up: {}",
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "answer"),
    [(WHERE, "hallway"), (TITLE, "Velvet Morning"), (COUNT, "17"), (WAY, "n,e"), (TRUTH, "no"),
     (SENTENCE, "Bo sees the guitar.")],
)  # fmt: skip
def test_ordinary_frames_are_read_at_a_glance_and_rightly(task, answer):
    profile, seen = profile_of(task), 0
    for frame in FRAMES:
        text = frame.format(answer)
        patient = LENIENT._read(text, profile, "Where is it?").answer
        quick = at_a_glance(text, profile)
        seen += quick is not None
        # Confidence is not part of an answer, even where the patient rules leave that to the scorer.
        assert quick in (None, patient.removesuffix(", I'm fairly confident").rstrip(".")), (text, quick, patient)
    assert seen >= (20 if task in (SENTENCE, COUNT) else 33), seen


def test_n_a_where_json_is_asked_for():
    for frame in FRAMES:
        text = frame.format("n/a")
        assert at_a_glance(text, profile_of(ROWS)) in (None, "n/a")
    assert at_a_glance("The answer is n/a.", profile_of(ROWS)) == "n/a"
    assert at_a_glance("The answer is n/a.", profile_of(_task("json", '[{"a": 1}]'))) is None
    assert at_a_glance('The answer is "x".', profile_of(ROWS)) is None


@pytest.mark.parametrize(
    "text",
    ["Possible answers: hallway", "Here are the options:\n\nhallway", "Maybe! The answer is hallway.",
     "The text again: x y",
     "Not the answer: hallway", "Wrong! hallway", "hallway, or so I'm told", "hallway — or the cinema",
     "The question: hallway",
     "hallway ❌", "<b>hallway</b>", "<answer>hallway</final>", "\\boxed{hallway} or \\boxed{attic}",
     "- hallway\n- attic",
     "```hallway``` or ```attic```", "hallway\n\nOr the attic.", "Wait\n\nhallway", "hallway\n\nattic\n\nThanks!",
     "x" * 61 + ": hallway", "I'm sure", "It's the hallway, I'm told.", "No, the hallway"],
)  # fmt: skip
def test_anything_else_is_left_as_it_is(text):
    assert unwrapped(text) == text


def test_layers_come_off_one_by_one():
    assert unwrapped("Sure! Here is the answer: <answer>hallway</answer>") == "hallway"
    assert unwrapped("Sure! Answer: Answer: Answer: Answer: x") == "Answer: x"
    assert unwrapped("The answer is hallway. Hope that helps!") == "The answer is hallway."
    assert unwrapped("Understood. Call option.") == "Understood. Call option."
    assert unwrapped("Sure! Well.") == "Sure! Well."
    assert unwrapped("") == ""
    assert unwrapped("I hope this helps!") == "I hope this helps!"


def test_announcing_the_last_words_of_the_prompt_repeats_it():
    # The patient rules keep the prose, where a glance takes a word alone.
    said, shown = "As stated: hallway", "Name a room that is no\nhallway"
    assert LENIENT.read(said, WHERE, shown) == LENIENT._read(said, profile_of(WHERE), shown)
    assert LENIENT.read("hallway", WHERE, shown).said == ""
    assert LENIENT.read(said, WHERE, "Name a room.").said == ""


def test_long_outputs_are_not_glanced_at():
    words = "hallway" * 20
    assert at_a_glance(f"The answer is {words}.", profile_of(WHERE)) is None
    assert plain_sentence(f"Daniel went to {words}.", profile_of(WHERE)) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [("No, the square is not above the circle.", "no"), ("Yes, the square is left of the circle.", "yes"),
     ("Yes, the square is not above the circle.", None), ("Yes, maybe the square is.", None), ("So, it is", None),
     ("Yes, no square is there.", None), ("True, the square is above it.", None), ("Yes, or so it seems.", None),
     ("Yes, the square, I find.", None)],
)  # fmt: skip
def test_a_label_before_a_sentence_that_agrees_with_it(text, label):
    assert at_a_glance(text, profile_of(TRUTH)) == label
    assert LENIENT._read(text, profile_of(TRUTH), "Is it?").answer == label or label is None


def test_openers_of_plain_sentences():
    assert plain_sentence("Based on the story, Daniel went home.", profile_of(WHERE)) == "Daniel went home"
    assert plain_sentence("Despite the story, Daniel went home.", profile_of(WHERE)) is None
    assert plain_sentence("Based on no story, Daniel went home.", profile_of(WHERE)) is None

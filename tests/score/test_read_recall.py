"""Wordings that were read before are read again as they were, whatever stands in their gap."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from taskloom.core import Example, Instance, Instruction, Task, any_of
from taskloom.core.catalog import READERS
from taskloom.score.normalise import squeezed
from taskloom.score.read import recall
from taskloom.score.read.profile import profile_of

sys.path.insert(0, str(Path(__file__).parent))

from styles import ROUNDS, say

LENIENT = READERS.get("lenient")
STORY = "Daniel journeyed to the office.\nThe milk is in the garden.\nWhere is Daniel?"


def _task(kind: str, definition: str, output: str, labels: tuple[str, ...] = ()) -> Task:
    scorer = {"label": "label", "number": "number"}.get(kind, "exact")
    return Task("t", Instruction(definition, (Example("x", output),)), kind, scorer, labels)


WHERE = _task("text", "Say where the person is.", "garden")
COUNT = _task("number", "Count the vowels.", "3")
LABELS = _task("label", "Answer 'yes', 'no' or 'maybe'.", "yes", ("yes", "no", "maybe"))
TITLE = _task("text", "Name the book.", "Brave New World")
TEMPLATES = list(dict.fromkeys(text for each in ROUNDS for text in (*each.styles, *each.hedges)))


@pytest.mark.parametrize(
    ("task", "answers"),
    [
        (WHERE, ("office", "hallway", "Zorvak", "cinema")),
        (TITLE, ("Silent Running", "Velvet Morning", "zorvak belmin", "Tarun Quibell")),
        (COUNT, ("17", "93", "4711", "5", "8")),
        (LABELS, ("yes", "no", "maybe") * 2),
    ],
)
def test_what_was_read_before_is_read_as_the_patient_rules_read_it(task, answers):
    profile, recalled = profile_of(task), 0
    for template in TEMPLATES[::2]:
        for answer in answers:
            instance = Instance("i", STORY, any_of(answer), {"question": "Where is Daniel?"})
            text = say(template, [answer], task, instance, "maybe" if task is LABELS else "zebra")
            gap = recall.wording(squeezed(text), profile)
            recalled += gap is not None and recall.recall(gap, profile, STORY) is not None
            patient = LENIENT._read(squeezed(text), profile, STORY)
            found = LENIENT.read(text, task, STORY)
            assert found == patient or found.answer == patient.answer, (text, found, patient)
    # A good part of the styles is short enough and has one gap.
    assert recalled > 75, recalled


def test_a_word_that_some_rule_knows_leaves_no_gap():
    profile = profile_of(WHERE)
    for word in ("maybe", "not", "wrong", "although", "neither", "question", "probably", "misread", "undetermined"):
        assert recall.wording(f"The answer is {word}.", profile) is None, word
    assert recall.wording("The answer is hallway.", profile).key == ("The answer is ", ".", 0)


def test_readings_that_hang_on_the_prompt_are_not_remembered():
    said = "My answer is as follows: he is in the hallway"
    assert LENIENT.read(said, WHERE, "Where is he?").answer
    shown = f"Somebody said this.\n{said}\nWhere is Daniel?"
    gap = recall.wording(said, profile_of(WHERE))
    assert recall.recall(gap, profile_of(WHERE), shown) is None


def test_tasks_whose_answers_have_one_form_share_what_was_read(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    said = "Right then, it is hallway!!"
    assert LENIENT.read(said, WHERE, STORY).answer == "hallway"
    other = _task("text", "Name the room that is meant.", "kitchen")
    gap = recall.wording(said, profile_of(other))
    assert recall.recall(gap, profile_of(other), "Which room?").answer == "hallway"
    assert recall.recall(gap, profile_of(TITLE), "Which room?") is None


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    monkeypatch.setattr(recall, "_MOST_FORMS", 2)
    monkeypatch.setattr(recall, "_MOST_WORDINGS", 3)
    tasks = [_task("text", "Say where the person is.", " ".join(["garden"] * n)) for n in range(1, 6)]
    for task in tasks:
        for opening in ("So it is", "Sure! It is", "Well, it is", "The answer is here:", "Final answer =>"):
            LENIENT.read(f"{opening} hallway!!", task, STORY)
    assert 0 < len(recall._known) <= 2
    assert all(0 < len(wordings) <= 3 for wordings in recall._known.values())

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
    for template in TEMPLATES[::4]:
        for answer in answers:
            instance = Instance("i", STORY, any_of(answer), {"question": "Where is Daniel?"})
            text = say(template, [answer], task, instance, "maybe" if task is LABELS else "zebra")
            gap = recall.wording(squeezed(text), profile, STORY)
            recalled += gap is not None and recall.recall(gap, profile, STORY) is not None
            patient = LENIENT._read(squeezed(text), profile, STORY)
            found = LENIENT.read(text, task, STORY)
            assert found == patient or found.answer == patient.answer, (text, found, patient)
    # A good part of the styles is short enough.
    assert recalled > 37, recalled


def _gaps(text, task=WHERE, prompt=STORY):
    said = recall.wording(text, profile_of(task), prompt)
    return None if said is None else [said.parts[gap] for gap in said.gaps]


def test_words_that_no_rule_knows_leave_gaps():
    for word in ("maybe", "not", "wrong", "although", "neither", "question", "probably", "misread", "undetermined"):
        assert _gaps(f"The answer is {word}.") == [], word
    assert _gaps("The answer is hallway.") == ["hallway"]
    assert _gaps("Sure! Daniel is in the hallway.") == ["Daniel", "hallway"]
    assert _gaps(f"The answer is {'zorv' * 6}.") == ["zorv" * 6]
    assert _gaps("The answer is 17.") == []
    assert _gaps("The answer is 17.", COUNT) == ["17"]
    assert _gaps("The label is politics.", _task("label", "Sort.", "politics", ("politics", "sports"))) == []


@pytest.mark.parametrize(
    "text",
    ["Daniel's hallway", "a steel-grey hallway", "the 3rd hallway", "x_hallway", "hallway¹", "no", "Is it the hallway?",
     "hallway " * 40, "zorv" * 7, "an odd \x01 hallway"],
)  # fmt: skip
def test_parts_of_words_questions_and_long_outputs_are_left_to_the_patient_rules(text):
    assert _gaps(text) is None


def _key(text, task=WHERE, prompt=STORY):
    return recall.wording(text, profile_of(task), prompt).key


def test_wordings_are_told_apart_by_all_that_rules_may_see():
    assert _key("It is the hallway.") == _key("It is the cinema.")
    assert _key("It is the hallway.") != _key("It is the Hallway.") != _key("It is the HALLWAY.")
    assert _key("It is the hallway.") != _key("It is the blue hallway.")
    # Whether a word comes again, and which one.
    assert _key("hallway cinema hallway") == _key("cinema hallway cinema")
    assert len({_key(f"hallway cinema {last}") for last in ("hallway", "cinema", "attic")}) == 3
    # Whether the question has it, and what kind of question it is.
    assert _key("It is Daniel.") != _key("It is Sandra.")
    assert _key("It is Daniel.", prompt="Why is Daniel here?") != _key("It is Daniel.", prompt="Where is Daniel?")
    # Whether the end of the prompt speaks of what is said to be something.
    shown = "The milk is in the garden."
    assert _key("Milk is white", prompt=shown) != _key("Milk is white", prompt="Name a colour.")
    # How many digits a number has, up to three.
    assert _key("It is 17.", COUNT) == _key("It is 93.", COUNT) != _key("It is 170.", COUNT)
    assert _key("It is 170.", COUNT) == _key("It is 1700.", COUNT)


def test_gaps_are_filled_again(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    assert LENIENT.read("Sure! Daniel is in the hallway now.", WHERE, STORY).answer == "hallway"
    other = STORY.replace("Daniel", "Winona")
    text = "Sure! Winona is in the cinema now."
    found = recall.recall(recall.wording(text, profile_of(WHERE), other), profile_of(WHERE), other)
    assert (found.answer, found.said, found.why) == ("cinema", text, "restated")
    # About somebody else than the one who was asked about it is another wording.
    said = recall.wording(text, profile_of(WHERE), STORY)
    assert recall.recall(said, profile_of(WHERE), STORY) is None


def test_outputs_that_repeat_the_prompt_are_neither_remembered_nor_recalled(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    said = "My answer is as follows: he is in the hallway"
    assert LENIENT.read(said, WHERE, "Where is he?").answer
    profile = profile_of(WHERE)
    for shown in (f"Somebody said this.\n{said}\nWhere is Daniel?", f"Who says this?\n{said}"):
        gap = recall.wording(said, profile, shown)
        assert recall.recall(gap._replace(key=next(iter(recall._known))), profile, shown) is None, shown
        before = dict(recall._known)
        recall.learn(gap, LENIENT.read(said, WHERE, "Where is he?"), profile, shown)
        assert recall._known == before
    quoted = 'It is "hallway", I find.'
    assert recall._repeats(quoted, "Rooms:\nhallway.\nWhich?", profile)
    assert not recall._repeats(quoted, "Rooms:\nhallway and attic.\nWhich?", profile)


def test_tasks_whose_answers_have_one_form_share_what_was_read(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    said = "Right then, it is hallway!!"
    assert LENIENT.read(said, WHERE, "Which room?").answer == "hallway"
    other = _task("text", "Name the room that is meant.", "kitchen")

    def recalled(task):
        gap = recall.wording("Right then, it is attic!!", profile_of(task), "Which room?")
        return recall.recall(gap, profile_of(task), "Which room?")

    assert recalled(other).answer == "attic"
    assert recalled(TITLE) is None


def test_labels_and_several_numbers_hang_on_the_prompt(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    truth = _task("label", "Answer 'yes' or 'no'.", "yes", ("yes", "no"))
    assert LENIENT.read("Daniel is in the office.", truth, "Is Daniel in the office?").answer == "yes"
    assert not recall._known
    assert LENIENT.read("As I read it, it is yes, and it stays so.", truth, "Is Daniel in the office?").answer == "yes"
    assert len(recall._known) == 1
    assert LENIENT.read("So, of 3 words: 17", COUNT, "Count the 3 words.").answer == "17"
    assert len(recall._known) == 1


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(recall, "_known", {})
    monkeypatch.setattr(recall, "_MOST_WORDINGS", 3)
    sizes = []
    for opening in ("So it is", "Sure! It is", "Well, it is", "The answer is here:", "Final answer =>"):
        LENIENT.read(f"{opening} hallway!!", WHERE, STORY)
        sizes.append(len(recall._known))
    assert sizes == [1, 2, 3, 1, 2]

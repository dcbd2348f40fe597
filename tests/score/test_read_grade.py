"""Scores of what was read: other spellings of an answer are the answer, other answers are not."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Boolean, Example, Instruction, Items, Product, Structure, Task
from taskloom.core.catalog import SCORERS
from taskloom.core.scorer import Score
from taskloom.score.read.grade import grade


def task(kind="text", scorer="exact", *outputs, given="x", labels=()):
    shown = tuple(Example(given, output) for output in outputs)
    return Task("t", Instruction("d", shown), kind, scorer, labels)


PLACE = task("text", "exact", "garden")
PATH = task("text", "exact", "north, east")
TITLE = task("text", "exact", "Old Hat", given="old hat")
ARTICLE = task("text", "exact", "the garden")
WAY = AnyOf(("north, east",))
MANY = AnyOf((*(f"place {n}" for n in range(16)), "the Old Mill."))


def value(answer, targets, of, said=""):
    return grade(answer, SCORERS.get(of.scorer), targets, of, said).value


@pytest.mark.parametrize(
    ("answer", "targets", "of", "expected"),
    [
        ("Garden.", AnyOf(("garden",)), PLACE, 1.0), ("the garden", AnyOf(("garden",)), PLACE, 1.0),
        ("in the garden", AnyOf(("the garden",)), PLACE, 1.0), ("“garden”", AnyOf(("garden",)), PLACE, 1.0),
        ("gardens", AnyOf(("garden",)), PLACE, 0.0), ("the garden", AnyOf(("garden",)), ARTICLE, 0.0),
        ("Old Hat.", AnyOf(("Old Hat",)), TITLE, 1.0), ("old hat", AnyOf(("Old Hat",)), TITLE, 0.0),
        ("old mill", MANY, PLACE, 0.0), ("The old mill", MANY, PLACE, 1.0), ("Place 3", MANY, PLACE, 1.0),
        ("place 16", MANY, PLACE, 0.0), ("a place 3", MANY, PLACE, 1.0),
        ("go north then east", WAY, PATH, 1.0), ("north and east", WAY, PATH, 1.0), ("east, north", WAY, PATH, 0.0),
        ("north", AnyOf(("north",)), PATH, 1.0), ("north and east", WAY, PLACE, 0.0),
        ("Yes.", Boolean(True, ("yes", "no")), task("boolean", "label", labels=("yes", "no")), 1.0),
        ("the cat, the dog", Product((("cat",), ("dog",))), task("sequence", "words"), 1.0),
        ("cat, dog", Product((("cat",), ("dog",))), task("sequence", "words"), 1.0),
        ("dog, cat", Product((("cat",), ("dog",))), task("sequence", "words"), 0.0),
        ("apple and milk", Items((("apple", "milk"),)), task("items", "items"), 1.0),
        ("apple | milk", Items((("apple", "milk"),), separator=" | "), task("items", "items"), 1.0),
        ('{"a": 1}', Structure(('[{"a":1}]',)), task("json", "structure"), 1.0),
        ('{"a": 2}', Structure(('[{"a":1}]',)), task("json", "structure"), 0.0),
    ],
)  # fmt: skip
def test_spellings(answer, targets, of, expected):
    assert value(answer, targets, of) == expected


def test_prose_may_state_the_answer_that_was_not_found():
    targets, prose = AnyOf(("garden",)), "He is in the garden."
    assert value("", targets, PLACE, prose) == 1.0
    assert value("somewhere", targets, PLACE, prose) == 1.0
    assert value("", targets, PLACE, "He is not in the garden.") == 0.0
    assert value("", targets, PLACE) == 0.0
    lists = Items((("apple", "milk"),))
    assert value("", lists, task("items", "items", "a, b"), "The answer is apple, milk.") == 1.0
    assert value("", lists, task("items", "items", "a, b"), "The answer is not apple, milk.") == 0.0
    words = Product((("cat", "tom"), ("dog",)))
    assert value("", words, task("sequence", "words"), "The answer is: tom, dog.") == 1.0
    assert value("", words, task("sequence", "words"), "The answer is: tom.") == 0.0


def test_what_is_known_already_is_not_worked_out_again():
    known = Score(1.0, {"seen": True})
    assert grade("x", None, AnyOf(("a",)), PLACE, known=known) is known
    half = Score(0.5)
    assert grade("nothing like it", SCORERS.get("exact"), AnyOf(("a",)), PLACE, known=half) is half
    assert grade("A", SCORERS.get("exact"), AnyOf(("a",)), PLACE, known=half).value == 1.0


@pytest.mark.parametrize(
    ("scorer", "targets"),
    [
        ("items", Structure(('"a b"',))), ("structure", AnyOf(("A b",))), ("words", Structure(("a b",))),
        ("words", Items((("a", "b"),), separator=" ")),
    ],
)  # fmt: skip
def test_scorers_compare_other_targets_as_texts(scorer, targets):
    one = SCORERS.get(scorer)
    right = targets.canonical()
    assert one.score(right, targets, PLACE).value == 1.0
    assert one.score(f"{right} c", targets, PLACE).value == 0.0


CARRIED = Items((("apple",), ("apple", "milk")), ordered=False, separator=", ", empty="nothing")
LISTED = task("items", "items", "apple, milk")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("apple", 1.0), ("apple and milk", 1.0), ("apple, football and milk", 0.0), ("apple and football", 0.0),
        ("the apple, which she found by the river, and later the milk", 1.0),
    ],
)  # fmt: skip
def test_a_list_of_more_than_is_acceptable_is_another_answer(answer, expected):
    assert value(answer, CARRIED, LISTED, said=answer) == expected


SENTENCE = "David is 62 years old."
SAID = task("text", "exact", "Anna is 75 years old.")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"Lucy is 71 years old. / {SENTENCE}", 0.0), (f"{SENTENCE} | Lucy is 71 years old.", 0.0),
        (f"**Lucy is 71 years old.** // {SENTENCE}", 0.0), (f"Here it comes.\n\n{SENTENCE}", 1.0),
    ],
)  # fmt: skip
def test_two_sentences_side_by_side_are_no_answer(said, expected):
    assert value(said, AnyOf((SENTENCE,)), SAID, said=said) == expected


@pytest.mark.timeout(300)  # looking past every line end from each of them would take hours
@pytest.mark.parametrize("flood", ["\n" * 2_000_000, ". " * 1_000_000, "." + " " * 2_000_000, "*" * 2_000_000])
def test_a_flood_is_looked_through_once(flood):
    assert value("zebra", AnyOf((SENTENCE,)), SAID, said=f"x{flood}y") == 0.0

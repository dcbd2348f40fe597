"""Words and templates that cannot be written or read back are refused with the reason, never with a traceback."""

import json

import pytest
from msgspec import convert

from taskloom.core import UserError, open_suite
from taskloom.core.yaml12 import decode_yaml
from taskloom.families.babi.files import FileQuestion, FileStory, read_story
from taskloom.families.babi.kit import read_config
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.vocabulary import Vocabulary

SMALL = {"train": 10, "dev": 0, "test": 0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"templates": {"move": "{person} {verb} to the {place} with {friend}."}}, "{friend}, which it cannot fill"),
        ({"templates": {"move": "{person} {verb} to the {place}"[:-1]}}, "an unmatched brace"),
        ({"templates": {"move": "{person} {verb} } to the {place}."}}, "an unmatched brace"),
        ({"templates": {"move": "{person.__class__} {verb} to the {place}."}}, "which is not a field"),
        ({"templates": {"move": "{person!r} {verb} to the {place}."}}, "which is not a field"),
        ({"templates": {"where_person": "Where is\n{person}?"}}, "tabs or line breaks"),
        ({"templates": {"grab": "{person} {verb} {object:acc}."}}, "needs the form 'acc' of 'apple'"),
        ({"grab": ["took"], "drop": ["took"]}, "would have the same text"),
        ({"grab": [""]}, "is not a word"),
        ({"move": ["went\tback"]}, "is not a word"),
        ({"openers": ["Then\n"]}, "is not a word"),
        ({"yes": " "}, "is not a word"),
        ({"objects": ["ap{ple}", "milk"]}, "is not a word"),
        ({"move_plural": ["went"]}, "they go in pairs"),
        ({"forms": {"boat": {"acc": "the boat"}}}, "which is not an object or place"),
        ({"forms": {"apple": {"acc": "the\tapple"}}}, "is not a word"),
        ({"nothing": "milk"}, "nothing and objects holds 'milk' and 'milk'"),
        ({"objects": ["salt, pepper", "milk"]}, "contains the list separator"),
        ({"openers": ["Daniel"]}, "persons and openers holds 'Daniel' and 'Daniel'"),
        ({"grab": ["picked … up"]}, "the template 'grab' lacks {tail}, where the second part of 'picked … up' stands"),
        ({"move": ["went", "went"]}, "cannot tell apart"),
    ],
)
def test_words_that_cannot_be_told_are_refused(words, message):
    with pytest.raises(UserError) as error:
        open_suite("babi/custom", options={**SMALL, "vocabulary": words})
    assert message in str(error.value)


@pytest.mark.parametrize(
    "words",
    [
        {"persons": {"Mary Ann": "she", "Mary": "she", "J. R.": "he"}, "places": ["St. Paul", "room 2", "there"]},
        {"objects": ['"thing"', "dog's ball", "🍎", "-", "letter to Mary", "red\u00a0ball"]},
        {"objects": ["red apple", "apple"], "places": ["way to the park", "park", "living room"]},
        {"templates": {"where_object": "Where is {object}?"}},
    ],
)
def test_odd_words_are_read_back(words):
    """The parser knew letters only, and took an object for a person where both are asked for alike."""
    suite = open_suite("babi/custom", options={**SMALL, "train": 40, "length": [9, 9], "vocabulary": words})
    parser = Parser(convert(words, Vocabulary))
    for _, one in suite.rows("train"):
        lines = tuple(one.parts["story"].split("\n"))
        read = read_story(FileStory(lines, (FileQuestion(len(lines), one.parts["question"], "", ()),)), parser)
        reader = Reader.of(read.sentences, len(read.names.persons), len(read.names.objects))
        assert reader.answer(read.questions[0]) is not None
        assert not reader.conflicts


def test_yes_and_no_may_stand_unquoted_in_yaml():
    words = decode_yaml("{yes: oui, no: non, maybe: possible}", where="x")
    suite = open_suite("babi/custom", options={**SMALL, "questions": ["yes-no"], "vocabulary": words})
    assert suite.tasks["yes-no"].labels == ("oui", "non", "possible")


def test_then_behind_the_pronoun_is_read():
    lines = ("Daniel went to the park.", "He then went to the garden.")
    read = read_story(FileStory(lines, (FileQuestion(2, "Where is Daniel?", "garden", (0, 1)),)), Parser())
    assert read.sentences[1].pronoun
    reader = Reader.of(read.sentences, 1, 0)
    assert list(read.names.places)[reader.answer(read.questions[0])] == "garden"


def config(tmp_path, *tasks):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"name": "small", "only_dev": True, "tasks": list(tasks)}))
    return str(path)


def part(name, people, places, **story):
    params = {
        "name": name,
        "samples": 10,
        "actions": ["move"],
        "actions_distribution": [1],
        "questions": ["where_person"],
        "actions_before_question": 6,
        "n_questions": 1,
        "question_probability": 1,
        **story,
    }
    return {"story_params": params, "game_variables": {"persons": people, "locations": places}}


def test_each_sub_task_has_its_own_people_and_places(tmp_path):
    path = config(
        tmp_path,
        part("one", ["Ann", "Ben"], ["hut", "barn", "mill"]),
        part("two", ["Cy", "Dee"], ["cave", "dock", "pier"]),
    )
    rows = list(open_suite("babi/custom", options={"config": path}).rows("dev"))
    texts = {task: " ".join(row.instance.input for row in rows if row.task == task) for task in ("one", "two")}
    assert "Ann" in texts["one"] and "Cy" not in texts["one"]
    assert "Cy" in texts["two"] and "hut" not in texts["two"]


def test_a_configuration_without_tasks_is_refused(tmp_path):
    with pytest.raises(UserError, match="there are no tasks"):
        read_config(config(tmp_path))


def test_question_probability_counts_where_questions_are_asked_inside(tmp_path):
    people, places = ["Ann", "Ben", "Cy"], ["hut", "barn", "mill", "well"]

    def lengths(chance):
        story = {"n_questions": 3, "actions_before_question": 2, "question_probability": chance, "samples": 60}
        path = config(tmp_path, part("inside", people, places, **story))
        rows = open_suite("babi/custom", options={"config": path}).rows("dev")
        return [row.instance.facets["length"] for row in rows]

    often, seldom = lengths(1.0), lengths(0.3)
    assert sum(seldom) / len(seldom) > sum(often) / len(often)
    with pytest.raises(UserError, match="question_probability is 0"):
        lengths(0)


def test_supports_of_the_original_where_was_questions_entail_their_answers():
    parser = Parser()
    for row in open_suite("babi/task-3", seed=1, options={"train": 40, "dev": 0, "test": 0}).rows("train"):
        lines = row.instance.parts["story"].split("\n")
        chosen = tuple(lines[line - 1] for line in row.instance.details["support"])
        asked = FileQuestion(len(chosen), row.instance.parts["question"], "", ())
        read = read_story(FileStory(chosen, (asked,)), parser)
        reader = Reader.of(read.sentences, len(read.names.persons), len(read.names.objects))
        assert list(read.names.places)[reader.answer(read.questions[0])] == row.instance.targets.canonical()

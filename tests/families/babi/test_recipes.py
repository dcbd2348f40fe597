"""Recipes: what can be chosen, what is refused and how, and that rare patterns are built rather than awaited."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.core import UserError, open_suite
from taskloom.families.babi.concepts import (
    CellSpec,
    Concepts,
    StarvedError,
    interleave,
    question_kinds,
)
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS, QUESTION_TYPES, WHERE_P, WHERE_WAS, YES_NO
from taskloom.families.babi.sampler import Sampler

SMALL = {"train": 30, "dev": 0, "test": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"events": ["move", "grap"]}, "unknown event 'grap'; did you mean 'grab'"),
        ({"constructs": ["corref"]}, "unknown construct 'corref'; did you mean 'coref'"),
        ({"questions": ["where-persn"]}, "unknown question type 'where-persn'; did you mean 'where-person'"),
        ({"also": ["tyme"]}, "unknown concept 'tyme'; did you mean 'time'"),
        ({"lenght": [5, 5]}, "unknown key 'lenght'; did you mean 'length'"),
        ({"vocabulary": {"objects": []}}, "objects is empty"),
        ({"vocabulary": {"places": ["hut"]}}, "places needs at least three names"),
        ({"vocabulary": {"persons": {"Ann": "she"}}}, "at least two names"),
        ({"vocabulary": {"persons": {"He": "he", "Ann": "she"}}}, "'He' looks like a pronoun"),
        (
            {"vocabulary": {"persons": {"Ann": "she", "ANN": "she"}}},
            "'Ann' and 'ANN', which a reader cannot tell apart",
        ),
        ({"vocabulary": {"persons": {"They": "he", "Ann": "she"}}}, "'They' looks like a pronoun"),
        ({"vocabulary": {"persons": {"Ann": "they", "Ben": "he"}}}, "'they' is both the plural pronoun"),
        (
            {"vocabulary": {"objects": ["park"], "places": ["park", "hut", "mill"]}},
            "'park' is both an object and a place",
        ),
        ({"vocabulary": {"templates": {"move": "{person} goes."}}}, "the template 'move' lacks {verb}"),
        ({"train": -5}, "train: must be 0 or more, not -5"),
        ({"train": 0, "dev": 0, "test": 0}, "nothing to generate"),
        ({"support": [5, 2]}, "support runs from 5 to 2"),
        ({"support": [25, 30]}, "stories have at most 20"),
        ({"length": [0, 4]}, "length starts at 0"),
        ({"requires": ["give"], "events": ["move", "grab"]}, "requires asks for 'give'"),
        ({"events": ["drop"], "constructs": []}, "no event would say where anyone is"),
        ({"events": ["move", "give"]}, "must be grabbed before"),
        ({"weights": {"move": -1}}, "weights.move: must be 0 or more, not -1"),
        ({"questions": []}, "questions is empty"),
        ({"per_story": 0}, "per_story: must be 1 or more, not 0"),
        ({"shares": {"list": 1}, "questions": ["give"]}, "unknown question type in shares 'list'"),
        ({"shares": {"give": 0}, "questions": ["give"]}, "nothing to ask"),
        ({"starved": "maybe"}, "starved"),
    ],
)
def test_bad_recipes_are_refused_with_the_reason(options, message):
    with pytest.raises(UserError) as error:
        open_suite("babi/custom", options=options)
    assert message in str(error.value)


def test_contradictory_sizes_of_named_splits():
    with pytest.raises(UserError, match="injected questions come on top"):
        open_suite("babi/inject-t7", options={"train": 10})
    with pytest.raises(UserError, match="set dose instead"):
        open_suite("babi/inoculate-t7", options={"train": 10})
    with pytest.raises(UserError, match="did you mean '(babi/)?mix-t12'"):
        open_suite("babi/mix-t11")


@pytest.mark.parametrize(
    ("name", "sizes"), [("inoculate-t7", {"dose": 6, "dev": 6, "test": 6}), ("rephrase-t12", {"dev": 6, "test": 6})]
)
def test_doses_and_twins_are_told_at_any_length(name, sizes):
    suite = open_suite(f"babi/{name}", options={**sizes, "length": [5, 8]})
    lengths = {row.instance.facets["length"] for split in suite.splits for row in suite.rows(split)}
    assert lengths <= {5, 6, 7, 8}
    with pytest.raises(UserError, match="the minimum exceeds the maximum"):
        open_suite(f"babi/{name}", options={**sizes, "length": [8, 5]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # No chain of moves, grabs and drops locates a person in two sentences.
        (
            {"events": ["move", "grab", "drop"], "constructs": [], "questions": ["where-person"], "support": [2, 2]},
            "support of 2, 20 sentences, over move, grab, drop) was not found",
        ),
        ({"questions": ["yes-no"], "support": [1, 1], "requires": ["give"]}, "support of 1 of give"),
        ({"questions": ["give"], "events": ["move", "grab"]}, "is impossible: nobody gives anything without"),
        ({"questions": ["give"], "support": [2, 4]}, "is impossible: one sentence answers a question about giving"),
        ({"questions": ["where-was-object"], "support": [1, 2]}, "is impossible: `support` asks for at most 2"),
        ({"questions": ["list"], "requires": ["indef"]}, "is impossible: only changes of somebody's hands"),
        ({"questions": ["where-person"], "paths": [60, 90]}, "the filter `paths` rejected"),
        (
            {"questions": ["where-person"], "events": ["move"], "constructs": [], "per_signature": 1},
            "the filter `per_signature` rejected",
        ),
    ],
)
def test_impossible_filters_say_so(options, message):
    with pytest.raises(UserError) as error:
        list(open_suite("babi/custom", options={**SMALL, **options}).rows("train"))
    assert message in str(error.value)


def test_starving_parts_can_be_left_out():
    suite = open_suite(
        "babi/custom",
        options={**SMALL, "questions": ["where-person", "give"], "events": ["move"], "starved": "skip"},
    )
    assert list(suite.tasks) == ["where-person"]
    assert len(suite.notes["left out because nothing can meet them"]) == 1


RARE = {
    "support of eight": {"questions": ["where-person"], "support": [8, 8]},
    "where-was with a gift": {"questions": ["where-was-object"], "support": [6, 9], "requires": ["give"]},
    "double disjunction": {"questions": ["yes-no"], "support": [4, 6], "requires": ["indef", "give"]},
    "either and not": {"questions": ["where-object"], "support": [4, 8], "requires": ["indef", "negate"]},
    "long account": {"questions": ["counting"], "support": [10, 14]},
    "two ways to know": {"questions": ["where-person"], "support": [2, 4], "paths": [2, 9]},
}


@pytest.mark.parametrize("name", RARE)
def test_rare_patterns_are_built(name):
    recipe = RARE[name]
    suite = open_suite("babi/custom", seed=11, options={**SMALL, **recipe})
    low, high = recipe["support"]
    for row in suite.rows("train"):
        facets = row.instance.facets
        assert low <= facets["support_size"] <= high
        assert set(recipe.get("requires", ())) <= set(facets["composition"].split("+"))


def test_shares_of_question_types():
    options = {**SMALL, "questions": ["list", "yes-no"], "shares": {"list": 4.0}, "support": [1, 4]}
    rows = list(open_suite("babi/custom", options=options).rows("train"))
    assert sum(row.task == "list" for row in rows) == 24


def test_several_questions_about_one_story():
    options = {**SMALL, "questions": ["yes-no"], "support": [1, 3], "per_story": 5}
    rows = list(open_suite("babi/custom", seed=3, options=options).rows("train"))
    stories = {}
    for row in rows:
        stories.setdefault(row.instance.parts["story"], set()).add(row.instance.parts["question"])
    assert len(stories) == 6
    assert all(len(asked) == 5 for asked in stories.values())
    assert len({row.instance.id for row in rows}) == 30


def test_signature_cap():
    options = {**SMALL, "questions": ["where-object"], "support": [2, 3], "per_signature": 2}
    from taskloom.families.babi.files import FileQuestion, FileStory, read_story
    from taskloom.families.babi.parse import Parser
    from taskloom.families.babi.support import signature

    seen = {}
    for row in open_suite("babi/custom", options=options).rows("train"):
        story = row.instance.parts["story"].split("\n")
        read = read_story(
            FileStory(tuple(story), (FileQuestion(20, row.instance.parts["question"], "", ()),)), Parser()
        )
        name = signature(read.sentences, [line - 1 for line in row.instance.details["support"]], read.questions[0])
        seen[name] = seen.get(name, 0) + 1
    assert max(seen.values()) <= 2


def test_vocabulary_is_part_of_the_recipe():
    words = {
        "persons": {"Lena": "sie", "Otto": "er", "Ida": "sie", "Karl": "er"},
        "plural": "sie beide",
        "objects": ["Apfel", "Ball"],
        "places": ["Garten", "Park", "Keller", "Hof"],
        "move": ["ging"],
        "grab": ["nahm"],
        "drop": ["verlor"],
        "give": ["gab"],
        "negate": ["nicht"],
        "openers": ["Danach"],
        "templates": {
            "move": "{person} {verb} zum Ort {place}.",
            "grab": "{person} {verb} das Ding {object}.",
            "drop": "{person} {verb} das Ding {object}.",
            "give": "{person} {verb} das Ding {object} an {other}.",
            "where_person": "Wo ist {person}?",
        },
    }
    suite = open_suite(
        "babi/custom",
        options={
            **SMALL,
            "vocabulary": words,
            "constructs": ["coref"],
            "questions": ["where-person"],
            "support": [2, 3],
        },
    )
    from taskloom.core import resolve
    from taskloom.families.babi.files import FileQuestion, FileStory, read_story
    from taskloom.families.babi.parse import Parser
    from taskloom.families.babi.reader import Reader
    from taskloom.families.babi.recipe import CustomRecipe

    parser = Parser(resolve(CustomRecipe(), {"vocabulary": words}, where="test").vocabulary)
    for row in suite.rows("train"):
        story = tuple(row.instance.parts["story"].split("\n"))
        assert row.instance.parts["question"].startswith("Wo ist")
        read = read_story(FileStory(story, (FileQuestion(20, row.instance.parts["question"], "", ()),)), parser)
        reader = Reader.of(read.sentences, len(read.names.persons), len(read.names.objects))
        assert list(read.names.places)[reader.answer(read.questions[0])] == row.instance.targets.canonical()


@settings(max_examples=60)
@given(
    events=st.sets(st.sampled_from(EVENTS[1:])),
    constructs=st.sets(st.sampled_from(CONSTRUCTS)),
    question=st.sampled_from(QUESTION_TYPES),
    low=st.integers(1, 6),
    more=st.integers(0, 4),
    length=st.integers(4, 25),
)
def test_any_recipe_gives_what_it_promises_or_says_why_not(events, constructs, question, low, more, length):
    options = {
        "train": 3,
        "dev": 0,
        "test": 0,
        "events": ["move", *sorted(events)],
        "constructs": sorted(constructs),
        "questions": [question],
        "support": [low, low + more],
        "length": [length, length],
    }
    try:
        rows = list(open_suite("babi/custom", options=options).rows("train"))
    except UserError as error:
        assert re.search("not found|impossible|at most|grab", str(error))
        return
    assert len(rows) == 3
    for row in rows:
        facets = row.instance.facets
        assert low <= facets["support_size"] <= low + more
        assert facets["length"] == length
        assert set(facets["events"]) <= {"move", *events}
        assert set(facets["constructs"]) <= constructs


def test_spreading():
    assert sorted(interleave([3, 1])) == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert {cell for cell, _ in list(interleave([100, 100]))[:4]} == {0, 1}


def test_maybe_is_asked_only_where_the_places_are_named():
    concepts = Concepts({"move": 1.0, "negate": 1.0, "indef": 1.0})
    sampler = Sampler(CellSpec("yn", concepts, question_kinds("yes-no"), (1, 2)), (6, 2, 6), where="test")
    answers = [sampler.draw(Random(n)) for n in range(200)]
    assert {item.answer for item in answers} == {0, 1, 2}
    for item in answers:
        if item.answer == 2:
            assert item.reader.person_places(item.question.first).bit_count() == 2
        assert item.question.kind == YES_NO


def test_before_is_asked_only_where_it_is_unambiguous():
    concepts = Concepts({"move": 1.0, "grab": 1.0, "drop": 1.0})
    sampler = Sampler(CellSpec("wwo", concepts, (WHERE_WAS,), (3, 5)), (6, 3, 5), where="test")
    for n in range(100):
        item = sampler.draw(Random(n))
        assert item.reader.came_once(item.question.first, item.question.second)


def test_too_few_people_for_the_chain_is_said():
    cell = CellSpec("x", Concepts(dict.fromkeys(EVENTS, 1.0)), (WHERE_P,), (5, 5))
    with pytest.raises(StarvedError, match="was not found"):
        Sampler(cell, (2, 1, 3), where="test")

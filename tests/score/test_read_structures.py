"""JSON among prose, and structures as Python writes them."""

from __future__ import annotations

import pytest

from taskloom.score.read.structures import answer_in, decode_json, spoken_json


def test_a_structure_in_single_quotes_is_taken_out_of_its_sentence():
    found = decode_json("It is {'name': 'Ann', 'age': 3,}, I think.")
    assert found is not None
    assert found.value == {"name": "Ann", "age": 3}
    assert (found.before, found.after) == ("It is ", ", I think.")
    assert decode_json("It is {'name': open('x')}.") is None
    assert decode_json("nothing of the kind") is None


ROWS = [{"a": 1}]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (ROWS, ROWS),
        ({"answer": ROWS}, ROWS),
        ({"answer": ROWS, "reasoning": "x"}, ROWS),
        ({"rows": ROWS}, ROWS),
        ({"rows": ROWS, "more": 1}, {"rows": ROWS, "more": 1}),
        ([{"answer": ROWS}], ROWS),
        ([{"a": 1, "b": 2}], [{"a": 1, "b": 2}]),
        ([{"answer": ROWS}, {"answer": ROWS}], [{"answer": ROWS}, {"answer": ROWS}]),
        ({"answer": {"answer": ROWS}}, ROWS),
        ({"answer": {"a": 1, "answer": 2}}, {"a": 1, "answer": 2}),
        ({"answer": {"a": 1}}, {"a": 1}),
        ({"answer": {"a": 1}, "note": "x"}, {"a": 1}),
        ({"answer": "x"}, "x"),
        ({"answer": "x", "note": "y"}, {"answer": "x", "note": "y"}),
        ({"answer": " N/A ", "note": "y"}, " N/A "),
        ({"answer": 3, "note": "y"}, {"answer": 3, "note": "y"}),
        ({"Answer": ROWS, "note": "y"}, ROWS),
        ({"answer": ROWS, "alternative": ROWS}, {"answer": ROWS, "alternative": ROWS}),
        ({"answer": ROWS, "orbit": 1}, ROWS),
        ({"answer": [1, 2], "note": "y"}, {"answer": [1, 2], "note": "y"}),
        (7, 7),
    ],
)
def test_the_answer_in_a_structure_that_wraps_one(value, answer):
    assert answer_in(value) == answer


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ('{"answer": "office"}', "office"),
        ('{"answer": {"value": "office"}}', "office"),
        ('{"answer": {"guesses": "office"}}', '{"guesses": "office"}'),
        ('{"answer": {"x": "office", "y": 1}}', '{"x": "office", "y": 1}'),
        ('{"place": "office"}', "office"),
        ('{"possible": "office"}', ""),
        ('{"allOptions": ["office", "garden"]}', ""),
        ('{"answer": "office", "second": "garden"}', ""),
        ('{"answer": "office", "secondary": "garden"}', "office"),
        ('{"place": "office", "time": "now"}', None),
        ('[{"answer": "office"}]', "office"),
        ('["office", "garden"]', "office\ngarden"),
        ("[1, 2]", None),
        ("[]", None),
        ('I say {"answer": "office"} here', "office"),
        ('I say ["office"] here', None),
        ('{"answer": true}', "true"),
        ('{"answer": false}', "false"),
        ('{"answer": null}', "n/a"),
        ('{"answer": 3}', "3"),
        ("office", None),
        ('{"answer": "office"} {"answer": "garden"}', None),
        ('{"answer": "office"} {"answer": "office"}', "office"),
    ],
)
def test_json_as_people_say_it(text, spoken):
    assert spoken_json(text) == spoken


def test_several_values_leave_open_which_is_meant():
    found = decode_json("a [1] b [2] c")
    assert (found.value, found.before, found.after) == (None, "a ", " c")
    found = decode_json("a [[3]] b")
    assert (found.value, found.before, found.after) == ([3], "a ", " b")
    assert decode_json("[" * 30 + "1" + "]" * 30) is not None
    assert decode_json("x [y] " * 30 + "[1]") is None
    assert decode_json("{'a': " + "'x' " * 6_000 + "}") is None

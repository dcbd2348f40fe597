from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import Instruction, Structure, Task, any_of
from taskloom.core.scorer import Score
from taskloom.score.match import STRUCTURE

TASK = Task("t", Instruction("d"), "json", "structure")
GOLD = Structure(('{"name":"Ann","ages":[1,2]}', "[]"))


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('{"ages": [1, 2.0], "name": "ann."}', 1), ("[]", 1), ("{}", 0), ('{"ages": [2, 1], "name": "Ann"}', 0),
        ('{"name":"Ann"}', 0), ("not json", 0), ("", 0), ("[" * 100_000, 0), ("1e999", 0), ("null", 0),
    ],
)  # fmt: skip
def test_structures(answer, value):
    assert STRUCTURE.score(answer, GOLD, TASK).value == value


def test_near_misses_are_told():
    score = STRUCTURE.score('{"name":"Ann","ages":[1,3]}', GOLD, TASK)
    assert score.value == 0
    assert score.details["leaf_f1"] == pytest.approx(2 / 3)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(json_values)
def test_every_structure_is_right_for_itself(value):
    import msgspec

    text = msgspec.json.encode(value).decode()
    assert STRUCTURE.score(text, Structure((text,)), TASK).value == 1


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ('{"a":1,"b":2,"c":3}', '{"a":1}', 0.5), ('{"a":1}', '{"a":1,"b":2,"c":3}', 0.5), ("true", "1", 0.0),
        ('"1"', "1", 0.0), ("{}", "[]", 0.0), ("[]", "[]", 1.0), ('{"a":[]}', '{"a":{}}', 0.0), ("[1,1]", "[1]", 2 / 3),
        ("null", "null", 1.0), ("false", "false", 1.0), ('{"a.b":1}', '{"a":{"b":1}}', 1.0),
    ],
)  # fmt: skip
def test_leaves_in_common(answer, gold, f1):
    score = STRUCTURE.score(answer, Structure((gold,)), TASK)
    assert score.details == {"parsed": True, "leaf_f1": pytest.approx(f1)} and score.value == (f1 == 1.0)


def test_the_nearest_structure_counts():
    score = STRUCTURE.score("[1,2]", Structure(("[1,3]", "[1,2,4]", "[5]")), TASK)
    assert score.details["leaf_f1"] == pytest.approx(0.8)
    assert STRUCTURE.score("[1,3]", Structure(("[1,3]", "[5]")), TASK).value == 1.0


def test_a_structure_may_be_a_hundred_deep():
    def nested(depth):
        return "[" * depth + "1" + "]" * depth

    assert STRUCTURE.score(nested(100), Structure((nested(100),)), TASK).value == 1.0
    assert STRUCTURE.score(nested(101), Structure(("1",)), TASK).details == {"parsed": False}
    objects = '{"a":' * 100 + "1" + "}" * 100
    assert STRUCTURE.score(objects, Structure((objects,)), TASK).value == 1.0
    deep = '{"a":' * 101 + "1" + "}" * 101
    assert STRUCTURE.score(deep, Structure(("1",)), TASK).details == {"parsed": False}


def test_other_targets_are_texts():
    assert STRUCTURE.score("The cat!", any_of("cat"), TASK) == Score(1.0)
    assert STRUCTURE.score("dog", any_of("cat"), TASK) == Score(0.0)
    assert STRUCTURE.score("nope", GOLD, TASK) == Score(0.0, {"parsed": False})

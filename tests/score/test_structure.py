from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import Instruction, Structure, Task
from taskloom.score.structure import STRUCTURE

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

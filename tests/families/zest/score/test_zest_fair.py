"""What `zest/fair` corrects, case by case, and what it keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instruction, Items, Structure, Targets, Task
from taskloom.families.zest.score.fair import FAIR, fair_judge
from taskloom.families.zest.score.metrics import f1_of_entries
from taskloom.families.zest.score.official import OFFICIAL

TASK = Task("t", Instruction("Answer."))
ROWS = [{"name": "x", "length": "1 m"}, {"name": "y", "length": "n/a"}, {"name": "z", "length": "3 m"}]


def fair(said: Any, rows: Any = ROWS) -> float:
    return f1_of_entries(fair_judge([json.dumps(rows)], said if isinstance(said, str) else json.dumps(said)))


def test_rows_and_keys_may_come_in_any_order() -> None:
    assert fair(ROWS) == 1.0
    assert fair([ROWS[1], ROWS[2], ROWS[0]]) == 1.0
    assert fair([dict(reversed(row.items())) for row in ROWS]) == 1.0
    assert fair([{"Name": row["name"], "length": row["length"]} for row in ROWS]) == 1.0


def test_surplus_and_missing_rows_and_keys_cost() -> None:
    assert fair([*ROWS, {"name": "w"}]) == pytest.approx(10 / 11)
    assert fair([{**ROWS[0], "colour": "red"}, *ROWS[1:]]) == pytest.approx(10 / 11)
    assert fair(ROWS[:2]) == pytest.approx(2 * 1 * 0.6 / 1.6)
    assert fair([{"title": "x", "length": "1 m"}], [ROWS[0]]) == pytest.approx(0.5)
    assert fair("not json") == 0.0
    assert fair("n/a") == 0.0
    assert fair(ROWS[0], [ROWS[0]]) == 1.0  # one object without the brackets


@pytest.mark.parametrize(("gold", "said", "value"), [
    ("1.5%", "15", 0.0), ("-5", "5", 0.0), ("1,000", "1000", 1.0), ("$5", "5", 1.0), ("1/2", "12", 0.0),
    ("to be or not to be", "be to or", 2 / 3), ("“quoted”", "quoted", 1.0), ("5 km", "6 km", 0.0),
    ("the Marlow family", "Marlow family.", 1.0), ("well-known", "well known", 1.0), ("O'Neil", "ONeil", 1.0),
])  # fmt: skip
def test_words_and_numbers(gold: str, said: str, value: float) -> None:
    assert FAIR.score(said, AnyOf((gold,)), TASK).value == pytest.approx(value)


def test_a_json_list_is_a_list_of_spans_without_luck() -> None:
    gold = Items((("red", "blue"),), separator="|")
    assert FAIR.score('["blue", "red"]', gold, TASK).value == 1.0
    assert FAIR.score('["blue", "green"]', gold, TASK).value == 0.5


def test_an_alternative_that_is_na_is_a_right_answer() -> None:
    gold = AnyOf(("n/a", "x"))
    assert FAIR.score("n/a", gold, TASK).details == {"tn": [1.0]}
    assert FAIR.score("x", gold, TASK).details == {"tp": [1.0]}
    assert FAIR.score("y", gold, TASK).details == {"fp": [0.0]}


def test_several_structures_may_be_right() -> None:
    gold = Structure(('[{"a": "5"}]', '[{"a": "6"}]'))
    assert FAIR.score('[{"a": 6}]', gold, TASK).value == 1.0


answers = st.one_of(
    st.text(max_size=30),
    st.lists(st.dictionaries(st.sampled_from(["name", "length", "q"]), st.sampled_from(["x", "y", "1 m", "n/a", None])))
    .map(json.dumps),
)  # fmt: skip


@given(answers)
def test_scores_stay_in_range_and_na_costs_what_it_should(answer: str) -> None:
    targets: list[Targets] = [AnyOf(("n/a",)), AnyOf(("3 m",)), Structure((json.dumps(ROWS),))]
    for target in targets:
        assert 0.0 <= FAIR.score(answer, target, TASK).value <= 1.0
        assert FAIR.score(target.canonical(), target, TASK).value == 1.0
        assert OFFICIAL.score(target.canonical(), target, TASK).value == 1.0


@pytest.mark.parametrize("answer", ["[" * 100_000, json.dumps([{"name": "q"}] * 5_000), "x|" * 5_000, "", "9" * 6_000])
def test_monsters_are_merely_wrong(answer: str) -> None:
    for gold in (AnyOf(("x y",)), AnyOf(("n/a",)), Structure((json.dumps(ROWS),))):
        assert FAIR.score(answer, gold, TASK).value < 1.0

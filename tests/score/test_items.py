from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instruction, Items, Task
from taskloom.score.match import ITEMS, split_items

TASK = Task("t", Instruction("d"), "items", "items")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("apple, milk", 1), ("milk, apple", 1), ("milk and the apple", 1), ("apple,milk", 1), ("- apple\n- milk", 1),
        ("1. apple\n2. milk", 1), ("apple", 0), ("apple, milk, egg", 0), ("apple, apple", 0), ("nothing", 0), ("", 0),
    ],
)  # fmt: skip
def test_lists_as_people_write_them(answer, value):
    assert ITEMS.score(answer, Items((("apple", "milk"),)), TASK).value == value


def test_order_counts_where_it_should():
    targets = Items((("n", "e"),), ordered=True)
    assert ITEMS.score("n, e", targets, TASK).value == 1
    assert ITEMS.score("e, n", targets, TASK).value == 0


@pytest.mark.parametrize("answer", ["nothing", "Nothing.", "none", ""])
def test_empty_lists(answer):
    assert ITEMS.score(answer, Items(((),)), TASK).value == 1
    assert ITEMS.score("apple", Items(((),)), TASK).value == 0


def test_any_alternative_will_do():
    targets = Items((("a",), ("a", "b")))
    assert ITEMS.score("b, a", targets, TASK).value == 1
    assert ITEMS.score("b", targets, TASK).details["f1"] == pytest.approx(2 / 3)


def test_partial_credit_is_told_but_not_given():
    score = ITEMS.score("a, b", Items((("a", "c"),)), TASK)
    assert score.value == 0
    assert score.details == {"f1": 0.5, "precision": 0.5, "recall": 0.5, "said": 2}


words = st.lists(st.sampled_from(["egg", "milk", "fish", "bread"]), max_size=5)


@given(words, words)
def test_a_list_is_right_exactly_when_it_has_the_same_members(said, right):
    score = ITEMS.score(", ".join(said) or "nothing", Items((tuple(right),)), TASK)
    assert (score.value == 1) == (sorted(said) == sorted(right))
    assert 0 <= score.details["f1"] <= 1


@given(st.text(max_size=300))
def test_nothing_a_model_says_breaks_it(text):
    for targets in (Items((("a", "b"),)), Items(((),)), AnyOf(("a, b",))):
        assert ITEMS.score(text, targets, TASK).value in (0.0, 1.0)


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("a and b", ["a", "b"]), ("a, b and c", ["a", "b", "c"]), ("a, b, and c", ["a", "b", "c"]),
        ("a, b, c and d", ["a", "b", "c and d"]), ("a; b", ["a", "b"]), ("a | b\nc", ["a", "b", "c"]),
        ("* a\n* b", ["a", "b"]), ("1) a\n2) b", ["a", "b"]), ("a,,b,", ["a", "b"]), ("a", ["a"]),
        ("None.", []), ("nobody", []), ("sand", ["sand"]), ("a, b; c", ["a", "b; c"]),
    ],
)  # fmt: skip
def test_items_of_a_list(answer, parts):
    assert split_items(answer, "nobody") == [part.replace("; ", " ") for part in parts]


def test_a_separator_of_its_own_comes_first():
    assert split_items("x, b # c", "nothing", " # ") == ["x b", "c"]
    assert split_items("a, b", "nothing", " # ") == ["a", "b"], "where it does not occur, others are tried"
    assert split_items("a, b", "nothing", " ") == ["a", "b"], "a blank is no mark"


def test_a_list_is_read_up_to_a_sane_length():
    assert split_items("x" * 100_000 + ", b", "nothing") == ["x" * 100_000]
    assert split_items("x" * 99_997 + ", b", "nothing") == ["x" * 99_997, "b"]


@pytest.mark.parametrize(
    ("said", "right", "details"),
    [
        ("nothing", (), {"f1": 1.0, "precision": 1.0, "recall": 1.0, "said": 0}),
        ("nothing", ("a",), {"f1": 0.0, "precision": 1.0, "recall": 0.0, "said": 0}),
        ("a", (), {"f1": 0.0, "precision": 0.0, "recall": 1.0, "said": 1}),
        ("b", ("a",), {"f1": 0.0, "precision": 0.0, "recall": 0.0, "said": 1}),
        ("a, b, c", ("a", "b"), {"f1": 0.8, "precision": 2 / 3, "recall": 1.0, "said": 3}),
        ("a, a", ("a",), {"f1": 2 / 3, "precision": 0.5, "recall": 1.0, "said": 2}),
    ],
)
def test_how_near_a_list_comes(said, right, details):
    score = ITEMS.score(said, Items((right,)), TASK)
    assert score.details == pytest.approx(details) and score.value == (details["f1"] == 1.0)


def test_an_exact_list_beats_a_nearer_one_and_other_targets_are_texts():
    assert ITEMS.score("a, b", Items((("b", "a"), ("a", "b")), ordered=True), TASK).value == 1
    assert ITEMS.score("b and a", AnyOf(("x, y", "a, b")), TASK).value == 1
    assert ITEMS.score("Yes!", Boolean(True), TASK).value == 1 and ITEMS.score("no", Boolean(True), TASK).value == 0

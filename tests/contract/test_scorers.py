"""What every scorer promises: right answers score 1, odd ones never break it, scores stay in [0, 1]."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instruction, Items, Product, Structure, Task
from taskloom.core.catalog import METRICS, SCORERS

TASK = Task("t", Instruction("d"), labels=("yes", "no", "new york", "two"))
TARGETS = (
    AnyOf(("new york", "two")),
    Boolean(True),
    Items((("apple", "milk"), ("egg",))),
    Product((("new york", "paris"), ("two",))),
    Structure(('[{"name":"Ann"}]',)),
)
ODD = (
    "", " ", "\x00", "\ud800", "{", "[]", "[1,2", '"', "nan", "inf", "1e999", "|" * 50, "[[[" * 50, "⁇", "\u2028",
    "a" * 20_000, '{"a": {"b": [1]}}', "null", "<think>", "$\\boxed{",
)  # fmt: skip


@pytest.mark.parametrize("name", SCORERS.names())
def test_answers_of_every_kind(name):
    scorer = SCORERS.get(name)
    assert scorer.name == name
    assert scorer.metric in METRICS
    for targets in TARGETS:
        right = scorer.score(targets.canonical(), targets, TASK)
        assert 0.0 <= right.value <= 1.0
        for odd in ODD:
            assert 0.0 <= scorer.score(odd, targets, TASK).value <= 1.0
    plain = AnyOf(("two",))
    assert scorer.score("two", plain, TASK).value == 1.0
    assert scorer.score("qzx wvk", plain, TASK).value < 1.0


@pytest.mark.parametrize("name", SCORERS.names())
@settings(max_examples=40)
@given(text=st.text(max_size=80))
def test_nothing_a_model_says_breaks_it(name, text):
    scorer = SCORERS.get(name)
    for targets in TARGETS:
        first = scorer.score(text, targets, TASK)
        assert 0.0 <= first.value <= 1.0
        assert scorer.score(text, targets, TASK) == first

"""The contract of readers: what a reading leaves out, and how an answer is graded unless a reader knows better."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instruction, Task, UserError
from taskloom.core.catalog import READERS
from taskloom.core.reader import Reading
from taskloom.core.scorer import Score, make_scorer

TASK = Task("t", Instruction("Say a."))


def test_what_a_reading_leaves_out():
    assert Reading(None) == Reading(None, "", False, "")


def test_a_strict_reader_asks_the_scorer_unless_the_score_is_known():
    reader, exact = READERS.get("whole"), make_scorer("exact")
    assert reader.grade(Reading("a"), exact, AnyOf(("a",)), TASK).value == 1.0
    assert reader.grade(Reading("b"), exact, AnyOf(("a",)), TASK).value == 0.0
    known = Score(0.5, {"from": "before"})
    assert reader.grade(Reading("a"), exact, AnyOf(("a",)), TASK, known=known) is known


def test_readers_and_scorers_by_name_with_some_of_their_options():
    assert READERS.get("whole").describe()["name"] == "whole"
    assert make_scorer("number", {"tolerance": 0.5}).describe() == {"name": "number", "tolerance": 0.5}
    assert make_scorer("number").metric == "mean" and Score(1.0).details == {}
    with pytest.raises(UserError, match="scorer exact: unknown key"):
        make_scorer("exact", {"nothing": 1})

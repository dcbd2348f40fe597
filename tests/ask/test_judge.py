"""From an output to its scores: states, both readings, scorers that fail or give what no score can be."""

from __future__ import annotations

from typing import ClassVar

import pytest

from taskloom.ask.judge import LONGEST_RAW, Judge, ScoredReading
from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.catalog import READERS, SCORERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
from taskloom.core.scorer import Score, Scorer

TASK = Task("t", Instruction("Say where it is."), "text", "exact")
INSTANCE = Instance("i", "It is in the office.\nWhere is it?", any_of("office"))
REQUEST = Request(Prompt(INSTANCE.input), TASK, INSTANCE)
LENIENT = READERS.get("lenient")


class Odd(Scorer, frozen=True, kw_only=True):
    """Gives a number, or fails."""

    name: ClassVar[str] = "odd"
    value: float = 0.0

    def score(self, answer, targets, task):
        if self.value < -1:
            raise (MemoryError if self.value < -2 else RuntimeError)("x" * 400)
        return Score(self.value)


@pytest.fixture
def odd(own_registries):
    SCORERS.register("odd", Odd())

    def judge(value, lenient=None):
        return Judge([TASK], "odd", scorer_options={"value": value}, lenient=lenient)

    return judge


def test_both_readings_are_scored():
    found = Judge([TASK], lenient=LENIENT).assess(REQUEST, Output("It is in the office."))
    assert (found.state, found.scorer) == ("scored", "exact")
    assert (found.strict.score, found.lenient.score) == (0.0, 1.0)
    assert Judge([TASK]).assess(REQUEST, Output("office")).lenient is None


def test_states_of_an_output():
    judge = Judge([TASK], lenient=LENIENT)
    failed = judge.assess(REQUEST, Output("office", "failed"))
    assert (failed.state, failed.strict, failed.lenient) == ("errored", ScoredReading(), None)
    assert judge.assess(REQUEST, Output("office", "truncated")).state == "truncated"
    assert judge.assess(REQUEST, Output("<think>It is in the")).state == "truncated", "the thought never ended"


def test_an_answer_that_stayed_in_the_thought_is_read_leniently():
    found = Judge([TASK], lenient=LENIENT).assess(REQUEST, Output("", raw="<think>So the answer is office."))
    assert (found.strict.score, found.lenient.score) == (0.0, 1.0)


def test_no_more_than_a_hundred_thousand_signs_are_read():
    whole = Judge([TASK], reader="last-line")
    assert whole.assess(REQUEST, Output("x" * (LONGEST_RAW - 7) + "\noffice")).strict.score == 1.0
    assert whole.assess(REQUEST, Output("x" * (LONGEST_RAW - 6) + "\noffice")).strict.answer == "offic"


def test_a_scorer_that_fails_makes_a_failure_and_no_wrong_answer(odd):
    found = odd(-2.0).assess(REQUEST, Output("office"))
    assert (found.state, found.strict.answer, found.strict.score) == ("errored", "office", None)
    assert found.strict.why.startswith("the scorer odd failed: RuntimeError: xxx") and len(found.strict.why) == 300
    with pytest.raises(MemoryError):
        odd(-3.0).assess(REQUEST, Output("office"))


def test_a_lenient_reading_that_cannot_be_scored_costs_only_itself(odd):
    class Fails(type(LENIENT), frozen=True, kw_only=True):
        def grade(self, answer, scorer, targets, task, said="", known=None):
            raise RuntimeError("no")

    found = odd(0.5, Fails()).assess(REQUEST, Output("office"))
    assert (found.state, found.strict.score) == ("scored", 0.5)
    assert (found.lenient.answer, found.lenient.score) == ("office", None)
    assert found.lenient.why == "the scorer odd failed: RuntimeError: no"


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_numbers_that_are_no_scores_are_refused(odd, value):
    with pytest.raises(UserError, match="not in"):
        odd(value).assess(REQUEST, Output("office"))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_ends_of_the_scale_are_scores(odd, value):
    assert odd(value).assess(REQUEST, Output("office")).strict.score == value


def test_names_are_looked_up_before_anything_runs():
    for settings in ({"scorer": "nope"}, {"reader": "nope"}, {"scorer": "exact", "reader": "nope"}):
        with pytest.raises(UserError, match="nope"):
            Judge([TASK], **settings)
    with pytest.raises(UserError, match="unknown"):
        Judge([Task("t", Instruction("d"), "text", "nope")])

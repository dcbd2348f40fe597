"""From an output to its scores: states, both readings, scorers that fail or give what no score can be."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest

from taskloom.ask.judge import Judge, ScoredReading
from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.catalog import READERS, SCORERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
from taskloom.core.reader import Reader, Reading
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


def test_an_answer_that_stayed_in_the_thought_is_none():
    found = Judge([TASK], lenient=LENIENT).assess(REQUEST, Output("", raw="<think>So the answer is office."))
    assert (found.strict.score, found.lenient.score, found.lenient.why) == (0.0, 0.0, "still thinking")


def test_no_more_than_a_hundred_thousand_signs_are_read():
    whole = Judge([TASK], reader="last-line")
    assert whole.assess(REQUEST, Output("x" * (100_000 - 7) + "\noffice")).strict.score == 1.0
    late = whole.assess(REQUEST, Output("x" * 5_000_000 + "\noffice"))
    assert late.strict.score == 1.0, "of a long output the beginning and the end, where the answer stands"
    assert whole.assess(REQUEST, Output("x" * 10_000_000)).strict.answer == "x" * (50_000 - len("\n[…]\n"))


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


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ({"scorer": "nope"}, {}),
        ({"reader": "nope"}, {}),
        ({"reader": "nope"}, {"scorer": "exact"}),
        ({"scorer": "nope"}, {"reader": "whole"}),
    ],
)
def test_what_a_task_names_is_looked_up_where_it_is_used(task, settings):
    with pytest.raises(UserError, match="nope"):
        Judge([Task("t", Instruction("d"), **task)], **settings)


def test_tasks_are_not_made_where_one_scorer_and_one_reader_serve_all():
    judge = Judge((1 / 0 for _ in "x"), "normalised", "last-line")
    assert judge.scorer(TASK) == "normalised"
    found = judge.assess(REQUEST, Output("no\nOffice!"))
    assert (found.scorer, found.strict.answer, found.strict.score) == ("normalised", "Office!", 1.0)


class Fixed(Reader, frozen=True, kw_only=True):
    """Finds what it is told to find."""

    name: ClassVar[str] = "fixed"
    answer: str | None = None
    said: str = ""

    def read(self, text, task, prompt=""):
        return Reading(self.answer, "because", False, self.said)

    def grade(self, found, scorer, targets, task, known=None):
        if self.said == "fails":
            raise RuntimeError("x" * 400)
        return Score(0.25, {"answer": found.answer or "", "said": found.said})


@pytest.mark.parametrize(
    ("reader", "found"),
    [
        (Fixed(), ScoredReading(None, 0.0, "because")),
        (Fixed(answer=""), ScoredReading("", 0.25, "because", {"answer": "", "said": ""})),
        (Fixed(said="prose"), ScoredReading(None, 0.25, "because", {"answer": "", "said": "prose"})),
        (Fixed(answer="a", said="b"), ScoredReading("a", 0.25, "because", {"answer": "a", "said": "b"})),
    ],
)
def test_prose_that_may_state_an_answer_is_graded_and_nothing_scores_nothing(own_registries, reader, found):
    READERS.register("fixed", reader)
    assert Judge([TASK], reader="fixed").assess(REQUEST, Output("x")).strict == found
    assert Judge([TASK], lenient=reader).assess(REQUEST, Output("x")).lenient == found


def test_the_words_of_a_failure_are_cut(own_registries):
    found = Judge([TASK], lenient=Fixed(answer="a", said="fails")).assess(REQUEST, Output("x")).lenient
    assert (found.answer, found.score, len(found.why)) == ("a", None, 300)


def test_a_score_that_is_not_known_is_not_written():
    assert msgspec.json.encode(ScoredReading()) == b"{}"
    assert msgspec.json.encode(ScoredReading("a", 0.0)) == b'{"answer":"a","score":0.0}'


def test_a_raw_output_is_read_leniently_at_both_ends():
    """Only where nothing was said; a hundred thousand signs of it."""
    for reader in ("first-line", "last-line"):
        judge = Judge([TASK], lenient=READERS.get(reader))
        found = judge.assess(REQUEST, Output(" ", raw="office\n" + "x" * 1_000_000 + "\noffice"))
        assert found.lenient.answer == "office"
    assert judge.assess(REQUEST, Output("hall", raw="no\noffice")).lenient.answer == "hall"

"""One answer, read and judged outside a run, comes out as it does inside one."""

from __future__ import annotations

from typing import ClassVar

import pytest

from taskloom.ask import Judge, ScoredReading, judge_answer, read_answer
from taskloom.core import AnyOf, Instance, Instruction, Task, UserError, open_suite
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
from taskloom.core.reader import Reader, Reading
from taskloom.core.scorer import Score, Scorer
from taskloom.score.read.lenient import Lenient

SUITES = ("babi/task-1", "seti/task1-trivial", "superni/embedded", "zest/fictional")


@pytest.fixture(scope="module", params=SUITES)
def row(request):
    suite = open_suite(request.param, seed=0)
    drawn = next(iter(suite.draw(suite.default_split())))
    return suite.tasks[drawn.task], drawn.instance


@pytest.mark.parametrize("frame", ["{}", "The answer is {}.", "It is not {}.", "<think>hm</think>**{}**", ""])
def test_one_answer_is_judged_as_in_a_run(row, frame):
    task, instance = row
    said = frame.format(instance.targets.canonical())
    judge = Judge([task], lenient=READERS.get("lenient"))
    found = judge.assess(Request(Prompt(instance.input), task, instance), Output(said))
    assert judge_answer(task, instance, said) == found.lenient
    assert judge_answer(task, instance, said, reader="strict") == found.strict


def test_a_reader_by_name_or_as_an_object(row):
    task, _ = row
    said = "no\nyes"
    assert read_answer(task, said, reader="last-line").answer == "yes"
    assert read_answer(task, "<think>no", reader=Lenient()).unfinished
    with pytest.raises(UserError, match="lenientt.*lenient"):
        read_answer(task, said, reader="lenientt")


def test_text_that_no_file_can_hold_is_judged(row):
    task, instance = row
    assert judge_answer(task, instance, "\ud800" * 10).score is not None
    assert judge_answer(task, instance, "word " * 100_000).score is not None


TASK = Task("t", Instruction("Say a."))
INSTANCE = Instance("i", "in", AnyOf(("a",)))


class Fixed(Reader, frozen=True, kw_only=True):
    """Finds what it is told to find, and shows what it was asked with."""

    name: ClassVar[str] = "fixed"
    answer: str | None = None
    said: str = ""

    def read(self, text, task, prompt=""):
        return Reading(self.answer, f"{len(text)} {prompt}", False, self.said)


class Marked(Scorer, frozen=True):
    name: ClassVar[str] = "marked"

    def score(self, answer, targets, task):
        return Score(0.5, {"scored": answer})


@pytest.mark.parametrize(
    ("reader", "score", "details"),
    [
        (Fixed(), 0.0, {}),
        (Fixed(answer=""), 0.5, {"scored": ""}),
        (Fixed(answer="a"), 0.5, {"scored": "a"}),
        (Fixed(said="prose"), 0.5, {"scored": ""}),
    ],
)
def test_what_was_found_is_scored_once(reader, score, details):
    found = judge_answer(TASK, INSTANCE, "text", reader=reader, scorer=Marked())
    assert found == ScoredReading(reader.answer, score, "4 in", details)


@pytest.mark.parametrize(
    ("answer", "known", "again"),
    [
        ("a", ScoredReading("a", 0.25), False),
        ("a", ScoredReading("b", 0.25), True),
        ("a", ScoredReading("a", None), True),
        ("a", None, True),
        (None, ScoredReading(None, 0.25), True),
    ],
)
def test_an_equal_answer_is_not_scored_twice(answer, known, again):
    reader = Fixed(answer=answer, said="prose")
    found = judge_answer(TASK, INSTANCE, "text", reader=reader, scorer=Marked(), known=known)
    assert found.score == (0.5 if again else 0.25)


def test_the_scorer_is_the_tasks_own_unless_it_is_named():
    said = "A"
    assert judge_answer(TASK, INSTANCE, said, reader="strict").score == 0.0
    assert judge_answer(TASK, INSTANCE, said, reader="strict", scorer="normalised").score == 1.0
    with pytest.raises(UserError, match="unknown scorer 'normalized'"):
        judge_answer(TASK, INSTANCE, said, scorer="normalized")


def test_readers_are_given_the_prompt_and_a_hundred_thousand_signs():
    assert judge_answer(TASK, INSTANCE, "x" * 100_001, reader=Fixed(), prompt="").why == "100000 "
    assert read_answer(TASK, "x" * 100_001, reader=Fixed(), prompt="asked").why == "100000 asked"
    assert read_answer(TASK, "x" * 100_000, reader=Fixed()).why == "100000 "

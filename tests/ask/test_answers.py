"""One answer, read and judged outside a run, comes out as it does inside one."""

from __future__ import annotations

import pytest

from taskloom.ask import Judge, judge_answer, read_answer
from taskloom.core import UserError, open_suite
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Output, Request
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
    assert read_answer(task, "<think>no", reader=Lenient(unfinished=False)).unfinished
    with pytest.raises(UserError, match="lenientt.*lenient"):
        read_answer(task, said, reader="lenientt")


def test_text_that_no_file_can_hold_is_judged(row):
    task, instance = row
    assert judge_answer(task, instance, "\ud800" * 10).score is not None
    assert judge_answer(task, instance, "word " * 100_000).score is not None

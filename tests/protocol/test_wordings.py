"""What stays the same in every wording of an instruction."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.protocol import PROTOCOLS
from taskloom.protocol.wordings import MOST_WORDINGS


@pytest.mark.parametrize("name", ["zest/fictional", "babi/task-1", "superni/embedded"])
def test_the_form_that_readers_know_is_the_same_in_every_wording(name):
    suite = open_suite(name)
    row = next(iter(suite.draw("test")))
    for seed in range(12):
        prompt = PROTOCOLS["chat"].make(MOST_WORDINGS, seed).encode(suite.tasks[row.task], row.instance)
        assert "End with a line of the form: Answer: …" in prompt.text


def test_zest_asks_its_question_once_in_every_wording():
    suite = open_suite("zest/fictional")
    row = next(iter(suite.draw("test")))
    task = suite.tasks[row.task]
    question = row.instance.input.rpartition("\n")[2].partition(": ")[2]
    assert question.endswith("?")
    prompts = {PROTOCOLS["chat"].make(MOST_WORDINGS, seed).encode(task, row.instance).text for seed in range(24)}
    asked_once = len(task.instruction.positive) + 1
    assert len(prompts) > 1 and all(prompt.count(question) <= asked_once for prompt in prompts)
    assert all("it: " + question not in prompt and "question: " + question not in prompt for prompt in prompts)

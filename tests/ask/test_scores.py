"""Scores alone: what failed or cannot be read scores 0."""

from __future__ import annotations

import pytest

from taskloom import open_suite
from taskloom.ask.judge import ask_for_scores
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Output, Request, open_model
from taskloom.models.function import named_model


@pytest.fixture(scope="module")
def requests():
    suite = open_suite("babi/task-1", seed=1)
    rows = suite.rows("test", limit=4)
    return [Request(Prompt(row.instance.input), suite.tasks[row.task], row.instance) for row in rows]


def test_what_failed_or_cannot_be_read_scores_nothing(requests):
    rights = [request.instance.targets.canonical() for request in requests]
    outputs = [
        Output(rights[0]),
        Output(f"I think it is the {rights[1]}."),
        Output("", state="failed", error="down"),
        Output("no idea"),
    ]
    answers = dict(zip([request.prompt.text for request in requests], outputs, strict=True))
    model = open_model(named_model(lambda prompt: answers[prompt]))
    assert ask_for_scores(model, requests, Generation()) == [1.0, 0.0, 0.0, 0.0]


def test_asking_for_scores(requests):
    assert ask_for_scores(open_model("mock/oracle"), requests, Generation()) == [1.0] * 4

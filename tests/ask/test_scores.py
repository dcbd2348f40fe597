"""Scores alone: what failed or cannot be read scores 0, and the reading that counts is the one asked for."""

from __future__ import annotations

import pytest

from taskloom import open_suite
from taskloom.ask.judge import Judge, ask_for_scores, scores_of
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Output, Request, open_model


@pytest.fixture(scope="module")
def requests():
    suite = open_suite("babi/task-1", seed=1)
    rows = suite.rows("test", limit=4)
    return [Request(Prompt(row.instance.input), suite.tasks[row.task], row.instance) for row in rows]


def test_scores_of_outputs(requests):
    rights = [request.instance.targets.canonical() for request in requests]
    outputs = [
        Output(rights[0]),
        Output(f"I think it is the {rights[1]}."),
        Output("", state="failed", error="down"),
        Output("no idea"),
    ]
    assert scores_of(requests, outputs) == [1.0, 0.0, 0.0, 0.0]
    judge = Judge([request.task for request in requests], lenient=READERS.get("lenient"))
    assert scores_of(requests, outputs, judge) == [1.0, 0.0, 0.0, 0.0]
    assert scores_of(requests, outputs, judge, "lenient") == [1.0, 1.0, 0.0, 0.0]
    assert scores_of(requests, outputs, None, "lenient") == [1.0, 0.0, 0.0, 0.0], "nobody read it leniently"


def test_asking_for_scores(requests):
    assert ask_for_scores(open_model("mock/oracle"), requests, Generation()) == [1.0] * 4


def test_every_request_has_an_output(requests):
    with pytest.raises(ValueError, match="zip"):
        scores_of(requests, [Output("x")])

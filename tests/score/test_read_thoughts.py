"""What was said and what was thought."""

from __future__ import annotations

import pytest

from taskloom.core import Reading
from taskloom.score.read.thoughts import split_thoughts
from taskloom.score.strict import strip_thoughts


@pytest.mark.parametrize(
    ("raw", "said", "open_thought"),
    [
        ("office", "office", None),
        ("a < b", "a < b", None),
        ("<think>x</think>office", "office", None),
        ("a <think>x</think>b <THINKING>y</thinking>c", "a b c", None),
        ("x</think>office", "office", None),
        ("<think>a</think>b</think>c", "c", None),
        ("a<think>x", "a", "x"),
        ("a<think>x<think>y", "a", "x<think>y"),
        ("<think>x</think>a<think>y", "a", "y"),
    ],
)
def test_thoughts_go(raw, said, open_thought):
    assert split_thoughts(raw) == (said, open_thought)


def test_an_open_thought_is_unfinished():
    assert strip_thoughts("a <think>x") == Reading("a", "still thinking", unfinished=True)
    assert strip_thoughts("<think>x").answer is None
    assert strip_thoughts("office").unfinished is False

"""What was said and what was thought."""

from __future__ import annotations

import pytest

from taskloom.core import Reading
from taskloom.score.read.lenient import split_thoughts
from taskloom.score.strict import strip_thoughts


@pytest.mark.parametrize(
    ("raw", "said", "unfinished"),
    [
        ("office", "office", False),
        ("a < b", "a < b", False),
        ("<think>x</think>office", "office", False),
        ("a <think>x</think>b <THINKING>y</thinking>c", "a b c", False),
        ("x</think>office", "office", False),
        ("<think>a</think>b</think>c", "c", False),
        ("a<think>x", "a", True),
        ("a<think>x<think>y", "a", True),
        ("<think>x</think>a<think>y", "a", True),
    ],
)
def test_thoughts_go(raw, said, unfinished):
    assert split_thoughts(raw) == (said, unfinished)


def test_an_open_thought_is_unfinished():
    assert strip_thoughts("a <think>x") == Reading("a", "still thinking", unfinished=True)
    assert strip_thoughts("<think>x").answer is None
    assert strip_thoughts("office").unfinished is False

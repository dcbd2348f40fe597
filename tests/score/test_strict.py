from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import Instruction, Task
from taskloom.core.catalog import READERS
from taskloom.score.strict import strip_thoughts

TASK = Task("t", Instruction("Answer."))
STRICT = ["whole", "first-line", "last-line", "after-marker", "boxed"]

TEXT = "Let me see.\nThe answer: no\nFinal answer: \\boxed{a{b}c}\nBye"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("whole", TEXT), ("first-line", "Let me see."), ("last-line", "Bye"), ("after-marker", "\\boxed{a{b}c}"),
        ("boxed", "a{b}c"),
    ],
)  # fmt: skip
def test_named_ways(name, answer):
    assert READERS.get(name).read(TEXT, TASK).answer == answer


@pytest.mark.parametrize("name", ["after-marker", "boxed"])
def test_unparsed(name):
    found = READERS.get(name).read("I do not know \\boxed{open", TASK)
    assert found.answer is None
    assert not found.unfinished
    assert found.why


@pytest.mark.parametrize("name", STRICT)
def test_thoughts_are_stripped_first(name):
    raw = "<think>Answer: wrong \\boxed{wrong}</think>Answer: \\boxed{right}"
    assert "wrong" not in (READERS.get(name).read(raw, TASK).answer or "")


@pytest.mark.parametrize(
    ("raw", "answer", "unfinished"),
    [
        ("<think>hm</think> yes", " yes", False),
        ("hm, so</think>yes", "yes", False),
        ("one</think>two</think>three", "three", False),
        ("<think>one</think>two</think>three", "three", False),
        ("<think>a</think>one <think>b</think>two", "one two", False),
        ("one</think><think>two", None, True),
        ("<think>hm", None, True),
        ("yes <think>but", "yes", True),
        ("<THINKING>a</THINKING>b", "b", False),
        ("plain", "plain", False),
    ],
)
def test_unfinished_thoughts_are_told_apart(raw, answer, unfinished):
    found = strip_thoughts(raw)
    assert (found.answer, found.unfinished) == (answer, unfinished)


@given(st.text())
def test_nothing_a_model_says_breaks_a_reader(text):
    for name in READERS:
        found = READERS.get(name).read(text, TASK)
        assert found.answer is None or isinstance(found.answer, str)


@pytest.mark.parametrize("name", STRICT)
def test_readers_describe_themselves_for_logs(name):
    assert READERS.get(name).describe() == {"name": name}


@pytest.mark.parametrize(
    ("text", "answer"),
    [("Answer: office", "office"), ("It is so.\nAnswer: the office", "the office"), ("office", "office"),
     ("Answer:", "Answer:"),
     ("Respuesta: casa", "casa"), ("My answer: x", "My answer: x"), ("Answer: a\nnot so", "Answer: a\nnot so")],
)  # fmt: skip
def test_the_asked_line_or_everything(text, answer):
    assert READERS.get("asked").read(text, TASK).answer == answer

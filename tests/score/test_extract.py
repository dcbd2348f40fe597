from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core.catalog import EXTRACTORS
from taskloom.score.extract import strip_thoughts

TEXT = "Let me see.\nThe answer: no\nFinal answer: \\boxed{a{b}c}\nBye"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("whole", TEXT), ("first-line", "Let me see."), ("last-line", "Bye"), ("after-marker", "\\boxed{a{b}c}"),
        ("boxed", "a{b}c"),
    ],
)  # fmt: skip
def test_named_ways(name, answer):
    assert EXTRACTORS.get(name).extract(TEXT).answer == answer


@pytest.mark.parametrize("name", ["after-marker", "boxed"])
def test_unparsed(name):
    found = EXTRACTORS.get(name).extract("I do not know \\boxed{open")
    assert found.answer is None
    assert not found.unfinished


@pytest.mark.parametrize("name", list(EXTRACTORS))
def test_thoughts_are_stripped_first(name):
    raw = "<think>Answer: wrong \\boxed{wrong}</think>Answer: \\boxed{right}"
    assert "wrong" not in (EXTRACTORS.get(name).extract(raw).answer or "")


@pytest.mark.parametrize(
    ("raw", "answer", "unfinished"),
    [
        ("<think>hm</think> yes", " yes", False),
        ("hm, so</think>yes", "yes", False),
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
def test_nothing_a_model_says_breaks_an_extractor(text):
    for name in EXTRACTORS:
        found = EXTRACTORS.get(name).extract(text)
        assert found.answer is None or isinstance(found.answer, str)

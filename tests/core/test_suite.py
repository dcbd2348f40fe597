from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, UserError, any_of, open_suite
from toy import FAMILY


@pytest.fixture
def suite():
    return FAMILY.build("all", FAMILY.recipe("all"), 3)


def test_rows_can_be_limited_and_filtered(suite):
    assert len(list(suite.rows("test"))) == 20
    assert [row.task for row in suite.rows("test", task="even", limit=2)] == ["even", "even"]
    assert suite.default_split() == "test"
    assert suite.family == "toy"


def test_drawing_twice_gives_the_same_rows(suite):
    assert list(suite.rows("train")) == list(suite.rows("train"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"split": "tset"}, "'test'"),
        ({"split": "test", "task": "evn"}, "'even'"),
        ({"split": "test", "limit": -1}, "-1"),
    ],
)
def test_mistakes_are_named(suite, arguments, words):
    with pytest.raises(UserError, match=words):
        list(suite.rows(**arguments))


@pytest.mark.parametrize("name", ["bbai/task-1", "babi", "babi/", "nothing"])
def test_unknown_suites_are_refused(name):
    with pytest.raises(UserError):
        open_suite(name)


def test_canonical_answers():
    assert AnyOf(("a", "b")).canonical() == "a"
    assert Boolean(False, ("true", "false")).canonical() == "false"
    assert Items((("x", "y"),)).canonical() == "x, y"
    assert Items(((),), empty="n/a").canonical() == "n/a"
    assert Product((("a", "b"), ("c",)), " # ").canonical() == "a # c"
    assert Structure(('{"a":1}',)).values() == [{"a": 1}]
    assert any_of(["a", "b", "a"]) == AnyOf(("a", "b"))
    with pytest.raises(ValueError, match="at least one"):
        any_of([])

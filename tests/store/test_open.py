"""Recipe files: what they may hold, and the line of each mistake."""

from __future__ import annotations

import pytest

from taskloom.core import UserError, open_suite
from taskloom.store.open import read_recipe_file


@pytest.fixture
def recipe(tmp_path):
    def write(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return path

    return write


def test_what_a_recipe_file_holds(recipe):
    assert read_recipe_file(recipe("suite: babi/task-1\nseed: 3\nrecipe: {test: 5}")) == {
        "suite": "babi/task-1", "seed": 3, "recipe": {"test": 5},
    }  # fmt: skip
    assert read_recipe_file(recipe("suite: x/y\nrecipe:\n")) == {"suite": "x/y", "seed": None, "recipe": {}}
    suite = open_suite(str(recipe("suite: babi/task-1\nseed: 3\nrecipe:\n  test: 5")))
    assert len(suite["test"]) == 5 and suite.seed == 3


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("- a", "a recipe file is a mapping", None),
        ("suite: x/y\n\nsede: 3", "unknown key 'sede'", 3),
        ("seed: 3", "the key suite is missing", None),
        ("suite: 3", "the key suite is missing", None),
        ("suite: x/y\nseed: true", "the seed is a whole number, not True", 2),
        ("suite: x/y\nseed: 1.5", "the seed is a whole number, not 1.5", 2),
        ("suite: x/y\nseed: 1\nrecipe: [1]", "recipe is a mapping", 3),
    ],
)
def test_mistakes_are_named_with_their_line(recipe, text, words, line):
    path = recipe(text)
    with pytest.raises(UserError, match=words) as raised:
        read_recipe_file(path)
    assert raised.value.where == (f"{path}:{line}" if line else str(path))


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("recipe:\n  test: 5\n  tset: 3", "unknown key 'tset'", 4),
        ("recipe:\n  test: many", "expected `int`", 3),
        ("recipe: {test: -3}", "", 2),
    ],
)
def test_keys_that_the_suite_refuses_are_named_with_their_line(recipe, text, words, line):
    path = recipe(f"suite: babi/task-1\n{text}")
    with pytest.raises(UserError) as raised:
        open_suite(str(path))
    assert words.lower() in raised.value.message.lower()
    assert raised.value.where == f"{path}:{line}"

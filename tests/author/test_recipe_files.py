"""Recipe files: what they may hold, and the line of each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskloom.author.recipe import RECIPE, line_of_key, located_error, read_recipe_file
from taskloom.core import UserError, open_suite
from taskloom.store.bundle import BUNDLE
from taskloom.store.write import write_bundle
from toy import FAMILY


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
        ("recipe:\n  test: many", "expected a whole number", 3),
        ("recipe: {test: -3}", "", 2),
    ],
)
def test_keys_that_the_suite_refuses_are_named_with_their_line(recipe, text, words, line):
    path = recipe(f"suite: babi/task-1\n{text}")
    with pytest.raises(UserError) as raised:
        open_suite(str(path))
    assert words.lower() in raised.value.message.lower()
    assert raised.value.where == f"{path}:{line}"


def test_a_seed_may_be_left_empty_or_given_anew(recipe):
    path = recipe("suite: babi/task-1\nseed:\nrecipe: {test: 5, dev: 0, train: 0}")
    assert read_recipe_file(path)["seed"] is None
    assert (open_suite(str(path)).seed, open_suite(str(path), seed=4).seed) == (0, 4)
    path = recipe("suite: babi/task-1\nseed: 3\nrecipe: {test: 5}")
    suite = open_suite(str(path), seed=0, options={"test": 6})
    assert (suite.seed, len(suite["test"])) == (0, 6), "what a person says wins"


@pytest.mark.parametrize(
    ("text", "keys", "line"),
    [
        ("a: 1\nb: 2", ["b"], 2),
        ("a: 1", ["b"], None),
        ("- a", ["a"], None),
        ("", ["a"], None),
        ("a-b: 1\nc:\n  d-e: 2", ["a_b"], 1),
        ("a-b: 1\nc:\n  d-e: 2", ["c", "d_e"], 3),
        ("c:\n  d: 2", ["c", "x"], 1),
        ("c: 3\nd: 4", ["c", "d"], 1),
    ],
)
def test_the_line_of_a_key(recipe, text, keys, line):
    path = recipe(text)
    assert line_of_key(path, keys) == (f"{path}:{line}" if line else str(path))


def test_errors_about_a_suite_are_placed_in_the_file(recipe):
    path = recipe("suite: x/y\nrecipe:\n  size: 1\n  names: [a]")
    for error, message, line in (
        (UserError("odd", hint="do"), "odd", None),
        (UserError("odd", where="x/y"), "x/y: odd", 2),
        (UserError("odd", where="x/y: size"), "x/y: size: odd", 3),
        (UserError("odd", where="x/y: names[0].x"), "x/y: names[0].x: odd", 4),
        (UserError("unknown key 'names'; known: size", where="x/y"), "x/y: unknown key 'names'; known: size", 4),
    ):
        found = located_error(error, path)
        assert (found.message, found.hint) == (message, error.hint)
        assert found.where == (f"{path}:{line}" if line else str(path))


def test_a_bundle_is_fixed(tmp_path):
    write_bundle(FAMILY.open("all", 1), tmp_path / "b")
    assert BUNDLE.opens(tmp_path / "b") and BUNDLE.opens(tmp_path / "b" / "manifest.json")
    assert not BUNDLE.opens(tmp_path) and not BUNDLE.opens(tmp_path / "manifest.json")
    assert BUNDLE.open(tmp_path / "b", None, {}).seed == 1
    for seed, options in ((0, {}), (None, {"test": 3}), (1, {"test": 3})):
        with pytest.raises(UserError, match="a bundle is fixed"):
            BUNDLE.open(tmp_path / "b", seed, options)


def test_what_a_recipe_file_is_called():
    assert [RECIPE.opens(Path(name)) for name in ("a.yaml", "a.yml", "a.json", "yaml")] == [True, True, False, False]

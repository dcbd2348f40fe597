"""A Python file of tasks: what it declares, which of it is opened, and which functions replace each other."""

from __future__ import annotations

import pytest

from taskloom.author.pyfile import PYTHON, FileRecipe, load_declared, replaced_tasks
from taskloom.core import UserError, open_suite
from taskloom.core.execute import execute_file

TASKS = """
import taskloom
from taskloom import task as named

@taskloom.task(definition="Say the number.", keys=1_000)
def first(rng, key):
    return f"{key}", key

@named(definition="Say the next number.", keys=1_000)
def second(rng, key):
    return f"{key}", key + 1
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "mine.py").write_text(TASKS)
    return tmp_path / "mine.py"


def names(blueprints) -> list[str]:
    return [blueprint.name for blueprint in blueprints]


def test_tasks_are_found_once_and_in_order(path):
    path.write_text(TASKS + "again = first\nboth = [second, 3, first.renamed('third')]\nmore = (first,)\n")
    assert names(load_declared(path).blueprints) == ["first", "second", "third"]
    assert load_declared(str(path)).sizes == {} and load_declared(path).seed == 0


def test_the_first_suite_of_a_file_sets_sizes_and_seed(path):
    path.write_text(
        TASKS
        + "a = taskloom.Suite.of([first], seed=8, dev=3, test=None)\nb = taskloom.Suite.of([first], seed=9, test=4)\n"
    )
    declared = load_declared(path)
    assert (declared.sizes, declared.seed) == ({"dev": 3, "test": None}, 8)
    suite = open_suite(path)
    assert (suite.seed, dict(suite.splits)) == (8, {"dev": 6, "test": None})
    assert open_suite(path, seed=0).seed == 0
    assert dict(open_suite(path, options={"test": 5}).splits) == {"dev": 6, "test": 10}


def test_without_a_suite_there_are_a_hundred_rows_to_train_and_to_test(path):
    suite = open_suite(path)
    assert (suite.name, suite.seed, dict(suite.splits)) == ("mine", 0, {"train": 200, "test": 200})
    assert suite.recipe == {"tasks": ["first", "second"], "train": 100, "dev": 0, "test": 100}


@pytest.mark.parametrize(
    ("chosen", "found"),
    [([], ["first", "second"]), (["second"], ["second"]), (["second", "first"], ["second", "first"])],
)
def test_some_tasks_are_chosen_by_name(path, chosen, found):
    suite = open_suite(path, options={"tasks": chosen, "train": 0, "test": 1})
    assert list(suite.tasks) == suite.recipe["tasks"] == found
    assert [row.task for row in suite.rows("test")] == found


@pytest.mark.parametrize("chosen", [["thrid"], ["first", "thrid"], ["thrid", "first", "second"]])
def test_a_task_that_the_file_does_not_have_is_named(path, chosen):
    with pytest.raises(UserError, match="no task 'thrid'; it has first, second") as raised:
        open_suite(path, options={"tasks": chosen})
    assert raised.value.where == str(path)


def test_sizes_are_not_negative(path):
    assert FileRecipe(train=0, dev=None, test=0).dev is None
    for split in ("train", "dev", "test"):
        with pytest.raises(UserError, match=f"{split}: must be 0 or more, not -1"):
            open_suite(path, options={split: -1})


def test_only_files_of_python_are_opened(path):
    assert PYTHON.opens(path)
    assert not PYTHON.opens(path.with_suffix(".txt")) and not PYTHON.opens(path.with_name("gone.py"))
    path.with_suffix(".txt").write_text(TASKS)
    assert not PYTHON.opens(path.with_suffix(".txt"))
    folder = path.with_name("folder.py")
    folder.mkdir()
    assert not PYTHON.opens(folder)


def test_two_files_of_one_name_are_two_modules(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(f"NAME = {name!r}\n")
    modules = [execute_file(tmp_path / name / "mine.py") for name in "ab"]
    assert [module.NAME for module in modules] == ["a", "b"]
    assert modules[0].__name__ != modules[1].__name__
    assert modules[0].__name__.startswith("taskloom_file_")


def test_a_file_that_is_no_python_is_refused(tmp_path):
    (tmp_path / "mine.text").write_text("x = 1")
    with pytest.raises(UserError, match="not a Python file"):
        execute_file(tmp_path / "mine.text")


def test_a_later_function_of_the_same_name_replaces_a_task(path):
    assert replaced_tasks(path, load_declared(path).blueprints) == {}
    again = "\n@taskloom.task(definition='Again.', keys=5)\ndef first(rng, key):\n    return f'{key}', key\n"
    path.write_text(TASKS + again + "\ndef second_helper(): ...\n")
    # The line of the function itself, below its decorator.
    line = (TASKS + again).split("\n").index("def first(rng, key):", 6) + 1
    assert replaced_tasks(path, load_declared(path).blueprints) == {"first": line}
    plain = TASKS + "\ndef other(): ...\ndef other(): ...\n@staticmethod\ndef more(): ...\n"
    path.write_text(plain)
    assert replaced_tasks(path, load_declared(path).blueprints) == {}, "functions that are no tasks"


def test_lists_of_other_things_are_no_tasks(path):
    path.write_text("numbers = [1, 2]\ntexts = ('a',)\n")
    with pytest.raises(UserError, match="the file defines no task"):
        load_declared(path)


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_splits_that_a_suite_of_the_file_leaves_out_are_empty(path, split):
    path.write_text(TASKS + f"s = taskloom.Suite.of([first, second], {split}=2)\n")
    assert dict(open_suite(path).splits) == {split: 4}


def test_the_last_of_several_functions_is_the_one_that_stays(path):
    again = "\n@taskloom.task(definition='Again.', keys=5)\ndef first(rng, key):\n    return f'{key}', key\n"
    path.write_text(TASKS + again + again)
    lines = (TASKS + again + again).split("\n")
    last = len(lines) - lines[::-1].index("def first(rng, key):")
    assert replaced_tasks(path, load_declared(path).blueprints) == {"first": last}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("import taskloom\n@taskloom.task\ndef f(rng): ...\n", "write @taskloom.task(definition=…) above the function"),
        ("1 / 0\n", None),
    ],
)
def test_a_decorator_without_brackets_comes_with_a_hint(path, text, hint):
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        execute_file(path)
    assert raised.value.hint == hint

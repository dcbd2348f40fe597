"""Whatever a person may mean by a suite opens, and what could be meant in two ways is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.catalog import FAMILIES
from taskloom.core.family import open_recorded
from taskloom.store.write import write_bundle

TASKS = """
import taskloom


@taskloom.task(definition="Say the number that follows.")
def next_number(rng):
    number = rng.randrange(10_000)
    return taskloom.Item(str(number), str(number + 1))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_bundle(open_suite("babi/task-1", options={"train": 5, "dev": 5, "test": 5}), "stories")
    (tmp_path / "numbers.py").write_text(TASKS, encoding="utf-8")
    (tmp_path / "recipe.yaml").write_text("suite: babi/task-2\nrecipe:\n  test: 7\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["stories", "./stories", "stories/manifest.json"])
def test_a_bundle_opens_by_its_folder_and_by_its_manifest(here, name):
    assert open_suite(name).name == "babi/task-1"
    assert open_suite(here / name).identity == open_suite(name).identity


def test_files_open_by_path(here):
    assert list(open_suite("numbers.py").tasks) == ["next_number"]
    assert len(open_suite(here / "recipe.yaml")["test"]) == 7


@pytest.mark.parametrize("expression", ["antonyms[eng]", "map{antonyms[eng]}", "father(mother)"])
def test_an_expression_opens_with_and_without_its_family(expression):
    bare, full = open_suite(expression), open_suite(f"taskbench/{expression}")
    assert (bare.name, bare.identity) == (full.name, full.identity)


def test_a_wrong_expression_is_shown_where_it_is_wrong():
    with pytest.raises(UserError, match=r"needs a language, such as antonyms\[eng\]"):
        open_suite("map{antonyms}")


def test_a_name_that_is_also_a_path_is_refused(here):
    (here / "babi").mkdir()
    (here / "stories").rename(here / "babi" / "task-1")
    with pytest.raises(UserError, match="a registered suite and a path") as caught:
        open_suite("babi/task-1")
    assert "./babi/task-1" in str(caught.value.hint)
    assert len(open_suite("./babi/task-1")["test"]) == 5


@pytest.mark.parametrize("name", ["./nowhere", "nowhere.py", "nowhere.yaml"])
def test_a_path_that_leads_nowhere_is_said_to(here, name):
    with pytest.raises(UserError, match="(?i)no such file"):
        open_suite(name)


def test_a_folder_of_something_else_is_refused(here):
    (here / "photos").mkdir()
    with pytest.raises(UserError, match="no suite here: the folder is empty"):
        open_suite("photos")


def test_a_home_folder_is_understood(here, monkeypatch):
    monkeypatch.setenv("HOME", str(here))
    assert open_suite("~/stories").identity == open_suite("stories").identity


def test_a_path_is_opened_without_loading_every_family(here, monkeypatch):
    monkeypatch.setattr(FAMILIES, "described", lambda: pytest.fail("every family was loaded"))
    assert open_suite("./stories").identity == open_suite(str(here / "stories")).identity


def test_a_recipe_file_may_name_a_bundle(here):
    (here / "kept.yaml").write_text("suite: stories\n", encoding="utf-8")
    assert open_suite("kept.yaml").identity == open_suite("stories").identity


@pytest.mark.parametrize("named", ["self.yaml", "./other.yml"])
def test_recipe_files_do_not_name_each_other(here, named):
    (here / "self.yaml").write_text(f"suite: {named}\n", encoding="utf-8")
    (here / "other.yml").write_text("suite: self.yaml\n", encoding="utf-8")
    with pytest.raises(UserError, match="names a suite, not another recipe file") as caught:
        open_suite("self.yaml")
    assert caught.value.where == "self.yaml:1"


@pytest.mark.parametrize("name", ["a" * 5_000, "(" * 3_000, "a\0b", "~nobody-of-this-name/x"])
def test_what_no_file_can_be_called_is_refused_in_a_sentence(here, name):
    with pytest.raises(UserError):
        open_suite(name)


def test_a_file_of_another_kind_is_called_a_file(here):
    (here / "notes.txt").write_text("milk", encoding="utf-8")
    with pytest.raises(UserError, match="this file is no recipe"):
        open_suite("notes.txt")


def test_no_file_makes_code_run(here):
    """A run, a log, a form or a recipe that names a Python file does not get it run: only a person does."""
    import json

    from taskloom import run_suite
    from taskloom.cli.main import main
    from taskloom.store.seal import read_sealed, write_sealed

    (here / "evil.py").write_text("open('ran', 'w').write('x')\n" + TASKS, encoding="utf-8")
    run_suite(open_suite("stories"), model="mock/majority", folder="forged")
    plan = read_sealed(here / "forged" / "run.json", "the plan")
    write_sealed(here / "forged" / "run.json", {**plan, "suite": "./evil.py", "recipe": {}})
    (here / "log.json").write_text(
        json.dumps(
            {"eval": {"model": "m", "metadata": {"taskloom": "1", "suite": "evil.py"}}, "samples": [{"id": "1"}]}
        )
    )
    (here / "code.yaml").write_text("suite: ./evil.py\n", encoding="utf-8")
    for words in (
        ["report", "forged", "-o", "page.html"],
        ["check", "forged"],
        ["judge", "make", "forged", "--form", "answer", "-o", "form.html"],
        ["judge", "make", "forged", "-o", "form.html"],
        ["probe", "forged", "-o", "probed"],
        ["cure", "forged", "--model", "mock/majority", "-o", "cured"],
        ["import", "inspect", "log.json", "-o", "imported"],
        ["generate", "code.yaml", "-o", "made"],
        ["show", "code.yaml"],
    ):
        main(words)
        assert not (here / "ran").exists(), words
    assert len(open_suite("evil.py").tasks) == 1 and (here / "ran").exists()


def test_seeds_and_options_reach_what_is_opened(here):
    suite = open_suite("babi/task-1", seed=4, options={"test": 6})
    assert (suite.seed, suite.splits["test"]) == (4, 6)
    assert suite.origin == ("babi/task-1", 4, {"test": 6})
    assert open_suite("babi/task-1").seed == open_suite("father(mother)").seed == 0
    assert open_suite("father(mother)", seed=3).seed == 3
    assert open_suite(here / "stories").origin == (str(here / "stories"), None, {})


@pytest.mark.parametrize("name", ["x.py", "x.PY ", "./folder/x.Py"])
def test_code_that_a_file_names_is_refused_whatever_its_spelling(name):
    with pytest.raises(UserError, match="code runs only when you name it yourself"):
        open_recorded(name)


def test_what_a_file_names_is_opened(here):
    assert open_recorded("babi/task-1", seed=2, options={"test": 3}).seed == 2
    assert open_recorded("stories").name == "babi/task-1"


@pytest.mark.parametrize(("size", "shown"), [(80, "~" + "b" * 79), (81, "~" + "b" * 78 + "…")])
def test_a_name_that_is_no_path_is_shown_cut(size, shown):
    with pytest.raises(UserError, match="neither a suite nor a path: Could not determine home directory") as raised:
        open_suite("~" + "b" * (size - 1))
    assert raised.value.where == repr(shown)


@pytest.mark.parametrize("name", ["./x", "/nowhere/x", "~/nowhere", "x.yml", "x.yaml", "x.py"])
def test_paths_that_lead_nowhere(name):
    with pytest.raises(UserError, match="no such file") as raised:
        open_suite(name)
    assert raised.value.where in (name, str(Path(name)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bbai/task-1", "did you mean 'babi/task-1'"), ("babi/task-99", "unknown suite 'babi/task-99'"),
        ("babi", "'babi' names a family, not a suite"), ("nothing", "unknown suite 'nothing'"),
        ("babi(x)", "babi"), ("babi/x(y)", "unknown suite 'babi/x\\(y\\)'"),
    ],
)  # fmt: skip
def test_names_that_nobody_has(name, words):
    with pytest.raises(UserError, match=words):
        open_suite(name)


def test_a_folder_of_something_else_comes_with_the_command_that_fills_it(here):
    (here / "photos").mkdir()
    (here / "notes.txt").write_text("milk", encoding="utf-8")
    for name, hint in (("photos", "generate SUITE -o FOLDER"), ("notes.txt", "taskloom new task NAME")):
        with pytest.raises(UserError) as raised:
            open_suite(name)
        assert raised.value.where == name and hint in raised.value.hint


def test_a_registered_name_may_be_that_of_something_else(here):
    """A folder that no opener takes for a suite does no harm."""
    (here / "babi" / "task-1").mkdir(parents=True)
    assert open_suite("babi/task-1").name == "babi/task-1"


def test_a_path_below_a_folder_of_a_familys_name_is_a_path(here):
    (here / "babi").mkdir()
    (here / "stories").rename(here / "babi" / "mine")
    assert len(open_suite("babi/mine")["test"]) == 5
    (here / "nobody").mkdir()
    (here / "babi" / "mine").rename(here / "nobody" / "mine")
    assert len(open_suite("nobody/mine")["test"]) == 5


def test_a_name_that_the_disk_refuses_is_said_in_its_words():
    with pytest.raises(UserError, match="neither a suite nor a path: File name too long"):
        open_suite("a" * 5_000)


def test_one_task_of_a_suite_is_opened_by_its_name_and_again_from_its_recipe():
    whole, part = open_suite("babi/mix-t2"), open_suite("babi/mix-t2/where-person")
    assert list(part.tasks) == ["where-person"]
    assert next(part.rows("test")) == next(whole.rows("test", task="where-person"))
    again = open_suite("babi/mix-t2", options=part.recipe)
    assert list(again.tasks) == ["where-person"] and again.identity == part.identity
    with pytest.raises(UserError, match="unknown task 'where'"):
        open_suite("babi/mix-t2/where")

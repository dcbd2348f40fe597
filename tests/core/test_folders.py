"""Where caches lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskloom.core.folders import cache_folder, not_here


def test_a_variable_decides_where_caches_lie(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TASKLOOM_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine" and cache_folder("a", "b") == tmp_path / "mine" / "a" / "b"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "system"))
    for nothing in ("", None):
        if nothing is None:
            monkeypatch.delenv("TASKLOOM_CACHE")
        else:
            monkeypatch.setenv("TASKLOOM_CACHE", nothing)
        assert cache_folder("a").parts[-2:] == ("taskloom", "a")
        assert Path(tmp_path) in cache_folder().parents


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with two runs, a torn one, a recipe and an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("majority", "oracle"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").touch()
    (tmp_path / "runs" / "torn").mkdir()
    (tmp_path / "runs" / "torn" / "tasks.jsonl").touch()
    (tmp_path / "recipe.yaml").touch()
    (tmp_path / "empty").mkdir()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("path", "wanted", "said"),
    [
        ("run/majority", "run", "did you mean runs/majority?"),
        ("majority", "run", "did you mean runs/majority?"),
        ("runs/majorty", "run", "did you mean runs/majority?"),
        ("elsewhere", "run", "there are runs/majority, runs/oracle"),
        ("runs/nothing", "suite", "there are runs/majority (a run), runs/oracle (a run)"),
        ("runs/orcle", "suite", "did you mean runs/oracle (a run)?"),
        ("runs/majority-2", "run", "did you mean runs/majority?"),
        ("runs/*.json", "run", "there are runs/majority, runs/oracle"),
        ("recpe.yaml", "suite", "did you mean recipe.yaml?"),
        ("recipes/recipe.yaml", "file", "no such file; did you mean recipe.yaml?"),
        ("recipe.yml", "file", "did you mean recipe.yaml?"),
        ("rnus", "folder", "did you mean runs?"),
        ("runs/torn", "run", "the folder holds tasks.jsonl, but no run.json"),
        ("empty", "run", "the folder is empty"),
        ("runs", "run", "no run here, but inside it: runs/majority, runs/oracle"),
        ("runs/oracle", "suite", "this folder is a run, not a suite"),
        ("recipe.yaml", "run", "this is a file, not the folder of a run"),
        ("runs", "file", "this is a folder, not a file"),
        ("a,b", "run", "several are separated by blanks"),
        ("babi/task-1", "run", "this is a suite, not the folder of a run"),
        ("hf/owner/name", "probe", "this is a model, not the folder of a probe"),
        ("run/mine", "run", "there are runs/majority, runs/oracle"),
        ("0.75", "run", "this is a number, not the folder of a run"),
    ],
)
def test_a_path_that_is_something_else_comes_with_what_is_near(path, wanted, said):
    error = not_here(path, wanted, "taskloom run")
    assert said in error.message and error.where == path
    assert error.hint.startswith("taskloom run")


@pytest.mark.parametrize("wanted", ["folder", "file", "run", "suite"])
def test_nothing_of_the_machine_is_offered_for_a_path_below_its_root(wanted):
    assert "no such f" in (said := str(not_here("/nowhere", wanted))), said
    assert "did you mean" not in said and "there is" not in said and "there are" not in said


@pytest.mark.parametrize(
    ("name", "command"), [("log.eval", "taskloom import inspect"), ("a.csv", "taskloom import outputs")]
)
def test_a_file_in_the_place_of_a_run_is_imported_as_what_it_is(tmp_path, name, command):
    (tmp_path / name).write_text("x")
    assert f"{command} {tmp_path / name}" in str(not_here(tmp_path / name, "run"))

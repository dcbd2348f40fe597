"""What decides a run, and which folders it may have."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import msgspec
import pytest

from taskloom.core import Instruction, Task, UserError
from taskloom.run.log import LOGS, OLD_LOG, has_records
from taskloom.run.plan import (
    FORMAT,
    PLAN,
    RESULTS,
    TASKS,
    Plan,
    check_folder,
    environment,
    load_plan,
    load_tasks,
    save_plan,
)
from taskloom.store.seal import write_sealed

PLANNED = Plan(
    suite="x/y", data_seed=1, recipe={"test": 5}, tasks_hash="abc", split="test", limit=None, model={"name": "m"},
    encoding={"name": "plain"}, generation={"max_tokens": 8, "temperature": 0.0}, adaptation={"name": "none"},
    run_seed=0, scorer=None,
)  # fmt: skip
TASK = Task("t", Instruction("d"))


def other(**changes):
    return msgspec.structs.replace(PLANNED, **changes)


def begun(folder, plan=PLANNED):
    folder.mkdir(exist_ok=True)
    save_plan(plan, [TASK], folder)
    (folder / OLD_LOG).write_text("{}\n")
    return folder


@pytest.mark.parametrize("change", [{"environment": {"a": "b"}}, {"command": "c"}, {"notes": {"n": 1}}])
def test_what_does_not_decide_a_run(change):
    assert other(**change).hash() == PLANNED.hash()
    assert not set(change) & set(PLANNED.decisive())


@pytest.mark.parametrize(
    "change", [{"run_seed": 1}, {"limit": 3}, {"samples": 2}, {"reader": "whole"}, {"streams": ("a",)}]
)
def test_what_decides_a_run(change):
    assert other(**change).hash() != PLANNED.hash()


def test_a_plan_comes_back_from_disk(tmp_path):
    planned = other(streams=("a", "b"), protocol={"name": "chat", "reader": "boxed"}, reader="whole")
    save_plan(planned, [TASK], tmp_path)
    assert load_plan(tmp_path).hash() == planned.hash()
    assert load_plan(tmp_path).strict_reader == "boxed" and PLANNED.strict_reader is None
    assert other(reader="whole").strict_reader == "whole"
    assert load_tasks(tmp_path) == {"t": TASK}
    assert {"taskloom", "python", "platform"} <= environment().keys()


def test_a_folder_is_free_or_holds_this_very_run(tmp_path):
    check_folder(PLANNED, tmp_path)
    save_plan(other(run_seed=7), [TASK], tmp_path)
    check_folder(PLANNED, tmp_path)  # another plan, but nothing was asked yet
    save_plan(PLANNED, [TASK], tmp_path)
    assert load_plan(tmp_path).run_seed == 0, "a run that never began leaves its folder free"
    begun(tmp_path)
    check_folder(PLANNED, tmp_path)
    save_plan(other(notes={"new": 1}), [TASK], tmp_path)
    assert load_plan(tmp_path).notes == {}, "the plan of a continued run stays as it is"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run_seed": 7}, "run seed 0, not 7"),
        ({"limit": 3, "samples": 2, "run_seed": 9}, "limit None, not 3; samples 1, not 2"),
        ({"model": {"name": "n"}}, "model '.*', not 'n'"),
        ({"generation": {"max_tokens": 9, "temperature": 0.5}}, "another .*: max_tokens, temperature"),
        ({"tasks_hash": "def"}, "another "),
    ],
)
def test_another_run_in_the_folder_is_told_by_what_differs(tmp_path, change, words):
    begun(tmp_path)
    with pytest.raises(UserError, match=f"the log of another run.*{words}") as raised:
        check_folder(other(**change), tmp_path)
    assert raised.value.message.count(";") <= 1, "the first two are enough"


def test_folders_of_others_are_refused(tmp_path):
    for name, text, words in (
        ("manifest.json", "{}", "contains a bundle"), (OLD_LOG, "{}", "records without their plan"),
        (TASKS, "", "not written by a run"), (RESULTS, "", "not written by a run"),
    ):  # fmt: skip
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text(text)
        with pytest.raises(UserError, match=words):
            check_folder(PLANNED, folder)
    (tmp_path / OLD_LOG / OLD_LOG).write_text("")
    assert not has_records(tmp_path / OLD_LOG)
    check_folder(PLANNED, tmp_path / OLD_LOG)


def test_plans_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="no run here"):
        load_plan(tmp_path)
    write_sealed(tmp_path / PLAN, {"format": FORMAT + 1})
    with pytest.raises(UserError, match="written by a newer Taskloom"):
        load_plan(tmp_path)
    write_sealed(tmp_path / PLAN, {"format": FORMAT})
    with pytest.raises(UserError, match="the plan is truncated or damaged"):
        load_plan(tmp_path)
    data = msgspec.to_builtins(PLANNED)
    del data["reader"]
    write_sealed(tmp_path / PLAN, {**data, "format": 1, "extractor": "whole"})
    assert load_plan(tmp_path).reader == "whole", "what the first format called it"
    (tmp_path / TASKS).write_text("{")
    with pytest.raises(UserError, match="the tasks of the run cannot be read"):
        load_tasks(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"recipe": {"test": 6}}, "another recipe: test"), ({"recipe": {"train": 1}}, "another recipe: train"),
        ({"generation": {"a": 1, "b": 2, "c": 3, "d": 4}}, r"another generation: a, b, c\)"),
        ({"tasks_hash": "def"}, r"\(another tasks hash\)"), ({"identity": "i"}, "identity '', not 'i'"),
        ({"format": 1}, "log format 2, not 1"), ({"streams": ("a",)}, r"streams \[\], not \['a'\]"),
        ({"limit": 1, "samples": 2, "run_seed": 3}, r"limit None, not 1; samples 1, not 2\)"),
    ],
)  # fmt: skip
def test_the_first_two_differences_are_told(tmp_path, change, words):
    begun(tmp_path)
    with pytest.raises(UserError, match=words) as raised:
        check_folder(other(**change), tmp_path)
    assert raised.value.where == str(tmp_path)


def test_a_run_that_trains_has_begun(tmp_path, monkeypatch):
    import taskloom.adapt.lane

    monkeypatch.setattr(
        taskloom.adapt.lane, "has_begun", lambda folder: folder.name == "adaptation" and folder.is_dir()
    )
    save_plan(other(run_seed=7), [TASK], tmp_path)
    (tmp_path / "adaptation").mkdir()
    with pytest.raises(UserError, match="another run"):
        check_folder(PLANNED, tmp_path)
    save_plan(PLANNED, [], tmp_path)
    assert load_plan(tmp_path).run_seed == 7 and load_tasks(tmp_path) == {"t": TASK}


def test_files_of_others_are_named(tmp_path):
    for name in (TASKS, RESULTS, LOGS, "adaptation"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).mkdir()
        with pytest.raises(UserError, match="not written by a run") as raised:
            check_folder(PLANNED, folder)
        assert raised.value.where == str(folder / name)


def test_versions_of_packages_that_are_loaded(monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", SimpleNamespace(__version__="1.2"))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    monkeypatch.delitem(sys.modules, "transformers", raising=False)
    found = environment()
    assert (found["peft"], found["torch"]) == ("1.2", "?") and "transformers" not in found


def test_the_newest_format_is_read_and_a_newer_one_is_not(tmp_path):
    data = msgspec.to_builtins(PLANNED)
    write_sealed(tmp_path / PLAN, {**data, "format": FORMAT})
    assert load_plan(tmp_path).format == FORMAT == PLANNED.format
    write_sealed(tmp_path / PLAN, {**data, "format": "new"})
    with pytest.raises(UserError, match="truncated or damaged"):
        load_plan(tmp_path)
    assert has_records(tmp_path) is False
    (tmp_path / OLD_LOG).write_bytes(b"x")
    assert has_records(tmp_path) is True

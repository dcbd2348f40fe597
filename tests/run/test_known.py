"""Finished runs are found by their plan, and never on a hint alone."""

from __future__ import annotations

import pytest

from taskloom import open_suite
from taskloom.run.known import adopt, find_finished, is_finished
from taskloom.run.plan import load_plan
from taskloom.run.runner import RunSettings, launch

_ORACLE = RunSettings(model="mock/oracle", limit=3)


@pytest.fixture
def done(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_RUNS", str(tmp_path / "notes"))
    suite = open_suite("babi/task-1", options={"train": 20, "dev": 0, "test": 20})
    launch(suite, tmp_path / "first", _ORACLE)
    return suite, tmp_path / "first"


def test_a_finished_run_is_taken_over(done, tmp_path):
    suite, folder = done
    plan = load_plan(folder)
    assert find_finished(plan) == folder
    outcome = launch(suite, tmp_path / "second", _ORACLE, reuse=True)
    assert (outcome.resumed, outcome.scored) == (3, 3)
    assert (tmp_path / "second" / "records.jsonl").read_bytes() == (folder / "records.jsonl").read_bytes()


def test_only_where_it_is_asked_for(done, tmp_path):
    suite, _ = done
    assert launch(suite, tmp_path / "second", _ORACLE).resumed == 0


def test_another_plan_is_not_found(done, tmp_path):
    suite, _ = done
    assert launch(suite, tmp_path / "second", RunSettings(model="mock/oracle", limit=2), reuse=True).resumed == 0


@pytest.mark.parametrize("harm", ["gone", "cut", "other"])
def test_a_hint_is_not_believed(done, tmp_path, harm):
    suite, folder = done
    plan = load_plan(folder)
    records = folder / "records.jsonl"
    if harm == "gone":
        records.unlink()
    elif harm == "cut":
        records.write_bytes(b"".join(records.read_bytes().splitlines(keepends=True)[:-1]))
    else:
        launch(suite, tmp_path / "third", RunSettings(model="mock/oracle", limit=1))
        for name in ("run.json", "tasks.jsonl", "records.jsonl"):
            (folder / name).write_bytes((tmp_path / "third" / name).read_bytes())
    assert find_finished(plan) is None
    assert not adopt(plan, tmp_path / "second")
    assert launch(suite, tmp_path / "second", _ORACLE, reuse=True).scored == 3


def test_a_folder_with_records_is_left_alone(done):
    _, folder = done
    assert is_finished(folder)
    assert not adopt(load_plan(folder), folder)


def test_a_run_without_an_end_is_not_finished(done, tmp_path):
    assert is_finished(done[1]) is True
    assert is_finished(tmp_path / "nowhere") is False

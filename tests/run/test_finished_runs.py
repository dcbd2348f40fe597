"""Finished runs are found by their plan, and never on a hint alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from records import chain
from taskloom import open_suite
from taskloom.adapt.store import MODEL
from taskloom.ask import ScoredReading
from taskloom.core import any_of
from taskloom.core.folders import cache_folder
from taskloom.run.finished_runs import adopt, find_finished, is_finished, remember, runs_folder
from taskloom.run.log import RunLog
from taskloom.run.plan import load_plan, save_plan
from taskloom.run.record import Record
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings

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
    assert chain(tmp_path / "second") == chain(folder)


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
    manifest = folder / "manifest-000001.json"
    if harm == "gone":
        next(folder.glob("answers-*.parquet")).unlink()
    elif harm == "cut":
        manifest.write_bytes(manifest.read_bytes()[:-9])
    else:
        launch(suite, tmp_path / "third", RunSettings(model="mock/oracle", limit=1))
        for path in (tmp_path / "third").iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
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


def test_a_run_with_a_failure_is_not_finished(tmp_path):
    def log(folder, *states):
        with RunLog(folder) as held:
            held.append([
                Record(task="t", id=str(place), index=place, state=state, scorer="exact", raw="x", raw_length=1,
                       targets=any_of("x"), prompt="p", prompt_hash="h", strict=ScoredReading("x", 1.0))
                for place, state in enumerate(states)
            ])  # fmt: skip
            held.finish()
        return folder

    assert is_finished(log(tmp_path / "all", "scored", "truncated")) is True
    assert is_finished(log(tmp_path / "one", "scored", "errored")) is False
    (tmp_path / "all" / "manifest-000001.json").write_bytes(b"{}")
    assert is_finished(tmp_path / "all") is False, "a manifest that cannot be read"


def test_where_runs_are_noted(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_RUNS", "~/mine")
    assert runs_folder() == Path("~/mine").expanduser()
    monkeypatch.setenv("TASKLOOM_RUNS", "")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    assert runs_folder() == cache_folder("runs")


def test_notes_are_found_by_the_hash_of_the_plan(done, tmp_path, monkeypatch):
    _, folder = done
    plan = load_plan(folder)
    digits = plan.hash()
    note = tmp_path / "notes" / ".known" / digits[:2] / f"{digits}.json"
    assert note.is_file() and find_finished(plan) == folder
    note.unlink()
    assert find_finished(plan) is None
    monkeypatch.chdir(tmp_path)
    remember(plan, Path("first"))
    assert find_finished(plan) == folder, "where it really lies"
    monkeypatch.setenv("TASKLOOM_RUNS", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    remember(plan, folder)  # a cache that cannot be written to costs nothing
    assert (tmp_path / "file").read_text() == ""


def test_a_run_is_brought_into_an_empty_folder(done, tmp_path):
    _, folder = done
    plan, target = load_plan(folder), tmp_path / "deep" / "second"
    assert adopt(plan, target) is True
    names = sorted(path.name for path in target.iterdir())
    assert names == sorted(path.name for path in folder.iterdir()), "and no halves"
    for name in names:
        assert (target / name).read_bytes() == (folder / name).read_bytes()
    assert adopt(plan, target) is False, "there are records"


def test_a_folder_of_another_plan_is_left_alone(done, tmp_path):
    suite, folder = done
    plan = load_plan(folder)
    other = msgspec.structs.replace(plan, run_seed=9)
    target = tmp_path / "other"
    target.mkdir()
    save_plan(other, list(suite.tasks.values()), target)
    assert adopt(plan, target) is False and load_plan(target).run_seed == 9
    same = tmp_path / "same"
    same.mkdir()
    save_plan(plan, list(suite.tasks.values()), same)
    assert adopt(plan, same) is True, "begun, but nothing was asked"
    (folder / "manifest-000001.json").rename(tmp_path / "kept")
    assert adopt(plan, folder) is False, "nothing to bring to itself"


def test_what_was_trained_comes_along(done, tmp_path):
    _, folder = done
    (folder / "adaptation").mkdir()
    for name in ("curve.jsonl", MODEL):
        (folder / "adaptation" / name).write_text(name)
    assert adopt(load_plan(folder), tmp_path / "second") is True
    assert (tmp_path / "second" / "adaptation" / MODEL).read_text() == MODEL

"""Scoring again replaces an earlier second opinion as a whole, or not at all."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.run import rescore as module
from taskloom.run.log import RECORDS
from taskloom.run.plan import PLAN
from taskloom.run.rescore import rescore
from taskloom.run.runner import RunSettings, launch


@pytest.fixture
def run(tmp_path):
    tasks = {"t": Task("t", Instruction("Say it."))}
    rows = [Row("t", Instance(str(n), f"say {n}", AnyOf((str(n),)))) for n in range(8)]
    suite = Suite("own/rescore", {}, 1, tasks, {"test": len(rows)}, lambda split: iter(rows), {}, "pairs")
    launch(suite, tmp_path / "run", RunSettings(model="mock/oracle", cache=False))
    return tmp_path / "run"


def _files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_process_killed_on_the_way_leaves_the_old_opinion(run, monkeypatch):
    target = rescore(run, "normalised")
    before = _files(target)
    judged = module._judged

    def dies(*arguments):
        yield next(judged(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_judged", dies)
    monkeypatch.setattr(module, "_remove_scratch", lambda scratch: None)  # a killed process does not tidy up
    with pytest.raises(KeyboardInterrupt):
        rescore(run, "normalised")
    assert _files(target) == before
    monkeypatch.undo()
    assert len(list(target.parent.iterdir())) == 2, "the scratch folder of the killed process"
    assert rescore(run, "normalised") == target
    assert list(target.parent.iterdir()) == [target]
    assert _files(target) == before


def test_files_of_others_stay(run):
    target = rescore(run, "normalised")
    (target / "notes.txt").write_text("mine")
    (target.parent / ".normalised.x.tmp").mkdir()
    rescore(run, "normalised")
    assert (target / "notes.txt").read_text() == "mine"
    assert (target.parent / ".normalised.x.tmp").is_dir()


@pytest.mark.parametrize("name", [PLAN, RECORDS])
def test_a_folder_that_is_no_run_is_refused(run, name):
    target = run / "scores" / "normalised"
    target.mkdir(parents=True)
    (target / name).write_text('{"mine": 1}')
    with pytest.raises(UserError, match="something other than a run|the plan is truncated or damaged"):
        rescore(run, "normalised")
    assert _files(target) == {name: b'{"mine": 1}'}

"""Scoring again replaces an earlier second opinion as a whole, or not at all."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.ask import Judge, ScoredReading
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.catalog import READERS
from taskloom.run import rescore as module
from taskloom.run.log import OLD_LOG, RunLog
from taskloom.run.plan import PLAN, load_plan
from taskloom.run.rescore import judge_again, rescore, rescored_folder
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.atomic import half_name


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
    monkeypatch.setattr(module, "remove_scratch", lambda scratch: None)  # a killed process does not tidy up
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


@pytest.mark.parametrize("name", [PLAN, OLD_LOG])
def test_a_folder_that_is_no_run_is_refused(run, name):
    target = run / "scores" / "normalised"
    target.mkdir(parents=True)
    (target / name).write_text('{"mine": 1}')
    with pytest.raises(
        UserError, match="something other than a run|the plan is truncated or damaged|the plan was changed"
    ):
        rescore(run, "normalised")
    assert _files(target) == {name: b'{"mine": 1}'}


@pytest.mark.parametrize(
    ("names", "folder"),
    [((), "default"), ((None, None), "default"), (("exact", None), "exact"),
     (("exact", "last-line"), "exact+last-line"), (("a b/c", "x_y", "k-0.5"), "a-b-c+x-y+k-0.5")],
)  # fmt: skip
def test_a_second_opinion_has_a_folder_named_after_it(names, folder, tmp_path):
    assert rescored_folder(tmp_path, *names) == tmp_path / "scores" / folder


@pytest.mark.parametrize(
    ("reader", "headline", "strict"),
    [
        (None, None, None),
        ("lenient", "lenient", None),
        ("strict", "strict", None),
        ("last-line", "strict", "last-line"),
    ],
)
def test_the_plan_of_a_second_opinion(run, reader, headline, strict):
    before, target = load_plan(run), rescore(run, "normalised", reader)
    plan, own = load_plan(target), strict or before.strict_reader
    assert (plan.scorer, plan.reader, plan.scorer_options) == ("normalised", own, {})
    changed = {} if headline is None else {"headline": headline, "reader": own}
    assert plan.protocol == {**before.protocol, **changed}
    assert {record.headline for record in load_run(target).records} == {headline or before.protocol["headline"]}


def test_options_of_a_scorer_are_part_of_the_opinion(run):
    folder = rescore(run, "exact", scorer_options={"case": False})
    assert folder.name == "exact+case-False" and load_plan(folder).scorer_options == {"case": False}


@pytest.mark.parametrize("batch", [1, 3, 8, 9])
def test_records_are_judged_in_batches_and_none_is_lost(run, batch, monkeypatch):
    monkeypatch.setattr(module, "BATCH", batch)
    written = []
    append = RunLog.append
    monkeypatch.setattr(RunLog, "append", lambda log, records: written.append(len(records)) or append(log, records))
    target = rescore(run, "normalised")
    assert sum(written) == 8 and max(written) == min(batch, 8)
    assert [record.id for record in load_run(target).records] == [record.id for record in load_run(run).records]
    assert (target / "manifest-000001.json").is_file() and list(target.parent.iterdir()) == [target]


def judged(record, scorer="exact", headline=None, lenient=True):
    task = Task("t", Instruction("Say it."))
    judge = Judge([task], scorer, None, lenient=READERS.get("lenient") if lenient else None)
    return judge_again(record, judge, task, headline)


@pytest.fixture
def record(run):
    return load_run(run).records[0]


def test_a_failure_stays_a_failure(record):
    failed = msgspec.structs.replace(record, state="errored", strict=ScoredReading(None, None), error="busy")
    again = judged(failed, "normalised", "lenient")
    assert again == msgspec.structs.replace(failed, scorer="normalised", headline="lenient")
    assert judged(failed).headline == record.headline


def test_an_answer_is_read_and_scored_again(record):
    wrong = msgspec.structs.replace(
        record, raw="The 0!", strict=ScoredReading("7", 0.0), lenient=ScoredReading("8", 0.5)
    )
    again = judged(wrong, "normalised", "lenient")
    assert (again.scorer, again.headline, again.strict.score, again.state) == ("normalised", "lenient", 1.0, "scored")
    assert again.lenient is not None and again.lenient != wrong.lenient
    kept = judged(wrong, lenient=False)
    assert kept.lenient == wrong.lenient and kept.strict.score == 0.0, "nobody reads it so"
    cut = judged(msgspec.structs.replace(wrong, state="truncated"))
    assert cut.state == "truncated"


def test_an_opinion_of_others_is_not_touched(run):
    target = run / "scores" / "normalised"
    target.mkdir(parents=True)
    (target / "results.json").write_text("{}")
    with pytest.raises(UserError, match="something other than a run") as raised:
        rescore(run, "normalised")
    assert raised.value.where == str(target) and raised.value.hint == "move it away"
    assert list(target.parent.iterdir()) == [target]


def test_halves_of_killed_processes_are_tidied_up(run, monkeypatch):
    target = rescore(run, "normalised")
    left = [target / half_name("results.json"), target.parent / half_name("normalised")]
    left[0].write_text("half")
    left[1].mkdir()
    (left[1] / half_name("run.json")).write_text("half")
    rescore(run, "normalised")
    assert not any(path.exists() for path in left) and list(target.parent.iterdir()) == [target]
    other = target.parent / half_name("exact")
    other.mkdir()
    rescore(run, "normalised")
    assert other.is_dir(), "that of another opinion"

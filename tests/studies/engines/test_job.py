"""A job in this process: what its report says, whatever becomes of it."""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace

import pytest

from taskloom.core import UserError
from taskloom.run.session import RunSettings
from taskloom.store.atomic import FolderInUseError
from taskloom.studies import sweep as module
from taskloom.studies.sweep import FinishedJob, Job, carry_out, estimate_cost


def me():
    """This process, which may be a fork of the one that read this file."""
    return f"{socket.gethostname()}:{os.getpid()}"


def test_a_job_that_is_done(bundle, tmp_path):
    report = carry_out(Job(suite=str(bundle), folder=str(tmp_path / "done"), run=RunSettings(model="mock/oracle")))
    assert (report.error, report.mistake, report.worker) == ("", False, me())
    assert report.results["overall"]["value"] == 1.0
    assert 0 < report.wall < 120 and round(report.wall, 3) == report.wall


def test_a_users_mistake_is_told_from_an_accident(bundle, tmp_path, monkeypatch):
    report = carry_out(Job(suite="babi/nope", folder=str(tmp_path / "a"), run=RunSettings(model="mock/oracle")))
    assert report.mistake and "nope" in report.error and report.worker == me() and 0 <= report.wall < 120

    def fail(*given, **more):
        raise RuntimeError("the disk fell over")

    monkeypatch.setattr("taskloom.studies.sweep.launch", fail)
    report = carry_out(Job(suite=str(bundle), folder=str(tmp_path / "b"), run=RunSettings(model="mock/oracle")))
    assert (report.mistake, report.error) == (False, "RuntimeError: the disk fell over") and 0 <= report.wall < 120
    assert report.state == "failed" and report.results == {}


def test_what_a_job_costs(bundle):
    def cost(model="mock/oracle", adapt="none", **options):
        return estimate_cost(Job(suite=str(bundle), run=RunSettings(model=model, adapt=adapt, adapt_options=options)))

    assert cost() == 1.0
    assert cost("hf/x-7b") == 7000.0 and cost("tiny/t5-1m") == 1.0 and cost("hf/a-1b-to-3m") == 1000.0
    assert cost(adapt="finetune", epochs=3, shots=10) == 30.0
    assert cost(adapt="finetune", epochs=3, shots=1000) == 240.0, "no more than there is"
    assert cost(adapt="finetune", epochs=3, shots=1000, updates=5, batch=4) == 20.0


def job(suite="babi/task-1", **changes):
    run = changes.pop("run", {})
    return Job(suite=suite, run=RunSettings(model="mock/oracle", **run), **changes)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"folder": "x"}, True), ({"home": "x"}, True), ({"reuse": True}, True), ({"run": {"command": "x"}}, True),
        ({"run": {"model_options": {"api_key": "x"}}}, True), ({"run": {"model_options": {"delay": 1}}}, False),
        ({"seed": 1}, False), ({"options": {"test": 5}}, False),
        ({"task": "t"}, False), ({"variant": "v"}, False), ({"run": {"run_seed": 1}}, False),
    ],
)  # fmt: skip
def test_what_makes_another_job(change, same):
    assert (job(**change).id == job().id) == same


def test_the_name_of_a_job_can_be_read():
    named = job("/data/my suite!", task="one/two", run={"adapt": "finetune"})
    words, _, digits = named.id.rpartition("-")
    assert words == "my-suite-one-two-mock-oracle-finetune" and len(digits) == 8
    assert (job().seed, job().reuse, job().task) == (0, False, None)
    assert job("x" * 40).id.startswith("x" * 24 + "-mock-oracle-none-")


def test_what_is_written_down_of_a_job():
    told = job(
        folder="/f", home="/h", reuse=True, run={"model_options": {"api_key": "sk-secret-4711", "delay": 1}}
    ).settings()
    assert {"folder", "home", "reuse", "variant"}.isdisjoint(told) and told["suite"] == "babi/task-1"
    assert "sk-secret-4711" not in str(told) and told["run"]["model_options"]["delay"] == 1
    assert job(variant="model.api_key 2").settings()["variant"] == "model.api_key 2"


def test_the_suite_of_a_job(bundle):
    assert job(seed=7).open().seed == 7 and job(options={"test": 5}).open().splits["test"] == 5
    assert list(Job(suite=str(bundle), task="second", run=RunSettings(model="m")).open().tasks) == ["second"]
    assert len(Job(suite=str(bundle), run=RunSettings(model="m")).open().tasks) == 2


@pytest.mark.parametrize("held", [0, 1, 3])
def test_a_folder_in_use_is_waited_for(held, monkeypatch, tmp_path):
    clock, slept, tried = [100.0], [], []

    def sleep(seconds):
        slept.append(seconds)
        clock[0] += seconds

    def launch(suite, folder, settings, *, reuse):
        tried.append((suite, folder, settings, reuse))
        if len(tried) <= held:
            raise FolderInUseError("in use")

    monkeypatch.setattr(module, "launch", launch)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    module.launch_when_free("suite", tmp_path, "settings", reuse=True)
    assert tried == [("suite", tmp_path, "settings", True)] * (held + 1) and slept == [0.5] * held


def test_a_folder_that_stays_in_use_is_given_up_after_a_minute(monkeypatch, tmp_path):
    clock, tried = [100.0], []

    def launch(*given, **more):
        tried.append(clock[0])
        raise FolderInUseError("in use")

    def sleep(seconds):
        clock[0] += seconds

    monkeypatch.setattr(module, "launch", launch)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    with pytest.raises(FolderInUseError):
        module.launch_when_free("suite", tmp_path, "settings", reuse=False)
    assert len(tried) == 122 and tried[-2:] == [160.0, 160.5], "a minute is not over at its end"


def test_how_long_a_job_took(bundle, tmp_path, monkeypatch):
    times = iter([10.0, 12.34567, 20.0, 23.0, 30.0, 34.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(times), sleep=None))
    monkeypatch.setattr(module, "launch_when_free", lambda *given, **more: None)
    monkeypatch.setattr(module, "load_run", lambda folder: folder)
    monkeypatch.setattr(module, "write_results", lambda run: {"of": str(run)})
    one = job(str(bundle), folder=str(tmp_path))
    assert carry_out(one) == FinishedJob(
        id=one.id, state="done", results={"of": str(tmp_path)}, worker=me(), wall=2.346
    )

    def fail(kind):
        def raising(run):
            raise kind("no")

        return raising

    monkeypatch.setattr(module, "write_results", fail(UserError))
    assert carry_out(one) == FinishedJob(id=one.id, state="failed", error="no", mistake=True, worker=me(), wall=3.0)
    monkeypatch.setattr(module, "write_results", fail(ValueError))
    assert carry_out(one) == FinishedJob(id=one.id, state="failed", error="ValueError: no", worker=me(), wall=4.0)


def test_rows_that_nobody_counted_are_a_thousand(monkeypatch):
    adapted = job(run={"adapt": "finetune", "adapt_options": {"epochs": 2}})
    monkeypatch.setattr(Job, "open", lambda self: SimpleNamespace(splits={"train": None}))
    assert estimate_cost(adapted) == 2_000.0
    monkeypatch.setattr(Job, "open", lambda self: SimpleNamespace(splits={}))
    assert estimate_cost(adapted) == 2_000.0

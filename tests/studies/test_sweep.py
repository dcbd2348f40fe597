"""The jobs of a sweep: every combination once, what each may vary, and what came of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from taskloom.core import UserError
from taskloom.run.session import RunSettings
from taskloom.studies.sweep import JOBS, LOG, FinishedJob, Job, JobEngine, check_jobs, expand, read_finished, sweep

BASE = Job(suite="babi/task-1", seed=0, run=RunSettings(model="mock/oracle", generation={"max_tokens": 8}))


def jobs(grid=None, suites=("babi/task-1",), models=("mock/oracle",), adaptations=("none",), tasks=None, base=BASE):
    return expand(suites, models, adaptations, base=base, grid=grid or {}, tasks=tasks or {})


def test_every_combination_is_a_job_of_its_own():
    made = jobs({"seed": [1, 2], "suite.test": [5, 6]}, ("babi/task-1", "babi/task-2"), ("mock/oracle", "mock/random"))
    assert len(made) == 16 == len({job.id for job in made})
    assert {(job.suite, job.run.model, job.seed, job.options["test"]) for job in made} == {
        (suite, model, seed, size)
        for suite in ("babi/task-1", "babi/task-2")
        for model in ("mock/oracle", "mock/random")
        for seed in (1, 2)
        for size in (5, 6)
    }
    assert len(jobs({"seed": [1, 1]})) == 1, "the same job twice is one job"
    split = jobs(suites=("a", "b"), tasks={"a": ["t", "u"]})
    assert [(job.suite, job.task) for job in split] == [("a", "t"), ("a", "u"), ("b", None)]


def test_what_a_grid_may_vary():
    options = {"model.x": [1], "encoding.y": [2], "adapt.z": [3]}
    (job,) = jobs({"run_seed": [7], "encoding": ["plain"], "split": ["dev"], **options})
    assert (job.run.run_seed, job.run.generation) == (7, {"max_tokens": 8, "seed": 7})
    assert (job.run.encoding, job.run.split) == ("plain", "dev")
    assert (job.run.model_options, job.run.encoding_options, job.run.adapt_options) == ({"x": 1}, {"y": 2}, {"z": 3})


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"seed": [True]}, "a seed is a whole number, not True"), ({"run_seed": ["1"]}, "a seed is a whole number"),
        ({"split": [1]}, "a name, not 1"), ({"sede": [1]}, "unknown grid key"), ({"other.x": [1]}, "unknown grid key"),
        ({"model": [1]}, "unknown grid key"),
    ],
)  # fmt: skip
def test_what_a_grid_may_not_vary(grid, words):
    with pytest.raises(UserError, match=words):
        jobs(grid)


def test_options_of_other_adaptations_are_left_out_and_those_of_none_stay():
    grid = {"adapt.epochs": [1], "adapt.k": [2], "adapt.nonsense": [3]}
    made = jobs(grid, adaptations=("finetune", "in-context", "none"))
    found = {job.run.adapt: sorted(job.run.adapt_options) for job in made}
    assert found == {"finetune": ["epochs", "nonsense"], "in-context": ["k", "nonsense"], "none": ["nonsense"]}


def test_jobs_that_differ_in_a_key_alone_are_told_apart_without_it():
    first, second = jobs({"model.api_key": ["sk-1", "sk-2"]})
    assert first.id != second.id and (first.variant, second.variant) == ("model.api_key 1", "model.api_key 2")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"adapt": "finetun"}, "finetun"), ({"encoding": "plane"}, "plane"), ({"model": "mok/x"}, "mok"),
        ({"generation": {"max_tokens": "many"}}, "max_tokens"), ({"limit": 0}, "a limit must be 1 or more, not 0"),
        ({"split": "tset"}, "tset"), ({"model": "mock/constant", "model_options": {"anser": "x"}}, "anser"),
    ],
)  # fmt: skip
def test_jobs_are_checked_before_the_first_one_starts(changes, words):
    good = BASE.run
    check_jobs([BASE])
    with pytest.raises(UserError, match=words):
        check_jobs([BASE, msgspec.structs.replace(BASE, run=msgspec.structs.replace(good, **changes))])


def test_the_newest_line_of_each_job_counts_and_a_torn_one_does_not(tmp_path):
    assert read_finished(tmp_path) == {}
    told = (("a", "failed"), ("b", "done"), ("a", "done"))
    lines = [msgspec.json.encode(FinishedJob(id=name, state=state)) for name, state in told]
    (tmp_path / LOG).write_bytes(b"\n".join(lines) + b"\n\n" + lines[0][:-3])
    assert {name: item.state for name, item in read_finished(tmp_path).items()} == {"a": "done", "b": "done"}
    (tmp_path / LOG).write_bytes(lines[0] + b"\n" + lines[1][:-3] + b"\n" + lines[2] + b"\n")
    assert {name: item.state for name, item in read_finished(tmp_path).items()} == {"a": "done"}, "b is done again"


class Scripted(JobEngine):
    """Says what it is told about each job, and what it was asked to do."""

    def __init__(self, states=None):
        self.states, self.asked, self.retries = states or {}, [], None

    def run(self, jobs, retries):
        self.asked, self.retries = [job.run.model for job in jobs], retries
        for job in jobs:
            yield FinishedJob(id=job.id, state=self.states.get(job.run.model, "done"))


def test_what_is_done_is_not_done_again(tmp_path):
    one, two, three = jobs(models=("mock/oracle", "mock/random", "mock/majority"))
    first = Scripted({"mock/random": "failed"})
    found = sweep([one, two], tmp_path, first)
    assert {name: item.state for name, item in found.items()} == {one.id: "done", two.id: "failed"}
    assert first.retries == 1
    again = Scripted()
    found = sweep([one, two, three], tmp_path, again, retries=3)
    assert again.asked == ["mock/random", "mock/majority"] and again.retries == 3
    assert list(found) == [one.id, two.id, three.id]
    assert {item.state for item in found.values()} == {"done"}
    nothing = Scripted()
    assert sweep([one], tmp_path, nothing) == {one.id: found[one.id]} and nothing.asked == []
    lines = (tmp_path / LOG).read_bytes().splitlines()
    assert len(lines) == 4 and read_finished(tmp_path) == found
    told = msgspec.json.decode((tmp_path / JOBS).read_bytes())
    assert set(told) == {one.id, two.id, three.id}, "jobs of earlier sweeps stay listed"


def test_jobs_know_their_folder_and_where_the_sweep_began(tmp_path, monkeypatch):
    seen = []

    class Looking(JobEngine):
        def run(self, jobs, retries):
            seen.extend((job.folder, job.home) for job in jobs)
            return iter(())

    monkeypatch.chdir(tmp_path)
    (job,) = jobs()
    assert sweep([job], Path("relative"), Looking()) == {}
    assert seen == [(str(tmp_path / "relative" / "jobs" / job.id), str(tmp_path))]


def test_a_torn_line_does_not_swallow_the_next(tmp_path):
    one, two = jobs(models=("mock/oracle", "mock/random"))
    sweep([one], tmp_path, Scripted())
    line = (tmp_path / LOG).read_bytes()
    for torn in (b'{"id', b""):
        (tmp_path / LOG).write_bytes(line + torn)
        assert set(sweep([one, two], tmp_path, Scripted())) == {one.id, two.id} == set(read_finished(tmp_path))


def test_a_log_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / LOG).write_bytes(b"mine")
    with pytest.raises(UserError, match="not written by a sweep") as raised:
        sweep(jobs(), tmp_path, Scripted())
    assert raised.value.where == str(tmp_path / LOG) and (tmp_path / LOG).read_bytes() == b"mine"
    (tmp_path / JOBS).write_text("{}")
    assert len(sweep(jobs(), tmp_path, Scripted())) == 1, "torn, but ours: the list of jobs is there"


def test_a_line_of_the_log_in_the_middle_of_a_file_without_an_end(tmp_path):
    done = [msgspec.json.encode(FinishedJob(id=name, state="done")) for name in "ab"]
    (tmp_path / LOG).write_bytes(b"\n".join(done))
    assert set(read_finished(tmp_path)) == {"a", "b"}, "whole, although nothing follows"
    (tmp_path / LOG).write_bytes(b"{\n" + done[0])
    assert set(read_finished(tmp_path)) == {"a"}, "a damaged line needs no hand: its job is done again"


def test_suites_of_jobs_are_opened_once(monkeypatch):
    opened = []
    real = Job.open
    monkeypatch.setattr(Job, "open", lambda job: opened.append((job.suite, job.task)) or real(job))
    same = jobs(models=("mock/oracle", "mock/random"), tasks={"babi/task-1": ["task-1"]})
    check_jobs(same)
    assert opened == [("babi/task-1", None)], "whatever task a job is about"
    check_jobs(jobs({"seed": [1, 2]}))
    assert len(opened) == 3


def test_empty_lines_are_passed_over(tmp_path):
    lines = [msgspec.json.encode(FinishedJob(id=name, state="done")) for name in "ab"]
    (tmp_path / LOG).write_bytes(lines[0] + b"\n\n" + lines[1] + b"\n")
    assert set(read_finished(tmp_path)) == {"a", "b"}

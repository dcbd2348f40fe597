"""The pool of this machine with workers that are no processes: who gets which job, how often, and how workers end."""

from __future__ import annotations

import os
import signal
from multiprocessing import Pipe
from types import SimpleNamespace
from typing import ClassVar

import msgspec
import pytest

from taskloom.run.session import RunSettings
from taskloom.studies import engines as local
from taskloom.studies.engines import Job, JobReport, LocalEngine


def job(bundle, model="mock/oracle") -> Job:
    return Job(suite=str(bundle), run=RunSettings(model=model))


class Ended:
    """A process whose exit code is known once it was waited for."""

    exitcode = None

    def join(self):
        self.exitcode = -9


class Scripted:
    """A worker without a process: does its job when it gets it, or dies of it."""

    made: ClassVar[list[Scripted]] = []
    died: ClassVar[list[str]] = []
    """Models whose jobs the next workers die of, one by one."""

    def __init__(self, gpu):
        self.pipe, self._theirs = Pipe()
        self.gpu, self.job, self.stopped = gpu, None, 0
        self.process = Ended()
        self.made.append(self)

    def give(self, job):
        self.job = job
        if job.run.model in self.died:
            self.died.remove(job.run.model)
            self._theirs.close()
            return
        error = {"mock/accident": "it broke", "mock/mistake": "no such thing"}.get(job.run.model, "")
        report = JobReport(error=error, mistake=job.run.model == "mock/mistake", worker="w", wall=1.23456)
        self._theirs.send_bytes(msgspec.msgpack.encode(report))

    def stop(self):
        self.stopped += 1


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(local, "_Worker", Scripted)
    monkeypatch.setattr(Scripted, "made", [])
    monkeypatch.setattr(Scripted, "died", [])
    wait = local.connection.wait

    def ready(pipes):
        found = wait(pipes, timeout=5)
        assert found, "nobody answers any more"
        return found

    monkeypatch.setattr(local.connection, "wait", ready)
    return Scripted


def outcomes(engine, jobs, retries):
    names = {one.id: one.run.model.removeprefix("mock/") for one in jobs}
    return [(names[done.id], done.state, done.attempts, done.error) for done in engine.run(jobs, retries)]


def test_accidents_are_tried_again_and_mistakes_are_not(bundle, scripted):
    jobs = [job(bundle, f"mock/{name}") for name in ("accident", "mistake", "oracle")]
    found = outcomes(LocalEngine(1), jobs, 2)
    assert sorted(found) == [
        ("accident", "failed", 3, "it broke"), ("mistake", "failed", 1, "no such thing"), ("oracle", "done", 1, ""),
    ]  # fmt: skip
    assert [worker.stopped for worker in scripted.made] == [1]
    for retries in (0, 1, 3):
        assert outcomes(LocalEngine(1), jobs[:1], retries) == [("accident", "failed", retries + 1, "it broke")]
    (line,) = LocalEngine(1).run(jobs[2:], 0)
    assert (line.worker, line.wall, line.results) == ("w", 1.235, {})


def test_what_is_tried_again_comes_next(bundle, scripted):
    jobs = [job(bundle, f"hf/{name}-{size}b") for name, size in (("a", 1), ("b", 7), ("c", 3))]
    scripted.died.append("hf/b-7b")
    assert [name for name, *_ in outcomes(LocalEngine(1), jobs, 1)] == ["hf/b-7b", "hf/c-3b", "hf/a-1b"]


def test_jobs_of_one_cost_are_in_the_order_of_their_names(bundle, scripted):
    jobs = [job(bundle, f"mock/m{number}") for number in range(5)]
    assert [line.id for line in LocalEngine(1).run(jobs, 0)] == sorted(one.id for one in jobs)


def test_a_worker_that_died_is_replaced(bundle, scripted):
    scripted.died += ["mock/oracle", "mock/oracle"]
    jobs = [job(bundle), job(bundle, "mock/other")]
    found = outcomes(LocalEngine(1, gpus=1), jobs, 1)
    assert sorted(found) == [
        ("oracle", "failed", 2, "its process died (exit code -9)"), ("other", "done", 1, ""),
    ]  # fmt: skip
    assert [(worker.gpu, worker.stopped) for worker in scripted.made] == [("0", 1)] * 3


@pytest.mark.parametrize(
    ("workers", "gpus", "jobs", "slots"),
    [(2, 0, 3, [None, None]), (5, 0, 2, [None, None]), (0, 3, 4, ["0", "1", "2"]), (3, 2, 3, ["0", "1", "0"])],
)
def test_workers_are_spread_over_gpus(workers, gpus, jobs, slots, bundle, scripted):
    given = [job(bundle, f"mock/m{number}") for number in range(jobs)]
    found = list(LocalEngine(workers, gpus).run(given, 0))
    assert [worker.gpu for worker in scripted.made] == slots
    assert {line.id for line in found} == {one.id for one in given} and len(found) == jobs
    assert all(worker.stopped == 1 for worker in scripted.made)


def test_no_jobs_need_no_workers(scripted):
    assert list(LocalEngine(2).run([], 1)) == [] and scripted.made == []


def test_whoever_stops_reading_stops_the_workers(bundle, scripted):
    running = LocalEngine(1).run([job(bundle), job(bundle, "mock/other")], 0)
    next(running)
    running.close()
    assert [worker.stopped for worker in scripted.made] == [1]


class Process:
    """Notes what is done to it; ends when it is told so in the given way."""

    def __init__(self, ends=("join",), target=None, args=(), daemon=None):
        self.ends, self.said, self.alive = ends, [], True
        self.target, self.args, self.daemon = target, args, daemon

    def is_alive(self):
        return self.alive

    def _do(self, what):
        self.said.append(what)
        self.alive = self.alive and what not in self.ends

    def start(self):
        self.said.append(("start", os.environ.get("OMP_NUM_THREADS")))

    def terminate(self):
        self._do("terminate")

    def kill(self):
        self._do("kill")

    def join(self, timeout=None):
        self._do("join" if timeout is None else f"join {timeout}")


@pytest.fixture
def made(monkeypatch):
    """A real worker around a process that is none."""
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    context = SimpleNamespace(Pipe=Pipe, Process=Process)
    monkeypatch.setattr(local, "get_context", lambda kind: context if kind == "spawn" else None)
    return local._Worker("1")


def test_a_worker_starts_with_one_thread_and_its_gpu(made):
    assert made.process.said == [("start", "1")] and made.process.target is local._serve
    assert made.process.args[1] == "1" and made.process.daemon is True
    assert made.process.args[0].closed, "its end of the pipe is its own"
    assert made.job is None
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ


@pytest.mark.parametrize(
    ("busy", "alive", "ends", "said"),
    [
        (False, True, "join 10", ["join 10"]),
        (False, False, "", ["terminate", "join 10"]),
        (True, True, "terminate", ["terminate", "join 10"]),
        (True, True, "kill", ["terminate", "join 10", "kill", "join"]),
    ],
)
def test_a_worker_is_asked_to_leave_and_made_to(busy, alive, ends, said, made):
    ours, theirs = Pipe()
    made.pipe, made.process = ours, Process((ends,))
    made.process.alive = alive
    made.job = "a job" if busy else None
    made.stop()
    assert made.process.said == said and ours.closed
    asked = theirs.recv_bytes() if theirs.poll() and not busy and alive else None
    assert asked == (b"" if alive and not busy else None)


class LeftError(Exception):
    """Instead of the end of this process."""


def leave(code):
    raise LeftError(code)


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setattr(local.os, "_exit", leave)
    started = []
    monkeypatch.setattr(local, "leave_with_parent", lambda: started.append("watches its parent"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "before")
    monkeypatch.setattr(local, "carry_out", lambda one: JobReport(worker=one.id))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background ignores it
    yield started
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("gpu", "seen"), [("2", "2"), (None, "before")])
def test_a_worker_takes_jobs_until_there_are_no_more(gpu, seen, worker, bundle):
    ours, theirs = Pipe()
    jobs = [job(bundle), job(bundle, "mock/other")]
    for one in jobs:
        ours.send_bytes(msgspec.json.encode(one))
    ours.send_bytes(b"")
    local._serve(theirs, gpu)
    reports = [msgspec.msgpack.decode(ours.recv_bytes(), type=JobReport).worker for _ in jobs]
    assert reports == [one.id for one in jobs]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == seen
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    assert worker == ["watches its parent"]


def test_a_worker_without_a_sweep_leaves_quietly(worker):
    ours, theirs = Pipe()
    ours.close()
    with pytest.raises(LeftError, match="1"):
        local._serve(theirs, None)

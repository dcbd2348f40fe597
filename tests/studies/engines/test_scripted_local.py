"""The pool of this machine with workers that are no processes: who gets which job, how often, and how workers end."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import ClassVar

import msgspec
import pytest

from taskloom.ask.replicas import LocalWorker
from taskloom.run.session import RunSettings
from taskloom.studies import sweep as local
from taskloom.studies.sweep import FinishedJob, Job, LocalEngine


def job(bundle, model="mock/oracle") -> Job:
    return Job(suite=str(bundle), run=RunSettings(model=model))


class Scripted:
    """A worker without a process: does its job when it gets it, or dies of it."""

    made: ClassVar[list[Scripted]] = []
    died: ClassVar[list[str]] = []
    """Models whose jobs the next workers die of, one by one."""

    def __init__(self, gpu):
        self.gpu, self.stopped = gpu, 0
        self.made.append(self)

    def call(self, work, data, shared):
        assert work is local.work_on_job and shared
        job, future = msgspec.json.decode(data, type=Job), Future()
        if job.run.model == "mock/endless":
            return future
        if job.run.model in self.died:
            self.died.remove(job.run.model)
            future.set_exception(BrokenProcessPool("a process was terminated"))
            return future
        error = {"mock/accident": "it broke", "mock/mistake": "no such thing"}.get(job.run.model, "")
        item = FinishedJob(
            id=job.id, state="failed" if error else "done", error=error, mistake=job.run.model == "mock/mistake",
            worker="w", wall=1.235,
        )  # fmt: skip
        future.set_result(msgspec.msgpack.encode((item, {})))
        return future

    def stop(self):
        self.stopped += 1


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(local, "LocalWorker", Scripted)
    monkeypatch.setattr(Scripted, "made", [])
    monkeypatch.setattr(Scripted, "died", [])
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
        ("oracle", "failed", 2, "its worker died (BrokenProcessPool: a process was terminated)"),
        ("other", "done", 1, ""),
    ]
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
    endless = LocalEngine(2).run([job(bundle), job(bundle, "mock/endless")], 0)
    next(endless)
    endless.close()
    assert [worker.stopped for worker in scripted.made[1:]] == [1, 1]


def _seen(*names):
    return os.getpid(), [os.environ.get(name) for name in names], signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_a_worker_has_one_thread_and_its_gpu_and_leaves_ctrl_c_to_its_parent(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    worker = LocalWorker("1")
    process, seen, ignores = worker.call(_seen, "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES").result(timeout=60)
    assert process != os.getpid() and seen == ["1", "1"] and ignores
    assert os.environ["OMP_NUM_THREADS"] == "7"
    waiting = [worker.call(time.sleep, 600) for _ in range(2)]
    worker.stop()
    assert all(future.done() for future in waiting), "what it was at is broken off"
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_worker_that_was_killed_says_so_and_takes_nothing_more():
    worker = LocalWorker()
    process, _, _ = worker.call(_seen).result(timeout=60)
    busy = worker.call(time.sleep, 600)
    os.kill(process, signal.SIGKILL)
    assert isinstance(busy.exception(timeout=60), worker.died)
    assert isinstance(worker.call(os.getpid).exception(timeout=60), worker.died)
    worker.stop()

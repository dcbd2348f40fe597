"""Work in order on several processes, with a stand-in for the pool: what is under way, cancelled, and inherited."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

from taskloom.core import UserError, parallel
from taskloom.core.parallel import ordered_map


class Pool:
    """Does the work at once; notes what was handed in and which work was called off."""

    def __init__(self, workers, mp_context, initializer):
        self.workers, self.method = workers, mp_context.get_start_method()
        self.items, self.futures = [], []
        self.environment = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "TASKLOOM_PROGRESS")}
        pools.append(self)

    def shutdown(self, cancel_futures=False):
        for future in self.futures if cancel_futures else ():
            future.cancel()

    def submit(self, work, item):
        future = Called()
        try:
            future.set_result(work(item))
        except ValueError as error:
            future.set_exception(error)
        self.items.append(item)
        self.futures.append(future)
        return future


class Called(Future):
    off = False

    def cancel(self):
        self.off = True


REAL = parallel.ProcessPoolExecutor


pools: list[Pool] = []


@pytest.fixture(autouse=True)
def pool(monkeypatch):
    pools.clear()
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", Pool)


def double(number: int) -> int:
    if number == 13:
        raise ValueError("unlucky")
    return 2 * number


def test_one_job_needs_no_process():
    drawn = []
    found = ordered_map(double, (drawn.append(n) or n for n in range(3)))
    assert next(found) == 0 and drawn == [0]
    assert list(found) == [2, 4] and list(ordered_map(double, range(3), jobs=1)) == [0, 2, 4]
    assert pools == []


def test_three_pieces_a_worker_are_under_way():
    found = ordered_map(double, iter(range(12)), jobs=2)
    assert next(found) == 0
    (pool,) = pools
    assert (pool.workers, pool.method, pool.items) == (2, "spawn", list(range(6)))
    assert next(found) == 2 and pool.items == list(range(7)), "one more for each that is done"
    assert list(found) == [2 * number for number in range(2, 12)]


def test_no_jobs_are_as_many_as_there_are_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2} if process == 0 else ())
    assert list(ordered_map(double, [1, 2], jobs=0)) == [2, 4]
    assert pools[0].workers == 3
    with pytest.raises(UserError, match="jobs is 0 .* or more, not -1") as raised:
        next(ordered_map(double, [1], jobs=-1))
    assert raised.value.where == "--jobs"


def test_an_error_calls_off_what_waits():
    found = ordered_map(double, [1, 13, 2, 3], jobs=2)
    assert next(found) == 2
    with pytest.raises(ValueError, match="unlucky"):
        next(found)
    assert [future.off for future in pools[0].futures] == [True] * 4


def test_workers_have_one_thread_each_and_this_process_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("TASKLOOM_PROGRESS", raising=False)
    found = ordered_map(double, [1, 2], jobs=2)
    assert next(found) == 2
    assert pools[0].environment == {"OMP_NUM_THREADS": "1", "TASKLOOM_PROGRESS": "off"}
    assert list(found) == [4]
    assert os.environ["OMP_NUM_THREADS"] == "7" and "TASKLOOM_PROGRESS" not in os.environ


def draw(given: tuple[int, str, int]) -> int:
    """Twice a number; the first so many that come to 3 are killed, as the system kills them when memory runs out."""
    number, folder, deaths = given
    if number == 3 and len(list(Path(folder).iterdir())) < deaths:
        Path(folder, str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def test_what_a_killed_worker_had_is_drawn_again(monkeypatch, tmp_path):
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", REAL)
    items = [(number, str(tmp_path), 3) for number in range(9)]
    assert list(ordered_map(draw, items, jobs=2)) == [2 * number for number in range(9)]
    assert len(list(tmp_path.iterdir())) == 3


def test_a_piece_that_kills_every_worker_ends_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", REAL)
    with pytest.raises(UserError, match="killed 4 times in a row, most likely because memory ran out") as raised:
        list(ordered_map(draw, [(number, str(tmp_path), 99) for number in range(9)], jobs=2))
    assert raised.value.where == "--jobs" and len(list(tmp_path.iterdir())) >= 4


def stay(given: tuple[int, str]) -> int:
    """Say who works on it, and go on for a minute."""
    Path(given[1], str(os.getpid())).touch()
    time.sleep(60)
    return given[0]


def test_workers_end_with_a_killed_caller(tmp_path):
    code = "import sys, test_parallel as t; list(t.ordered_map(t.stay, [(n, sys.argv[1]) for n in range(6)], jobs=2))"
    places = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    caller = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], env=places)
    try:
        until = time.monotonic() + 60
        while len(found := list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        assert len(found) == 2
    finally:
        caller.kill()
        caller.wait()
    until = time.monotonic() + 20
    while (alive := [name for name in found if Path("/proc", name.name).exists()]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive

"""Reaching a cluster, with a stand-in for Ray: what it is started with, and what is said when nobody answers."""

from __future__ import annotations

import os
import socket
import sys
from types import ModuleType, SimpleNamespace

import pytest

from taskloom.core import UserError
from taskloom.core.parallel import AHEAD, ONE_THREAD, connect, ordered_map


class FakeRay(ModuleType):
    """As much of Ray as is used: remote functions run when their result is asked for."""

    def __init__(self, *, running=False, fails=None, cpus=2):
        super().__init__("ray")
        self.running, self.fails, self.cpus = running, fails, cpus
        self.given, self.settings, self.under_way, self.most = None, None, 0, 0
        failed = type("RayError", (Exception,), {})
        self.exceptions = SimpleNamespace(RayError=failed, RayTaskError=type("RayTaskError", (failed,), {}))

    def is_initialized(self):
        return self.running

    def init(self, **given):
        if self.fails:
            raise self.fails
        self.given, self.running = given, True

    def shutdown(self):
        self.running = False

    def cluster_resources(self):
        return {"CPU": float(self.cpus)} if self.cpus else {}

    def remote(self, **settings):
        self.settings = settings

        def wrap(work):
            def start(item):
                self.under_way += 1
                self.most = max(self.most, self.under_way)
                return work, item

            return SimpleNamespace(remote=start)

        return wrap

    def get(self, handle):
        work, item = handle
        self.under_way -= 1
        try:
            return work(item)
        except ValueError as error:
            failed = self.exceptions.RayTaskError(str(error))
            failed.cause = error
            raise failed from None


@pytest.fixture
def ray(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)

    def use(**settings):
        fake = FakeRay(**settings)
        monkeypatch.setitem(sys.modules, "ray", fake)
        return fake

    return use


def test_a_cluster_of_its_own(ray):
    fake = ray()
    assert connect(workers=3) == (fake, True)
    assert (fake.given["address"], fake.given["num_cpus"], fake.given["include_dashboard"]) == ("local", 3, False)
    assert fake.given["log_to_driver"] is False
    variables = fake.given["runtime_env"]["env_vars"]
    assert ONE_THREAD.items() <= variables.items()
    assert variables["PYTHONPATH"].split(os.pathsep) == [path for path in sys.path if path]
    fake = ray()
    connect()
    assert fake.given["num_cpus"] == len(os.sched_getaffinity(0)), "all CPUs that this process may use"


def test_a_cluster_that_runs_already(ray):
    fake = ray(running=True)
    assert connect() == (fake, False)
    assert fake.given is None
    fake = ray()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert connect(address) == (fake, True)
    assert fake.given["address"] == address
    assert "num_cpus" not in fake.given and "PYTHONPATH" not in fake.given["runtime_env"]["env_vars"]


def test_the_environment_names_a_cluster_and_an_address_overrides_it(ray, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    fake = ray()
    connect()
    assert fake.given["address"] == "auto" and "num_cpus" not in fake.given
    fake = ray()
    connect("ray://head")
    assert fake.given["address"] == "ray://head"


def test_nobody_answers(ray, monkeypatch):
    ray(fails=ConnectionError("no head\nand more"))
    with pytest.raises(UserError) as caught:
        connect("auto")
    assert (caught.value.message, caught.value.where) == ("no Ray cluster answers: no head", "--address auto")
    ray(fails=TimeoutError())
    with pytest.raises(UserError, match="no Ray cluster answers: TimeoutError") as caught:
        connect()
    assert caught.value.where == "--engine ray"
    fake = ray()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(UserError, match="no Ray cluster answers"):
        connect(f"ray://127.0.0.1:{port}")
    assert fake.given is None, "asked before Ray is"
    monkeypatch.setattr(sys, "prefix", "/with blank/venv")
    with pytest.raises(UserError, match="path that contains spaces"):
        connect()


def test_ray_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match="ray"):
        connect()


def double(number):
    if number == 13:
        raise ValueError("unlucky")
    return 2 * number


@pytest.mark.parametrize(("cpus", "most"), [(2, 2 * AHEAD), (0, AHEAD)])
def test_work_on_ray_in_order_and_bounded(ray, cpus, most):
    fake = ray(cpus=cpus)
    drawn = []
    numbers = (drawn.append(number) or number for number in range(12))
    found = ordered_map(double, numbers, engine="ray", jobs=2)
    assert next(found) == 0
    assert len(drawn) == most, "no more than is under way"
    assert list(found) == [2 * number for number in range(1, 12)]
    assert fake.most == most and fake.settings == {"num_cpus": 1, "max_retries": 3}
    assert not fake.running, "a connection of ours is ended"


def test_an_error_of_the_work_comes_back_and_a_foreign_cluster_stays(ray):
    fake = ray(running=True)
    with pytest.raises(ValueError, match="unlucky"):
        list(ordered_map(double, [12, 13], engine="ray"))
    assert fake.running


def test_jobs_are_none_or_more():
    with pytest.raises(UserError, match="not -1"):
        list(ordered_map(double, [1], jobs=-1))
    assert list(ordered_map(double, iter([1, 2]))) == [2, 4]


def test_this_process_alone_decides_how_many_cpus_a_cluster_of_its_own_has(ray, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2} if process == 0 else ())
    fake = ray()
    connect()
    assert fake.given["num_cpus"] == 3


@pytest.mark.parametrize("before", [None, "1"])
def test_usage_is_not_reported_unless_somebody_wants_it(ray, monkeypatch, before):
    if before is None:
        monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    else:
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", before)
    ray()
    connect()
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == (before or "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")


@pytest.mark.parametrize("address", ["auto", "head:x", ":6379", "ray://head"])
def test_only_an_address_with_host_and_port_is_knocked_at(ray, monkeypatch, address):
    monkeypatch.setattr(socket, "create_connection", None)
    fake = ray()
    assert connect(address) == (fake, True) and fake.given["address"] == address


def test_an_address_is_knocked_at_for_ten_seconds(ray, monkeypatch):
    asked = []
    door = SimpleNamespace(close=lambda: asked.append("closed"))
    monkeypatch.setattr(socket, "create_connection", lambda place, timeout: asked.append((place, timeout)) or door)
    ray()
    connect("ray://head:10001")
    assert asked == [(("head", 10001), 10), "closed"]


def test_blanks_in_paths_matter_only_where_ray_starts_workers_here(ray, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/with blank/python")
    with pytest.raises(UserError, match="path that contains spaces") as raised:
        ray() and connect()
    assert raised.value.where == "/with blank/python"
    fake = ray()
    assert connect("auto") == (fake, True)

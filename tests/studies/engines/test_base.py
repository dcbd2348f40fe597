"""Engines by name, with what the command line gives them."""

from __future__ import annotations

import os

import pytest

from taskloom.core import UserError
from taskloom.studies import sweep as ray_engine
from taskloom.studies.sweep import FinishedJob, LocalEngine, open_engine

GIVEN = {"workers": None, "address": None, "gpus": 0.0, "shared": True}


@pytest.mark.parametrize(
    ("given", "workers"),
    [
        ({}, len(os.sched_getaffinity(0))),
        ({"workers": 1}, 1),
        ({"workers": 3, "gpus": 2.0}, 3),
        ({"gpus": 2.9}, 2),
        ({"gpus": 0.5}, len(os.sched_getaffinity(0))),
    ],
)
def test_as_many_processes_as_were_asked_for(given, workers):
    engine = open_engine("local", **{**GIVEN, **given})
    assert isinstance(engine, LocalEngine)
    assert (engine._workers, engine._gpus) == (workers, int(given.get("gpus", 0)))
    assert (LocalEngine()._workers, LocalEngine()._gpus) == (len(os.sched_getaffinity(0)), 0)


@pytest.mark.parametrize(("workers", "asked"), [(None, 0), (4, 4)])
def test_a_cluster_is_asked_for_what_was_given(workers, asked, monkeypatch):
    calls = []
    monkeypatch.setattr(ray_engine, "connect", lambda *given: calls.append(given) or ("ray", True))
    engine = open_engine("ray", workers=workers, address="head:1", gpus=0.5, shared=False)
    assert calls == [("head:1", asked)]
    assert (engine._gpus, engine._shared, engine._ray, engine._ours) == (0.5, False, "ray", True)
    plain = ray_engine.RayEngine()
    assert (plain._shared, plain._gpus, calls[1]) == (True, 0.0, (None, 0))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"workers": 0}, "--jobs: 1 or more processes, not 0"),
        ({"workers": -2}, "1 or more processes, not -2"),
        ({"gpus": -0.1}, "--gpus: 0 or more, not -0.1"),
        ({"gpus": float("inf")}, "0 or more, not inf"),
        ({"gpus": float("nan")}, "0 or more, not nan"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(given, words):
    with pytest.raises(UserError, match=words):
        open_engine("local", **{**GIVEN, **given})


def test_an_unknown_engine_names_the_others():
    with pytest.raises(UserError, match="locl") as raised:
        open_engine("locl", **GIVEN)
    assert raised.value.where == "--engine" and "local" in str(raised.value)


def test_a_line_of_the_log_says_what_is_not_otherwise():
    line = FinishedJob(id="a", state="done")
    assert (line.attempts, line.results, line.error, line.worker, line.wall) == (1, {}, "", "", 0.0)

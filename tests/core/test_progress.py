from __future__ import annotations

import io

import pytest

from taskloom.core import Progress, track
from taskloom.core import progress as module


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
    return clock


def test_short_work_is_silent(clock):
    stream = io.StringIO()
    with Progress("quick", 10, stream=stream) as progress:
        progress.advance(10)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("rank", "count", "quiet"),
    [
        ("1", "2", True),
        ("0", "2", False),
        ("here", "2", False),
        ("1", "", False),
        ("1", "1", False),
        ("1", "two", False),
    ],
)
def test_a_process_that_helps_another_one_leaves_talking_to_it(clock, monkeypatch, rank, count, quiet):
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", count)
    stream = io.StringIO()
    with Progress("training", 10, stream=stream) as progress:
        clock.now = 5.0
        progress.advance(10)
    assert (stream.getvalue() == "") == quiet


def test_the_end_of_the_work_is_told_once(clock):
    for last in (10, 7):
        stream = io.StringIO()
        with Progress("asking", 10, stream=stream) as progress:
            clock.now += 20.0
            progress.advance(last)
            progress.advance(10 - last)
        assert stream.getvalue().count("10/10") == 1


def test_long_work_shows_rate_and_rest(clock):
    stream = io.StringIO()
    with Progress("slow", 100, unit="rows", stream=stream) as progress:
        clock.now = 5.0
        progress.advance(50, note="half")
    first = stream.getvalue().split("\n")[0]
    assert "50/100" in first
    assert "10.0 rows/s" in first
    assert "0:05 left" in first
    assert "half" in first


def test_resumed_work_does_not_count_into_the_rate(clock):
    stream = io.StringIO()
    with Progress("slow", 100, stream=stream) as progress:
        progress.skip(90)
        clock.now = 5.0
        progress.advance(5)
    assert "1.0 it/s" in stream.getvalue()


def test_track_yields_everything():
    assert list(track(range(3), "three")) == [0, 1, 2]

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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_is_drawn_again(clock):
    stream = Terminal()
    with Progress("asking", 4, unit="rows", stream=stream) as progress:
        clock.now = 1.9
        progress.advance()
        assert stream.getvalue() == "", "silent for two seconds"
        clock.now = 2.0
        progress.advance()
        clock.now = 2.05
        progress.advance()
        assert stream.getvalue().count("\r") == 1, "ten times a second at most"
        clock.now = 3723.0
        progress.advance(note="done")
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn[1:] == [
        "asking [████████████············] 2/4  50% · 0:02 left · 1.0 rows/s · 0:02",
        "asking [████████████████████████] 4/4 100% · 0.0 rows/s · 1:02:03 · done",
        "asking [████████████████████████] 4/4 100% · 0.0 rows/s · 1:02:03 · done\n",
    ]


def test_work_of_unknown_size_is_counted(clock):
    stream = io.StringIO()
    with Progress("reading", stream=stream) as progress:
        clock.now = 4.0
        progress.advance(6_000)
        clock.now = 13.9
        progress.advance()
        assert stream.getvalue() == "reading 6,000 · 1,500.0 it/s · 0:04\n", "a line every ten seconds in a file"
        clock.now = 14.0
        progress.advance(999)
    assert stream.getvalue().split("\n")[1:] == ["reading 7,000 · 500.0 it/s · 0:14", ""]


def test_more_than_all_is_still_all(clock):
    stream = io.StringIO()
    with Progress("asking", 2, stream=stream) as progress:
        clock.now = 2.0
        progress.advance(3)
    assert "] 3/2 100% · 1.5 it/s" in stream.getvalue()

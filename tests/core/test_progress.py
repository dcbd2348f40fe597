from __future__ import annotations

import io
import re
from itertools import product
from pathlib import Path

import pytest

from approved import approved
from taskloom.core import Progress, track
from taskloom.core import progress as module
from taskloom.core.progress import clock_text


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return 1_000.0 + self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
    for name in ("TASKLOOM_PROGRESS", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
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
        ("2", "2", False),
        ("-1", "2", False),
        ("", "2", False),
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
    assert "] 95/100  95% · 0:05 left · 1.0 it/s" in stream.getvalue()


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


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (36_061, "10:01:01")],
)
def test_hours_are_shown_where_there_are_any(seconds, shown):
    assert module.clock_text(seconds) == shown


def test_a_variable_keeps_it_silent(clock, monkeypatch):
    for value, silent in (("off", True), ("on", False), ("", False)):
        monkeypatch.setenv("TASKLOOM_PROGRESS", value)
        stream = Terminal()
        with Progress("asking", 4, stream=stream) as progress:
            clock.now += 60.0
            progress.advance(4)
        assert (stream.getvalue() == "") == silent


def test_no_rest_is_told_where_nothing_was_done_or_all_is(clock):
    stream = io.StringIO()
    with Progress("asking", 4, stream=stream) as progress:
        clock.now = 60.0
        progress.advance(0)
        clock.now = 120.0
        progress.advance(4)
    assert stream.getvalue() == (
        "asking [························] 0/4   0% · 0.0 it/s · 1:00\n"
        "asking [████████████████████████] 4/4 100% · 0.0 it/s · 2:00\n"
    )


def test_a_step_without_a_note_keeps_the_last_one(clock):
    stream = io.StringIO()
    with Progress("fitting", stream=stream) as progress:
        progress.advance(note="loss 2")
        clock.now = 4.0
        progress.advance()
        clock.now = 20.0
        progress.advance(note="")
    assert stream.getvalue() == "fitting 2 · 0.5 it/s · 0:04 · loss 2\nfitting 3 · 0.1 it/s · 0:20\n"


def test_it_is_drawn_on_stderr_and_items_are_counted_after_they_are_done(clock, capsys):
    for item in track("abc", "letters", 3, unit="letters"):
        clock.now += 4.0 if item == "b" else 0.0
    assert capsys.readouterr().err.split("\n")[0] == (
        "letters [████████████████········] 2/3  67% · 0:02 left · 0.5 letters/s · 0:04"
    )


def test_an_interrupted_bar_ends_its_line(clock):
    stream = Terminal()
    with pytest.raises(KeyError), Progress("asking", 4, stream=stream) as progress:
        clock.now = 3.0
        progress.advance()
        raise KeyError
    assert stream.getvalue().endswith("0:03\n")
    silent = Terminal()
    with Progress("asking", 4, stream=silent):
        pass
    assert silent.getvalue() == ""


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_what_is_drawn_is_seen_at_once(clock, kind):
    class Buffered(kind):
        seen = ""

        def flush(self) -> None:
            self.seen = self.getvalue()

    stream = Buffered()
    with Progress("asking", 4, stream=stream) as progress:
        clock.now = 3.0
        progress.advance()
        assert stream.seen == stream.getvalue() != ""
    assert stream.seen == stream.getvalue()


@pytest.mark.parametrize(("kind", "pause"), [(Terminal, 0.1), (io.StringIO, 10.0)])
def test_how_often_it_is_drawn(clock, kind, pause):
    stream = kind()
    with Progress("asking", 9, stream=stream) as progress:
        for now, drawn in ((1.99, 0), (2.0, 1), (2.0 + 0.99 * pause, 1), (2.0 + 1.01 * pause, 2)):
            clock.now = now
            progress.advance()
            assert stream.getvalue().count("asking") == drawn, now


def test_every_line_of_a_bar(clock):
    """On a terminal and elsewhere: with a total and without, resumed, with notes, beyond the total, and for hours."""
    said = []
    for live, total, skipped in product((True, False), (40, None, 5), (0, 30)):
        stream, clock.now = io.StringIO(), 0.0
        stream.isatty = lambda live=live: live
        with Progress("work", total, unit="rows", stream=stream) as progress:
            if skipped:
                progress.skip(skipped)
            for step, later in enumerate((1.9, 0.2, 0.05, 0.06, 9.0, 4.0, 3_700.0, 0.0)):
                clock.now += later
                progress.advance(step, note=f"loss {step}" if step == 3 else None)
                if step == 4:
                    progress.say("a line of its own")
        said += [f"== {live} {total} {skipped}", *(part.rstrip() for part in re.split(r"[\r\n]", stream.getvalue()))]
    said += [clock_text(seconds) for seconds in (0, 59.9, 60, 3_599, 3_600, 36_061)]
    approved(Path(__file__).with_name("bars.txt"), "\n".join(said) + "\n")

"""The limited child: what it gives back, what it refuses, and that its death is a sentence."""

from __future__ import annotations

import os
import resource
import signal
import time

import pytest

from taskloom.core import UserError, confine
from taskloom.core.confine import confined

HERE = {"where": "file.x", "what": "the file"}


def asked(call, *arguments, **limits):
    return confined(f"confined_work:{call}", *arguments, **HERE, **{"seconds": 1, "megabytes": 128, **limits})


def test_one_child_answers_every_call_and_gets_no_secrets(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890abcdefghij")
    first = asked("process")
    assert first == asked("process") != os.getpid()
    assert asked("echo", {"a": [1, 2.5, None, "é"]}) == {"a": [1, 2.5, None, "é"]}
    assert "OPENAI_API_KEY" not in asked("environment")


def test_paths_are_meant_from_where_the_caller_stands(tmp_path, monkeypatch):
    asked("echo", 1)
    monkeypatch.chdir(tmp_path)
    assert asked("folder") == str(tmp_path)


def test_limits_of_one_call_end_with_it():
    """What the next call imports would die of them: a tokenizer after a chat template."""
    assert [asked("echo", number, megabytes=16) for number in range(3)] == [0, 1, 2]


def test_errors_are_sentences_and_leave_the_child_alive():
    child = asked("process")
    for call, said in (
        ("refuse", "b: wrong\n  mend it"),
        ("fail", "file.x: the file cannot be read: ZeroDivisionError: division by zero"),
        ("missing", "file.x: the file cannot be read: AttributeError"),
        ("huge", "file.x: the file cannot be read: MemoryError"),
        ("chatter", "file.x: the file cannot be read: SystemExit: 3"),
    ):
        with pytest.raises(UserError) as raised:
            asked(call)
        assert str(raised.value).startswith(said)
    assert asked("process") == child


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("spin", "it takes more than 1 seconds"),
        ("crash", "its process crashed"),
        ("killed", "its process was killed, most likely for its memory"),
        ("quit", "its process crashed"),
    ],
)
def test_the_death_of_the_child_is_a_sentence_and_another_is_started(call, said):
    before = asked("process")
    with pytest.raises(UserError, match=f"^file.x: the file is damaged or made to do harm: {said}"):
        asked(call)
    assert asked("process") != before


def test_a_child_that_waits_for_ever_is_ended(monkeypatch):
    monkeypatch.setattr(confine, "PATIENCE", 0.5)
    with pytest.raises(UserError, match="it does not end"):
        asked("sleep")


def test_a_child_costs_little():
    """A child that is started for our own formats takes a tenth of a second of CPU time, most of it Python's own."""
    with pytest.raises(UserError):
        asked("crash")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert asked("echo", 1) == 1
    with pytest.raises(UserError):
        asked("crash")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.4


def test_an_interrupt_leaves_no_half_answer():
    def stop(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            asked("late", time.time() + 3)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert asked("echo", "mine") == "mine"

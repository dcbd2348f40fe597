"""The first lenient reader, a package of its own: it reads old logs as they were read."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from taskloom.ask import judge_answer
from taskloom.core import Example, Instance, Instruction, Task, any_of
from taskloom.core.decode import read_toml

PACKAGE = Path(__file__).parents[2] / "packages" / "taskloom-lenient1"
WHERE = Task("t", Instruction("Say where the person is.", (Example("Where is Mary?", "garden"),)))
ANN = Instance("1", "Where is Ann?", any_of("office"))


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE / "src"))
    stated = read_toml(PACKAGE / "pyproject.toml")["project"]["entry-points"]["taskloom"]
    assert list(stated) == ["reader.lenient-1"]
    yield EntryPoint("reader.lenient-1", stated["reader.lenient-1"], "taskloom").load()
    for name in [name for name in sys.modules if name.startswith("taskloom_lenient1")]:
        del sys.modules[name]


def test_the_entry_point_is_the_reader_that_logs_name(reader):
    assert reader.describe() == {"name": "lenient-1", "restated": True, "unfinished": True}


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("I think it's the office.", 1.0, 1.0),
        ("Answer: office", 1.0, 1.0),
        ("The answer is hall.", 0.0, 0.0),
        # What changed: prose that was guessed at, foreign denials, the last word of a self-correction.
        ("My money is on the office.", 1.0, 0.0),
        ("La risposta non è office.", 1.0, 0.0),
        ("The answer is hall. Wait, let me double check. The answer is office.", 0.0, 1.0),
    ],
)
def test_old_and_new_readings(reader, said, old, new):
    assert judge_answer(WHERE, ANN, said, reader=reader).score == old
    assert judge_answer(WHERE, ANN, said).score == new

"""The rows of a file, drawn by a second process: what it is told, and what is said where it fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from taskloom.author import prove as redraw
from taskloom.author import task
from taskloom.author.prove import draw_all, hashes_elsewhere, redraw_here
from taskloom.core import UserError, content_hash

SIZES = {"train": 3, "test": 2}
FILE = """
import taskloom

@taskloom.task(definition="Say the number again.", solve=lambda text: text)
def again(rng):
    return str(rng.randint(0, 10**6))
"""


@task(definition="Say the number again.", solve=lambda text: text)
def again(rng):
    return str(rng.randint(0, 10**6))


@pytest.fixture
def process(monkeypatch):
    """Instead of a second process: notes how it is started, and says what it is told to say."""
    seen = []

    def start(answer=None, stderr="", returncode=0):
        def run(command, **given):
            order = msgspec.json.decode(command[-1])
            seen.append((command, given, order))
            if answer is not None:
                Path(order["answer"]).write_bytes(msgspec.json.encode(answer))
            return SimpleNamespace(stderr=stderr, returncode=returncode)

        monkeypatch.setattr(redraw.subprocess, "run", run)
        return seen

    return start


def test_the_rows_of_every_split():
    rows = draw_all(again, SIZES, 4)
    assert {split: len(found) for split, found in rows.items()} == SIZES
    assert content_hash(rows) == content_hash(draw_all(again, SIZES, 4)) != content_hash(draw_all(again, SIZES, 5))


def test_the_other_process_hashes_what_this_one_would(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    order = {"file": str(path), "sizes": SIZES, "seed": 4, "answer": str(tmp_path / "hashes.json")}
    redraw_here(msgspec.json.encode(order).decode())
    assert msgspec.json.decode((tmp_path / "hashes.json").read_bytes()) == [content_hash(draw_all(again, SIZES, 4))]


@pytest.mark.parametrize(("ours", "theirs"), [("1", "2"), ("2", "1"), (None, "1"), ("0", "1")])
def test_the_other_process_orders_texts_otherwise(ours, theirs, process, monkeypatch):
    if ours is None:
        monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    else:
        monkeypatch.setenv("PYTHONHASHSEED", ours)
    seen = process(["a", "b"])
    assert hashes_elsewhere("mine.py", SIZES, 7) == ["a", "b"]
    ((command, given, order),) = seen
    assert command[:2] == [sys.executable, "-c"]
    assert given["env"]["PYTHONHASHSEED"] == theirs and given["env"]["PATH"] == os.environ["PATH"]
    assert given["env"]["PYTHONPATH"].split(os.pathsep) == [path for path in sys.path if path]
    assert (given["text"], given["capture_output"], given["check"]) == (True, True, False)
    assert (order["file"], order["sizes"], order["seed"]) == ("mine.py", SIZES, 7)


@pytest.mark.parametrize(
    ("stderr", "words"),
    [("Traceback\n  line\nValueError: no\n", "ValueError: no"), ("", "it ended with 3"), (" \n", "it ended with 3")],
)
def test_what_went_wrong_there_is_said_in_its_last_line(stderr, words, process):
    process(None, stderr, 3)
    with pytest.raises(UserError, match="a second process cannot draw the rows: ") as raised:
        hashes_elsewhere("mine.py", SIZES, 7)
    assert raised.value.message.endswith(f": {words}") and raised.value.where == "mine.py"

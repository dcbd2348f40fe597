"""Which rows a run asks, which of them again, and what it says on the way."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from records import torn_log
from taskloom.core import Instance, Instruction, Row, Suite, Task, UserError, any_of, question_hash, row_hash
from taskloom.core.model import Model
from taskloom.encode.plain import PLAIN
from taskloom.run.log import RunLog, read_records
from taskloom.run.runner import Outcome, Questions, chosen_rows, launch, running_score
from taskloom.run.session import RunSettings

TASKS = {name: Task(name, Instruction("Say it.")) for name in "ab"}


def suite(names, read=None):
    rows = [Row(name, Instance(str(place), f"q {place}", any_of("x"))) for place, name in enumerate(names)]

    def draw(split):
        for row in rows:
            if read is not None:
                read.append(row.instance.id)
            yield row

    return Suite("own/rows", {}, 1, TASKS, {"test": len(rows)}, draw, {}, "pairs")


@pytest.mark.parametrize(
    ("names", "limit", "asked", "read"),
    [
        ("aabab", None, "01234", "01234"), ("aabab", 1, "02", "012"), ("aabab", 2, "0124", "01234"),
        ("aaaa", 1, "0", "0123"), ("abba", 3, "0123", "0123"), ("bbaab", 2, "0123", "0123"),
    ],
)  # fmt: skip
def test_the_first_rows_of_each_task_and_no_more_are_read(names, limit, asked, read):
    seen = []
    assert "".join(row.instance.id for row, _ in chosen_rows(suite(names, seen), "test", limit)) == asked
    assert "".join(seen) == read, "reading ends where every task has its share"


def questions(log, names="aab"):
    held = suite(names)
    return Questions(held, enumerate(held.hashed_rows("test")), SimpleNamespace(fits=None), PLAIN, log)


@pytest.fixture
def asked(monkeypatch):
    """Requests are what they are about."""
    import msgspec

    class Request(msgspec.Struct, frozen=True):
        name: str
        sample: int = 0

    monkeypatch.setattr("taskloom.run.runner.make_request", lambda task, row, encoding, model: Request(row.instance.id))

    def places(log, names="aab"):
        found = questions(log, names)
        return [(place, request.name, request.sample) for place, request in found], found

    return places


@pytest.mark.parametrize("samples", [1, 2])
def test_every_sample_of_every_row_is_asked(samples, asked, tmp_path):
    with RunLog(tmp_path, samples) as log:
        found, made = asked(log)
        expected = [(row * samples + sample, str(row), sample) for row in range(3) for sample in range(samples)]
        assert found == expected and made.resumed == 0
        rows = list(suite("aab").rows("test"))
        for place, name, _ in found:
            row = rows[int(name)]
            assert made.hashes_at(place) == (row_hash(*row), question_hash(*row))
        with pytest.raises(KeyError):
            made.hashes_at(0)  # asked for once


def test_answers_are_not_asked_again_and_failures_are(asked, tmp_path):
    rows = list(suite("aab").rows("test"))
    with RunLog(tmp_path, 2) as log:
        for place, state in ((0, "scored"), (1, "errored"), (2, "truncated"), (4, "scored"), (5, "scored")):
            row = rows[place // 2]
            log.places.put(place, state, row_hash(row.task, row.instance))
        found, made = asked(log)
    assert found == [(1, "0", 1), (3, "1", 1)] and made.resumed == 4


def test_another_row_at_the_same_place_is_refused(asked, tmp_path):
    for state in ("scored", "errored"):
        with RunLog(tmp_path) as log:
            log.places.put(1, state, "f" * 32)
            with pytest.raises(UserError, match="the log and the suite have different rows at a/1") as raised:
                asked(log)
            assert raised.value.where == str(log.folder)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], "last batch failed"),
        ([None], "last batch failed"),
        ([1.0, None, 0.5], "last batch 0.75"),
        ([0.0], "last batch 0.00"),
    ],
)
def test_how_the_last_batch_went(scores, words):
    assert running_score([SimpleNamespace(score=score) for score in scores]) == words


def test_what_a_run_did(tmp_path, monkeypatch):
    held, prepared = suite("aab"), []
    monkeypatch.setattr(Model, "prepare", lambda model, suite: prepared.append(suite))
    first = launch(
        held, tmp_path / "run", RunSettings(model="mock/constant", model_options={"answer": "x"}, cache=False)
    )
    assert first == Outcome(3, 0, 0, 0, 0, False) and prepared == [held]
    again = launch(
        held, tmp_path / "run", RunSettings(model="mock/constant", model_options={"answer": "x"}, cache=False)
    )
    assert again == Outcome(3, 0, 0, 3, 0, False)
    torn_log(tmp_path / "run", 2, b"{")
    torn = launch(
        held, tmp_path / "run", RunSettings(model="mock/constant", model_options={"answer": "x"}, cache=False)
    )
    assert torn == Outcome(3, 0, 0, 2, 0, True)


def test_progress_and_stamps(tmp_path, monkeypatch):
    steps = []

    class Counting:
        def __init__(self, title, total, unit):
            steps.append((title, total, unit))

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def skip(self, number):
            steps.append(("skip", number))

        def advance(self, number, note):
            steps.append((number, note))

    monkeypatch.setattr("taskloom.run.runner.Progress", Counting)
    held, settings = suite("aab"), {"model": "mock/constant", "model_options": {"answer": "x"}, "cache": False}
    launch(held, tmp_path / "run", RunSettings(**settings, protocol="chat"))
    assert steps == [("mock/constant on own/rows", 3, "asked"), ("skip", 0), (3, "last batch 1.00")]
    assert {(record.protocol, record.headline) for record in read_records(tmp_path / "run")} == {("chat", "lenient")}
    torn_log(tmp_path / "run", 2)
    steps.clear()
    launch(held, tmp_path / "run", RunSettings(**settings, protocol="chat"))
    assert steps[1:] == [("skip", 2), (1, "last batch 1.00")]
    steps.clear()
    drawn = {"generation": {"temperature": 1.0}, "samples": 2}
    launch(held, tmp_path / "several", RunSettings(**settings, **drawn))
    assert steps[0][1] == 6 and [(record.index, record.sample) for record in read_records(tmp_path / "several")] == [
        (row, sample) for row in range(3) for sample in range(2)
    ]
    steps.clear()
    launch(held, tmp_path / "limited", RunSettings(**settings, limit=1))
    assert steps[0][1] is None, "nobody has counted the rows of each task"

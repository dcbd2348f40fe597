"""Columns say what the records say, whether a run is sealed, has a further part, or is still going on."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from records import record as made_record
from records import torn_log
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.run import sealed
from taskloom.run.log import RunLog, read_records
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import clustered_mean

_FLAKY = {"fail": 0.2, "empty": 0.2, "truncate": 0.1, "rubbish": 0.1, "stall": 0.0}


def facet_suite(rows: int = 120) -> Suite:
    """Facets of every kind: numbers, words, lists, empty lists, missing ones, some of the task alone."""
    rng = random.Random(4)
    tasks = {name: Task(name, Instruction(f"Say {name}."), facets={"kind": name[:1], "level": 7}) for name in "abc"}
    made = []
    for number in range(rows):
        facets = {"size": rng.choice([1, 2, 10]), "tags": rng.choice([["x"], ["x", "y"], []])}
        facets |= {"level": 3} if number % 3 else {}
        made.append(Row(rng.choice("abc"), Instance(str(number), f"{number}?", AnyOf((str(number % 3),)), facets)))
    kinds = {"size": int, "tags": tuple, "level": int}
    return Suite("own/facets", {}, 0, tasks, {"test": rows}, lambda split: iter(made), kinds)


@pytest.fixture(scope="module", params=["sealed", "asked again", "open"])
def run(request, tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("run") / "run"
    settings = RunSettings(model="mock/flaky", model_options=_FLAKY, cache=False, protocol="chat")
    for _ in range(2 if request.param == "asked again" else 1):
        launch(facet_suite(), folder, settings)
    if request.param == "open":
        torn_log(folder, 90, b"torn")
    return load_run(folder)


def test_every_column_is_that_of_the_records(run):
    records = list(run.records)
    assert len(run.columns) == len(records) == len({record.index for record in records})
    for name in ("task", "id", "index", "sample", "state", "error", "scorer", "score", "answer", "raw", "prompt"):
        assert run.columns.column(name).to_pylist() == [getattr(record, name) for record in records], name
    assert run.columns.column("lenient").to_pylist() == [one.lenient and one.lenient.score for one in records]
    assert run.columns.column("target").to_pylist() == [one.targets.canonical() for one in records]
    assert [one.hex() for one in run.columns.column("question").to_pylist()] == [one.question for one in records]
    assert run.columns.facets == ["level", "size", "tags"]


@pytest.mark.parametrize("names", [("size",), ("tags",), ("level", "size"), ("kind", "task")])
def test_groups_are_those_of_a_loop_over_the_records(run, names):
    groups = defaultdict(list)
    for record in run.records:
        keys = [()]
        for name in names:
            keys = [(*key, label) for key in keys for label in run.facet(record, name)]
        for key in keys:
            groups[key].append(record)
    found = run.by_facet(*names)
    assert found.keys() == groups.keys()
    for key, members in groups.items():
        cells = defaultdict(list)
        for record in members:
            if record.score is not None:
                cells[record.task, run.replicate].append(record.score)
        group = found[key]
        expected = clustered_mean(cells) if cells else None
        assert expected is None or group.estimate[:4] == pytest.approx(expected[:4])
        states = [record.state for record in members]
        counts = (group.scored, group.truncated, group.errored)
        assert counts == tuple(states.count(state) for state in ("scored", "truncated", "errored"))
        assert group.unparsed == sum(record.state == "scored" and record.answer is None for record in members)


def test_parts_that_take_turns_are_each_read_once(tmp_path, monkeypatch):
    for failing in (True, False):
        with RunLog(tmp_path) as log:
            asked = [n for n in range(60) if log.places.state(n) in (None, "errored")]
            log.append([made_record(n, "t", str(n), None if failing and n % 2 else 1.0) for n in asked])
            log.finish()
    calls, real = [], sealed.records_of
    monkeypatch.setattr(sealed, "records_of", lambda table: calls.append(table.num_rows) or real(table))
    assert [each.index for each in read_records(tmp_path)] == list(range(60))
    assert calls == [30, 30]

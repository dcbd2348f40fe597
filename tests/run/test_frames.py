"""Runs as tables: every column says what the records say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import toy
from taskloom import UserError, open_suite, run_suite
from taskloom.core import any_of
from taskloom.core.catalog import FAMILIES
from taskloom.run import frames
from taskloom.run.frames import _uniform, records_table


@pytest.fixture
def run(tmp_path, own_registries):
    FAMILIES.register("toy", toy.FAMILY)
    return run_suite(open_suite("toy/all"), model="mock/majority", folder=tmp_path / "run")


def test_columns_of_records(run):
    table = records_table(run)
    records = list(run.records)
    assert table.num_rows == len(records) == 20
    for name in ("task", "id", "sample", "state", "score", "answer", "raw", "prompt"):
        assert table.column(name).to_pylist() == [getattr(record, name) for record in records], name
    assert table.column("strict").to_pylist() == [record.strict.score for record in records]
    assert table.column("target").to_pylist() == [record.targets.canonical() for record in records]
    assert table.column("category").to_pylist() == [run.tasks[record.task].facets["category"] for record in records]
    assert run.to_arrow().equals(table)


def test_a_column_has_one_type():
    assert _uniform([1, 2.5, None]) == [1, 2.5, None]
    assert _uniform(["a", None, "b"]) == ["a", None, "b"]
    assert _uniform([("a",), "b", None, 3]) == ["('a',)", "b", None, "3"]
    assert _uniform([]) == []


def test_a_run_in_a_notebook(run):
    shown = run._repr_html_()
    assert "<table>" in shown and "mock/majority" in shown and "toy/all" in shown
    overall = run.overall().estimate
    assert f"{overall.value:.3f}" in shown and f"{overall.low:.3f} – {overall.high:.3f}" in shown
    for group in run.by_task():
        assert f">{group.name}<" in shown


def told(task, score, lenient=None, facets=(), **more):
    """A record as far as a table reads it."""
    readings = {"strict": SimpleNamespace(score=score), "lenient": lenient and SimpleNamespace(score=lenient)}
    plain = {
        "id": "1",
        "sample": 0,
        "state": "scored",
        "answer": "a",
        "raw": "a",
        "prompt": "p",
        "cell": "",
        "error": "",
    }
    plain |= {"wording": "", "targets": any_of("a"), "score": score, "task": task, "facets": dict(facets)}
    return SimpleNamespace(**{**plain, **readings, **more})


def test_facets_are_the_instances_own_or_the_tasks():
    tasks = {
        "t": SimpleNamespace(facets={"level": 7, "kind": "x"}),
        "u": SimpleNamespace(facets={"answer": "facet", "task": "odd"}),
    }
    records = [told("t", 0.5, 1.0, {"level": 3}, cell="c"), told("u", None, wording="w"), told("t", 1.0, error="late")]
    names = ["answer", "kind", "level", "task"]
    table = records_table(SimpleNamespace(records=records, tasks=tasks, facet_names=lambda: names))
    assert table.column_names[-3:] == ["facet:answer", "kind", "level"], "the task has its column already"
    found = table.to_pydict()
    assert found["task"] == ["t", "u", "t"] and found["answer"] == ["a"] * 3
    assert found["facet:answer"] == [None, "facet", None] and found["kind"] == ["x", None, "x"]
    assert found["level"] == [3, None, 7], "the instance comes first"
    assert found["lenient"] == [1.0, None, None] and found["strict"] == found["score"] == [0.5, None, 1.0]
    assert (found["cell"], found["wording"], found["error"]) == (["c", "", ""], ["", "w", ""], ["", "", "late"])


def test_a_data_frame_needs_pandas(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pandas"):
        frames.records_frame(None)
    monkeypatch.setattr(frames, "find_spec", lambda name: name)
    monkeypatch.setattr(frames, "records_table", lambda run: SimpleNamespace(to_pandas=lambda: f"frame of {run}"))
    assert frames.records_frame("run") == "frame of run"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, True], ["1", "True"]),
        ([1.5, 2, 3], [1.5, 2, 3]),
        ([["a"], ["b", "c"]], [["a"], ["b", "c"]]),
        ([None, None], [None, None]),
        (["1", 1], ["1", "1"]),
    ],
)
def test_numbers_stay_numbers_and_mixtures_become_text(values, expected):
    assert _uniform(values) == expected

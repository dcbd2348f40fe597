"""Runs as tables: every column says what the records say."""

from __future__ import annotations

from html import unescape
from types import SimpleNamespace

import msgspec
import pytest

import toy
from records import made_run
from taskloom import UserError, open_suite, run_suite
from taskloom.core.catalog import FAMILIES
from taskloom.run import frames
from taskloom.run.frames import records_table
from taskloom.run.log import RunLog
from taskloom.run.plan import save_plan
from taskloom.run.results import load_run


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


def test_a_run_in_a_notebook(run):
    shown = unescape(run._repr_html_())
    assert shown.startswith("<iframe") and "mock/majority" in shown and "toy/all" in shown
    overall = run.overall().estimate
    assert f"{overall.value:.3f}" in shown and f"{overall.low:.3f} – {overall.high:.3f}" in shown
    for group in run.by_task():
        assert f">{group.name}<" in shown


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, True, None, 1], ["1", "True", None, "1"]),
        ([1.5, 2, 3, None], [1.5, 2, 3, None]),
        ([["a"], ["b", "c"], ["a"], []], [["a"], ["b", "c"], ["a"], []]),
        ([None, "x", None, "x"], ["task's", "x", "task's", "x"]),
        (["1", 1, None, 2.5], ["1", "1", None, "2.5"]),
    ],
)
def test_facets_are_the_instances_own_or_the_tasks(tmp_path, values, expected):
    """Numbers stay numbers, and mixtures become text."""
    made = made_run(tmp_path / "first", [("t", str(n), n / 4) for n in range(4)])
    folder = tmp_path / "second"
    folder.mkdir()
    facets = {"level": "task's", "answer": "taken"} if "x" in values else {"answer": "taken"}
    save_plan(made.plan, [msgspec.structs.replace(task, facets=facets) for task in made.tasks.values()], folder)
    with RunLog(folder) as log:
        own = [{} if value is None else {"level": value} for value in values]
        log.append([msgspec.structs.replace(one, facets=held) for one, held in zip(made.records, own, strict=True)])
        log.finish()
    table = records_table(load_run(folder))
    assert table.column("level").to_pylist() == expected
    assert table.column("facet:answer").to_pylist() == ["taken"] * 4, "the records have a column of that name"
    assert table.column("question_hash").to_pylist() == [one.question for one in made.records]


def test_a_data_frame_needs_pandas(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pandas"):
        frames.records_frame(None)
    monkeypatch.setattr(frames, "find_spec", lambda name: name)
    monkeypatch.setattr(frames, "records_table", lambda run: SimpleNamespace(to_pandas=lambda: f"frame of {run}"))
    assert frames.records_frame("run") == "frame of run"

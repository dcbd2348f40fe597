"""Runs as tables: every column says what the records say."""

from __future__ import annotations

import pytest

import toy
from taskloom import open_suite, run_suite
from taskloom.core.catalog import FAMILIES
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

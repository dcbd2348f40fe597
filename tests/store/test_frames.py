"""Suites as tables: every row once, typed columns, and the same columns where there is no row."""

from __future__ import annotations

from types import ModuleType

import pytest

from taskloom.core import Suite, UserError, row_hash
from taskloom.store import rows as frames
from taskloom.store.rows import to_arrow, to_pandas
from toy import FAMILY


def test_rows_of_all_splits_or_of_one(monkeypatch):
    monkeypatch.setattr(frames, "PACK_ROWS", 7)
    suite = FAMILY.open("all", 3)
    table = to_arrow(suite)
    rows = [(split, row) for split in suite.splits for row in suite.rows(split)]
    assert table.column("split").to_pylist() == [split for split, _ in rows]
    assert table.column("task").to_pylist() == [row.task for _, row in rows]
    assert table.column("answer").to_pylist() == [row.instance.targets.canonical() for _, row in rows]
    assert table.column("hash").to_pylist() == [row_hash(*row) for _, row in rows]
    assert table.column("digits").to_pylist() == [row.instance.facets["digits"] for _, row in rows]
    assert table.column_names[:6] == ["split", "task", "id", "input", "answer", "targets"]
    only = to_arrow(suite, "test")
    assert only.equals(table.slice(40, 20))


def test_no_rows_have_the_same_columns():
    whole = to_arrow(FAMILY.open("all", 3))
    for empty in (
        to_arrow(FAMILY.open("all", 3, {"train": 0, "test": 0})),
        to_arrow(FAMILY.open("all", 3).take(0), "test"),
    ):
        assert empty.num_rows == 0 and empty.schema == whole.schema
    assert to_arrow(Suite("own", {}, 0, {}, {}, lambda split: iter(()))).num_rows == 0


def test_a_data_frame_needs_pandas(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="a data frame needs the package 'pandas'"):
        to_pandas(FAMILY.open("all", 3), "test")


def test_a_data_frame_is_that_of_the_table(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", ModuleType)

    class Table:
        def to_pandas(self):
            return "a frame"

    asked = []
    monkeypatch.setattr(frames, "to_arrow", lambda *given: asked.append(given) or Table())
    suite = FAMILY.open("all", 3)
    assert to_pandas(suite, "test") == to_pandas(suite) == "a frame"
    assert asked == [(suite, "test"), (suite, None)]

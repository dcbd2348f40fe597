"""Records of a log as a sequence."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest

from taskloom import UserError, load_run, open_suite, run_suite
from taskloom.run.records import Records


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    suite = open_suite("babi/task-1", options={"test": 12})
    return run_suite(suite, model="mock/oracle", folder=tmp_path_factory.mktemp("runs") / "r").records


def test_a_sequence_of_records(records):
    everything = list(records)
    assert len(records) == len(everything) == 12
    assert records[3] == everything[3] and records[-1] == everything[-1]
    assert records[2:9:3] == everything[2:9:3] and records[::-1] == everything[::-1]
    assert records.at([5, 1]) == [everything[5], everything[1]]
    assert list(records.read([7, 8, 0])) == [everything[7], everything[8], everything[0]]
    with pytest.raises(IndexError):
        records[12]


def test_records_equal_a_list_of_the_same(records):
    everything = list(records)
    assert records == everything and records == tuple(everything)
    assert records != everything[:-1] and records != everything[::-1]
    assert records != "records" and records != 5
    assert records.__eq__(5) is NotImplemented


def test_a_small_run_is_kept_in_memory_and_a_large_one_is_not(records, monkeypatch):
    from taskloom.run import records as module

    def again(most):
        monkeypatch.setattr(module, "_MOST_KEPT", most)
        fresh = module.Records(records._path.parent, load_run(records._path.parent).columns)
        return next(iter(fresh)) is next(iter(fresh))

    assert again(12) and not again(11)


def test_a_damaged_line_is_named(tmp_path):
    run = run_suite(open_suite("babi/task-1", options={"test": 3}), model="mock/oracle", folder=tmp_path)
    path = tmp_path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"scored"', b'"scorex"')
    path.write_bytes(b"".join(lines))
    assert run.records.at([0, 2])
    with pytest.raises(UserError) as raised:
        run.records.at([0, 1])
    assert raised.value.where.endswith("records.jsonl:2")


@pytest.mark.parametrize(("count", "kept"), [(50_000, True), (50_001, False)])
def test_fifty_thousand_records_are_kept(count, kept, tmp_path, monkeypatch):
    fresh = Records(tmp_path, SimpleNamespace(whole=lambda name: np.zeros(count, np.int64)))
    monkeypatch.setattr(fresh, "read", lambda rows: iter([len(rows)]))
    assert list(fresh) == [count] and (fresh._kept == [count]) == kept


class Watched(BytesIO):
    """A file that counts how often it is moved about."""

    seeks = 0

    def seek(self, *given):
        self.seeks += 1
        return super().seek(*given)


@pytest.mark.parametrize(("rows", "seeks"), [([0, 1, 2], 0), ([3, 4, 0, 0], 3), ([1, 2], 1), ([], 0)])
def test_a_file_is_moved_only_where_it_must(records, rows, seeks, monkeypatch):
    fresh = Records(records._path.parent, load_run(records._path.parent).columns)
    file = Watched(records._path.read_bytes())
    fresh._path = SimpleNamespace(open=lambda mode: file)
    everything = list(records)
    assert fresh.at(rows) == [everything[row] for row in rows] and file.seeks == seeks

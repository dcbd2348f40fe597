"""Records of a log as a sequence."""

from __future__ import annotations

import pytest

from taskloom import open_suite, run_suite
from taskloom.run import columns as module


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


@pytest.mark.parametrize("most", [11, 12])
def test_a_small_run_is_kept_in_memory_and_a_large_one_is_not(records, monkeypatch, most):
    monkeypatch.setattr(module, "MOST_KEPT", most)
    fresh = module.Records(records._columns)
    assert (next(iter(fresh)) is next(iter(fresh))) == (most == 12)

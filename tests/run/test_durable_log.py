"""What a log does so that nothing is lost: what is flushed and when, what is cut off, where a closed log goes on."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, UserError
from taskloom.run import closing, columns, log
from taskloom.run.closing import is_closing, read_closing, write_canonical
from taskloom.run.log import (
    RECORDS,
    RunLog,
    collect_columns,
    damaged_line,
    latest_records,
    log_path,
    read_closing_record,
    read_records,
)
from taskloom.run.record import Record, encode_record, sealed


def record(index: int, state: str = "scored", sample: int = 0, **more) -> Record:
    return Record(
        task="t", id=str(index), index=index, row=f"{index:032x}", state=state, sample=sample,
        strict=ScoredReading("x", None if state == "errored" else 1.0), scorer="exact", raw="x", raw_length=1,
        targets=AnyOf(("x",)), prompt="p", prompt_hash="h", **more,
    )  # type: ignore[arg-type]  # fmt: skip


def open_files(path: Path) -> int:
    """How many handles this process has of a file, or of one that it replaced."""
    found = 0
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found += str(handle.readlink()).startswith(str(path))
        except OSError:
            continue  # closed meanwhile
    return found


@pytest.fixture
def calls(monkeypatch):
    """The calls that bring bytes to disk, in order."""
    made = []
    for name in ("fsync", "ftruncate"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, name=name, real=real: made.append((name, *given[1:])) or real(*given)
        )
    for module in (closing, columns):
        monkeypatch.setattr(module, "sync_folder", lambda folder: made.append(("folder", folder.name)))
    return made


def test_records_are_flushed_before_they_count(tmp_path, calls):
    with RunLog(tmp_path) as held:
        calls.clear()
        held.append([record(0), record(1)])
        assert calls == [("fsync",)] and len(held.places) == 2
        held.append([])
        assert calls == [("fsync",)], "nothing to write"


def test_a_torn_end_is_cut_off_and_the_cut_is_flushed(tmp_path, calls):
    line = encode_record(record(0))
    for torn in (b"x", b"y" * 65_535, b"z" * 65_536, b"z" * 65_537, b"z" * 140_000):
        (tmp_path / RECORDS).write_bytes(line + torn)
        calls.clear()
        with RunLog(tmp_path) as held:
            assert held.repaired == len(torn) and list(held.places) == [0]
        assert calls == [("ftruncate", len(line)), ("fsync",)]
        assert (tmp_path / RECORDS).read_bytes() == line
    calls.clear()
    with RunLog(tmp_path) as held:
        assert held.repaired == 0 and calls == [], "nothing is torn"
    (tmp_path / RECORDS).write_bytes(b"z" * 70_000)
    with RunLog(tmp_path) as held:
        assert held.repaired == 70_000 and len(held.places) == 0, "not one whole line"
    (tmp_path / RECORDS).write_bytes(b"\n")
    with pytest.raises(UserError, match="damaged"):
        RunLog(tmp_path)
    assert (tmp_path / RECORDS).read_bytes() == b"\n", "an empty line is a whole one"


def test_a_closed_log_is_on_disk_before_its_folder_says_so(tmp_path, calls):
    with RunLog(tmp_path) as held:
        held.append([record(1), record(0)])
        calls.clear()
        held.finish()
    assert calls[:2] == [("fsync",), ("folder", tmp_path.name)]
    assert calls.count(("folder", tmp_path.name)) == 2, "the log, then its columns"


def test_a_full_disk_cuts_back_to_where_it_was(tmp_path, calls, monkeypatch):
    with RunLog(tmp_path) as held:
        held.append([record(0)])
        size = (tmp_path / RECORDS).stat().st_size
        calls.clear()
        monkeypatch.setattr(os, "write", lambda *given: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(UserError):
            held.append([record(1)])
        assert calls == [("ftruncate", size)] and list(held.places) == [0]


def test_short_writes_are_continued(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data)[:7]))
    with RunLog(tmp_path) as held:
        held.append([record(0), record(1)])
    assert [one.index for one in read_records(tmp_path)] == [0, 1]


@pytest.mark.parametrize("names", [1, 5_000])
def test_a_closed_log_goes_on_without_its_closing_line(tmp_path, names, calls):
    """Counts of very many combinations make a long closing line."""
    cells = [record(2 + place, cell=f"combination {place}") for place in range(names - 1)]
    with RunLog(tmp_path) as held:
        held.append([record(0, "errored"), record(1), *cells])
        held.finish()
    path = tmp_path / RECORDS
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    assert (len(last) > 65_536) == (names > 1)
    calls.clear()
    with RunLog(tmp_path) as held:
        assert held.closing.records == 1 + names
        held.append([record(0)])
        assert held.closing is None
        assert calls == [("ftruncate", len(whole) - len(last)), ("fsync",), ("fsync",)]
        assert path.read_bytes() == whole[: -len(last)] + encode_record(record(0))
        held.append([record(1 + names)])
        assert held.finish().records == 2 + names
    assert {one.state for one in read_records(tmp_path)} == {"scored"}


def test_a_finished_log_is_closed_once_and_lets_go_of_the_old_file(tmp_path, monkeypatch):
    with RunLog(tmp_path) as held:
        held.append([record(0)])
        first = held.finish()
        assert open_files(tmp_path / RECORDS) == 1
        monkeypatch.setattr(log, "write_canonical", None)
        assert held.finish() is first
        held.append([record(1)])
        assert (tmp_path / RECORDS).read_bytes().count(b"\n") == 2, "written to the new file"


def test_a_log_is_readable_for_those_the_mask_allows(tmp_path):
    before = os.umask(0)
    try:
        with RunLog(tmp_path / "run"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "run" / RECORDS).stat().st_mode & 0o777 == 0o666


def test_places_are_counted_by_samples(tmp_path):
    with RunLog(tmp_path, 3) as held:
        held.append([record(2, sample=1), record(0, sample=2)])
        assert (held.place(2, 1), held.place(4)) == (7, 12) and list(held.places) == [2, 7]
        held.finish()
    with RunLog(tmp_path, 3) as held:
        assert list(held.places) == [2, 7] and held.samples == 3
    with RunLog(tmp_path / "one") as held:
        assert held.samples == 1


def test_lines_after_the_end_and_damaged_ends_are_named(tmp_path):
    with RunLog(tmp_path) as held:
        held.append([record(0)])
        held.finish()
    path = tmp_path / RECORDS
    first, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + last + first)
    with pytest.raises(UserError, match="records follow the closing line") as raised:
        RunLog(tmp_path)
    assert raised.value.where == f"{path}:3" and "delete line 3" in raised.value.hint
    path.write_bytes(first + last.replace(b'"records":1', b'"records":2'))
    for read in (RunLog, lambda folder: list(read_records(folder)), lambda folder: collect_columns(path)):
        with pytest.raises(UserError, match="its checksum does not match") as raised:
            read(tmp_path)
        assert raised.value.where == f"{path}:2"
    path.write_bytes(first.replace(b'"t"', b'"u"') + last)
    for read in (RunLog, lambda folder: list(read_records(folder)), lambda folder: collect_columns(path)):
        with pytest.raises(UserError) as raised:
            read(tmp_path)
        assert raised.value.where == f"{path}:1"
    with RunLog(tmp_path / "other"):
        pass


def test_only_the_last_line_closes_a_log(tmp_path):
    with RunLog(tmp_path) as held:
        held.append([record(0)])
        made = held.finish()
    path = tmp_path / RECORDS
    assert read_closing_record(tmp_path) == made and collect_columns(path)[1] is True
    path.write_bytes(path.read_bytes() + encode_record(record(1)))
    assert read_closing_record(tmp_path) is None and collect_columns(path)[1] is False
    assert [one.index for one in read_records(tmp_path)] == [0, 1], "whatever stands between them"
    path.write_bytes(b"")
    assert read_closing_record(tmp_path) is None and collect_columns(path)[1] is False


def test_no_log_is_said_so(tmp_path):
    with pytest.raises(UserError, match="no run here"):
        log_path(tmp_path)
    (tmp_path / RECORDS).write_bytes(b"")
    assert log_path(str(tmp_path)) == tmp_path / RECORDS and latest_records(tmp_path) == []
    assert damaged_line(tmp_path, 7, ValueError("x")).message == "this record is damaged: x"


def test_samples_of_a_row_are_answers_of_their_own(tmp_path):
    with RunLog(tmp_path, 2) as held:
        held.append([record(0, "errored"), record(0, sample=1), record(0)])
    assert [(one.sample, one.state) for one in latest_records(tmp_path)] == [(0, "scored"), (1, "scored")]


def test_columns_know_where_their_lines_stand(tmp_path):
    with RunLog(tmp_path) as held:
        held.append([record(0), record(1, cell="c")])
    path = tmp_path / RECORDS
    builder, closed = collect_columns(path)
    table, whole = builder.table(), path.read_bytes()
    spans = zip(table.column("start").to_pylist(), table.column("size").to_pylist(), strict=True)
    assert [whole[start : start + size] for start, size in spans] == whole.splitlines(keepends=True) and not closed
    assert table.column("cell").to_pylist() == ["", "c"]


def test_a_closing_line_says_what_it_counted(tmp_path):
    path = tmp_path / RECORDS
    lines = [record(1, cell="b"), record(0, "truncated", cell="a"), record(2, "errored"), record(3, cell="b")]
    path.write_bytes(b"".join(map(encode_record, lines)))
    made, _ = write_canonical(path, 1)
    assert made.states == {"errored": 1, "scored": 2, "truncated": 1} and list(made.states) == sorted(made.states)
    assert made.cells == {"a": 1, "b": 2} and made.tasks == {"t": 4} and made.records == 4
    last = path.read_bytes().splitlines(keepends=True)[-1]
    assert is_closing(last) and read_closing(last) == made and not is_closing(encode_record(record(0)))
    other = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([other[1], other[0], *other[2:-1]]))
    again, _ = write_canonical(path, 1)
    assert again.chain == made.chain, "in canonical order it is the same log"
    path.write_bytes(b"".join(other[:-2]))
    assert write_canonical(path, 1)[0].chain != made.chain


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_are_picked_in_slices(tmp_path, monkeypatch, size):
    monkeypatch.setattr(closing, "_SLICE", size)
    path = tmp_path / RECORDS
    order = [4, 0, 3, 1, 2, 0, 5]
    path.write_bytes(b"".join(encode_record(record(index)) for index in order))
    made, _ = write_canonical(path, 1)
    assert made.records == 6 and [one.index for one in read_records(tmp_path)] == list(range(6))


def test_what_is_no_record_cannot_be_closed(tmp_path):
    path = tmp_path / RECORDS
    path.write_bytes(sealed(msgspec.json.encode({"index": 0})))
    with pytest.raises(msgspec.DecodeError):
        write_canonical(path, 1)
    assert list(tmp_path.iterdir()) == [path]


def test_a_log_lets_go_of_its_file(tmp_path):
    path = tmp_path / RECORDS
    with RunLog(tmp_path) as held:
        assert open_files(path) == 1
        held.append([record(0)])
        held.finish()
    assert open_files(path) == 0
    (tmp_path / RECORDS).write_bytes(b"rubbish\n")
    with pytest.raises(UserError):
        RunLog(tmp_path)
    assert open_files(path) == 0, "nor does a log that cannot be opened keep it"


def test_lines_of_the_first_format_stand_for_the_rows_of_their_numbers(tmp_path):
    old = {
        "task": "t", "id": "7", "state": "scored", "score": 1.0, "scorer": "exact", "raw": "x", "raw_length": 1,
        "extracted": "x", "targets": msgspec.to_builtins(AnyOf(("x",))), "prompt": "p", "prompt_hash": "h",
    }  # fmt: skip
    path = tmp_path / RECORDS
    path.write_bytes(b"".join(msgspec.json.encode({**old, "id": str(number)}) + b"\n" for number in range(3)))
    assert [one.index for one in read_records(tmp_path)] == [0, 1, 2]
    assert collect_columns(path)[0].table().column("index").to_pylist() == [0, 1, 2]


def test_columns_that_were_not_written_are_made_up_for(tmp_path):
    with RunLog(tmp_path) as held:
        held.append([record(0), record(1)])
        held.finish()
    kept = (tmp_path / "columns.parquet").read_bytes()
    before = (tmp_path / RECORDS).stat().st_mtime_ns
    (tmp_path / "columns.parquet").unlink()
    with RunLog(tmp_path) as held:
        assert held.finish().records == 2
    assert (tmp_path / "columns.parquet").read_bytes() == kept
    assert (tmp_path / RECORDS).stat().st_mtime_ns == before, "the log stays as it is"
    written = (tmp_path / "columns.parquet").stat().st_mtime_ns
    with RunLog(tmp_path) as held:
        held.finish()
    assert (tmp_path / "columns.parquet").stat().st_mtime_ns == written, "and so do columns that fit it"

"""Columns part by part: what is taken from an entry, how codes look, when tables are the same, what a seal proves."""

from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, UserError
from taskloom.run import columns, log
from taskloom.run.columns import (
    COLUMNS,
    SEAL,
    ColumnBuilder,
    Columns,
    LogEntry,
    _coded,
    _EntryReading,
    _same_values,
    decode_entry,
    each_line,
    sealed_columns,
    write_columns,
)
from taskloom.run.record import Record, decode_record, encode_record
from taskloom.run.records import Records, _newest, build_columns, read_columns
from taskloom.store.seal import read_sealed


def entry(number=0, task="t", **more):
    fields = {"strict": _EntryReading("a", 0.5), "index": number, **more}
    return LogEntry(
        task, str(number), "scored", "exact", msgspec.Raw(msgspec.json.encode(AnyOf(("gold", "b")))), **fields
    )


def table_of(*entries):
    builder = ColumnBuilder()
    for place, one in enumerate(entries):
        builder.add(one, 10 * place, 10)
    return builder.table()


def test_every_column_of_an_entry():
    raw = msgspec.Raw
    full = entry(
        3, sample=2, cell="c", wording="w", error="e", facets={"size": raw(b"3")}, headline="lenient",
        strict=_EntryReading("a", 0.25, raw(b'{"x":1}')), lenient=_EntryReading("b", 0.75, raw(b'{"y":2}')),
        tokens={"prompt": 5, "output": 2, "cost": 0.5},
    )  # fmt: skip
    (row,) = table_of(full).to_pylist()
    assert row == {
        "task": "t", "state": "scored", "error": "e", "scorer": "exact", "headline": "lenient", "cell": "c",
        "wording": "w", "id": "3", "answer": "b", "target": "gold",
        "targets": '{"type":"any","answers":["gold","b"]}', "prompt_hash": "", "question": None, "row": None,
        "details": '{"y":2}', "score": 0.75,
        "strict": 0.25, "lenient": 0.75, "prompt_tokens": 5.0, "output_tokens": 2.0, "cost": 0.5, "index": 3,
        "start": 0, "size": 10, "sample": 2, "read_twice": True, "facet:size": "3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, ("a", 0.5, None, 0.5, None, False)),
        ({"lenient": _EntryReading("b", 0.75)}, ("a", 0.5, None, 0.5, 0.75, True)),
        ({"lenient": _EntryReading("b", None), "headline": "lenient"}, ("b", None, None, 0.5, None, True)),
        ({"headline": "lenient"}, ("a", 0.5, None, 0.5, None, False)),
        ({"strict": _EntryReading(None, None, msgspec.Raw(b"{}"))}, (None, None, None, None, None, False)),
        ({"strict": _EntryReading("a", 1.0, msgspec.Raw(b'{"k":1}'))}, ("a", 1.0, '{"k":1}', 1.0, None, False)),
    ],
)
def test_the_reading_that_counts(more, found):
    (row,) = table_of(entry(**more)).to_pylist()
    assert tuple(row[name] for name in ("answer", "score", "details", "strict", "lenient", "read_twice")) == found


def test_a_facet_that_comes_late_is_missing_before_and_after():
    raw = msgspec.Raw
    table = table_of(entry(0), entry(1, facets={"f": raw(b"1")}), entry(2), entry(3, facets={"g": raw(b'"x"')}))
    assert table.column("facet:f").to_pylist() == [None, "1", None, None]
    assert table.column("facet:g").to_pylist() == [None, None, None, '"x"']
    assert [name for name in table.column_names if name.startswith("facet:")] == ["facet:f", "facet:g"]


@pytest.mark.parametrize(
    ("rows", "sizes"), [(0, [0]), (1, [1]), (2, [2]), (3, [3]), (4, [4]), (5, [4, 1]), (8, [4, 4])]
)
def test_groups_hold_whole_batches(rows, sizes, monkeypatch):
    monkeypatch.setattr(columns, "_BATCH", 2)
    monkeypatch.setattr(columns, "GROUP", 4)
    builder = ColumnBuilder()
    for number in range(rows):
        assert len(builder) == number
        builder.add(entry(number), number, 1)
    assert len(builder) == rows
    assert [group.num_rows for group in builder.groups()] == sizes
    table = builder.table()
    assert table.column("id").to_pylist() == [str(number) for number in range(rows)]
    assert "facet:more" in next(builder.groups(["more"])).column_names


@pytest.mark.parametrize(
    ("count", "kind"), [(1, np.int8), (127, np.int8), (128, np.int16), (32_767, np.int16), (32_768, np.int32)]
)
def test_codes_are_as_small_as_their_number_allows(count, kind):
    values = [str(number) for number in range(count)]
    codes = _coded(pa.chunked_array([pa.array(values)]))
    assert codes.rows.dtype == kind and codes.labels == values
    assert codes.rows.tolist() == list(range(count))


def test_codes_of_nothing_of_gaps_and_of_several_chunks():
    nothing = _coded(pa.chunked_array([], pa.string()))
    assert len(nothing.rows) == 0 and nothing.labels == [] and nothing.rows.dtype == np.int8
    gaps = _coded(pa.chunked_array([pa.array(["b", None, "a", "b"])]))
    assert gaps.rows.tolist() == [0, -1, 1, 0] and gaps.labels == ["b", "a"]
    chunks = pa.chunked_array([pa.array(["x", "y"]).dictionary_encode(), pa.array(["y", "z"]).dictionary_encode()])
    coded = _coded(chunks)
    assert [coded.labels[row] for row in coded.rows] == ["x", "y", "y", "z"]


def test_tables_are_the_same_by_their_values():
    plain, coded = pa.table({"a": ["x", "y"]}), pa.table({"a": pa.array(["x", "y"]).dictionary_encode()})
    assert _same_values(plain, coded) and _same_values(coded, plain) and _same_values(coded, coded)
    assert not _same_values(plain, pa.table({"b": ["x", "y"]}))
    assert not _same_values(plain, pa.table({"a": ["x", "z"]}))
    numbers = pa.table({"a": [1, 2]})
    assert _same_values(numbers, numbers) and not _same_values(numbers, pa.table({"a": [1, 3]}))


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "_BATCH", 2)
    monkeypatch.setattr(columns, "GROUP", 2)
    builder = ColumnBuilder()
    for number in range(3):
        builder.add(entry(number, facets={"f": msgspec.Raw(b"%d" % number)}), 10 * number, 10)
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"the log")
    write_columns(tmp_path, path, builder)
    return tmp_path, path, builder


def of(*numbers):
    builder = ColumnBuilder()
    for number in numbers:
        builder.add(entry(number, facets={"f": msgspec.Raw(b"%d" % number)}), 10 * number, 10)
    return builder


def test_columns_equal_what_was_collected_group_by_group(kept):
    folder, path, builder = kept
    held = sealed_columns(folder, path)
    assert held.equals([builder]) and held.equals([of(0, 1), of(2)])
    assert not held.equals([of(0, 1)]) and not held.equals([of(0, 1), of(2), of(3)])
    assert not held.equals([of(0, 2), of(2)]) and not held.equals([of(0, 1), of(1)]) and not held.equals([])


def test_columns_on_disk_read_like_those_in_memory(kept):
    folder, path, builder = kept
    disk, memory = sealed_columns(folder, path), Columns(builder.table())
    for one in (disk, memory):
        assert len(one) == 3 and one.facets == ["f"]
        assert one.column("id").to_pylist() == ["0", "1", "2"] and one.whole("start").tolist() == [0, 10, 20]
        assert one.floats("score").tolist() == [0.5] * 3 and np.isnan(one.floats("lenient")).all()
        assert one.present("answer").all() and not one.present("cost").any()
        assert one.codes("facet:f").labels == ["0", "1", "2"] and one.codes("task") is one.codes("task")
        assert one.table().num_rows == 3
    assert disk._file.num_row_groups == 2


def test_a_seal_says_of_which_log_and_how_many(kept):
    folder, path, _ = kept
    assert read_sealed(folder / SEAL, "the seal")["records"] == 3
    assert sorted(one.name for one in folder.iterdir()) == [SEAL, COLUMNS, "records.jsonl"]
    path.write_bytes(b"another log")
    assert sealed_columns(folder, path) is None
    path.write_bytes(b"the log")
    (folder / COLUMNS).write_bytes((folder / COLUMNS).read_bytes() + b"x")
    with pytest.raises(UserError, match="changed after they were written") as raised:
        sealed_columns(folder, path)
    assert raised.value.where == str(folder / COLUMNS)
    for name in (COLUMNS, SEAL):
        data = (folder / name).read_bytes()
        (folder / name).unlink()
        assert sealed_columns(folder, path) is None
        (folder / name).write_bytes(data)


def test_columns_that_cannot_be_written_leave_nothing_behind(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"the log")
    monkeypatch.setattr(columns, "sha256", None)
    with pytest.raises(TypeError):
        write_columns(tmp_path, path, of(1))
    assert not (tmp_path / SEAL).exists(), "the seal comes last"
    (tmp_path / COLUMNS).unlink()

    table = of(1).table()

    def fail(self, facets=()):
        yield table
        raise OSError("full")

    monkeypatch.setattr(ColumnBuilder, "groups", fail)
    with pytest.raises(OSError, match="full"):
        write_columns(tmp_path, path, of(1))
    assert list(tmp_path.iterdir()) == [path]


def test_lines_with_their_places_without_a_torn_one(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"ab\n\ncde\nfg")
    assert list(each_line(path)) == [(0, b"ab\n"), (3, b"\n"), (4, b"cde\n")]


def record(number, state="scored", answer="a", sample=0):
    return Record(
        task=f"t{number % 2}", id=str(number), index=number, sample=sample, state=state, scorer="exact", raw=answer,
        raw_length=1, targets=AnyOf(("a",)), prompt="p", prompt_hash="h", strict=ScoredReading(answer, 1.0),
    )  # fmt: skip


def test_an_entry_is_proved_by_its_checksum():
    line = encode_record(record(3))
    assert (decode_entry(line, 9).id, decode_entry(line, 9).index) == ("3", 3)
    with pytest.raises(msgspec.DecodeError):
        decode_entry(line.replace(b'"a"', b'"b"'), 0)


def test_the_newest_answer_stands_where_the_first_one_stood(tmp_path):
    lines = [record(0, "errored"), record(1), record(0, sample=1), record(0, answer="b"), record(1, answer="c")]
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"".join(map(encode_record, lines)))
    newest = build_columns(path)
    found = list(zip(*(newest.column(name).to_pylist() for name in ("id", "sample", "answer")), strict=True))
    assert found == [("0", 0, "b"), ("1", 0, "c"), ("0", 1, "a")]
    assert _newest(newest) is newest, "nothing to replace"
    records = Records(tmp_path, Columns(newest))
    assert [one.raw for one in records] == ["b", "c", "a"] and [one.raw for one in records[1:]] == ["c", "a"]
    assert records[-1] == decode_record(encode_record(lines[2]), 0)


def test_records_are_read_where_they_stand(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"".join(encode_record(record(number)) for number in range(5)))
    records = Records(tmp_path, read_columns(tmp_path))
    assert [one.index for one in records.read([3, 4, 0, 0])] == [3, 4, 0, 0]
    assert records.at([]) == [] and len(records) == 5 and records[1:1] == []
    assert records == list(records) and records != list(records)[:4] and (records == 5) is False
    kept = list(records)
    path.write_bytes(path.read_bytes().replace(b'"t1"', b'"u1"'))
    assert list(records) == kept, "read once, kept"
    with pytest.raises(UserError) as raised:
        records.at([2, 3])
    assert raised.value.where == f"{path}:4"


@pytest.mark.parametrize(("rows", "sizes"), [(0, [0]), (1, [1]), (2, [2]), (3, [2, 1]), (4, [2, 2])])
def test_groups_of_a_log_are_collected_one_at_a_time(rows, sizes, tmp_path, monkeypatch):
    for module in (columns, log):
        monkeypatch.setattr(module, "GROUP", 2)
    monkeypatch.setattr(columns, "_BATCH", 1)
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"".join(encode_record(record(number)) for number in range(rows)))
    found = list(log.column_groups(path))
    assert [len(builder) for builder in found] == sizes
    ids = [one for builder in found for one in builder.table().column("id").to_pylist()]
    assert ids == [str(number) for number in range(rows)]


def test_labels_and_facets_are_kept_as_dictionaries(kept, monkeypatch):
    folder, path, builder = kept
    table = builder.table()
    coded = [name for name in table.column_names if pa.types.is_dictionary(table.column(name).type)]
    assert coded == [*columns._LABELS, "facet:f"]
    group = pq.ParquetFile(folder / COLUMNS).metadata.row_group(0)
    packed = {group.column(place).path_in_schema: group.column(place) for place in range(group.num_columns)}
    assert [name for name, column in packed.items() if "RLE_DICTIONARY" in column.encodings] == coded
    assert {column.compression for column in packed.values()} == {"ZSTD"}
    synced = []
    monkeypatch.setattr(columns, "sync_folder", lambda where: synced.append((where, (folder / COLUMNS).is_file())))
    (folder / COLUMNS).unlink()
    write_columns(folder, path, builder)
    assert synced == [(folder, True)]

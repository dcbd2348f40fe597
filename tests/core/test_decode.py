"""The boundary for untrusted input: what it reads, where its limits lie, and the sentence for each way of failing."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from taskloom.core import UserError, decode
from taskloom.core.csv_table import read_csv
from taskloom.core.decode import (
    MOST_DEPTH,
    BoundedFile,
    decode_json,
    decode_loose_json,
    decoding,
    open_packed,
    open_parquet,
    read_bytes,
    read_json,
    read_jsonl,
    read_lines,
    read_text,
    read_toml,
    refuse_deep,
)
from taskloom.core.yaml12 import read_yaml


class _Shape(msgspec.Struct):
    a: int


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "gone"), "no such file"),
        (IsADirectoryError(21, "x"), "this is a folder, not a file"),
        (RecursionError(), "the file is nested too deeply"),
        (MemoryError(), "the file is too large for this machine"),
        (EOFError("ended"), "the file is truncated or damaged: ended"),
        (zlib.error("bad"), "the file is truncated or damaged: bad"),
        (struct.error("short"), "the file is truncated or damaged: short"),
        (PermissionError(13, "Permission denied"), "the file cannot be read: Permission denied"),
        (OSError("odd\nand more"), "the file cannot be read: odd"),
        (KeyError("name"), "the file cannot be read: no 'name'"),
        (ValueError(), "the file cannot be read: ValueError"),
        (ValueError("x" * 200), "the file cannot be read: " + "x" * 200),
        (ValueError("x" * 201), "the file cannot be read: " + "x" * 199 + "…"),
        (csv.Error("odd quote"), "the file cannot be read: odd quote"),
        (UserError("as it was"), "as it was"),
    ],
)
def test_every_failure_is_a_sentence_with_its_place(error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as raised, decoding("data.x", hint="look there"):
        raise error
    assert raised.value.args[0] == said
    if said != "as it was":
        assert (raised.value.where, raised.value.hint) == ("data.x", "look there")


def test_an_error_of_ours_is_no_fault_of_the_file():
    class OurError(Exception):
        pass

    with pytest.raises(OurError), decoding("data.x"):
        raise OurError


@pytest.mark.parametrize(
    ("name", "pack"), [("a.txt", bytes), ("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress)]
)
def test_packed_files_are_unpacked_within_their_limit(tmp_path, name, pack):
    path, data = tmp_path / name, b"one\ntwo\nthree" * 50
    path.write_bytes(pack(data))
    assert read_bytes(path) == data
    assert read_bytes(path, most=len(data)) == data
    with pytest.raises(UserError, match="too large"):
        read_bytes(path, most=len(data) - 1)
    with open_packed(path, most=len(data)) as file:
        assert file.readable()
        assert list(file) == data.splitlines(keepends=True)
    with open_packed(path, most=len(data) - 1) as file, pytest.raises(UserError, match="too large"):
        list(file)
    assert file._file.closed


def test_damaged_packing_names_the_file(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x" * 1000)[:-9])
    with pytest.raises(UserError, match="truncated or damaged") as raised:
        read_bytes(path)
    assert raised.value.where == str(path)


def test_pieces_and_lines_of_a_bounded_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"abcdef\nxy\n")
    monkeypatch.setattr(decode, "PIECE", 3)
    with path.open("rb") as raw:
        assert BoundedFile(raw, "a", 100).read() == b"abcdef\nxy\n"
    with path.open("rb") as raw:
        file = BoundedFile(raw, "a", 100)
        assert (file.read(0), file.read(2), file.read(None)) == (b"", b"ab", b"cdef\nxy\n")
    monkeypatch.setattr(decode, "LONGEST_LINE", 8)
    with path.open("rb") as raw:
        assert list(BoundedFile(raw, "a", 10)) == [b"abcdef\n", b"xy\n"]
    monkeypatch.setattr(decode, "LONGEST_LINE", 5)
    with path.open("rb") as raw, pytest.raises(UserError, match="a line is too long"):
        list(BoundedFile(raw, "a", 10))


def test_text_and_its_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nfour\x0bfive\n")
    assert read_text(path) == "one\ntwo\n\nfour\x0bfive\n"
    assert list(read_lines(path)) == ["one", "two", "", "four\x0bfive"]
    path.write_bytes(b"one\ntwo")
    assert list(read_lines(path)) == ["one", "two"]
    path.write_bytes(b"")
    assert list(read_lines(path)) == []
    path.write_bytes(b"one\ntwo\nth\xffree")
    for read in (read_text, lambda path: list(read_lines(path))):
        with pytest.raises(UserError, match="not UTF-8") as raised:
            read(path)
        assert raised.value.where == f"{path}:3"


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_how_deep_json_may_be_nested(pair):
    def nested(depth: int) -> bytes:
        if pair == "[]":
            return ("[" * depth + "]" * depth).encode()
        return ('{"a":' * depth + "1" + "}" * depth).encode()

    refuse_deep(nested(MOST_DEPTH))
    decode_json(nested(MOST_DEPTH), where="x")
    for decoder in (decode_json, decode_loose_json):
        with pytest.raises(UserError, match=f"nested more than {MOST_DEPTH} levels deep"):
            decoder(nested(MOST_DEPTH + 1), where="x")


def test_what_is_beside_each_other_or_inside_a_text_is_not_nested():
    wide = json.dumps([[1]] * 300)
    assert len(decode_json(wide, where="x")) == 300
    assert decode_json(json.dumps("[" * 300), where="x") == "[" * 300
    assert decode_json(json.dumps(['say "[', "[" * 300]), where="x")[1] == "[" * 300


def test_how_long_a_number_may_be():
    for decoder in (decode_json, decode_loose_json):
        assert decoder("0." + "1" * 400, where="x") == pytest.approx(1 / 9)
        with pytest.raises(UserError, match="more than 400 digits"):
            decoder("1" * 401, where="x")
    long = json.dumps("1" * 401)
    assert decode_json(long, where="x") == "1" * 401


def test_json_of_a_known_shape(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 3}')
    assert read_json(path) == {"a": 3}
    assert read_json(path, type=_Shape) == _Shape(3)
    path.write_bytes(b'{"a": "x"}')
    with pytest.raises(UserError, match="the JSON cannot be read: Expected `int`") as raised:
        read_json(path, type=_Shape)
    assert raised.value.where == str(path)
    assert decode_loose_json('[NaN, "\\ud800"]', where="x")[1] == "\ud800"
    assert decode_loose_json('{"a": 1, "a": 2}', where="x", pairs=list) == [("a", 1), ("a", 2)]


def test_lines_of_json_carry_their_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n  \n{"a": 2}\n')
    assert list(read_jsonl(path)) == [(1, {"a": 1}), (4, {"a": 2})]
    assert list(read_jsonl(path, type=_Shape)) == [(1, _Shape(1)), (4, _Shape(2))]
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(UserError, match="this line cannot be read") as raised:
        list(read_jsonl(path))
    assert raised.value.where == f"{path}:2"


def test_toml(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("a = 3")
    assert read_toml(path) == {"a": 3}
    assert read_toml(path, type=_Shape) == _Shape(3)
    path.write_text("a = " + "[" * 101 + "]" * 101)
    with pytest.raises(UserError, match="the TOML cannot be read: nested"):
        read_toml(path)


def test_tables_have_a_header_and_whole_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"x\ny"\n\n2,z\n')
    assert list(read_csv(path, columns=["b"])) == [{"a": "1", "b": "x\ny"}, {"a": "2", "b": "z"}]
    path.write_text("a;b\n1;2\n")
    assert list(read_csv(path, delimiter=";")) == [{"a": "1", "b": "2"}]
    with pytest.raises(UserError, match="the column 'c' is missing"):
        list(read_csv(path, columns=["c"]))
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(UserError, match="this row cannot be read: 1 fields under 2 columns") as raised:
        list(read_csv(path))
    assert raised.value.where == f"{path}:3"
    path.write_text("")
    assert list(read_csv(path)) == []


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    assert open_parquet(path).read().to_pydict() == {"a": [1, 2]}
    path.write_bytes(b"PAR1")
    with pytest.raises(UserError, match="the Parquet file cannot be read"):
        open_parquet(path)


class _Endless:
    """A file that claims to give so many bytes at once, and notes what it is asked for."""

    def __init__(self, size: int):
        class Huge(bytes):
            def __len__(self):
                return size

        self._given = [Huge(b"x"), b""]
        self.asked = []

    def read(self, size):
        self.asked.append(size)
        return self._given.pop(0)

    readline = read

    def close(self):
        self.asked.append("closed")


GIB = 1024**3


@pytest.mark.parametrize(
    ("read", "most"),
    [
        (read_bytes, 2 * GIB),
        (lambda path: open_packed(path).read(5), 128 * GIB),
        (read_yaml, 2 * 1024 * 1024),
    ],
    ids=["a file in memory", "a stream", "YAML"],
)
def test_how_large_a_file_may_be(monkeypatch, tmp_path, read, most):
    monkeypatch.setattr(Path, "open", lambda path, mode: _Endless(most))
    read(tmp_path / "data")
    monkeypatch.setattr(Path, "open", lambda path, mode: _Endless(most + 1))
    with pytest.raises(UserError, match="the file is too large to be read"):
        read(tmp_path / "data")


def test_how_long_a_line_may_be_and_how_large_a_piece():
    piece = b"x" * 1024 * 1024

    def lines(count: int, end: bytes) -> list[int]:
        given = iter([piece] * count + [end])
        file = SimpleNamespace(read=lambda size: next(given, b""))
        return [len(line) for line in BoundedFile(file, "x", 1024**3)]

    assert lines(3, b"y\n\nz") == [3 * len(piece) + 2, 1, 1] and lines(0, b"\n\n") == [1, 1]
    assert lines(255, b"") == [255 * len(piece)]
    with pytest.raises(UserError, match="a line is too long"):
        lines(257, b"")
    pieces = _Endless(5)
    assert BoundedFile(pieces, "x", 5).read(-1) == b"x" and pieces.asked == [1024 * 1024] * 2
    with BoundedFile(pieces, "x", 5):
        pass
    assert pieces.asked[-1] == "closed"


def test_depth_is_counted_by_what_is_open():
    """A hundred levels, however they are written; brackets that close make room again."""
    for nested in ("[" * 100 + "]" * 100, "{" * 100 + "}" * 100):
        refuse_deep(nested.encode())
        with pytest.raises(ValueError, match="nested more than 100 levels deep"):
            refuse_deep(b"[" + nested.encode() + b"]")
    refuse_deep(b"[{}]" * 200)
    refuse_deep(b"[]" + b"[" * 100 + b"]" * 100)
    with pytest.raises(ValueError, match="nested more than 100"):
        refuse_deep(b"[]" * 100 + b"[" * 101)


def test_rows_of_a_table_are_strictly_quoted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,"x"y\n')
    with pytest.raises(UserError, match="this row cannot be read") as raised:
        list(read_csv(path))
    assert raised.value.where == f"{path}:2"
    path.write_text("a,b\n\n1,2,3\n")
    with pytest.raises(UserError, match="3 fields under 2 columns") as raised:
        list(read_csv(path))
    assert raised.value.where == f"{path}:3"


def test_few_brackets_need_no_second_look(monkeypatch):
    monkeypatch.setattr(decode, "STRINGS_OF_JSON", None)
    refuse_deep(b"[]" * 50 + b"{}" * 50)
    with pytest.raises(AttributeError):
        refuse_deep(b"[]" * 50 + b"{}" * 51)


def test_the_first_byte_that_is_no_text_is_placed(tmp_path):
    path = tmp_path / "a.txt"
    for data, line in ((b"\n\xff", 2), (b"\xff\n", 1), (b"a\nb\n\xff\n\xff", 3)):
        path.write_bytes(data)
        with pytest.raises(UserError, match="not UTF-8") as raised:
            read_text(path)
        assert raised.value.where == f"{path}:{line}"


def test_a_packed_file_may_grow_a_hundredfold(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress((b'"' + b"a" * 10_000 + b'"\n') * 4_000, 1))
    lines = read_jsonl(path)
    assert next(lines) == (1, "a" * 10_000)
    with pytest.raises(UserError, match="unpacks to more than 100 times its size"):
        for _ in lines:
            pass


def test_reading_stops_where_it_takes_too_much_memory(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": [1, 2, 3, 4, 5, 6, 7, 8]}\n' * 120_000)
    monkeypatch.setenv("TASKLOOM_MEMORY", "20")
    assert sum(1 for _ in read_jsonl(path)) == 120_000, "a stream that nothing is kept of costs nothing"
    # In a process of its own: one that has given back much memory takes it again before it grows.
    code = f"from taskloom.core.decode import read_jsonl; list(read_jsonl({str(path)!r}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert "more than 20 MB of memory" in done.stderr and "TASKLOOM_MEMORY" in done.stderr
    with pytest.raises(UserError, match="more values than fit"):
        decode_json(b"[" + b"[]," * 400_000 + b"1]", where="x")
    monkeypatch.setenv("TASKLOOM_MEMORY", "nonsense")
    assert len(decode_json(b"[" + b"[]," * 400_000 + b"1]", where="x")) == 400_001


def test_rows_that_a_table_claims_need_bytes(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array([None] * 2_000_000, pa.int32())}), path)
    with pytest.raises(UserError, match="claims more rows than it has bytes"):
        open_parquet(path)

"""A file that proves its bytes reads like any other, and gives out none that it has not proved."""

from __future__ import annotations

import os
from hashlib import blake2b
from random import Random

import pytest

from taskloom.core import UserError
from taskloom.store import verified
from taskloom.store.verified import VerifiedFile, piece_hashes


@pytest.fixture(params=[0, 1, 15, 16, 17, 32, 100])
def path(request, tmp_path, monkeypatch):
    monkeypatch.setattr(verified, "PIECE", 16)
    path = tmp_path / "data"
    path.write_bytes(bytes(Random(request.param).randrange(256) for _ in range(request.param)))
    return path


def test_it_reads_as_a_plain_file_does(path):
    draw, data = Random(1), path.read_bytes()
    assert len(piece_hashes(path)) == -(-len(data) // 16)
    file = VerifiedFile(path, piece_hashes(path), "again")
    assert (file.readable(), file.seekable(), file.writable(), file.closed) == (True, True, False, False)
    with path.open("rb") as plain:
        for _ in range(200):
            whence = draw.choice([os.SEEK_SET, os.SEEK_CUR, os.SEEK_END])
            offset = draw.randrange(0, 40) if whence != os.SEEK_END else -draw.randrange(0, len(data) + 1)
            assert file.seek(offset, whence) == plain.seek(offset, whence) == file.tell()
            size = draw.choice([0, 1, 5, 16, 40, -1, None])
            assert file.read(size) == plain.read(-1 if size is None else size)
    assert file.seek(-5) == 0, "there is nothing before the start"
    assert file.read() == data
    file.close()
    assert file.closed


def test_a_changed_byte_is_noticed_when_its_piece_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(verified, "PIECE", 16)
    path = tmp_path / "data"
    path.write_bytes(b"a" * 40)
    hashes = piece_hashes(path)
    path.write_bytes(b"a" * 20 + b"b" + b"a" * 19)
    file = VerifiedFile(path, hashes, "again")
    assert file.read(16) == b"a" * 16
    with pytest.raises(UserError, match="changed after it was written") as raised:
        file.read(1)
    assert (raised.value.where, raised.value.hint) == (str(path), "again")
    file.seek(32)
    assert file.read() == b"a" * 8


@pytest.mark.parametrize("size", [32, 49])
def test_another_size_is_noticed_at_once(tmp_path, monkeypatch, size):
    monkeypatch.setattr(verified, "PIECE", 16)
    path = tmp_path / "data"
    path.write_bytes(b"a" * 40)
    hashes = piece_hashes(path)
    path.write_bytes(b"a" * size)
    with pytest.raises(UserError, match="changed"):
        VerifiedFile(path, hashes, "again")
    with pytest.raises(UserError, match="cannot be read: No such file"):
        VerifiedFile(tmp_path / "none", hashes, "again")


def test_a_piece_has_a_quarter_of_a_megabyte(tmp_path):
    path = tmp_path / "data"
    for size, pieces in ((256 * 1024, 1), (256 * 1024 + 1, 2)):
        path.write_bytes(b"a" * size)
        assert len(piece_hashes(path)) == pieces
    assert piece_hashes(path)[1] == blake2b(b"a", digest_size=16).hexdigest()


def test_a_piece_is_read_once_and_a_file_that_does_not_fit_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(verified, "PIECE", 4)
    path = tmp_path / "data"
    path.write_bytes(b"abcdefghij")
    file = VerifiedFile(path, piece_hashes(path), "again")
    read = []
    monkeypatch.setattr(
        verified, "_digest", lambda data: read.append(data) or blake2b(data, digest_size=16).hexdigest()
    )
    assert file.read(3) + file.read(1) == b"abcd" and read == [b"abcd"]
    assert file.read() == b"efghij" and read == [b"abcd", b"efgh", b"ij"]
    assert file.flush() is None
    closed = []
    monkeypatch.setattr(VerifiedFile, "close", lambda self: closed.append(self._file.close()))
    with pytest.raises(UserError, match="changed"):
        VerifiedFile(path, ["00"], "again")
    assert len(closed) == 1

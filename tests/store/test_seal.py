"""Files that prove themselves: whatever byte is changed, what is read is what was written, or nothing."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.store.seal import FILES, check_folder, read_hashed, read_sealed, seal_folder, write_hashed, write_sealed


def changed(data: bytes):
    for place in range(len(data)):
        for bit in (1, 32):
            yield data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
        yield data[:place]


def test_bytes_come_back_as_they_were_or_not_at_all(tmp_path):
    file = tmp_path / "kept"
    assert read_hashed(file) is None
    write_hashed(file, b"one\ntwo\0three")
    whole = file.read_bytes()
    assert read_hashed(file) == b"one\ntwo\0three"
    for data in changed(whole):
        file.write_bytes(data)
        assert read_hashed(file) is None


def test_an_object_comes_back_as_it_was_or_with_a_sentence(tmp_path):
    file = tmp_path / "kept.json"
    write_sealed(file, {"name": "x", "counts": [1, 2.5, None]})
    whole, intact = file.read_bytes(), read_sealed(file, "the file")
    for data in changed(whole):
        file.write_bytes(data)
        try:
            # Where the name of the seal itself was changed, the object is one of an older version, otherwise equal.
            found = {key: value for key, value in read_sealed(file, "the file").items() if key in intact}
        except UserError:
            continue
        assert found == intact
    file.write_bytes(whole.replace(b'"x"', b'"y"'))
    with pytest.raises(UserError, match="changed after it was written"):
        read_sealed(file, "the file")


def test_a_sealed_folder_proves_every_file(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "w.bin").write_bytes(b"12345678")
    (tmp_path / "config.json").write_text("{}")
    check_folder(tmp_path)  # not sealed yet
    seal_folder(tmp_path)
    check_folder(tmp_path)
    (tmp_path / "base" / "w.bin").write_bytes(b"12345679")
    with pytest.raises(UserError, match="changed after it was written") as caught:
        check_folder(tmp_path)
    assert caught.value.where == str(tmp_path / "base" / "w.bin")
    (tmp_path / "base" / "w.bin").unlink()
    with pytest.raises(UserError, match="missing"):
        check_folder(tmp_path)
    listing = tmp_path / FILES
    listing.write_bytes(listing.read_bytes().replace(b"config", b"konfig"))
    with pytest.raises(UserError, match="changed after it was written"):
        check_folder(tmp_path)
    write_sealed(listing, {"files": {"../outside": "0"}})
    with pytest.raises(UserError, match="missing"):
        check_folder(tmp_path)
    write_sealed(listing, {"files": ["config.json"]})
    with pytest.raises(UserError, match="truncated or damaged"):
        check_folder(tmp_path)

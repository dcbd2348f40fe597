"""Files that prove themselves: whatever byte is changed, what is read is what was written, or nothing."""

from __future__ import annotations

import os

import pytest

from taskloom.core import UserError
from taskloom.store.ownership import sha256
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
            found = read_sealed(file, "the file")
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


@pytest.mark.parametrize(("settings", "waits"), [({}, True), ({"lasting": True}, True), ({"lasting": False}, False)])
def test_bytes_last_unless_they_need_not(tmp_path, monkeypatch, settings, waits):
    waited = []
    monkeypatch.setattr(os, "fsync", waited.append)
    write_hashed(tmp_path / "kept", b"x", **settings)
    assert bool(waited) == waits


def test_objects_are_written_for_people_too(tmp_path):
    write_sealed(tmp_path / "a", {"b": [1]})
    text = (tmp_path / "a").read_text()
    assert text.startswith('{\n  "b": [\n    1\n  ],\n  "sum": "') and text.endswith('"\n}\n')
    assert read_sealed(tmp_path / "a", "it") == {"b": [1]}


def test_what_is_no_object_or_has_no_hash(tmp_path):
    (tmp_path / "a").write_text("[1]")
    with pytest.raises(UserError, match="the plan is truncated or damaged: not an object") as raised:
        read_sealed(tmp_path / "a", "the plan", hint="again")
    assert (raised.value.where, raised.value.hint) == (str(tmp_path / "a"), "again")
    (tmp_path / "a").write_text('{"format": 1, "b": 1}')
    assert read_sealed(tmp_path / "a", "the plan") == {"format": 1, "b": 1}, "the first format had no hash"
    for text in ('{"b": 1}', '{"format": 2, "b": 1}', '{"b": 1, "sum": ""}', '{"format": 1, "b": 1, "sum": ""}'):
        (tmp_path / "a").write_text(text)
        with pytest.raises(UserError, match="the plan was changed after it was written"):
            read_sealed(tmp_path / "a", "the plan")


def test_a_listed_file_above_the_folder_counts_as_missing(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "outside").write_bytes(b"x")
    write_sealed(tmp_path / "in" / FILES, {"files": {"../outside": sha256(tmp_path / "outside")}})
    with pytest.raises(UserError, match="a file of the folder is missing"):
        check_folder(tmp_path / "in")


def test_a_damaged_name_of_the_hash_does_not_make_a_file_an_older_one(tmp_path):
    file = tmp_path / "facts.json"
    write_sealed(file, {"rows": 60})
    file.write_bytes(file.read_bytes().replace(b'"sum"', b'"sul"'))
    with pytest.raises(UserError, match="changed after it was written"):
        read_sealed(file, "the file")

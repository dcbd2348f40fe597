"""What is kept can be trusted, or it is not there."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from pathlib import Path

import pytest

from taskloom.store import derived as module
from taskloom.store.derived import DerivedCache, code_hash


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    return DerivedCache("things", "edition 1")


def file_of(cache: DerivedCache) -> Path:
    (found,) = (path for path in cache.folder.rglob("*") if path.is_file())
    return found


def test_what_was_put_is_found_under_its_key_alone(cache):
    cache.put(b"body\n\x00more", "a", 1)
    assert cache.get(bytes, "a", 1) == b"body\n\x00more"
    assert cache.get(bytes, "a", 2) is None
    assert DerivedCache("things", "edition 2").get(bytes, "a", 1) is None
    assert DerivedCache("others", "edition 1").get(bytes, "a", 1) is None


@pytest.mark.parametrize("cut", [0, 1, 20, 33, 40, -1])
def test_a_torn_file_is_absent_and_can_be_put_again(cache, cut):
    cache.put(b"body" * 20, "a")
    path = file_of(cache)
    path.write_bytes(path.read_bytes()[:cut])
    assert cache.get(bytes, "a") is None
    cache.put(b"again", "a")
    assert cache.get(bytes, "a") == b"again"


def test_a_changed_byte_is_noticed(cache):
    cache.put(b"body" * 20, "a")
    path = file_of(cache)
    data = bytearray(path.read_bytes())
    for place in range(len(data)):
        path.write_bytes(bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]]))
        assert cache.get(bytes, "a") is None, place


def test_a_file_of_another_key_is_not_taken_for_this_one(cache):
    cache.put(b"mine", "a")
    mine = file_of(cache)
    cache.put(b"theirs", "b")
    theirs = next(path for path in cache.folder.rglob("*") if path.is_file() and path != mine)
    shutil.copy(theirs, mine)
    assert cache.get(bytes, "a") is None
    assert cache.get(bytes, "b") == b"theirs"


def test_a_folder_that_cannot_be_written_costs_a_warning_only(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "file" / "below"))
    (tmp_path / "file").write_text("not a folder")
    cache = DerivedCache("things")
    with caplog.at_level(logging.WARNING):
        cache.put(b"body", "a")
    assert "nothing can be cached" in caplog.text
    assert cache.get(bytes, "a") is None


def test_the_hash_of_code_follows_every_file(tmp_path, monkeypatch):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "one.py").write_text("x = 1\n")
    (tmp_path / "one.py").write_text("y = 1\n")
    monkeypatch.setattr(module, "PACKAGE", tmp_path)

    def now() -> str:
        code_hash.cache_clear()
        return code_hash("part", "one.py")

    found = [now()]
    (tmp_path / "part" / "one.pyc").write_text("compiled")  # decides nothing
    assert now() == found[0]
    for path, text in (("part/one.py", "x = 2\n"), ("one.py", "y = 2\n"), ("part/words.txt", "a"), ("part/two.py", "")):
        (tmp_path / path).write_text(text)
        found.append(now())
    (tmp_path / "part" / "two.py").rename(tmp_path / "part" / "three.py")
    assert len({*found, now()}) == 6, "names count"
    with pytest.raises(FileNotFoundError):
        code_hash("absent")
    code_hash.cache_clear()


def test_a_result_of_another_type_is_told_and_made_again(cache, caplog):
    cache.put({"n": 1}, "a")
    assert cache.get(dict[str, int], "a") == {"n": 1}
    with caplog.at_level(logging.WARNING):
        assert cache.get(list[str], "a") is None
    assert "cannot be read and will be rebuilt" in caplog.text and str(file_of(cache)) in caplog.text


def test_files_lie_below_a_folder_of_their_kind(cache, tmp_path):
    cache.put(b"body", "a")
    path = file_of(cache).relative_to(tmp_path)
    assert [len(part) for part in path.parts] == [len("things"), 16, 2, 30]


def test_a_result_waits_for_no_disk(cache, monkeypatch):
    monkeypatch.setattr(os, "fsync", None)
    cache.put(b"body", "a")
    assert cache.get(bytes, "a") == b"body"


def test_the_hash_of_code_is_of_this_package_and_this_python(monkeypatch):
    code_hash.cache_clear()
    found = []
    for version in ((3, 99, 1), (3, 99, 2), (3, 98, 1)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "version_info", version)
            code_hash.cache_clear()
            found.append(code_hash("store/derived.py"))
    code_hash.cache_clear()
    assert found[0] == found[1] != found[2] and len(found[0]) == 32

"""Folders and pages that are whole or not there, and nothing left beside them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.store import atomic
from taskloom.store.atomic import (
    FolderInUseError,
    append_lines,
    clear_halves,
    create_exclusively,
    disk_errors,
    half_name,
    is_half,
    lock_folder,
    sole_file,
    sole_writer,
    sync,
    whole_folder,
    write_atomically,
    write_page,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_as_a_whole(tmp_path):
    left = tmp_path / half_name("out")
    (left / "data").mkdir(parents=True)
    (left / "data" / "half.parquet").write_bytes(b"PAR1")
    other = tmp_path / half_name("other")
    other.mkdir()
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
        assert names(tmp_path / "out") == [] and not left.exists()
    assert names(tmp_path) == sorted(["out", other.name]) and names(tmp_path / "out") == ["a.txt"]
    with pytest.raises(UserError, match="not empty"), whole_folder(tmp_path / "out"):
        pass
    assert names(tmp_path / "out") == ["a.txt"]


def test_the_half_of_a_file_is_no_half_of_a_folder(tmp_path):
    (tmp_path / half_name("out")).write_bytes(b"half")
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
    assert names(tmp_path / "out") == ["a.txt"]


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_fails_leaves_things_as_they_were(tmp_path, there, trouble):
    if there:
        (tmp_path / "out").mkdir()
    with pytest.raises(trouble), whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
        raise trouble
    assert names(tmp_path) == (["out"] if there else [])


def test_a_page_clears_its_own_halves_and_no_others(tmp_path):
    mine, other = tmp_path / half_name("page.html"), tmp_path / half_name("other.html")
    for path in (mine, other, tmp_path / ".page.html.tmp", tmp_path / ".page.html.0123.tmp"):
        path.write_bytes(b"<p>")
    write_page(tmp_path / "page.html", b"<p>whole")
    assert (tmp_path / "page.html").read_bytes() == b"<p>whole"
    assert names(tmp_path) == sorted([other.name, ".page.html.tmp", ".page.html.0123.tmp", "page.html"])


@pytest.fixture
def synced(monkeypatch):
    """What was made to last, in order: inodes with the bytes they had."""
    seen: list[tuple[int, int]] = []

    def note(handle: int) -> None:
        found = os.fstat(handle)
        seen.append((found.st_ino, found.st_size))

    monkeypatch.setattr(os, "fsync", note)
    return seen


def test_only_names_that_certify_themselves_are_halves():
    name = half_name("page.html")
    assert is_half(name) and is_half(half_name("two\nlines")) and half_name("page.html") != name
    nonce = name.removeprefix(".page.html.").removesuffix(".tmp")
    assert len(nonce) == 32
    others = [
        f".page.htm.{nonce}.tmp", f".page.html.{nonce[::-1]}.tmp", f"page.html.{nonce}.tmp", f".page.html.{nonce}",
        f".page.html.{nonce}0.tmp", ".page.html.tmp", "page.html", "", f"x{name}", f"{name}~",
    ]  # fmt: skip
    assert not any(map(is_half, others))


def test_halves_are_files(tmp_path):
    folder, target = tmp_path / half_name("folder"), tmp_path / "target"
    folder.mkdir()
    target.write_bytes(b"kept")
    link = tmp_path / half_name("link")
    link.symlink_to(target)
    (tmp_path / half_name("a")).write_bytes(b"half")
    (tmp_path / half_name("b")).write_bytes(b"half")
    clear_halves(tmp_path)
    assert names(tmp_path) == sorted([folder.name, "target", link.name])


@pytest.mark.parametrize(
    ("code", "said", "hint"),
    [
        (errno.ENOSPC, "the disk is full; finished work is safe", "free some space, then run the same command again"),
        (errno.EDQUOT, "the disk is full; finished work is safe", "free some space, then run the same command again"),
        (errno.ENOTDIR, "the folder is not writable: Not a directory", None),
        (errno.EEXIST, "the folder is not writable: File exists", None),
        (errno.EISDIR, "the folder is not writable: Is a directory", None),
        (errno.EROFS, "cannot write here: Read-only file system", None),
        (errno.EACCES, "cannot write here: Permission denied", None),
    ],
)
def test_what_a_disk_refuses_is_a_sentence(code, said, hint):
    with pytest.raises(UserError) as raised, disk_errors(Path("out")):
        raise OSError(code, os.strerror(code))
    assert (raised.value.message, raised.value.where, raised.value.hint) == (said, "out", hint)


def test_an_error_without_a_number_is_no_fault_of_the_disk():
    with pytest.raises(OSError, match="odd") as raised, disk_errors(Path("out")):
        raise OSError("odd")
    assert not isinstance(raised.value, UserError)


def test_a_folder_has_one_writer_at_a_time(tmp_path):
    folder = tmp_path / "new" / "folder"
    with lock_folder(folder):
        assert names(folder) == []
        with pytest.raises(FolderInUseError, match="another process is writing here") as raised, lock_folder(folder):
            pass
        assert raised.value.where == str(folder)
        with lock_folder(tmp_path / "other"):
            pass
    with lock_folder(folder):
        pass
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="not writable"), lock_folder(tmp_path / "file" / "below"):
        pass


_HOLDER = """
import sys
from pathlib import Path
from taskloom.store.atomic import half_file, lock_folder
with lock_folder(Path(sys.argv[1])), half_file(Path(sys.argv[1]) / "page") as half:
    print(half.name, flush=True)
    sys.stdin.read()
"""


def test_a_lock_holds_between_processes_with_their_own_temporary_folders_and_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(out)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        half = other.stdout.readline().decode().strip()
        with pytest.raises(FolderInUseError), lock_folder(out):
            pass
        clear_halves(out)
        assert names(out) == [half], "what a live writer is at work on stays"
        other.kill()
    with lock_folder(out):
        clear_halves(out)
        assert names(out) == [] and names(tmp_path) == ["out"]


def test_without_locks_halves_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "lock_file", lambda *given, **more: None)
    half = tmp_path / half_name("a")
    half.write_bytes(b"half")
    with lock_folder(tmp_path), lock_folder(tmp_path):
        clear_halves(tmp_path)
    assert half.exists()


def test_of_several_writers_one_creates_a_file(tmp_path):
    path = tmp_path / "manifest"
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda n: create_exclusively(path, b"%d" % n), range(8)))
    assert sum(won) == 1 and path.read_bytes() == b"%d" % won.index(True) and names(tmp_path) == ["manifest"]


def test_a_writer_clears_its_folders_and_those_within(tmp_path):
    below, beside = tmp_path / "out" / "below", tmp_path / "out" / "beside"
    for folder in (below, beside):
        folder.mkdir(parents=True)
    halves = [folder / half_name("a") for folder in (tmp_path / "out", below, beside)]
    for half in halves:
        half.write_bytes(b"half")
    with sole_writer(tmp_path / "out", [below, tmp_path / "out" / "missing"]):
        assert [half.exists() for half in halves] == [False, False, True]
        with pytest.raises(FolderInUseError), lock_folder(tmp_path / "out"):
            pass


@pytest.mark.parametrize(
    ("there", "found"),
    [(None, b"new\n"), (b"", b"new\n"), (b"old\n", b"old\nnew\n"), (b"torn", b"torn\nnew\n"), (b"\n", b"\nnew\n")],
)
def test_lines_are_added_on_lines_of_their_own(tmp_path, there, found):
    path = tmp_path / "log"
    if there is not None:
        path.write_bytes(there)
    append_lines(path, b"new\n")
    assert path.read_bytes() == found


@pytest.mark.parametrize("lasting", [None, True, False])
def test_a_file_is_replaced_as_a_whole(tmp_path, synced, lasting):
    path = tmp_path / "page"
    path.write_bytes(b"old")
    write_atomically(path, b"new bytes", **({} if lasting is None else {"lasting": lasting}))
    assert path.read_bytes() == b"new bytes" and names(tmp_path) == ["page"]
    file, folder = (path.stat().st_ino, 9), tmp_path.stat().st_ino
    assert [(synced[0], synced[1][0])] == [(file, folder)] if lasting is not False else synced == []


def test_a_file_that_cannot_be_replaced_stays(tmp_path, monkeypatch):
    path = tmp_path / "page"
    path.mkdir()
    with pytest.raises(UserError, match="the folder is not writable: Is a directory"):
        write_atomically(path, b"new")
    assert names(tmp_path) == ["page"]


def test_a_synced_folder_is_let_go(tmp_path, monkeypatch):
    handles = []
    monkeypatch.setattr(os, "fsync", handles.append)
    sync(tmp_path)
    (handle,) = handles
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(handle)


def test_a_folder_that_is_written_is_locked(tmp_path):
    with whole_folder(tmp_path / "out") as scratch:
        assert is_half(scratch.name) and scratch.parent == tmp_path
        with pytest.raises(FolderInUseError), whole_folder(tmp_path / "out"):
            pass
        assert scratch.is_dir() and (tmp_path / "out").is_dir()


@pytest.mark.parametrize("trouble", [None, ValueError])
def test_what_somebody_puts_into_a_folder_meanwhile_stays(tmp_path, trouble):
    with pytest.raises((UserError, ValueError)), whole_folder(tmp_path / "out"):
        (tmp_path / "out" / "theirs").write_text("theirs")
        if trouble:
            raise trouble
    assert names(tmp_path) == ["out"] and names(tmp_path / "out") == ["theirs"]


def test_a_file_has_one_writer_at_a_time(tmp_path):
    path = tmp_path / "page.html"
    half, other = tmp_path / half_name("page.html"), tmp_path / half_name("other.html")
    for one in (half, other):
        one.write_bytes(b"half")
    with sole_file(path):
        assert names(tmp_path) == [other.name]


def test_a_half_that_is_gone_already_and_a_link_are_no_trouble(tmp_path, monkeypatch):
    gone = SimpleNamespace(name=half_name("a"), path=str(tmp_path / "gone"), is_file=lambda follow_symlinks: True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", lambda folder: [gone])
        clear_halves(tmp_path)
    (tmp_path / "target").mkdir()
    link = tmp_path / half_name("out")
    link.symlink_to(tmp_path / "target")
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
    assert link.is_symlink() and (tmp_path / "target").is_dir()


def test_an_address_is_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in ("generate babi/task-1 -T test=3 -o ftp://b/x", "run babi/task-1 --model mock/oracle -o ftp://b/x"):
        assert main(words.split()) == 2
        assert "not an address of storage" in capsys.readouterr().err and names(tmp_path) == []

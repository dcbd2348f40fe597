"""Files written into folders of the user's choosing: only our own are ever replaced."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.store.ownership import LEDGER, refuse_foreign, remove_stale, replacing, write_ours


def test_our_own_file_is_replaced(tmp_path):
    path = tmp_path / "new" / "tables.md"
    for text in ("one", "two", "two"):
        write_ours(path, text)
        assert path.read_text() == text
    assert sorted(entry.name for entry in path.parent.iterdir()) == [LEDGER, "tables.md"]


def test_a_foreign_file_stays(tmp_path):
    (tmp_path / "tables.md").write_text("mine")
    with pytest.raises(UserError, match=r"tables\.md: this file was not written by Taskloom"):
        write_ours(tmp_path / "tables.md", "ours")
    assert [path.name for path in tmp_path.iterdir()] == ["tables.md"]
    assert (tmp_path / "tables.md").read_text() == "mine"


def test_a_file_of_ours_that_was_edited_stays(tmp_path):
    path = tmp_path / "tables.md"
    write_ours(path, "ours")
    path.write_text("ours, with notes")
    with pytest.raises(UserError, match="or was changed since"):
        write_ours(path, "ours again")
    assert path.read_text() == "ours, with notes"


def test_a_link_is_never_followed(tmp_path):
    (tmp_path / "theirs").write_text("mine")
    (tmp_path / "tables.md").symlink_to(tmp_path / "theirs")
    with pytest.raises(UserError, match="not written by Taskloom"):
        write_ours(tmp_path / "tables.md", "ours")
    assert (tmp_path / "theirs").read_text() == "mine"


def test_the_same_bytes_need_no_claim(tmp_path):
    (tmp_path / "tables.md").write_text("same")
    write_ours(tmp_path / "tables.md", "same")
    assert not (tmp_path / LEDGER).exists()


def test_what_fails_half_way_leaves_the_old_file(tmp_path):
    path = tmp_path / "rows.txt"
    write_ours(path, "old")
    with pytest.raises(RuntimeError, match="stop"), replacing(path) as scratch:
        scratch.write_text("half")
        raise RuntimeError("stop")
    assert path.read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [LEDGER, "rows.txt"]


@pytest.mark.parametrize("at", ["before", "after"])
def test_a_killed_writer_leaves_a_file_of_ours(tmp_path, monkeypatch, at):
    """Killed between the ledger and the file, whichever of both is on the disk passes for ours."""
    path = tmp_path / "rows.txt"
    write_ours(path, "old")
    real = type(path).replace

    def killed(self, target):
        if target == path and at == "before":
            raise KeyboardInterrupt
        real(self, target)
        if target == path:
            raise KeyboardInterrupt

    monkeypatch.setattr(type(path), "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_ours(path, "new")
    monkeypatch.undo()
    assert path.read_text() == ("old" if at == "before" else "new")
    refuse_foreign(path)
    write_ours(path, "newest")
    assert path.read_text() == "newest"


SMALL = ["-T", "train=2", "-T", "test=2"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run to score and report."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    assert main(["run", "babi/task-1", *SMALL, "--model", "mock/copy-input", "-o", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["run", "babi/task-1", *SMALL, "--model", "mock/oracle", "-o", "OUT"],
        ["score", "OUT/run", "--scorer", "normalised"],
        ["report", "OUT/run", "-o", "OUT/page.html"],
        ["judge", "make", "OUT/run", "-o", "OUT/form.html"],
        ["study", "seti/samples", "-T", "n=1", "-o", "OUT"],
        ["export", "babi-text", "babi/task-1", *SMALL, "-o", "OUT"],
        ["export", "squad", "babi/task-1", *SMALL, "-o", "OUT"],
        ["export", "hf", "babi/task-1", *SMALL, "-o", "OUT"],
        ["new", "task", "hello", "-o", "OUT"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_verb_touches_a_foreign_file_of_any_name_it_writes(words, finished, tmp_path):
    """Whatever files a verb leaves, one of somebody else's under the same name stays as it is."""

    def carry_out(folder: Path, foreign: str = "") -> set[str]:
        if "OUT/run" in words:
            shutil.copytree(finished, folder / "run")
        folder.mkdir(exist_ok=True)
        given = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        if foreign:
            (folder / foreign).parent.mkdir(parents=True, exist_ok=True)
            (folder / foreign).write_text("mine")
        code = main([word.replace("OUT", str(folder)) for word in words])
        if foreign:
            assert (folder / foreign).read_text() == "mine", foreign
        else:
            assert code == 0
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - given

    written = carry_out(tmp_path / "calm")
    assert written
    for number, name in enumerate(sorted(written)):
        carry_out(tmp_path / str(number), name)


@pytest.mark.parametrize("name", ["jobs.json", "sweep.jsonl"])
def test_a_sweep_leaves_foreign_files_alone(name, tmp_path, capsys):
    (tmp_path / name).write_text("mine")
    words = ["sweep", "babi/task-1", *SMALL, "--model", "mock/oracle", "--jobs", "1", "-o", str(tmp_path)]
    assert main(words) == 2
    assert name in capsys.readouterr().err and (tmp_path / name).read_text() == "mine"


def test_verbs_replace_what_they_wrote(tmp_path):
    for seed in ("1", "2"):
        words = ["export", "babi-text", "babi/task-1", *SMALL, "--seed", seed, "-o", str(tmp_path)]
        assert main(words) == 0


def test_only_listed_leftovers_are_removed(tmp_path):
    for name in ("a-1.html", "a-2.html", "a-3.html", "b-1.html"):
        write_ours(tmp_path / name, name)
    (tmp_path / "a-2.html").write_text("edited")
    (tmp_path / "a-9.html").write_text("mine")
    remove_stale(tmp_path, "a-*.html", {"a-1.html"})
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["a-1.html", "a-2.html", "a-9.html", "b-1.html"]


def test_a_file_that_somebody_puts_there_meanwhile_stays(tmp_path):
    path = tmp_path / "page.txt"
    with pytest.raises(UserError, match="left unchanged"), replacing(path) as scratch:
        scratch.write_text("ours")
        path.write_text("theirs")
    assert path.read_text() == "theirs" and [entry.name for entry in tmp_path.iterdir() if entry != path] == []


def test_a_foreign_file_is_refused_before_any_work(tmp_path):
    (tmp_path / "page.txt").write_text("theirs")
    began = []
    with pytest.raises(UserError, match="left unchanged"), replacing(tmp_path / "page.txt"):
        began.append(True)
    assert began == []


def test_a_folder_under_a_files_name_is_foreign(tmp_path):
    (tmp_path / "page.txt").mkdir()
    with pytest.raises(UserError, match="left unchanged"):
        refuse_foreign(tmp_path / "page.txt")
    refuse_foreign(tmp_path / "nothing.txt")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing.txt")
    with pytest.raises(UserError, match="left unchanged"):
        refuse_foreign(tmp_path / "dangling")


def test_a_copied_folder_is_somebody_elses(tmp_path):
    write_ours(tmp_path / "one" / "page.txt", "ours")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with pytest.raises(UserError, match="left unchanged"):
        write_ours(tmp_path / "two" / "page.txt", "again")
    write_ours(tmp_path / "one" / "page.txt", "again")


def test_the_ledger_lists_one_hash_of_each_file_in_order(tmp_path):
    for name, text in (("b.txt", "one"), ("a.txt", "two"), ("b.txt", "three")):
        write_ours(tmp_path / name, text)
    ledger = json.loads((tmp_path / LEDGER).read_text())
    assert ledger["folder"] == tmp_path.name and list(ledger["files"]) == ["a.txt", "b.txt"]
    assert ledger["files"] == {
        "a.txt": [hashlib.sha256(b"two").hexdigest()], "b.txt": [hashlib.sha256(b"three").hexdigest()],
    }  # fmt: skip
    assert (tmp_path / LEDGER).read_bytes().startswith(b'{\n "folder"') and (tmp_path / LEDGER).read_bytes()[
        -2:
    ] == b"}\n"


def test_the_same_bytes_behind_a_link_are_not_ours(tmp_path):
    (tmp_path / "theirs").write_text("same")
    (tmp_path / "page.txt").symlink_to(tmp_path / "theirs")
    with pytest.raises(UserError, match="left unchanged"):
        write_ours(tmp_path / "page.txt", "same")


def test_links_are_no_leftovers(tmp_path):
    for name in ("a-1", "a-2"):
        write_ours(tmp_path / name, "same")
    (tmp_path / "a-2").unlink()
    (tmp_path / "a-2").symlink_to(tmp_path / "a-1")
    remove_stale(tmp_path, "a-*", ())
    assert [path.name for path in tmp_path.glob("a-*")] == ["a-2"]


def test_folders_are_made_as_deep_as_they_are_named(tmp_path):
    write_ours(tmp_path / "a" / "b" / "page.txt", "ours")
    write_ours(tmp_path / "a" / "b" / "page.txt", "again")
    assert (tmp_path / "a" / "b" / "page.txt").read_text() == "again"


def test_a_result_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A ledger that names a file of which half is lost would take it for somebody else's for ever."""
    calls = []
    real_sync, real_replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append(os.fstat(handle).st_size), real_sync(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (calls.append(to.name), real_replace(self, to))[1])
    write_ours(tmp_path / "page.html", "x" * 12_345)
    assert 12_345 in calls[: calls.index("page.html")]

"""Nothing of the user's is removed or replaced: only what our own manifest or claim lists, by name and hash."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.store.atomic import half_name, is_half, sole_writer, write_atomically
from taskloom.store.bundle import Bundle
from taskloom.store.check import check_bundle
from taskloom.store.ours import (
    CLAIM,
    FileClaim,
    holds_files,
    is_data_folder,
    make_scratch,
    read_claim,
    refuse_foreign_file,
    remove_claimed,
    remove_listed,
    sha256,
)
from taskloom.store.write import write_bundle
from toy import FAMILY


def toy(seed: int):
    return FAMILY.open("all", seed, {"train": 20})


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


FOREIGN = [
    "data-raw/a.csv",
    "data-/a.csv",
    "data-0123456789ab-01234567/a.csv",
    "data-0123456789ab-01234567/train.parquet",
    ".writing-abc/a.csv",
    ".manifest.json.backup",
    ".manifest.json.123.tmp",
    ".data.0123456789abcdef0123456789abcdef.tmp/a.csv",
    ".x.tmp",
    ".lock",
    "manifest.json",
    "notes.txt",
]


@pytest.mark.parametrize("name", FOREIGN)
def test_generate_leaves_foreign_files_alone(tmp_path, name, capsys):
    path = tmp_path / "p" / name
    path.parent.mkdir(parents=True)
    path.write_text("years of work")
    before = contents(tmp_path)
    assert main(["generate", "babi/task-1", "-T", "train=5", "-T", "test=5", "-o", str(tmp_path / "p")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", [n for n in FOREIGN if n not in ("manifest.json", ".lock")])
def test_so_does_replacing_a_bundle(tmp_path, name):
    write_bundle(toy(1), tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("years of work")
    before = contents(tmp_path)
    with pytest.raises(UserError, match="other files"):
        write_bundle(toy(2), tmp_path, replace=True)
    assert contents(tmp_path) == before


def test_a_file_put_among_the_data_survives_its_replacement(tmp_path):
    data = tmp_path / write_bundle(toy(1), tmp_path).tasks_file
    mine = data.parent / "notes.txt"
    mine.write_text("mine")
    assert [f.code for f in check_bundle(tmp_path)] == ["foreign"]
    write_bundle(toy(2), tmp_path, replace=True)
    assert mine.read_text() == "mine"
    assert not data.exists()
    assert Bundle(tmp_path).manifest.seed == 2
    write_bundle(toy(3), tmp_path, replace=True)
    assert mine.read_text() == "mine"


def test_an_edited_file_survives_its_replacement(tmp_path):
    old = tmp_path / write_bundle(toy(1), tmp_path).splits["test"].file
    old.write_bytes(b"edited by hand")
    write_bundle(toy(2), tmp_path, replace=True)
    assert old.read_bytes() == b"edited by hand"
    assert list(check_bundle(tmp_path)) == []


def test_an_edited_manifest_is_not_replaced(tmp_path):
    write_bundle(toy(1), tmp_path)
    path = tmp_path / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"seed": 1', b'"seed": 9'))
    before = contents(tmp_path)
    with pytest.raises(UserError, match="edited since"):
        write_bundle(toy(2), tmp_path, replace=True)
    assert contents(tmp_path) == before


def test_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    write_bundle(toy(1), outside)
    data = (outside / Bundle(outside).manifest.tasks_file).parent
    write_bundle(toy(1), tmp_path / "p")
    link = tmp_path / "p" / "data-000000000000-00000000"
    link.symlink_to(data)
    before = contents(outside)
    with pytest.raises(UserError, match="other files"):
        write_bundle(toy(2), tmp_path / "p", replace=True)
    assert contents(outside) == before


def test_what_a_killed_writer_left_is_cleared(tmp_path):
    """Each state a kill can leave: a bare scratch folder, a claimed one, a whole one that no manifest names."""
    write_bundle(toy(1), tmp_path)
    (tmp_path / half_name("data")).mkdir()
    claimed = tmp_path / half_name("data")
    claimed.mkdir()
    (claimed / CLAIM).write_bytes(msgspec.json.encode({"folder": claimed.name, "files": {"train.parquet": None}}))
    (claimed / "train.parquet").write_bytes(b"PAR1 half")
    write_bundle(toy(2), tmp_path / "elsewhere")
    whole = (tmp_path / "elsewhere" / Bundle(tmp_path / "elsewhere").manifest.tasks_file).parent
    whole.rename(tmp_path / whole.name)
    (tmp_path / "elsewhere" / "manifest.json").rename(tmp_path / half_name("manifest.json"))
    (tmp_path / "elsewhere").rmdir()
    write_bundle(toy(3), tmp_path, replace=True)
    data = Path(Bundle(tmp_path).manifest.tasks_file).parent.name
    assert sorted(p.name for p in tmp_path.iterdir()) == [data, "manifest.json"]


class Killed(BaseException):
    """What a process does after a SIGKILL: nothing."""


def kill_after(calls: int, patch: pytest.MonkeyPatch) -> list[str]:
    """Let a number of changes to the disk happen, and none after them; what was called is listed."""
    made: list[str] = []

    def limited(name: str):
        real = getattr(os, name)

        def change(*args, **settings):
            if len(made) >= calls:
                raise Killed
            made.append(name)
            return real(*args, **settings)

        return change

    for name in ("mkdir", "rename", "replace", "unlink", "remove", "rmdir", "fsync"):
        patch.setattr(os, name, limited(name))
    return made


def test_a_writer_killed_between_any_two_changes_leaves_nothing_behind(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        made = kill_after(10**6, patch)
        write_bundle(toy(1), tmp_path / "whole")
        write_bundle(toy(2), tmp_path / "whole", replace=True)
        steps = len(made)
    assert steps > 20
    for step in range(steps):
        folder = tmp_path / str(step)
        with monkeypatch.context() as patch, pytest.raises(Killed):
            kill_after(step, patch)
            write_bundle(toy(1), folder)
            write_bundle(toy(2), folder, replace=True)
        if (folder / "manifest.json").exists():
            assert list(check_bundle(folder)) == []
        write_bundle(toy(3), folder, replace=True)
        data = Path(Bundle(folder).manifest.tasks_file).parent.name
        assert sorted(p.name for p in folder.iterdir()) == [data, "manifest.json"], step


def test_a_bundle_from_before_claims_is_replaced_by_name_and_hash(tmp_path):
    old = write_bundle(toy(1), tmp_path)
    data = (tmp_path / old.tasks_file).parent
    (data / CLAIM).unlink()
    write_bundle(toy(2), tmp_path, replace=True)
    assert not data.exists()


def test_half_names_certify_themselves():
    assert is_half(half_name("run.json"))
    assert half_name("a") != half_name("a")
    for name in (".x.tmp", ".run.json.123.tmp", half_name("a").replace(".a.", ".b."), "x" + half_name("a")):
        assert not is_half(name)


def test_a_sweep_leaves_temporary_files_of_others_alone(tmp_path, capsys):
    foreign = [tmp_path / name for name in (".x.tmp", "deep/er/.y.tmp", "jobs/.z.tmp", "jobs/a/.w.tmp")]
    for path in foreign:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    argv = ["sweep", "babi/task-1", "-T", "train=5", "-T", "test=5", "--model", "mock/oracle", "--jobs", "1"]
    assert main([*argv, "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    assert all(path.read_text() == "mine" for path in foreign)


def test_a_sole_writer_clears_only_certified_halves(tmp_path):
    half, folder = tmp_path / half_name("a.json"), tmp_path / half_name("b")
    half.write_text("half")
    folder.mkdir()
    with sole_writer(tmp_path):
        assert not half.exists()
        assert folder.is_dir()


def test_writing_does_not_depend_on_the_umask_of_a_temporary_folder(tmp_path):
    old = os.umask(0o027)
    try:
        manifest = write_bundle(toy(1), tmp_path / "b")
        write_atomically(tmp_path / "f", b"x")
    finally:
        os.umask(old)
    data = (tmp_path / "b" / manifest.tasks_file).parent
    assert [oct(p.stat().st_mode & 0o777) for p in (tmp_path / "b", data, tmp_path / "f")] == [
        "0o750",
        "0o750",
        "0o640",
    ]


@pytest.mark.parametrize("unfinished", [False, True])
def test_only_listed_files_of_the_listed_hash_go(tmp_path, unfinished):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("same", "edited", "begun", "extra", CLAIM):
        (folder / name).write_text(name)
    (tmp_path / "outside").write_text("outside")
    (folder / "link").symlink_to(tmp_path / "outside")
    listed = {name: sha256(folder / name) for name in ("same", "edited")}
    (folder / "edited").write_text("a person's change")
    # What is gone, outside or a link stands first: those after it are looked at all the same.
    files = {"gone": None, "../outside": sha256(tmp_path / "outside"), "link": None, "begun": None, **listed}
    assert not remove_listed(folder, files, unfinished=unfinished)
    left = {"edited", "extra", "link", CLAIM} | (set() if unfinished else {"begun"})
    assert {path.name for path in folder.iterdir()} == left
    assert (tmp_path / "outside").exists()
    for name in left - {CLAIM}:
        (folder / name).unlink()
    assert remove_listed(folder, {}), "nothing but the claim is left"
    (folder / "begun").write_text("half")
    assert not remove_listed(folder, {"begun": None}) and (folder / "begun").exists(), "it may be somebody's"


DATA = "data-0123456789ab-01234567"


def data_folder(place: Path, name: str = DATA, claim: bool = True, **files: str) -> Path:
    """A folder with files, and a claim of them."""
    folder = place / name
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text)
    if claim:
        FileClaim(name, {file: sha256(folder / file) for file in files}).write(folder)
    return folder


def test_a_scratch_folder_claims_its_files_before_they_are_there(tmp_path):
    scratch = make_scratch(tmp_path, "data", ["a", "b"])
    assert is_half(scratch.name) and scratch.name.startswith(".data.") and scratch.parent == tmp_path
    assert [path.name for path in scratch.iterdir()] == [CLAIM]
    assert read_claim(scratch) == FileClaim(scratch.name, {"a": None, "b": None})
    assert (scratch / CLAIM).read_bytes().endswith(b"}\n")
    for name in ("a", "c"):
        (scratch / name).write_text("begun")
    remove_claimed(scratch)
    assert sorted(path.name for path in scratch.iterdir()) == [CLAIM, "c"], "one of somebody else's keeps the claim"
    (scratch / "c").unlink()
    remove_claimed(scratch)
    assert not scratch.exists()


@pytest.mark.parametrize("name", [DATA, f"{DATA}-2", f"{DATA}-17"])
def test_a_data_folder_is_known_by_name_and_claim(tmp_path, name):
    folder = data_folder(tmp_path, name, a="one")
    assert is_data_folder(folder)
    (folder / CLAIM).write_text("{}")
    assert read_claim(folder) is None and not is_data_folder(folder)
    (folder / CLAIM).unlink()
    assert not is_data_folder(folder), "files that nobody claims"
    (folder / "a").unlink()
    assert is_data_folder(folder), "left by a writer that was killed while it cleared"


@pytest.mark.parametrize("name", ["data", "data-0123456789ab", "data-0123456789ab-0123456z", f"{DATA}-", f"x{DATA}"])
def test_other_names_are_no_data(tmp_path, name):
    assert not is_data_folder(data_folder(tmp_path, name, a="one"))


def test_files_and_links_are_no_data_folders(tmp_path):
    (tmp_path / DATA).write_text("x")
    assert not is_data_folder(tmp_path / DATA) and not is_data_folder(tmp_path / f"{DATA}-2")
    (tmp_path / "in").mkdir()
    (tmp_path / f"{DATA}-3").symlink_to(data_folder(tmp_path / "in", a="one"))
    assert not is_data_folder(tmp_path / f"{DATA}-3")
    remove_claimed(tmp_path / f"{DATA}-3")
    remove_claimed(tmp_path / DATA)
    remove_claimed(tmp_path / f"{DATA}-2")
    assert (tmp_path / "in" / DATA / "a").exists()


def test_a_folder_holds_what_it_claims(tmp_path):
    folder = data_folder(tmp_path, a="one", b="two")
    listed = {name: sha256(folder / name) for name in "ab"}
    assert holds_files(folder, listed)
    assert not holds_files(folder, {"a": listed["a"]}) and not holds_files(folder, {**listed, "a": listed["b"]})
    assert not holds_files(tmp_path, listed) and not holds_files(tmp_path / "gone", listed)
    (folder / "b").write_text("changed")
    assert not holds_files(folder, listed)
    (folder / "b").unlink()
    assert not holds_files(folder, listed)


@pytest.mark.parametrize(
    ("name", "claimed", "goes"),
    [
        (DATA, DATA, True), (DATA, f"{DATA}-2", False), ("half", DATA, True), ("half", "half", True),
        ("half", "other", False), ("other", "other", True), ("other", DATA, False),
    ],
)  # fmt: skip
def test_a_copy_of_a_claim_claims_nothing(tmp_path, name, claimed, goes):
    """A finished scratch folder claims the name that it is about to get; any other folder its own."""
    half = half_name("data")
    folder = data_folder(tmp_path, half if name == "half" else name, a="one")
    FileClaim(half if claimed == "half" else claimed, {"a": sha256(folder / "a")}).write(folder)
    remove_claimed(folder)
    assert folder.exists() != goes


@pytest.mark.parametrize(("name", "files", "goes"), [(DATA, 0, True), ("half", 0, True), ("other", 0, False),
                                                     (DATA, 1, False), ("half", 1, False)])  # fmt: skip
def test_without_a_claim_only_an_empty_folder_of_ours_goes(tmp_path, name, files, goes):
    folder = data_folder(
        tmp_path, half_name("data") if name == "half" else name, claim=False, **{"a": "x"} if files else {}
    )
    (folder / half_name(CLAIM)).write_text("half of a claim")
    if name == "other" or files or name == "half":
        remove_claimed(folder)
        assert folder.exists() != goes
    else:
        (folder / next(folder.iterdir()).name).unlink()
        remove_claimed(folder)
        assert not folder.exists()


def test_a_file_of_ours_carries_its_mark_at_its_beginning(tmp_path):
    path = tmp_path / "page.html"
    refuse_foreign_file(path, b"mark")
    refuse_foreign_file(tmp_path, b"mark")
    for start, fine in ((0, True), (4_096 - 4, True), (4_096 - 3, False), (9_000, False)):
        path.write_bytes(b"x" * start + b"mark" + b"x" * 10)
        if fine:
            refuse_foreign_file(path, b"mark")
        else:
            with pytest.raises(UserError, match="was not written by Taskloom") as raised:
                refuse_foreign_file(path, b"mark")
            assert raised.value.where == str(path)

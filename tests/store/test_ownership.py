"""Nothing of the user's is removed or replaced: only what a manifest lists or a name certifies, by name and hash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.store.atomic import half_name, is_half, sole_writer, write_atomically
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.ownership import (
    data_name,
    is_certified,
    is_data_name,
    refuse_foreign_file,
    remove_data,
    remove_listed,
    remove_scratch,
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
    """Each state a kill can leave: a bare scratch folder, a filled one, a whole one that no manifest names."""
    write_bundle(toy(1), tmp_path)
    (tmp_path / half_name("data")).mkdir()
    claimed = tmp_path / half_name("data")
    claimed.mkdir()
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


def test_a_bundle_of_an_older_version_is_replaced_by_name_and_hash(tmp_path):
    old = write_bundle(toy(1), tmp_path)
    data = (tmp_path / old.tasks_file).parent
    (data / ".files.json").write_text("{}")
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


def test_only_listed_files_of_the_listed_hash_go(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("same", "edited", "extra"):
        (folder / name).write_text(name)
    (tmp_path / "outside").write_text("outside")
    (folder / "link").symlink_to(tmp_path / "outside")
    listed = {name: sha256(folder / name) for name in ("same", "edited")}
    (folder / "edited").write_text("a person's change")
    # What is gone, outside or a link stands first: those after it are looked at all the same.
    outside = sha256(tmp_path / "outside")
    remove_listed(folder, {"gone": "", "../outside": outside, "link": outside, **listed})
    assert {path.name for path in folder.iterdir()} == {"edited", "extra", "link"}
    assert (tmp_path / "outside").exists()
    for path in folder.iterdir():
        path.unlink()
    remove_listed(folder, {})
    assert not folder.exists(), "nothing is left in it"


def data_folder(place: Path, number: str = "", **files: str) -> Path:
    """A folder with files that its name certifies."""
    scratch = place / half_name("data")
    scratch.mkdir()
    for file, text in files.items():
        (scratch / file).write_text(text)
    return scratch.rename(place / (data_name("0" * 32, {file: sha256(scratch / file) for file in files}) + number))


@pytest.mark.parametrize("number", ["", "-2", "-17"])
@pytest.mark.parametrize("change", ["add", "change", "remove", "rename", "link"])
def test_a_data_folder_is_certified_by_its_name(tmp_path, number, change):
    folder = data_folder(tmp_path, number, a="one", b="two")
    assert is_certified(folder) and is_data_name(folder)
    match change:
        case "add":
            (folder / "c").write_text("mine")
        case "change":
            (folder / "a").write_text("mine")
        case "remove":
            (folder / "a").unlink()
        case "rename":
            (folder / "a").rename(folder / "c")
        case "link":
            (folder / "a").rename(tmp_path / "a")
            (folder / "a").symlink_to(tmp_path / "a")
    assert not is_certified(folder) and is_data_name(folder)
    before = contents(folder)
    remove_data(folder)
    remove_scratch(folder)
    assert contents(folder) == before


def test_data_that_is_certified_goes_as_a_whole(tmp_path):
    folder = data_folder(tmp_path, a="one")
    remove_data(folder)
    assert list(tmp_path.iterdir()) == []
    assert is_certified(data_folder(tmp_path)), "an empty one"


@pytest.mark.parametrize("name", ["data", "data-0123456789ab", "data-0123456789ab-01234567", "xdata"])
def test_other_names_are_no_data(tmp_path, name):
    folder = data_folder(tmp_path, a="one").rename(tmp_path / name)
    assert not is_certified(folder) and not is_data_name(folder)


def test_files_and_links_are_no_data_folders(tmp_path):
    (tmp_path / "in").mkdir()
    real = data_folder(tmp_path / "in", a="one")
    link, file = tmp_path / real.name, tmp_path / f"{real.name}-2"
    link.symlink_to(real)
    file.write_text("x")
    for path in (link, file, tmp_path / f"{real.name}-3"):
        assert not is_certified(path) and not is_data_name(path)
        remove_data(path)
    assert (real / "a").exists() and link.is_symlink() and file.exists()


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

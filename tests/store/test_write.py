"""What a written bundle consists of, in which order it appears, and what a writer leaves alone."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from taskloom import __version__
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError, row_hash, tasks_hash
from taskloom.store import write
from taskloom.store.atomic import half_name
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.manifest import FILE, chain, read_manifest
from taskloom.store.ownership import is_certified, sha256
from taskloom.store.write import task_stretches, write_bundle
from toy import FAMILY


def small(names: str = "aabca", **more) -> Suite:
    """A row for each letter, of the task of that name."""
    rows = [Row(name, Instance(str(place), f"in {place}", AnyOf(("x",)))) for place, name in enumerate(names)]
    tasks = {name: Task(name, Instruction("Say x.")) for name in sorted(set(names))}
    return replace(Suite("own/s", {"n": 1}, 4, tasks, {"test": len(rows)}, lambda split: iter(rows)), **more)


@pytest.mark.parametrize(
    ("names", "runs"),
    [
        ("", []),
        ("a", [(0, 1)]),
        ("aaa", [(0, 3)]),
        ("ab", [(0, 1), (1, 2)]),
        ("aabca", [(0, 2), (2, 3), (3, 4), (4, 5)]),
    ],
)
def test_where_rows_of_one_task_begin_and_end(names, runs):
    column = pa.array(list(names), pa.string()).dictionary_encode()
    assert list(task_stretches(pa.RecordBatch.from_arrays([column], ["task"]))) == runs


def test_the_manifest_says_what_was_written(tmp_path):
    suite = small(notes={"licence": "free"}, facets={"size": int, "tags": tuple})
    manifest = write_bundle(suite, tmp_path / "b")
    assert manifest == Bundle(tmp_path / "b").manifest == manifest.sealed()
    assert (manifest.format, manifest.suite, manifest.seed, manifest.recipe) == (1, "own/s", 4, {"n": 1})
    assert (manifest.taskloom, manifest.apart, manifest.pool) == (__version__, "inputs", None)
    assert (manifest.notes, manifest.facets) == ({"licence": "free"}, {"size": "int", "tags": "list"})
    assert manifest.tasks_hash == tasks_hash(suite.tasks) and manifest.hash == manifest.content()
    tasks, entry = tmp_path / "b" / manifest.tasks_file, manifest.splits["test"]
    file = tmp_path / "b" / entry.file
    assert tasks.read_bytes() == b"".join(msgspec.json.encode(task) + b"\n" for task in suite.tasks.values())
    assert (manifest.tasks_sha256, entry.sha256) == (sha256(tasks), sha256(file))
    assert entry.rows == 5 and list(entry.tasks) == ["a", "b", "c"]
    for name, found in entry.tasks.items():
        state = chain()
        for row in suite.rows("test", task=name):
            state.update(bytes.fromhex(row_hash(*row)))
        assert found == state.hexdigest()
    assert is_certified(file.parent)


def test_columns_are_packed_by_what_they_hold(tmp_path):
    manifest = write_bundle(FAMILY.open("all", 1), tmp_path / "b")
    group = pq.ParquetFile(tmp_path / "b" / manifest.splits["test"].file).metadata.row_group(0)
    columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
    coded = {name for name, column in columns.items() if "RLE_DICTIONARY" in column.encodings}
    assert {"task", "facet:size"} <= coded and coded.isdisjoint({"id", "input", "hash"})
    counted = {name for name, column in columns.items() if column.statistics is not None}
    assert {"facet:digits", "facet:size"} <= counted and counted.isdisjoint({"id", "input", "targets", "hash"})
    assert {column.compression for column in columns.values()} == {"ZSTD"}


def test_only_some_splits_and_their_pool(tmp_path):
    suite = FAMILY.open("all", 1)
    assert write_bundle(suite, tmp_path / "all").pool == "train"
    part = write_bundle(suite, tmp_path / "part", splits=["test"])
    assert (list(part.splits), part.pool) == (["test"], None)


@pytest.mark.parametrize(
    ("settings", "refused"),
    [({}, False), ({"jobs": 1}, False), ({"jobs": 2}, True), ({"jobs": 0}, True), ({"engine": "ray"}, True)],
)
def test_one_process_writes_what_others_cannot_open(tmp_path, settings, refused):
    if refused:
        with pytest.raises(UserError, match="must be drawn by one process: the suite was created in this process"):
            write_bundle(small(), tmp_path / "b", **settings)
        assert not (tmp_path / "b").exists()
    else:
        assert write_bundle(small(), tmp_path / "b", **settings).splits["test"].rows == 5


def test_everything_lasts_before_the_manifest_points_to_it(tmp_path, monkeypatch):
    """Data and tasks are on the disk before their folder gets its name, that before the manifest changes."""
    seen: list[tuple[str, int]] = []
    real = Path.rename

    def rename(path: Path, target: Path) -> Path:
        seen.append(("rename", path.stat().st_ino))
        return real(path, target)

    def fsync(handle: int) -> None:
        found = os.fstat(handle)
        seen.append((f"sync {found.st_size}", found.st_ino) if found.st_mode & 0o100000 else ("sync", found.st_ino))

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    manifest = write_bundle(small(), tmp_path)
    data = (tmp_path / manifest.tasks_file).parent
    files = [data / "test.parquet", data / "tasks.jsonl", tmp_path / FILE]
    moved = seen.index(("rename", data.stat().st_ino))
    places = [seen.index((f"sync {path.stat().st_size}", path.stat().st_ino)) for path in files]
    assert max(places[:2]) < moved < seen.index(("sync", tmp_path.stat().st_ino)) < places[2]


def test_the_same_content_stays_where_it_is(tmp_path):
    first = write_bundle(small(), tmp_path)
    data = (tmp_path / first.tasks_file).parent
    before = data.stat().st_ino
    assert write_bundle(small(), tmp_path) == first
    assert data.stat().st_ino == before
    (data / "notes.txt").write_text("mine")
    (data / "test.parquet").write_bytes(b"damaged")
    again = write_bundle(small(), tmp_path)
    assert (tmp_path / again.tasks_file).parent.name == f"{data.name}-2", "a namesake beside what is damaged"
    assert again.hash == first.hash and (data / "notes.txt").read_text() == "mine"
    assert len(list(Bundle(tmp_path).rows("test"))) == 5


def test_the_name_of_the_data_carries_content_and_bytes(tmp_path):
    manifest = write_bundle(small(), tmp_path)
    name = Path(manifest.tasks_file).parent.name
    assert name.startswith(f"data-{manifest.hash[:12]}-") and len(name) == len("data-") + 12 + 1 + 16
    other = write_bundle(small("aabcb"), tmp_path / "other")
    assert Path(other.tasks_file).parent.name.partition("-")[2][:12] != manifest.hash[:12]


@pytest.mark.parametrize(
    ("name", "size", "refused"),
    [(".lock", 0, False), (".lock", 1, True), ("other", 0, True), ("run.json", 0, True), ("half", 3, False)],
)
def test_what_a_folder_may_hold(tmp_path, name, size, refused):
    path = tmp_path / (half_name("manifest.json") if name == "half" else name)
    path.write_bytes(b"x" * size)
    if refused:
        with pytest.raises(UserError, match=r"contains a run's log" if name == "run.json" else f"\\({name}\\)"):
            write_bundle(small(), tmp_path)
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    else:
        write_bundle(small(), tmp_path)
        assert path.exists() == (name == ".lock")


def test_a_folder_called_lock_is_somebody_elses(tmp_path):
    (tmp_path / ".lock").mkdir()
    with pytest.raises(UserError, match="other files"):
        write_bundle(small(), tmp_path)


def older(folder: Path) -> Path:
    """The data of a bundle as older versions wrote it: with a list of files, under a name that certifies none."""
    manifest = write_bundle(small(), folder)
    data = (folder / manifest.tasks_file).parent.rename(folder / "data-0123456789ab-01234567")
    (data / ".files.json").write_text("{}")
    splits = {
        name: msgspec.structs.replace(entry, file=f"{data.name}/{Path(entry.file).name}")
        for name, entry in manifest.splits.items()
    }
    moved = msgspec.structs.replace(manifest, splits=splits, tasks_file=f"{data.name}/tasks.jsonl").sealed()
    (folder / FILE).write_bytes(moved.render())
    assert list(check_bundle(folder)) == []
    return data


@pytest.mark.parametrize("edited", [None, "test.parquet", "tasks.jsonl"])
def test_an_older_bundle_is_cleared_but_for_what_was_changed(tmp_path, edited):
    data = older(tmp_path)
    if edited:
        (data / edited).write_bytes(b"edited")
    write_bundle(small("abc"), tmp_path, replace=True)
    assert ([path.name for path in data.iterdir()] if data.exists() else None) == ([edited] if edited else None)


def test_an_older_bundle_with_a_file_of_somebodys_keeps_it(tmp_path):
    data = older(tmp_path)
    (data / "notes.txt").write_text("mine")
    write_bundle(small("abc"), tmp_path, replace=True)
    assert [path.name for path in data.iterdir()] == ["notes.txt"]


def test_a_failed_writer_leaves_no_scratch(tmp_path, monkeypatch):
    def fail(*given):
        raise UserError("no")

    monkeypatch.setattr(write, "write_split", fail)
    with pytest.raises(UserError, match="no"):
        write_bundle(small(), tmp_path / "b")
    assert list((tmp_path / "b").iterdir()) == []


def test_secrets_of_a_recipe_are_not_written(tmp_path):
    manifest = write_bundle(small(recipe={"api_key": "sk-12345678"}, notes={"token": "tk-123456789"}), tmp_path)
    assert manifest.recipe == {"api_key": "[api_key]"} and manifest.notes == {"token": "[token]"}


def test_leftovers_go_before_anything_is_written(tmp_path, monkeypatch):
    left = tmp_path / half_name("data")
    left.mkdir()
    monkeypatch.setattr(write, "write_split", None)
    with pytest.raises(TypeError):
        write_bundle(small(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_bar_counts_every_row(tmp_path, monkeypatch):
    seen = []

    class Bar:
        def __init__(self, label, total, unit):
            seen.append((label, total, unit))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def advance(self, count):
            seen.append(count)

    monkeypatch.setattr(write, "Progress", Bar)
    write_bundle(small(), tmp_path)
    assert seen == [("writing own/s", 5, "rows"), 5]


@pytest.mark.parametrize("other", [small("abc"), small("aabcd"), small(recipe={"n": 2}), small(seed=5)])
def test_another_bundle_is_kept_unless_it_is_to_be_replaced(tmp_path, other):
    first = write_bundle(small(), tmp_path)
    with pytest.raises(UserError, match="contains another bundle: own/s, seed 4, 5 rows") as raised:
        write_bundle(other, tmp_path)
    assert "--replace" in raised.value.hint and list(check_bundle(tmp_path)) == []
    assert read_manifest(tmp_path) == first
    assert write_bundle(other, tmp_path, replace=True).hash != first.hash


def test_a_replaced_bundle_leaves_nothing(tmp_path):
    write_bundle(small(), tmp_path)
    manifest = write_bundle(small("abc"), tmp_path, replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [Path(manifest.tasks_file).parent.name, FILE]


def test_a_manifest_of_somebody_elses_is_named(tmp_path):
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(UserError, match="is not one that Taskloom wrote, or was edited since") as raised:
        write_bundle(small(), tmp_path)
    assert raised.value.where == str(tmp_path / FILE)

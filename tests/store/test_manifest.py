"""What the hash of a bundle's content covers."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from taskloom.core import UserError
from taskloom.store.manifest import FILE, Manifest, SplitEntry, chain, facet_type, read_manifest

ENTRY = SplitEntry("data/test.parquet", 3, "ab", {"t": "cd"})
MANIFEST = Manifest(
    format=1,
    suite="own/suite",
    seed=3,
    recipe={"size": 5},
    taskloom="1.0",
    apart="pairs",
    pool=None,
    facets={"length": "int"},
    tasks_file="data/tasks.jsonl",
    tasks_hash="ef",
    splits={"test": ENTRY},
)


@pytest.mark.parametrize(
    "change",
    [
        {"suite": "own/other"},
        {"seed": 4},
        {"recipe": {"size": 6}},
        {"recipe": {}},
        {"apart": "inputs"},
        {"facets": {"length": "str"}},
        {"tasks_hash": "00"},
        {"splits": {"dev": ENTRY}},
        {"splits": {"test": replace(ENTRY, rows=4)}},
        {"splits": {"test": replace(ENTRY, tasks={"t": "00"})}},
    ],
    ids=str,
)
def test_other_content_has_another_hash(change):
    assert replace(MANIFEST, **change).content() != MANIFEST.content()


@pytest.mark.parametrize(
    "change",
    [
        {"taskloom": "2.0"},
        {"notes": {"source": "elsewhere"}},
        {"tasks_file": "data/other.jsonl"},
        {"splits": {"test": replace(ENTRY, file="elsewhere", sha256="00", pieces=["00"])}},
    ],
    ids=str,
)
def test_another_layout_of_the_same_content_has_the_same_hash_and_another_seal(change):
    changed = replace(MANIFEST, **change)
    assert changed.content() == MANIFEST.content()
    assert changed.sealed().seal != MANIFEST.sealed().seal


def test_types_of_facets_go_by_their_names():
    assert [facet_type(name) for name in ("str", "int", "float", "bool", "list")] == [str, int, float, bool, tuple]


@pytest.mark.parametrize(
    ("file", "inside"),
    [
        ("data/a", True), ("a", True), ("", False), ("a\0b", False), ("/etc/passwd", False), ("../a", False),
        ("data/../../a", False), ("data/../a", False), ("link/a", False), ("here/a", True),
    ],
)  # fmt: skip
def test_files_of_a_manifest_lie_inside_the_bundle(tmp_path, file, inside):
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    (folder / "here").symlink_to(folder)
    for manifest, what in (
        (replace(MANIFEST, tasks_file=file), "tasks_file"),
        (replace(MANIFEST, splits={"test": replace(ENTRY, file=file)}), "split 'test'"),
    ):
        (folder / FILE).write_bytes(manifest.render())
        if inside:
            assert read_manifest(folder) == manifest
        else:
            with pytest.raises(UserError, match=f"{what} points outside the bundle"):
                read_manifest(folder)


def test_a_path_that_cannot_be_followed_is_outside(tmp_path, monkeypatch):
    def loop(path):
        raise RuntimeError("a loop of links")

    (tmp_path / FILE).write_bytes(MANIFEST.render())
    monkeypatch.setattr(Path, "resolve", loop)
    with pytest.raises(UserError, match="points outside"):
        read_manifest(tmp_path)


def test_what_is_no_manifest_is_said(tmp_path):
    with pytest.raises(UserError, match="no bundle here"):
        read_manifest(tmp_path)
    for text, words in (
        (b"{", "the manifest is truncated or damaged"),
        (b"[]", "not a manifest: Expected `object`"),
        (b'{"format": 2, "taskloom": "9.9"}', "written in format 2 by Taskloom 9.9; this one reads up to 1"),
        (b'{"format": 2}', r"by Taskloom \?; this one"),
        (b'{"format": 1}', "not a manifest: Object missing required field"),
        (b'{"format": "2"}', "not a manifest"),
    ):
        (tmp_path / FILE).write_bytes(text)
        with pytest.raises(UserError, match=words) as raised:
            read_manifest(tmp_path)
        assert raised.value.where == str(tmp_path / FILE)


def test_a_manifest_of_a_later_version_with_more_keys_is_read(tmp_path):
    text = MANIFEST.render()
    assert text.startswith(b'{\n  "format": 1,\n') and text.endswith(b"\n}\n")
    (tmp_path / FILE).write_bytes(text.replace(b'"format": 1,', b'"format": 1, "colour": "red",'))
    assert read_manifest(tmp_path) == MANIFEST


def test_the_hash_of_instances_has_sixteen_bytes():
    assert len(chain().digest()) == 16

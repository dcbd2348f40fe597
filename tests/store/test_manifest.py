"""What the hash of a bundle's content covers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taskloom.store.manifest import Manifest, SplitEntry, facet_type

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

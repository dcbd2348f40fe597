"""What `check` says about a bundle whose manifest and rows part."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from taskloom.store import bundle as check
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.manifest import FILE
from taskloom.store.ownership import sha256
from taskloom.store.write import write_bundle
from toy import FAMILY


@pytest.mark.parametrize("more", [-1, 1])
def test_a_row_too_few_or_too_many_is_found(tmp_path, more):
    """The manifest is sealed again after the change, so that only the number of rows gives it away."""
    folder = tmp_path / "bundle"
    write_bundle(FAMILY.open("all", 1), folder)
    manifest = Bundle(folder).manifest
    entry = manifest.splits["test"]
    changed = replace(manifest, splits=manifest.splits | {"test": replace(entry, rows=entry.rows + more)})
    changed = replace(changed, hash=changed.content()).sealed()
    (folder / FILE).write_bytes(changed.render())
    findings = list(check_bundle(folder))
    assert [finding.code for finding in findings] == ["rows"]
    assert f"{entry.rows:,} rows, but {entry.rows + more:,} were written" in findings[0].message


@pytest.fixture
def bundle(tmp_path):
    write_bundle(FAMILY.open("all", 1), tmp_path / "bundle")
    assert list(check_bundle(tmp_path / "bundle")) == []
    return tmp_path / "bundle"


def found(folder):
    return {(finding.code, finding.message) for finding in check_bundle(folder)}


def sealed_again(folder, **changes):
    """Another manifest in the place of the one that was written."""
    changed = replace(Bundle(folder).manifest, **changes)
    (folder / FILE).write_bytes(replace(changed, hash=changed.content()).sealed().render())


def test_an_edited_manifest_is_found_by_seal_form_and_content(bundle):
    edited = "the manifest was edited after it was written"
    text = (bundle / FILE).read_bytes()
    (bundle / FILE).write_bytes(text + b" ")
    assert edited in {message for _, message in found(bundle)}, "not as it is written"
    manifest = Bundle(bundle).manifest
    (bundle / FILE).write_bytes(replace(manifest, seed=manifest.seed + 1).render())
    assert edited in {message for _, message in found(bundle)}, "its seal does not fit"
    (bundle / FILE).write_bytes(replace(manifest, seed=manifest.seed + 1).sealed().render())
    assert edited in {message for _, message in found(bundle)}, "its content does not fit"


def test_files_that_are_missing_foreign_or_changed_are_found(bundle):
    data = bundle / Bundle(bundle).manifest.splits["test"].file
    (data.parent / "notes.txt").write_text("mine")
    assert found(bundle) == {("foreign", "the manifest does not list this file")}
    (data.parent / "notes.txt").unlink()
    data.rename(data.with_suffix(".old"))
    assert ("missing", "the file is missing") in found(bundle)


def test_rows_of_another_bundle_are_found(bundle, tmp_path):
    write_bundle(FAMILY.open("all", 2), tmp_path / "other")
    entry, other = (Bundle(folder).manifest.splits["test"] for folder in (bundle, tmp_path / "other"))
    (bundle / entry.file).write_bytes((tmp_path / "other" / other.file).read_bytes())
    codes = {code for code, _ in found(bundle)}
    assert "bytes" in codes and codes & {"tasks", "unreadable"}


def test_splits_that_share_an_input_are_found(bundle):
    manifest = Bundle(bundle).manifest
    splits = manifest.splits | {"dev": manifest.splits["test"]}
    sealed_again(bundle, splits=splits)
    ((message,),) = [[message for code, message in found(bundle) if code == "overlap"]]
    assert message.startswith("'dev' and 'test' share input hash ")
    sealed_again(bundle, splits=splits, apart="tasks")
    assert any(code == "overlap" and "share add" in message for code, message in found(bundle))


def whole(folder):
    return [(finding.code, finding.level, finding.key) for finding in check_bundle(folder)]


def rewritten(folder, change):
    """The rows of the test split after a change of their table, with a manifest that fits the new bytes."""
    entry = Bundle(folder).manifest.splits["test"]
    path = folder / entry.file
    pq.write_table(change(pq.read_table(path)), path)
    fresh = replace(entry, sha256=sha256(path))
    sealed_again(folder, splits=Bundle(folder).manifest.splits | {"test": fresh})


def test_a_row_that_does_not_match_its_hash_is_named(bundle):
    def change(table):
        texts = table.column("input").to_pylist()
        return table.set_column(
            table.column_names.index("input"), table.schema.field("input"), [[texts[0] + "!", *texts[1:]]]
        )

    rewritten(bundle, change)
    codes = whole(bundle)
    assert ("instance", "error", "add/test-0") in codes and len(
        [code for code, _, _ in codes if code == "instance"]
    ) == 1


def test_rows_in_another_order_are_other_rows_of_their_tasks(bundle):
    rewritten(bundle, lambda table: table.take(list(range(table.num_rows))[::-1]))
    assert ("tasks", "error", "") in whole(bundle) and "rows" not in {code for code, _, _ in whole(bundle)}


def test_what_cannot_be_read_is_one_finding(bundle, tmp_path):
    (only,) = check_bundle(tmp_path / "nothing")
    assert (only.code, only.file, only.fix) == (
        "unreadable",
        str(tmp_path / "nothing"),
        "taskloom generate SUITE -o DIR",
    )
    data = bundle / Bundle(bundle).manifest.splits["test"].file
    data.write_bytes(data.read_bytes()[:-1])
    assert [code for code, _, _ in whole(bundle)] == ["bytes", "unreadable"]
    data.unlink()
    assert [code for code, _, _ in whole(bundle)] == ["missing"]
    tasks = bundle / Bundle(bundle).manifest.tasks_file
    tasks.write_bytes(b"")
    (only,) = check_bundle(bundle)
    assert (only.code, only.file) == ("unreadable", str(tasks)) and "--seed 1" in only.fix


def test_a_list_of_files_of_older_versions_is_no_stranger(bundle):
    ((bundle / Bundle(bundle).manifest.tasks_file).parent / ".files.json").write_text("{}")
    assert whole(bundle) == []


def test_the_bar_counts_every_row(bundle, monkeypatch):
    seen = []

    class Bar:
        def __init__(self, label, total, unit):
            seen.append((total, unit))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def advance(self):
            seen.append(1)

    monkeypatch.setattr(check, "Progress", Bar)
    assert whole(bundle) == [] and seen == [(60, "rows")] + [1] * 60

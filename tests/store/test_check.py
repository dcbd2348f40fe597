"""What `check` says about a bundle whose manifest and rows part."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taskloom.store.bundle import Bundle
from taskloom.store.check import check_bundle
from taskloom.store.manifest import FILE
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
    assert f"{entry.rows:,} rows where {entry.rows + more:,} were written" in findings[0].message

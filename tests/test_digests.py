"""No suite changes its bytes unseen: every named suite holds what the committed table says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from taskloom.core import open_suite

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "digests.py"
_spec = importlib.util.spec_from_file_location("digests", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
digests = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(digests)
TABLE = json.loads(digests.TABLE.read_text())


def test_the_table_knows_every_suite():
    assert sorted(TABLE) == sorted(digests.names())


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_suite_holds_what_the_table_says(name):
    found = digests.digest(open_suite(name, seed=digests.SEED))
    assert found == TABLE[name], (
        "raise the version, add a line to CHANGELOG.md, then: python scripts/digests.py --write"
    )

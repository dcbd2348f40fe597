"""No reading changes unseen: every way to say an answer is read, and scored, as the committed table says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "readings.py"
_spec = importlib.util.spec_from_file_location("readings", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
readings = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(readings)


TABLE = json.loads(readings.TABLE.read_text("utf-8"))


def test_the_table_knows_every_round():
    assert list(TABLE) == [written.name for written in readings.EVERY]


@pytest.mark.parametrize("written", readings.EVERY, ids=lambda written: written.name.replace(" ", "-"))
def test_a_round_is_read_as_the_table_says(written):
    changed = readings.changed(written, TABLE[written.name])
    assert changed == [], "a line in CHANGELOG.md where scores change, then: python scripts/readings.py --write"

"""Contracts are typed: nothing in the source has to assert what kind of settings it was given."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "taskloom"


def test_no_study_or_family_asserts_the_type_of_its_recipe():
    found = [
        path for path in SOURCE.rglob("*.py") if re.search(r"assert isinstance\(\w*recipe", path.read_text("utf-8"))
    ]
    assert not found


def test_no_registry_holds_just_anything():
    found = [path for path in SOURCE.rglob("*.py") if "Registry[Any]" in path.read_text("utf-8")]
    assert not found

"""How a finding reads on a terminal."""

from __future__ import annotations

import pytest

from taskloom.core.family import Finding


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (Finding("a.json", "", "error", "it is empty"), "error: a.json: it is empty"),
        (Finding("a.json", "Definition", "note", "short"), "note: a.json: Definition: short"),
        (Finding("a.json", "", "warning", "odd", "change it", "odd"), "warning: a.json: odd\n    change it"),
        (Finding("a", "b", "error", "c", "d"), "error: a: b: c\n    d"),
    ],
)
def test_a_finding_names_its_place_and_what_would_fix_it(finding, text):
    assert str(finding) == text

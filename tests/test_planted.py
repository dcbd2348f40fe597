"""The table of planted bugs is up to date, and names harnesses that there are."""

from __future__ import annotations

import pytest
from benchmarks.planted import HARNESSES, ROOT, plant, planted_bugs, tree_of

BUGS = planted_bugs()


def test_there_are_forty_bugs_over_all_harnesses():
    assert len(BUGS) >= 40 and {bug.harness for bug in BUGS} == set(HARNESSES)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.about)
def test_each_bug_can_be_planted(bug):
    text = (ROOT / "src" / "taskloom" / bug.file).read_text(encoding="utf-8")
    assert text.count(bug.before) == 1 and bug.before != bug.after


def test_a_bug_is_planted_in_a_copy(tmp_path):
    tree = tree_of(tmp_path)
    plant(BUGS[0], tree / "src")
    copy, own = ((root / "src" / "taskloom" / BUGS[0].file).read_text(encoding="utf-8") for root in (tree, ROOT))
    assert copy == own.replace(BUGS[0].before, BUGS[0].after) != own
    with pytest.raises(ValueError, match="0 times"):
        plant(BUGS[0], tree / "src")

"""After a power cut nothing acknowledged is lost and nothing has to be mended by hand; planted bugs are found."""

from __future__ import annotations

import pytest
from benchmarks.crashes import PLANTED, WORKS, Tried, find, planted


@pytest.mark.parametrize("work", WORKS)
def test_work_recovers_from_what_a_power_cut_may_leave(work):
    tried = [*find(12, Tried(seed=3), [work])][-1]
    assert tried.problems == [] and len(tried) == 12


@pytest.mark.proof
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs_are_found(name):
    assert planted(name, 2_000)

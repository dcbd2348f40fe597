"""After a power cut nothing acknowledged is lost and nothing has to be mended by hand; planted bugs are found."""

from __future__ import annotations

import pytest
from benchmarks.crashes import PLANTED, find, planted


def test_a_run_recovers_from_what_a_crash_may_leave():
    assert find(40, seed=3, questions=12) == (40, [])


@pytest.mark.proof
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs_are_found(name):
    assert planted(name, 200)

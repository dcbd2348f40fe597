"""Three writers of one folder, who share nothing but the disk, break nothing, with locks or without."""

from __future__ import annotations

import pytest
from benchmarks.writers import one_round


@pytest.mark.parametrize("number", range(8))
def test_writers_of_one_folder_break_nothing(number):
    _, problems = one_round(number)
    assert problems == []

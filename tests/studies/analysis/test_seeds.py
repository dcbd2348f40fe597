"""Means over seeds."""

from __future__ import annotations

import pytest
from scipy import stats

from taskloom.core import UserError
from taskloom.studies.analysis.seeds import over_seeds


def test_students_interval():
    values = [0.5, 0.6, 0.55, 0.62]
    found = over_seeds(values)
    low, high = stats.t.interval(0.95, 3, loc=found.value, scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.n == 4


def test_one_seed_has_no_interval_and_none_no_mean():
    assert over_seeds([0.3])[:3] == (0.3, 0.0, 1.0)
    with pytest.raises(UserError):
        over_seeds([])


def test_the_interval_stays_within_scores():
    found = over_seeds([1.0, 0.9, 1.0])
    assert found.high == 1.0


def test_seeds_that_agree_by_chance_have_the_interval_of_their_answers():
    """Fifty of fifty right, three times: other seeds may still miss one or two."""
    sure = over_seeds([1.0, 1.0, 1.0], 50)
    assert 0.9 < sure.low < 0.97
    assert sure.high == 1.0
    assert over_seeds([0.2, 0.4, 0.6], 50) == over_seeds([0.2, 0.4, 0.6])

"""Means over seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from taskloom.core import UserError
from taskloom.studies.analysis import half_width, over_seeds


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
    assert 0.95 < sure.low < 0.98  # Wilson's interval of 150 of 150 begins at 0.975
    assert sure.high == 1.0
    assert over_seeds([0.2, 0.4, 0.6], 50) == over_seeds([0.2, 0.4, 0.6])


@pytest.mark.parametrize(
    ("level", "spread", "each"), [(0.5, 0.0, 60), (0.2, 0.05, 300), (0.05, 0.0, 100), (0.5, 0.1, 30)]
)
def test_intervals_over_seeds_hold_as_often_as_they_say_and_not_always(level, spread, each):
    random = np.random.Generator(np.random.PCG64(0))
    levels = np.clip(random.normal(level, spread, (4000, 3)), 0, 1)
    shares = random.binomial(each, levels) / each
    hits = 0
    for seeds in shares:
        found = over_seeds(list(seeds), each)
        hits += found.low <= level <= found.high
    assert 0.94 <= hits / len(shares) <= 0.995


def test_half_of_an_interval_is_the_wider_of_two():
    assert half_width(0.04, 0.01, 3) == pytest.approx(stats.t.ppf(0.975, 2) * 0.2)
    assert half_width(0.0001, 0.04, 3) == pytest.approx(stats.norm.ppf(0.975) * 0.2)
    assert half_width(0.0, 0.04, 1) == pytest.approx(stats.norm.ppf(0.975) * 0.2)

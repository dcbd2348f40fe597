"""How a total is divided by shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core.blocks import apportion


@pytest.mark.parametrize(
    ("total", "shares", "counts"),
    [
        (10, (1, 1, 1), [4, 3, 3]),
        (10, (0.7, 0.1, 0.2), [7, 1, 2]),
        (10, (0.58, 0.34, 0.08), [6, 3, 1]),  # the rests .8 and .8 before .4
        (3, (0.5, 0.3, 0.2), [1, 1, 1]),
        (0, (1, 2), [0, 0]),
        (5, (0, 0), [0, 0]),
        (24_772, (3.0, 1.5, 0.1), [16_156, 8_078, 538]),
    ],
)
def test_the_largest_remainders_get_the_rest(total, shares, counts):
    assert apportion(total, shares) == counts


@given(st.integers(0, 500), st.lists(st.floats(0, 10), min_size=1, max_size=8).filter(lambda s: sum(s) > 0.1))
def test_parts_add_up_and_none_is_off_by_one(total, shares):
    counts = apportion(total, shares)
    assert sum(counts) == total
    assert all(abs(count - total * share / sum(shares)) < 1 for count, share in zip(counts, shares, strict=True))

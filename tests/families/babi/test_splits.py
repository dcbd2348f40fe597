"""How a total is divided over the cells of a split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.families.babi.splits import allocate, interleave


@pytest.mark.parametrize(
    ("total", "shares", "counts"),
    [
        (10, (1, 1, 1), [4, 3, 3]),
        (10, (0.7, 0.1, 0.2), [7, 1, 2]),
        (10, (0.58, 0.34, 0.08), [6, 3, 1]),  # the rests .8 and .8 before .4
        (3, (0.5, 0.3, 0.2), [1, 1, 1]),
        (0, (1, 2), [0, 0]),
        (5, (0, 0), [0, 0]),
    ],
)
def test_the_largest_remainders_get_the_rest(total, shares, counts):
    assert allocate(total, shares) == counts


@given(st.integers(0, 500), st.lists(st.floats(0, 10), min_size=1, max_size=8).filter(lambda s: sum(s) > 0.1))
def test_parts_add_up_and_none_is_off_by_one(total, shares):
    counts = allocate(total, shares)
    assert sum(counts) == total
    assert all(abs(count - total * share / sum(shares)) < 1 for count, share in zip(counts, shares, strict=True))


def test_any_first_part_shows_every_cell():
    pairs = list(interleave([4, 2, 0, 6]))
    assert sorted(pairs) == [(0, n) for n in range(4)] + [(1, n) for n in range(2)] + [(3, n) for n in range(6)]
    assert {cell for cell, _ in pairs[:4]} == {0, 1, 3}

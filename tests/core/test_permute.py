from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core.rng import Permutation, Shuffle, _shifts

KINDS = [Permutation, Shuffle]


@pytest.mark.parametrize("kind", KINDS)
@given(size=st.integers(1, 400), key=st.integers())
def test_every_number_is_met_once(kind, size, key):
    order = kind(size, "key", key)
    assert sorted(map(order, range(size))) == list(range(size))


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_outside_are_refused(kind):
    for index in (-1, 7, 100):
        with pytest.raises(IndexError):
            kind(7, "key")(index)


@pytest.mark.parametrize("kind", KINDS)
def test_the_key_decides_the_order(kind):
    orders = [[kind(200, *key)(n) for n in range(200)] for key in (("a", 1), ("a", 2), ("b", 1))]
    assert orders[0] == [kind(200, "a", 1)(n) for n in range(200)]
    for one, two in ((0, 1), (0, 2), (1, 2)):
        assert sum(a == b for a, b in zip(orders[one], orders[two], strict=True)) < 10


@pytest.mark.parametrize(
    ("kind", "size", "first"),
    [
        (Permutation, 10, [7, 6, 8, 2, 4]),
        (Permutation, 1_000, [676, 747, 57, 345, 523]),
        (Permutation, 10**9, [266547781, 314600130, 856815025, 358782995, 909906315]),
        (Shuffle, 10, [9, 4, 1, 6, 0]),
        (Shuffle, 1_000, [634, 790, 316, 732, 322]),
        (Shuffle, 1_000_003, [392708, 234938, 195197, 502029, 788491]),
    ],
)
def test_orders_stay_the_same(kind, size, first):
    """Every suite that divides keys rests on them."""
    assert [kind(size, "pinned", 3)(n) for n in range(5)] == first


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_land_anywhere(kind):
    """Steps between neighbours go up and down alike, and images spread over the range."""
    order = kind(10_000, "spread")
    images = [order(n) for n in range(2_000)]
    up = sum(b > a for a, b in itertools.pairwise(images))
    assert 800 < up < 1_200
    tenths = [sum(tenth * 1_000 <= image < (tenth + 1) * 1_000 for image in images) for tenth in range(10)]
    assert min(tenths) > 120 and max(tenths) < 280


@pytest.mark.parametrize("kind", KINDS)
def test_one_number_stays_where_it_is(kind):
    assert kind(1, "key")(0) == 0


def test_what_is_mixed_in_is_kept_where_it_fits():
    small, large = Permutation(2**22, "key"), Permutation(2**22 + 1, "key")
    assert small._tables is not None and large._tables is None
    hashed = []
    real = small._hash
    small._hash = lambda number, turn: hashed.append((number, turn)) or real(number, turn)
    assert small(5) == small(5) and len(hashed) == len(set(hashed))
    assert large(5) == large(5) < 2**22 + 1


def test_machines_of_either_byte_order_shuffle_alike(monkeypatch):
    usual = _shifts(b"root", 3, 4)
    monkeypatch.setattr(sys, "byteorder", "big" if sys.byteorder == "little" else "little")
    other = _shifts(b"root", 3, 4)
    other.byteswap()
    assert other == usual and len(usual) == 4

"""Scaling laws found again in numbers made from them."""

from __future__ import annotations

from math import log2

import pytest

from taskloom.core import UserError
from taskloom.core.metric import Estimate
from taskloom.studies.analysis import joint_scaling, saturation


def _flat(values, half=0.01):
    return {x: Estimate(y, y - half, y + half, 100) for x, y in values.items()}


def test_the_plane_is_found_again():
    points = [(t, p, 0.1 + 0.02 * log2(t) + 0.05 * log2(p)) for t in (8, 64, 512) for p in (1, 4, 16)]
    found = joint_scaling(points)
    assert (found.first, found.second, found.base) == pytest.approx((0.02, 0.05, 0.1))
    assert found.rate == pytest.approx(2.5)
    assert found.r2 == pytest.approx(1)


def test_resources_that_grow_together_cannot_be_told_apart():
    with pytest.raises(UserError, match="grow together"):
        joint_scaling([(x, 2 * x, 0.1 * x) for x in (1, 2, 4, 8)])
    with pytest.raises(UserError, match="four points"):
        joint_scaling([(1, 1, 0.5)])


def test_saturation_is_where_nothing_larger_is_known_to_be_better():
    assert saturation(_flat({8: 0.2, 16: 0.3, 32: 0.36, 64: 0.4, 128: 0.401})) == 64
    assert saturation(_flat({8: 0.4, 16: 0.4, 32: 0.4})) == 8
    assert saturation(_flat({8: 0.1, 16: 0.2, 32: 0.3})) is None
    # Wide intervals cannot show that more helps.
    assert saturation(_flat({8: 0.2, 16: 0.3, 32: 0.36}, half=0.3)) == 8

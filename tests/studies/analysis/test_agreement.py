"""Krippendorff's alpha against the worked example of its author, and against its definition."""

from __future__ import annotations

from itertools import permutations
from math import isnan

import numpy as np
import pytest

from taskloom.core import UserError
from taskloom.studies.analysis import krippendorff

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: four observers, twelve units, with gaps.
_OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
_UNITS = {unit: [ratings[unit] for ratings in _OBSERVERS] for unit in range(12)}


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_worked_example(level, alpha):
    found = krippendorff(_UNITS, level)
    assert found.value == pytest.approx(alpha, abs=0.0005)
    assert found.n == 11  # one unit has a single rating
    assert found.low < found.value <= found.high


def _by_definition(units):
    """Disagreement of pairs within units over that of all pairs, counted one by one."""
    kept = [ratings for ratings in units if len(ratings) > 1]
    everything = [rating for ratings in kept for rating in ratings]
    observed = sum(sum(a != b for a, b in permutations(ratings, 2)) / (len(ratings) - 1) for ratings in kept)
    expected = sum(a != b for a, b in permutations(everything, 2)) / (len(everything) - 1)
    return 1 - observed / expected


def test_it_is_what_its_definition_says():
    random = np.random.Generator(np.random.PCG64(2))
    units = [random.integers(0, 4, size=random.integers(1, 5)).tolist() for _ in range(30)]
    assert krippendorff(dict(enumerate(units))).value == pytest.approx(_by_definition(units))


def test_perfect_agreement_and_chance():
    assert krippendorff({unit: [unit % 3] * 3 for unit in range(9)}).value == 1
    random = np.random.Generator(np.random.PCG64(1))
    assert abs(krippendorff({unit: random.integers(0, 3, 3).tolist() for unit in range(500)}).value) < 0.08


def test_words_have_an_order():
    order = ("weak", "okay", "pretty good")
    units = {0: ["weak", "okay"], 1: ["pretty good", "pretty good"], 2: ["okay", "okay"], 3: ["weak", "weak"]}
    close = krippendorff(units, "ordinal", order=order).value
    far = krippendorff({**units, 0: ["weak", "pretty good"]}, "ordinal", order=order).value
    assert close > far
    with pytest.raises(UserError, match="'confusing' is not in the order"):
        krippendorff({0: ["weak", "confusing"]}, "ordinal", order=order)


def test_nothing_can_be_told_from_one_rating_each_or_from_one_value():
    assert isnan(krippendorff({0: [1, None], 1: [2]}).value)
    assert isnan(krippendorff({0: [1, 1], 1: [1, 1]}).value)

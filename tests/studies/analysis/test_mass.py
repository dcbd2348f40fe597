"""The mass on the two sides of a union."""

from __future__ import annotations

import pytest

from taskloom.studies.taskbench.memory import Sides, easier_side, side_shares, split_sides


def test_the_easier_side_generalises_better():
    assert easier_side({"a": 0.2, "b": 0.7}, "a", "b") == ("b", "a")
    assert easier_side({"a": 0.5, "b": 0.5}, "b", "a") == ("a", "b")


def test_only_inputs_of_both_sides_count_and_shared_answers_count_for_both():
    masses = [{"a": 0.3, "b": 0.3}, {"a": 0.1, "b": 0.5}, {"a": 0.9}]
    found = split_sides("union(a, b)", ("a", "b"), {"a": 0.1, "b": 0.9}, masses)
    assert (found.easier, found.n) == ("b", 2)
    assert (found.easier_mass, found.harder_mass) == pytest.approx((0.4, 0.2))
    assert found.share == pytest.approx(2 / 3)


def test_the_share_over_unions_has_an_interval():
    unions = [Sides(str(place), "a", "b", mass, 1 - mass, 10) for place, mass in enumerate((0.6, 0.7, 0.8, 0.7))]
    found = side_shares(unions)
    assert found.value == pytest.approx(0.7)
    assert 0.5 < found.low < 0.7 < found.high
    assert side_shares(unions[:1])[1:3] == (0.0, 1.0)


def test_a_union_without_mass_says_nothing_either_way():
    assert Sides("u", "a", "b", 0.0, 0.0, 5).share == 0.5

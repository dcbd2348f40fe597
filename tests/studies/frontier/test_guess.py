"""What orders the questions: the guess learns from neighbours, and costs what was asked, not what could be."""

from __future__ import annotations

import numpy as np
import pytest

from taskloom.core.cells import Cell
from taskloom.studies.frontier.claims import Counts
from taskloom.studies.frontier.pooling import Guess, newton_fit


@pytest.mark.parametrize("shape", [(3, 8), (8, 8), (20, 8)])
def test_both_ways_of_solving_agree(shape):
    rng = np.random.default_rng(0)
    weighted, ridge, gradient = rng.normal(size=shape), rng.uniform(0.01, 1.0, shape[1]), rng.normal(size=shape[1])
    whole = weighted.T @ weighted + np.diag(ridge)
    assert whole @ newton_fit(weighted, ridge, gradient) == pytest.approx(gradient, abs=1e-9)


def test_cells_that_share_a_failing_pair_are_expected_to_fail():
    cells = [Cell("where", atoms) for atoms in (("a",), ("b",), ("a", "b"), ("a", "b", "c"), ("a", "c"), ("b", "c"))]
    counts = [Counts(12, 0), Counts(12, 0), Counts(0, 12), Counts(), Counts(), Counts()]
    passing = Guess(cells).passing(counts)
    assert passing[3] < 0.5 < passing[4]
    assert passing[5] > 0.5

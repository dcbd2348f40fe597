"""Correlations against the numbers a paper prints, and against scipy."""

from __future__ import annotations

from math import isnan

import pytest
from scipy import stats

from taskloom.core import UserError
from taskloom.studies.analysis import kendall, pairs_of, pearson
from taskloom.studies.experiment import printed


@pytest.mark.parametrize(
    ("column", "n", "r", "tau"),
    [("mix(T7)", 19, 0.917, 0.778), ("mix(T2)", 20, 0.48, 0.51), ("babi task 2", 20, 0.16, -0.24)],
)
def test_the_correlations_of_table_8(column, n, r, tau):
    table = printed("dyna-babi", "table-8")
    squad, other = table.column("SQuAD"), table.column(column)
    found, ranks = pearson(squad, other), kendall(squad, other)
    assert (found.n, ranks.n) == (n, n)
    assert found.value == pytest.approx(r, abs=0.005)
    assert ranks.value == pytest.approx(tau, abs=0.005)
    assert found.low < found.value < found.high
    assert ranks.low < ranks.value < ranks.high


def test_they_agree_with_scipy():
    x, y = [3.0, 1, 4, 1, 5, 9, 2, 6], [2.0, 7, 1, 8, 2, 8, 1, 8]
    assert pearson(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert kendall(x, y).value == pytest.approx(stats.kendalltau(x, y).statistic)
    low, high = stats.pearsonr(x, y).confidence_interval()
    assert pearson(x, y)[1:3] == pytest.approx((low, high))


def test_what_is_missing_on_one_side_is_left_out():
    assert pairs_of([1, None, 3], [4, 5, None]) == ([1], [4])
    with pytest.raises(UserError, match="2 and 1"):
        pairs_of([1, 2], [1])


def test_a_constant_column_has_no_correlation():
    found = pearson([1, 1, 1, 1, 1], [1, 2, 3, 4, 5])
    assert isnan(found.value)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert isnan(kendall([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]).value)


def test_too_few_things_have_no_interval():
    assert pearson([1, 2, 3], [1, 2, 4])[1:3] == (-1.0, 1.0)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    import numpy as np

    random = np.random.Generator(np.random.PCG64(7))
    true, hits = 0.6, 0
    for _ in range(400):
        x = random.normal(size=20)
        y = true * x + (1 - true**2) ** 0.5 * random.normal(size=20)
        found = pearson(x.tolist(), y.tolist())
        hits += found.low <= true <= found.high
    assert 0.92 <= hits / 400 <= 0.98


def test_few_that_agree_perfectly_are_no_proof():
    for n, sure in ((6, False), (7, False), (8, True), (12, True)):
        found = kendall(list(range(n)), list(range(n)))
        assert found.value == 1.0
        assert found.high == 1.0
        assert (found.low > 0.5) == sure, n

"""Lines: against simulated truth, because the paper prints its fits without their points."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

from taskloom.core import UserError
from taskloom.studies.analysis import fit_line, fit_log, held_out
from taskloom.studies.experiment import printed
from taskloom.studies.findings import above
from taskloom.studies.taskbench.compose import over_tasks


def _points(slope, intercept, noise, n, seed):
    random = np.random.Generator(np.random.PCG64(seed))
    x = random.random(n)
    return x.tolist(), (intercept + slope * x + noise * random.normal(size=n)).tolist()


@pytest.mark.parametrize("row", printed("taskbench", "table-3").rows, ids=lambda row: f"{row[0]}, {row[1]}")
def test_the_lines_of_table_3_are_found_again_in_points_drawn_from_them(row):
    slope, intercept = row[4], row[5]
    line = fit_line(*_points(slope, intercept, 0.01, 400, 1))
    assert line.slope == pytest.approx(slope, abs=0.02)
    assert line.intercept == pytest.approx(intercept, abs=0.01)
    assert line.n == 400


def test_it_agrees_with_scipy():
    x, y = _points(1.3, 0.1, 0.2, 30, 0)
    line, other = fit_line(x, y), stats.linregress(x, y)
    assert (line.slope, line.intercept) == pytest.approx((other.slope, other.intercept))
    assert line.r2 == pytest.approx(other.rvalue**2)
    wide = stats.t.ppf(0.975, 28)
    assert line.high - line.slope == pytest.approx(wide * other.stderr)


def test_intervals_cover_the_truth_as_often_as_they_say():
    lines = [fit_line(*_points(1.27, 0.14, 0.2, 20, seed)) for seed in range(400)]
    assert 0.92 <= np.mean([line.low <= 1.27 <= line.high for line in lines]) <= 0.98


def test_what_is_not_determined_is_said():
    assert isnan(fit_line([1, 1], [2, 3]).slope)
    assert isnan(fit_line([], []).slope)
    two = fit_line([0, 1], [0, 1])
    assert two.slope == 1
    assert two.low == -inf
    assert above("it rises", two).verdict == "cannot tell"
    with pytest.raises(UserError):
        fit_line([1], [1, 2])


def test_a_doubling_is_the_unit_of_a_logarithmic_fit():
    line = fit_log([1, 2, 4, 8], [0.1, 0.2, 0.3, 0.4])
    assert line.slope == pytest.approx(0.1)
    with pytest.raises(UserError):
        fit_log([0, 1], [0, 1])


def test_features_that_decide_foretell_tasks_left_out():
    random = np.random.Generator(np.random.PCG64(5))
    features, values = {}, {}
    for place in range(60):
        kind, size = ("lexical", "factual")[place % 2], float(random.integers(1, 100))
        features[f"task-{place}"] = {"category": kind, "inputs": size}
        values[f"task-{place}"] = 0.2 + 0.4 * (kind == "lexical") + 0.002 * size + 0.01 * random.normal()
    found = held_out(features, values)
    assert found.r2 > 0.95
    assert found.error < found.baseline / 3
    assert found.weights["category=lexical"] > 0 > found.weights["category=factual"]
    assert found.n == 60
    assert sum(found.gains) / 60 == pytest.approx(found.baseline - found.error)
    assert over_tasks(found.gains, least=20).low > 0
    assert over_tasks(found.gains[:19], least=20).seeds == 1


def test_features_that_decide_nothing_foretell_nothing():
    random = np.random.Generator(np.random.PCG64(6))
    features = {f"t{place}": {"noise": float(random.normal()), "other": float(random.normal())} for place in range(60)}
    assert held_out(features, {task: float(random.normal()) for task in features}).r2 < 0.1


def test_too_few_tasks_are_refused():
    with pytest.raises(UserError, match="3 tasks"):
        held_out({f"t{i}": {"a": 1.0} for i in range(3)}, {f"t{i}": 1.0 for i in range(3)})

"""Checks are decided by intervals, and can come out each way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from taskloom.core.metric import Estimate
from taskloom.studies.analysis import centre
from taskloom.studies.findings import Check, above, below, conclusions, estimate_cells, within
from taskloom.studies.frame import Contrast


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 0.3, "holds"),
        (-0.1, 0.3, "cannot tell"),
        (-0.3, -0.1, "does not hold"),
        (-0.3, 0.0, "does not hold"),
        (0.0, 0.0, "cannot tell"),
    ],
)
def test_above(low, high, verdict):
    check = above("it is more", Estimate((low + high) / 2, low, high, 9))
    assert check.verdict == verdict
    assert f"[{low:.3f}, {high:.3f}]" in check.evidence


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.1, 0.3, "holds"), (0.3, 0.6, "cannot tell"), (0.5, 0.7, "does not hold")]
)
def test_below(low, high, verdict):
    check = below("it is less", Estimate(0.2, low, high, 9), 0.5, source="Table 1")
    assert check.verdict == verdict
    assert check.line().endswith("[Table 1]")


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.3, 0.4, "holds"), (0.1, 0.4, "cannot tell"), (0.7, 0.9, "does not hold")]
)
def test_within(low, high, verdict):
    check = within("it is near", Estimate((low + high) / 2, low, high, 9), 0.25, 0.5)
    assert check.verdict == check.at(0.95).verdict == verdict


def test_one_seed_decides_nothing():
    surely = {"value": 0.9, "low": 0.8, "high": 1.0, "method": "m"}
    assert above("it is more", Contrast(**surely, seeds=1)).verdict == "cannot tell"
    assert above("it is more", Contrast(**surely, seeds=3)).verdict == "holds"
    assert below("it is less", Contrast(**surely, seeds=1)).verdict == "cannot tell"


def test_an_empty_mean_is_an_empty_cell():
    assert estimate_cells(Estimate(float("nan"), 0.0, 1.0, 0))[0] is None


def test_what_can_and_cannot_be_concluded_is_said():
    assert conclusions([]) == []
    assert conclusions([Check("it falls", "holds", "0.3")]) == ["1 expectation was checked: 1 holds."]
    verdicts = ("holds", "holds", "does not hold", "cannot tell")
    assert conclusions([Check(f"claim {number} is so", verdict, "") for number, verdict in enumerate(verdicts)]) == [
        "4 expectations were checked: 2 hold, 1 does not hold, 1 is undecided.",
        "It cannot be concluded at this scale whether claim 3 is so.",
    ]


def _over(values):
    mean, half = centre(values)
    return Contrast(mean, mean - half, mean + half, len(values), f"t over {len(values)} seeds")


def test_a_verdict_at_another_level_is_that_of_an_interval_of_that_level():
    values = [0.2, 0.1, 0.15]
    check = above("it is more", _over(values))
    assert check.verdict == "holds"
    # Student's t of these three is 5.2: enough for 95 % (4.30) and 96 %, not for 99 % (9.92).
    statistic = stats.ttest_1samp(values, 0).statistic
    for level in (0.95, 0.96, 0.98, 0.99):
        wanted = "holds" if statistic > stats.t.ppf(0.5 + level / 2, 2) else "cannot tell"
        assert check.at(level).verdict == wanted
    assert check.at(0.99).verdict == "cannot tell"
    assert above("it is more", Estimate(1.0, 1.0, 1.0, 3), 0.5).at(0.99).verdict == "holds"


def test_two_looks_err_no_more_often_than_one():
    drawn = np.random.default_rng(0).normal(size=(4000, 6))
    wrong = 0
    for row in drawn:
        first, last = (above("it is more", _over(row[:count].tolist())) for count in (3, 6))
        decided = first.at(0.99).verdict if first.at(0.99).verdict != "cannot tell" else last.at(0.96).verdict
        wrong += decided != "cannot tell"
    assert 0.03 < wrong / len(drawn) < 0.055


def test_what_would_be_enough_is_enough_four_times_in_five():
    rng = np.random.default_rng(1)
    check = above("it is more", _over([0.3, -0.2, 0.2, 0.1]))
    number, unit = check.power().rpartition("with ")[2].split()
    distance, enough = 0.1, int(number)
    assert unit == "seeds", "what there have to be more of"
    assert f"({distance:.3f} from it)" in check.power()
    spread = np.std([0.3, -0.2, 0.2, 0.1], ddof=1)
    found = sum(above("", _over(row.tolist())).verdict == "holds" for row in rng.normal(0.1, spread, (600, enough)))
    assert 0.75 < found / 600 < 0.86
    assert above("it is more", _over([0.3, 0.2, 0.25])).power() == ""
    assert "more than 1,000" in above("it is more", _over([0.3, -0.3, 0.0001])).power()

"""Checks are decided by intervals, and can come out each way."""

from __future__ import annotations

import pytest

from taskloom.core.metric import Estimate
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
    assert below("it is less", Estimate(0.2, low, high, 9), 0.5).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.3, 0.4, "holds"), (0.1, 0.4, "cannot tell"), (0.7, 0.9, "does not hold")]
)
def test_within(low, high, verdict):
    check = within("it is near", Estimate(0.2, low, high, 9), 0.25, 0.5, source="Table 1")
    assert check.verdict == verdict
    assert check.line().endswith("[Table 1]")


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

"""Which split a word falls to."""

from __future__ import annotations

from collections import Counter

from taskloom.families.taskbench.functions import SplitAssignment


def test_shares_of_the_splits():
    """A fifth is test, a tenth dev, a twentieth is kept for examples; the margin is five standard errors."""
    lots = SplitAssignment(3)
    counts = Counter(lots.of(f"word {n}") for n in range(10_000))
    for lot, share in {"test": 0.20, "dev": 0.10, "example": 0.05, "train": 0.65}.items():
        assert abs(counts[lot] / 10_000 - share) < 5 * (share * (1 - share) / 10_000) ** 0.5, lot


def test_case_and_white_space_make_no_difference():
    lots = SplitAssignment(3)
    assert len({lots.draw(text) for text in ("Green House", "green house", " green   house ")}) == 1

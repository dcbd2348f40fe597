"""Whether printed numbers can belong together, given that all of them were rounded."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum


def mean_of(values: Sequence[float | None]) -> float:
    """The mean of what is there; nan of nothing."""
    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else float("nan")


def can_be_mean(overall: float, parts: Sequence[float | None], step: float = 1.0) -> bool:
    """Whether a printed mean can be the mean of printed parts.

    Args:
        overall: The mean as printed.
        parts: What it should be the mean of, as printed.
        step: The unit that all of them were rounded to. A rounded number is off by at most half of it, and so is the
            mean of many: a true mean is at most one unit away.

    Example:
        >>> can_be_mean(28, [43, 32, 41, 18, 10]), can_be_mean(56, [71, 64, 66, 54, 33])
        (True, False)
    """
    # A hair of room, because 0.1 has no exact form.
    return abs(mean_of(parts) - overall) <= step * (1 + 1e-9)

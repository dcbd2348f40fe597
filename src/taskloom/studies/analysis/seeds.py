"""One number per seed: the mean, with Student's interval over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from taskloom.core import UserError
from taskloom.core.metric import Estimate

__all__ = ["over_seeds"]


def over_seeds(values: Sequence[float], each: int = 0) -> Estimate:
    """The mean of one number per seed, each from 0 to 1, with Student's interval; one seed alone has none.

    Args:
        values: The numbers.
        each: How many right or wrong answers are behind each of them, where they are shares: seeds that agree by
            chance then still differ by as much as the drawing of answers alone would cause.

    Example:
        >>> over_seeds([0.5, 0.6, 0.7]).value
        0.6
    """
    count = len(values)
    if not count:
        raise UserError("a mean over no seeds")
    mean = fsum(values) / count
    if count < 2:
        return Estimate(mean, 0.0, 1.0, count, 1, "one seed")
    from scipy.stats import t

    spread = fsum((value - mean) ** 2 for value in values) / (count - 1)
    share = (mean * each + 1) / (each + 2)
    floor = share * (1 - share) / each if each else 0.0
    half = float(t.ppf(0.975, count - 1)) * sqrt(max(spread, floor) / count)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), count, 1, f"t over {count} seeds")

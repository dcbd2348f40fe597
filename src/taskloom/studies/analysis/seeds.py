"""One number per seed: the mean, with Student's interval over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, sqrt

from taskloom.core import UserError
from taskloom.core.metric import Estimate
from taskloom.score.stats import student_quantile


def half_width(between: float, floor: float, count: int) -> float:
    """Half of a 95 % interval for a mean over seeds.

    Seeds that agree by chance would make Student's interval too narrow, so it is never narrower than the normal one of
    the drawing of instances, which is known and needs no quantile for few seeds. Either alone covers the truth as often
    as it says, so the wider of both does.

    Args:
        between: The variance of the mean as seeds tell it.
        floor: The variance of the mean that the drawing of instances alone causes.
        count: How many seeds.

    Example:
        >>> round(half_width(0.0, 0.01, 3), 3), round(half_width(0.01, 0.0, 3), 3)
        (0.196, 0.43)
    """
    student = student_quantile(0.975, count - 1) * sqrt(between) if count > 1 else 0.0
    return max(student, student_quantile(0.975, inf) * sqrt(floor))


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
    spread = fsum((value - mean) ** 2 for value in values) / (count - 1)
    share = (mean * each + 1) / (each + 2)
    floor = share * (1 - share) / each if each else 0.0
    half = half_width(spread / count, floor / count, count)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), count, 1, f"t over {count} seeds")

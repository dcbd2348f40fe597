"""Scaling: gains per doubling, the point from which more does not help, and one resource traded for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2, nan
from typing import NamedTuple, Protocol

from taskloom.core import UserError


class _ScalingInterval(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class JointScalingFit(NamedTuple):
    """How scores grow with two resources at once, score = base + a log2(first) + b log2(second).

    Attributes:
        first: What one doubling of the first gives.
        second: What one doubling of the second gives.
        base: The score at one of each.
        rate: How many doublings of the first are worth one of the second; nan where the first gives nothing.
        r2: The share of variance explained.
        n: Points.
    """

    first: float
    second: float
    base: float
    rate: float
    r2: float
    n: int


def joint_scaling(points: Sequence[tuple[float, float, float]]) -> JointScalingFit:
    """The plane of least squares over the logarithms of two resources (tasks and parameters, say).

    Args:
        points: First resource, second resource, score.

    Raises:
        UserError: Fewer than four points, or the resources always grow together.
    """
    import numpy as np

    if len(points) < 4 or any(first <= 0 or second <= 0 for first, second, _ in points):
        raise UserError("a plane needs at least four points, at numbers above 0")
    rows = np.asarray([(1.0, log2(first), log2(second)) for first, second, _ in points])
    scores = np.asarray([score for *_, score in points])
    found, _, rank, _ = np.linalg.lstsq(rows, scores, rcond=None)
    if rank < 3:
        raise UserError("the two resources grow together in these points, so their effects cannot be separated")
    base, first, second = found.tolist()
    total = float(((scores - scores.mean()) ** 2).sum())
    r2 = 1 - float(((scores - rows @ found) ** 2).sum()) / total if total else nan
    return JointScalingFit(first, second, base, second / first if first else nan, r2, len(points))


def saturation(means: Mapping[float, _ScalingInterval], margin: float = 0.01) -> float | None:
    """The smallest amount from which nothing larger is known to be better by more than a margin.

    A larger amount is known to be better where its interval lies wholly above the other's mean plus the margin. None
    where even the second largest is beaten, so that no end of growth is in sight.

    Example:
        >>> from taskloom.core.metric import Estimate
        >>> grows = {8: 0.30, 16: 0.38, 32: 0.42, 64: 0.449, 128: 0.45}
        >>> saturation({x: Estimate(y, y - 0.005, y + 0.005, 9) for x, y in grows.items()})
        64
    """
    amounts = sorted(means)
    for place, amount in enumerate(amounts[:-1]):
        if not any(means[larger].low > means[amount].value + margin for larger in amounts[place + 1 :]):
            return amount
    return None

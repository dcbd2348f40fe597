"""Lines and planes through points: composed on atomic adaptability, gains per doubling, one resource for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isnan, log2, nan
from typing import TYPE_CHECKING, NamedTuple

from taskloom.core import UserError, digest
from taskloom.core.metric import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def mean_of(values: Sequence[float | None]) -> float:
    """The mean of what is there; nan of nothing."""
    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else float("nan")


class LeastSquares(NamedTuple):
    """A least-squares line with Student's intervals of its slope and intercept; nan where it is not determined."""

    slope: float
    intercept: float
    r2: float
    n: int
    slope_low: float = nan
    slope_high: float = nan
    intercept_low: float = nan
    intercept_high: float = nan

    @property
    def value(self) -> float:
        """The slope, so that a line can be checked like any estimate."""
        return self.slope

    @property
    def low(self) -> float:
        """The lower end of the slope's interval."""
        return -float("inf") if isnan(self.slope_low) else self.slope_low

    @property
    def high(self) -> float:
        """The upper end of the slope's interval."""
        return float("inf") if isnan(self.slope_high) else self.slope_high

    def at(self, x: float) -> float:
        """The height of the line."""
        return self.intercept + self.slope * x


def fit_line(x: Sequence[float], y: Sequence[float], level: float = 0.95) -> LeastSquares:
    """The line of least squares through points.

    Example:
        >>> line = fit_line([0, 1, 2, 3], [1, 3, 5, 7])
        >>> line.slope, line.intercept, line.r2, line.n
        (2.0, 1.0, 1.0, 4)
    """
    import numpy as np
    from scipy.stats import t

    if len(x) != len(y):
        raise UserError(f"{len(x)} and {len(y)} numbers do not form points")
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    n = len(a)
    spread = float(((a - a.mean()) ** 2).sum()) if n else 0.0
    if n < 2 or spread == 0:
        return LeastSquares(nan, nan, nan, n)
    slope = float(((a - a.mean()) * (b - b.mean())).sum()) / spread
    intercept = float(b.mean()) - slope * float(a.mean())
    left = float(((b - intercept - slope * a) ** 2).sum())
    total = float(((b - b.mean()) ** 2).sum())
    r2 = 1 - left / total if total else nan
    if n < 3:
        return LeastSquares(slope, intercept, r2, n)
    error = left / (n - 2)
    wide = float(t.ppf(0.5 + level / 2, n - 2))
    of_slope = wide * (error / spread) ** 0.5
    of_intercept = wide * (error * (1 / n + float(a.mean()) ** 2 / spread)) ** 0.5
    return LeastSquares(
        slope, intercept, r2, n, slope - of_slope, slope + of_slope, intercept - of_intercept, intercept + of_intercept
    )


def fit_log(x: Sequence[float], y: Sequence[float], level: float = 0.95) -> LeastSquares:
    """The line of least squares over the logarithm of x to base 2: its slope is what one doubling gives."""
    if any(value <= 0 for value in x):
        raise UserError("a logarithm is of numbers above 0")
    return fit_line([log2(value) for value in x], y, level)


class HeldOut(NamedTuple):
    """How well features predict a number of tasks that the fit has not seen.

    Attributes:
        r2: One minus the squared error over that of the mean of the tasks fitted to; below 0 is worse than the mean.
        error: The mean absolute error.
        baseline: The same of the mean alone.
        n: Tasks.
        weights: What each feature adds, fitted to all tasks; numbers are in standard deviations.
        gains: By task, how much nearer the features come than the mean does.
    """

    r2: float
    error: float
    baseline: float
    n: int
    weights: dict[str, float]
    gains: tuple[float, ...] = ()


def held_out(
    features: Mapping[str, Mapping[str, float | str]],
    values: Mapping[str, float],
    *,
    folds: int = 5,
    ridge: float = 1.0,
) -> HeldOut:
    """Ridge regression of a number on features of tasks, judged on tasks left out.

    Args:
        features: By task: numbers as they are, words as one column per value.
        values: The number of each task.
        folds: Into how many parts tasks are divided, by a hash of their names.
        ridge: The penalty on weights, in units of one task.

    Raises:
        UserError: Fewer tasks than folds.
    """
    import numpy as np

    tasks = sorted(values, key=lambda task: digest("fold", task))
    if len(tasks) < folds:
        raise UserError(f"{len(tasks)} tasks cannot be divided into {folds} parts")
    columns, matrix = _matrix([features[task] for task in tasks])
    y = np.asarray([values[task] for task in tasks])
    part = np.arange(len(tasks)) % folds
    guesses, means = np.zeros(len(tasks)), np.zeros(len(tasks))
    for fold in range(folds):
        kept = part != fold
        guesses[~kept] = _ridge(matrix[kept], y[kept], matrix[~kept], ridge)[0]
        means[~kept] = y[kept].mean()
    below = float(((y - means) ** 2).sum())
    r2 = 1 - float(((y - guesses) ** 2).sum()) / below if below else nan
    weights = _ridge(matrix, y, matrix, ridge)[1]
    return HeldOut(
        r2, float(np.abs(y - guesses).mean()), float(np.abs(y - means).mean()), len(tasks),
        dict(zip(columns, weights.tolist(), strict=True)), tuple((np.abs(y - means) - np.abs(y - guesses)).tolist()),
    )  # fmt: skip


def _matrix(rows: Sequence[Mapping[str, float | str]]) -> tuple[list[str], NDArray[np.float64]]:
    import numpy as np

    columns: list[str] = []
    found: list[list[float]] = []
    for name in dict.fromkeys(name for row in rows for name in row):
        given = [row.get(name) for row in rows]
        words = sorted({value for value in given if isinstance(value, str)})
        if words:
            columns += [f"{name}={word}" for word in words]
            found += [[float(value == word) for value in given] for word in words]
        else:
            numbers = np.asarray([float(value) if isinstance(value, int | float) else nan for value in given])
            filled = np.where(np.isnan(numbers), np.nanmean(numbers), numbers)
            columns.append(name)
            found.append(((filled - filled.mean()) / (filled.std() or 1.0)).tolist())
    return columns, np.asarray(found).T.reshape(len(rows), len(columns))


def _ridge(
    x: NDArray[np.float64], y: NDArray[np.float64], asked: NDArray[np.float64], ridge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Guesses for the rows asked, and the weights of the columns."""
    import numpy as np

    middle, mean = x.mean(axis=0), y.mean()
    inner = (x - middle).T @ (x - middle) + ridge * np.eye(x.shape[1])
    weights = np.linalg.solve(inner, (x - middle).T @ (y - mean))
    return mean + (asked - middle) @ weights, weights


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


def saturation(means: Mapping[float, Estimate], margin: float = 0.01) -> float | None:
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

"""Analyses as plain functions: numbers in, estimates with intervals out. None of them runs a model.

Means over seeds; correlations; agreement of raters; lines and planes through points; what features predict.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import atanh, fsum, inf, isfinite, isnan, log2, nan, sqrt, tanh
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taskloom.core import UserError, digest
from taskloom.core.metric import Estimate
from taskloom.score.stats import smoothed_variance, student_quantile

Floats: TypeAlias = NDArray[np.float64]

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
_DRAWS = 2_000
"""Of a bootstrap."""
_FEWEST = 4
"""Pairs below which a correlation has no interval."""
_ENTRIES = 4_000_000
"""How many comparisons are held in memory at once."""


# ------------------------------------------------------------------ means


def mean_of(values: Sequence[float | None]) -> float:
    """The mean of what is there; nan of nothing."""
    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else nan


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


def centre(values: Sequence[float], floor: float = 0.0) -> tuple[float, float]:
    """The mean of some numbers, and half of its 95 % interval over them; `floor` as `half_width` has it."""
    count = len(values)
    mean = fsum(values) / count
    between = fsum((value - mean) ** 2 for value in values) / (count - 1) / count if count > 1 else 0.0
    return mean, half_width(between, floor, count)


def over_seeds(values: Sequence[float], each: int = 0, what: str = "seed") -> Estimate:
    """The mean of one number per seed, each from 0 to 1, with Student's interval; one seed alone has none.

    Args:
        values: The numbers.
        each: How many right or wrong answers are behind each of them, where they are shares: seeds that agree by
            chance then still differ by as much as the drawing of answers alone would cause.
        what: What there is one number of.

    Example:
        >>> over_seeds([0.5, 0.6, 0.7]).value
        0.6
    """
    count = len(values)
    if not count:
        raise UserError(f"a mean over no {what}s")
    mean, half = centre(values, smoothed_variance(fsum(values) / count, each) / count if each else 0.0)
    if count < 2:
        return Estimate(mean, 0.0, 1.0, count, 1, f"one {what}")
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), count, 1, f"t over {count} {what}s")


# ------------------------------------------------------------------ correlation and agreement


class Correlation(NamedTuple):
    """A coefficient with its interval over the things compared (models, say). nan where a column does not vary."""

    value: float
    low: float
    high: float
    n: int
    method: str

    @property
    def cells(self) -> tuple[float | int | None, ...]:
        """Value, interval and count as cells of a table; what does not exist is empty."""
        return None if isnan(self.value) else self.value, self.low, self.high, self.n


def pairs_of(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[list[float], list[float]]:
    """The entries that both columns have, in order."""
    if len(first) != len(second):
        raise UserError(f"columns of {len(first)} and {len(second)} entries cannot be compared")
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return [a for a, _ in both], [b for _, b in both]


def pearson(first: Sequence[float | None], second: Sequence[float | None]) -> Correlation:
    """Pearson's r with Fisher's interval.

    Example:
        >>> round(pearson([1, 2, 3, 4], [1, 2, 3, 5]).value, 4)
        0.9827
    """
    from scipy.stats import pearsonr

    x, y = pairs_of(first, second)
    n = len(x)
    if n < 2:
        return Correlation(nan, -1.0, 1.0, n, "too few or constant")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant columns, which have no correlation
        found = pearsonr(x, y)
    value = float(found.statistic)
    if isnan(value) or n < _FEWEST:
        return Correlation(value, -1.0, 1.0, n, "too few or constant")
    low, high = map(float, found.confidence_interval())
    return Correlation(value, low, high, n, "Fisher's z")


def kendall(first: Sequence[float | None], second: Sequence[float | None]) -> Correlation:
    """Kendall's tau-b, which takes ties into account, with a bootstrap interval over the pairs.

    Few pairs that agree perfectly do so in every draw, so the interval is never narrower than that of Fieller, Hartley
    and Pearson (1957), in which a perfect tau counts as one that a further pair might break.

    Example:
        >>> kendall([1, 2, 3, 4], [1, 2, 4, 3]).value
        0.6666666666666666
    """
    x, y = (np.asarray(column, dtype=float) for column in pairs_of(first, second))
    n = len(x)
    value = float(_tau(x[None, :], y[None, :])[0]) if n > 1 else nan
    if isnan(value) or n < _FEWEST:
        return Correlation(value, -1.0, 1.0, n, "too few or constant")
    drawn = np.random.Generator(np.random.PCG64(0)).integers(0, n, size=(_DRAWS, n))
    step = max(1, _ENTRIES // n**2)
    parts = [drawn[start : start + step] for start in range(0, _DRAWS, step)]
    found = np.concatenate([_tau(x[part], y[part]) for part in parts])
    # A draw of one thing alone has no order and says nothing.
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975]).tolist()
    middle = atanh(max(1 / n - 1, min(1 - 1 / n, value)))
    half = student_quantile(0.975, inf) * sqrt(0.437 / (n - 4)) if n > 4 else inf
    low, high = min(low, tanh(middle - half)), max(high, tanh(middle + half))
    return Correlation(value, low, high, n, f"bootstrap of {_DRAWS:,} draws, or Fieller's where that is wider")


def _tau(x: Floats, y: Floats) -> Floats:
    of_x, of_y = (np.sign(side[:, :, None] - side[:, None, :]) for side in (x, y))
    apart = np.sqrt((of_x != 0).sum(axis=(1, 2)) * (of_y != 0).sum(axis=(1, 2)))
    with np.errstate(invalid="ignore"):
        found: Floats = (of_x * of_y).sum(axis=(1, 2)) / apart
    return found


def krippendorff(
    units: Mapping[Any, Sequence[float | str | None]],
    level: Level = "nominal",
    *,
    order: Sequence[float | str] = (),
) -> Correlation:
    """Krippendorff's alpha: 1 for perfect agreement, 0 for what chance gives, with a bootstrap interval over units.

    Args:
        units: The ratings of each unit, in any order; None where a rater gave none.
        level: How far two ratings are apart: not at all or fully (nominal), by ranks (ordinal), by their difference.
        order: The possible ratings from low to high, where they are words and the level is not nominal.

    Returns:
        nan where no unit has two ratings, or all ratings are the same: that says nothing about agreement.

    Raises:
        UserError: A word among the ratings has no place in `order`.
    """
    given = [[rating for rating in ratings if rating is not None] for ratings in units.values()]
    paired = [ratings for ratings in given if len(ratings) > 1]
    values = _values(paired, level, order)
    place = {value: index for index, value in enumerate(values)}
    tables = np.zeros((len(paired), len(values)))
    for row, ratings in enumerate(paired):
        for rating in ratings:
            tables[row, place[rating]] += 1
    numbers = np.asarray([order.index(v) if v in order else v if level != "nominal" else 0 for v in values], float)
    value = _alpha(tables, level, numbers)
    if isnan(value):
        return Correlation(value, -1.0, 1.0, len(paired), "nothing to compare")
    draws = np.random.Generator(np.random.PCG64(0)).integers(0, len(paired), size=(_DRAWS, len(paired)))
    found = np.asarray([_alpha(tables[draw], level, numbers) for draw in draws])
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975]).tolist()
    return Correlation(value, low, high, len(paired), f"bootstrap of {_DRAWS:,} draws over units")


def _values(paired: Sequence[Sequence[float | str]], level: Level, order: Sequence[float | str]) -> list[float | str]:
    found = list(dict.fromkeys(rating for ratings in paired for rating in ratings))
    if level == "nominal":
        return sorted(found, key=str)
    for rating in found:
        if rating not in order and not isinstance(rating, int | float):
            raise UserError(f"{rating!r} is not in the order of ratings", where="krippendorff")
    return sorted(found, key=lambda rating: order.index(rating) if rating in order else float(rating))


def _alpha(tables: Floats, level: Level, numbers: Floats) -> float:
    """One minus observed over expected disagreement, from how often each value was given to each unit."""
    if not len(tables):
        return nan
    sizes, totals = tables.sum(axis=1), tables.sum(axis=0)
    # Coincidences: each unit adds its pairs of ratings, weighed so that every rating counts once.
    pairs = np.einsum("ui,uj,u->ij", tables, tables, 1 / (sizes - 1))
    pairs -= np.diag((tables / (sizes - 1)[:, None]).sum(axis=0))
    if level == "ordinal":
        # Ranks follow from how often values were given: the middle of the places they take.
        numbers = np.cumsum(totals) - totals / 2
    apart = 1.0 - np.eye(len(totals)) if level == "nominal" else (numbers[:, None] - numbers[None, :]) ** 2
    expected = float((np.outer(totals, totals) * apart).sum()) / (totals.sum() - 1)
    return nan if expected == 0 else 1 - float((pairs * apart).sum()) / expected


# ------------------------------------------------------------------ lines and planes


class LeastSquares(NamedTuple):
    """A least-squares line with Student's interval of its slope; nan, or without bounds, where it is not determined."""

    slope: float
    intercept: float
    r2: float
    n: int
    low: float = -inf
    high: float = inf

    @property
    def value(self) -> float:
        """The slope, so that a line can be checked like any estimate."""
        return self.slope

    def cells(self, *names: str) -> tuple[float | int | None, ...]:
        """Some of its numbers and the count of points as cells of a table; what is not determined is empty."""
        numbers = (getattr(self, name) for name in names)
        return (*(number if isfinite(number) else None for number in numbers), self.n)


def fit_line(x: Sequence[float], y: Sequence[float]) -> LeastSquares:
    """The line of least squares through points.

    Example:
        >>> line = fit_line([0, 1, 2, 3], [1, 3, 5, 7])
        >>> line.slope, line.intercept, line.r2, line.n
        (2.0, 1.0, 1.0, 4)
    """
    from scipy.stats import linregress

    if len(x) != len(y):
        raise UserError(f"{len(x)} and {len(y)} numbers do not form points")
    n = len(x)
    if len(set(x)) < 2:
        return LeastSquares(nan, nan, nan, n)
    found = linregress(x, y)
    r2 = float(found.rvalue) ** 2 if len(set(y)) > 1 else nan
    half = student_quantile(0.975, n - 2) * float(found.stderr) if n > 2 else inf
    slope = float(found.slope)
    return LeastSquares(slope, float(found.intercept), r2, n, slope - half, slope + half)


def fit_log(x: Sequence[float], y: Sequence[float]) -> LeastSquares:
    """The line of least squares over the logarithm of x to base 2: its slope is what one doubling gives."""
    if any(value <= 0 for value in x):
        raise UserError("a logarithm is of numbers above 0")
    return fit_line([log2(value) for value in x], y)


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


def saturation(means: Mapping[float, Estimate]) -> float | None:
    """The smallest amount from which nothing larger is known to be better by more than 0.01.

    A larger amount is known to be better where its interval lies wholly above the other's mean plus that margin. None
    where even the second largest is beaten, so that no end of growth is in sight.

    Example:
        >>> from taskloom.core.metric import Estimate
        >>> grows = {8: 0.30, 16: 0.38, 32: 0.42, 64: 0.449, 128: 0.45}
        >>> saturation({x: Estimate(y, y - 0.005, y + 0.005, 9) for x, y in grows.items()})
        64
    """
    amounts = sorted(means)
    for place, amount in enumerate(amounts[:-1]):
        if not any(means[larger].low > means[amount].value + 0.01 for larger in amounts[place + 1 :]):
            return amount
    return None


# ------------------------------------------------------------------ prediction


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


_FOLDS = 5
"""Into how many parts tasks are divided, by a hash of their names."""
_RIDGE = 1.0
"""The penalty on weights, in units of one task."""


def held_out(
    features: Mapping[str, Mapping[str, float | str]],
    values: Mapping[str, float],
) -> HeldOut:
    """Ridge regression of a number on features of tasks, judged on tasks left out.

    Args:
        features: By task: numbers as they are, words as one column per value.
        values: The number of each task.

    Raises:
        UserError: Fewer tasks than folds.
    """
    tasks = sorted(values, key=lambda task: digest("fold", task))
    if len(tasks) < _FOLDS:
        raise UserError(f"{len(tasks)} tasks cannot be divided into {_FOLDS} parts")
    columns, matrix = _matrix([features[task] for task in tasks])
    y = np.asarray([values[task] for task in tasks])
    part = np.arange(len(tasks)) % _FOLDS
    guesses, means = np.zeros(len(tasks)), np.zeros(len(tasks))
    for fold in range(_FOLDS):
        kept = part != fold
        guesses[~kept] = _ridge(matrix[kept], y[kept], matrix[~kept])[0]
        means[~kept] = y[kept].mean()
    below = float(((y - means) ** 2).sum())
    r2 = 1 - float(((y - guesses) ** 2).sum()) / below if below else nan
    weights = _ridge(matrix, y, matrix)[1]
    return HeldOut(
        r2, float(np.abs(y - guesses).mean()), float(np.abs(y - means).mean()), len(tasks),
        dict(zip(columns, weights.tolist(), strict=True)), tuple((np.abs(y - means) - np.abs(y - guesses)).tolist()),
    )  # fmt: skip


def _matrix(rows: Sequence[Mapping[str, float | str]]) -> tuple[list[str], Floats]:
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


def _ridge(x: Floats, y: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Guesses for the rows asked, and the weights of the columns."""
    middle, mean = x.mean(axis=0), y.mean()
    inner = (x - middle).T @ (x - middle) + _RIDGE * np.eye(x.shape[1])
    weights = np.linalg.solve(inner, (x - middle).T @ (y - mean))
    return mean + (asked - middle) @ weights, weights

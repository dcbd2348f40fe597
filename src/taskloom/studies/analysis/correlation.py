"""Whether two columns of numbers agree: Pearson's r and Kendall's tau-b, each with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, isnan, sqrt, tanh
from typing import TYPE_CHECKING, NamedTuple

from taskloom.core import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DRAWS = 2_000
_FEWEST = 4
_ENTRIES = 4_000_000
"""How many comparisons are held in memory at once."""
_Z = 1.959963984540054


class Correlation(NamedTuple):
    """A coefficient with its interval over the things compared (models, say). nan where a column does not vary."""

    value: float
    low: float
    high: float
    n: int
    method: str


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
    x, y = pairs_of(first, second)
    value, n = _r(x, y), len(x)
    if isnan(value) or n < _FEWEST:
        return Correlation(value, -1.0, 1.0, n, "too few or constant")
    if abs(value) >= 1:
        return Correlation(value, value, value, n, "Fisher's z")
    centre, half = atanh(value), _Z / sqrt(n - 3)
    return Correlation(value, tanh(centre - half), tanh(centre + half), n, "Fisher's z")


def kendall(first: Sequence[float | None], second: Sequence[float | None], *, seed: int = 0) -> Correlation:
    """Kendall's tau-b, which takes ties into account, with a bootstrap interval over the pairs.

    Example:
        >>> kendall([1, 2, 3, 4], [1, 2, 4, 3]).value
        0.6666666666666666
    """
    import numpy as np

    x, y = (np.asarray(column, dtype=float) for column in pairs_of(first, second))
    n = len(x)
    value = float(_tau(x[None, :], y[None, :])[0]) if n > 1 else float("nan")
    if isnan(value) or n < _FEWEST:
        return Correlation(value, -1.0, 1.0, n, "too few or constant")
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, n, size=(_DRAWS, n))
    step = max(1, _ENTRIES // n**2)
    parts = [drawn[start : start + step] for start in range(0, _DRAWS, step)]
    found = np.concatenate([_tau(x[part], y[part]) for part in parts])
    # A draw of one thing alone has no order and says nothing.
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975]).tolist()
    return Correlation(value, low, high, n, f"bootstrap of {_DRAWS:,} draws")


def _tau(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    of_x, of_y = (np.sign(side[:, :, None] - side[:, None, :]) for side in (x, y))
    apart = np.sqrt((of_x != 0).sum(axis=(1, 2)) * (of_y != 0).sum(axis=(1, 2)))
    with np.errstate(invalid="ignore"):
        found: NDArray[np.float64] = (of_x * of_y).sum(axis=(1, 2)) / apart
    return found


def _r(x: Sequence[float] | NDArray[np.float64], y: Sequence[float] | NDArray[np.float64]) -> float:
    import numpy as np

    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(a) < 2:
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    below = float(np.sqrt((a @ a) * (b @ b)))
    return float("nan") if below == 0 else min(1.0, max(-1.0, float(a @ b) / below))

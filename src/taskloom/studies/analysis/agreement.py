"""Agreement of raters: Krippendorff's alpha for any number of raters, with gaps, at three levels of measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from taskloom.core import UserError
from taskloom.studies.analysis.correlation import Correlation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
_DRAWS = 2_000


def krippendorff(
    units: Mapping[Any, Sequence[float | str | None]],
    level: Level = "nominal",
    *,
    order: Sequence[float | str] = (),
    seed: int = 0,
) -> Correlation:
    """Krippendorff's alpha: 1 for perfect agreement, 0 for what chance gives, with a bootstrap interval over units.

    Args:
        units: The ratings of each unit, in any order; None where a rater gave none.
        level: How far two ratings are apart: not at all or fully (nominal), by ranks (ordinal), by their difference.
        order: The possible ratings from low to high, where they are words and the level is not nominal.
        seed: Of the bootstrap.

    Returns:
        nan where no unit has two ratings, or all ratings are the same: that says nothing about agreement.

    Raises:
        UserError: A word among the ratings has no place in `order`.
    """
    import numpy as np

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
    draws = np.random.Generator(np.random.PCG64(seed)).integers(0, len(paired), size=(_DRAWS, len(paired)))
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


def _alpha(tables: NDArray[np.float64], level: Level, numbers: NDArray[np.float64]) -> float:
    """One minus observed over expected disagreement, from how often each value was given to each unit."""
    import numpy as np

    if not len(tables):
        return float("nan")
    sizes = tables.sum(axis=1)
    totals = tables.sum(axis=0)
    # Coincidences: each unit adds its pairs of ratings, weighed so that every rating counts once.
    pairs = np.einsum("ui,uj,u->ij", tables, tables, 1 / (sizes - 1))
    pairs -= np.diag((tables / (sizes - 1)[:, None]).sum(axis=0))
    apart = _distances(totals, level, numbers)
    n = totals.sum()
    expected = float((np.outer(totals, totals) * apart).sum()) / (n - 1)
    return float("nan") if expected == 0 else 1 - float((pairs * apart).sum()) / expected


def _distances(totals: NDArray[np.float64], level: Level, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    if level == "nominal":
        nominal: NDArray[np.float64] = 1.0 - np.eye(len(totals))
        return nominal
    if level == "ordinal":
        # Ranks follow from how often values were given: the middle of the places they take.
        numbers = np.cumsum(totals) - totals / 2
    distances: NDArray[np.float64] = (numbers[:, None] - numbers[None, :]) ** 2
    return distances

"""Honest numbers: every figure comes with an interval that has width and stays inside [0, 1].

The unit of generalisation is the task (or the seed), not the instance, so means over several tasks
are resampled hierarchically: tasks first, then seeds, then instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Comparison",
    "Estimate",
    "compare_paired",
    "hierarchical_mean",
    "mean_estimate",
    "minimum_detectable_effect",
    "wilson",
]

DRAWS = 2_000
_CHUNK_CELLS = 4_000_000


class Estimate(NamedTuple):
    """A number with its interval and denominator. `n` counts instances, `tasks` the tasks behind them."""

    value: float
    low: float
    high: float
    n: int
    tasks: int = 1
    method: str = "wilson"

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.n:,}"


class Comparison(NamedTuple):
    """Run B against run A on the instances both scored. `difference` is B minus A."""

    difference: float
    low: float
    high: float
    p_value: float
    n: int
    better: int
    worse: int


def wilson(successes: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion.

    `successes` may be fractional: scores in [0, 1] vary at most as much as right-or-wrong ones with the
    same mean, so the interval is then conservative rather than wrong.

    Example:
        >>> low, high = wilson(0, 10)
        >>> low, round(high, 4)
        (0.0, 0.2775)
    """
    if n <= 0:
        return 0.0, 1.0
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, square = successes / n, z * z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * (share * (1 - share) / n + square / (4 * n * n)) ** 0.5
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def mean_estimate(values: Sequence[float], level: float = 0.95) -> Estimate:
    """The mean of scores of one task, with Wilson's interval. An empty task is nan in [0, 1]."""
    n = len(values)
    if n == 0:
        return Estimate(float("nan"), 0.0, 1.0, 0)
    total = min(max(float(sum(values)), 0.0), float(n))
    low, high = wilson(total, n, level)
    return Estimate(total / n, low, high, n)


def hierarchical_mean(
    cells: Mapping[tuple[str, str], Sequence[float]], level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Estimate:
    """The mean over tasks of the mean over seeds of the mean over instances, by hierarchical bootstrap.

    Args:
        cells: Scores by (task, seed). Use "" as the seed where there is one only.
        level: The share of the interval.
        draws: How many times to resample.
        seed: Makes the interval reproducible.

    The interval is never narrower than Wilson's for as many instances: a bootstrap of equal scores has no
    width, which is an artefact and not certainty.
    """
    import numpy as np

    filled = {key: np.asarray(values, dtype=float) for key, values in cells.items() if len(values)}
    n = int(sum(len(values) for values in filled.values()))
    tasks = sorted({task for task, _ in filled})
    if not tasks:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    if len(filled) == 1:
        return mean_estimate(next(iter(filled.values())).tolist(), level)
    rng = np.random.default_rng(seed)
    by_task = {task: [filled[key] for key in sorted(filled) if key[0] == task] for task in tasks}
    value = float(np.mean([np.mean([cell.mean() for cell in by_task[task]]) for task in tasks]))
    resampled = np.stack([_resample_task(by_task[task], draws, rng) for task in tasks])
    if len(tasks) > 1:
        picks = rng.integers(len(tasks), size=(draws, len(tasks)))
        means = resampled[picks, np.arange(draws)[:, None]].mean(axis=1)
    else:
        means = resampled[0]
    tail = (1 - level) / 2
    low, high = (float(bound) for bound in np.quantile(means, [tail, 1 - tail]))
    floor, ceiling = wilson(value * n, n, level)
    return Estimate(
        value, max(0.0, min(low, floor)), min(1.0, max(high, ceiling)), n, len(tasks), "hierarchical bootstrap"
    )


def _resample_task(cells: list[NDArray[np.float64]], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """`draws` resampled means of one task: seeds first (where there are several), then instances."""
    import numpy as np

    if len(cells) == 1:
        return _resample_cell(cells[0], draws, rng)
    means = np.stack([_resample_cell(cell, draws, rng) for cell in cells])
    picks = rng.integers(len(cells), size=(draws, len(cells)))
    resampled: NDArray[np.float64] = means[picks, np.arange(draws)[:, None]].mean(axis=1)
    return resampled


def _resample_cell(values: NDArray[np.float64], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Means of resampled instances. Few distinct scores (right or wrong) are drawn as counts, which is exact."""
    import numpy as np

    n = len(values)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= 32:
        drawn: NDArray[np.float64] = rng.multinomial(n, counts / n, size=draws) @ distinct / n
        return drawn
    step = max(1, _CHUNK_CELLS // n)
    parts = [values[rng.integers(n, size=(min(step, draws - at), n))].mean(axis=1) for at in range(0, draws, step)]
    joined: NDArray[np.float64] = np.concatenate(parts)
    return joined


def compare_paired(
    first: Mapping[tuple[str, str], float],
    second: Mapping[tuple[str, str], float],
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Compare two runs on the instances both scored, keyed by (task, instance id).

    The interval of the difference comes from a bootstrap over tasks and, within them, instances; the p-value
    from a sign-flip test over instances (McNemar's exact test where every difference is -1, 0 or 1).
    """
    import numpy as np

    shared = sorted(first.keys() & second.keys())
    if not shared:
        return Comparison(float("nan"), -1.0, 1.0, 1.0, 0, 0, 0)
    deltas = np.asarray([second[key] - first[key] for key in shared])
    better, worse = int((deltas > 0).sum()), int((deltas < 0).sum())
    rng = np.random.default_rng(seed)
    by_task: dict[str, list[float]] = {}
    for (task, _), delta in zip(shared, deltas, strict=True):
        by_task.setdefault(task, []).append(float(delta))
    groups = [np.asarray(values) for values in by_task.values()]
    sizes = np.asarray([len(group) for group in groups], dtype=float)
    resampled = np.stack([_resample_cell(group, draws, rng) for group in groups])
    if len(groups) > 1:
        picks = rng.integers(len(groups), size=(draws, len(groups)))
        weights = sizes[picks]
        means = (resampled[picks, np.arange(draws)[:, None]] * weights).sum(axis=1) / weights.sum(axis=1)
    else:
        means = resampled[0]
    tail = (1 - level) / 2
    low, high = (float(bound) for bound in np.quantile(means, [tail, 1 - tail]))
    # Runs that agree everywhere may still differ on unseen instances: one change in n + z^2 is the resolution.
    slack = 1.0 / (len(shared) + NormalDist().inv_cdf(0.5 + level / 2) ** 2)
    centre = float(deltas.mean())
    p_value = _sign_flip_p(deltas, better, worse, rng, draws)
    return Comparison(
        centre, max(-1.0, min(low, centre - slack)), min(1.0, max(high, centre + slack)),
        p_value, len(shared), better, worse,
    )  # fmt: skip


def _sign_flip_p(deltas: NDArray[np.float64], better: int, worse: int, rng: np.random.Generator, draws: int) -> float:
    import numpy as np

    moved = deltas[deltas != 0]
    if len(moved) == 0:
        return 1.0
    if np.all(np.abs(moved) == 1):
        from scipy.stats import binomtest

        return float(binomtest(better, better + worse, 0.5).pvalue)
    observed = abs(moved.sum())
    step = max(1, _CHUNK_CELLS // len(moved))
    hits = 0
    for at in range(0, draws, step):
        signs = rng.choice([-1.0, 1.0], size=(min(step, draws - at), len(moved)))
        hits += int((np.abs(signs @ moved) >= observed - 1e-12).sum())
    return (hits + 1) / (draws + 1)


def minimum_detectable_effect(
    n: int, *, deviation: float = 0.5, level: float = 0.95, power: float = 0.8, paired: bool = True
) -> float:
    """The smallest difference of means that `n` instances per run can show.

    Args:
        n: Instances per run.
        deviation: Standard deviation of the paired differences, or of one run's scores where unpaired
            (0.5 is the worst case for right-or-wrong scores).
        level: Confidence of the two-sided test.
        power: The chance to detect a difference of that size.
        paired: Whether both runs answer the same instances.
    """
    if n <= 0:
        return 1.0
    normal = NormalDist()
    reach = normal.inv_cdf(0.5 + level / 2) + normal.inv_cdf(power)
    return float(min(1.0, reach * deviation * ((1 if paired else 2) / n) ** 0.5))

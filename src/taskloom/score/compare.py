"""Comparing runs on what both were asked: one estimand for the difference, its interval, its test and its power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from taskloom.core.metric import Estimate
from taskloom.score.stats import Weigh, spread_of, student_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Comparison",
    "Fall",
    "compare_apart",
    "compare_cells",
    "compare_paired",
    "detectable_difference",
    "holm",
    "holm_sentence",
]

_FLIPS = 4_000
_CHUNK = 4_000_000


class Comparison(NamedTuple):
    """Run B against run A on the instances both scored. `difference` is B minus A.

    Attributes:
        difference: Of the means, weighed as `weigh` says.
        low: The lower end of its interval.
        high: The upper end.
        p_value: Two-sided. Below 1 - level exactly where the interval leaves out zero.
        n: Shared instances.
        better: Instances on which B scores more.
        worse: Instances on which A does.
        tasks: Shared tasks.
        weigh: The estimand.
        detectable: The true difference that such a comparison finds with 80 % power, given how much these
            two runs disagree; nan where that cannot be known.
        unpaired: Answers of run B to questions that run A was not asked; they are left out.
    """

    difference: float
    low: float
    high: float
    p_value: float
    n: int
    better: int
    worse: int
    tasks: int = 0
    weigh: Weigh = "tasks"
    detectable: float = float("nan")
    unpaired: int = 0


class Fall(NamedTuple):
    """How far one mean lies below another that rests on other instances, with its interval."""

    value: float
    low: float
    high: float

    @property
    def told(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def compare_apart(first: Estimate, second: Estimate, looks: int = 1) -> Fall:
    """The fall from one mean to another that shares no instances with it: from suite to suite, from value to value.

    Args:
        first: The mean from which it falls, with its 95 % interval.
        second: The mean to which it falls, with its own.
        looks: How many such differences were looked at to find this one; the interval widens accordingly (Bonferroni).

    The interval is Newcombe's (1998, method 10; Zou and Donner 2008 for other means): the distances from each mean to
    the end of its interval that faces the other are taken together. It keeps to [-1, 1] and needs no normal scores.

    Example:
        >>> print(compare_apart(Estimate(0.9, 0.85, 0.94, 200), Estimate(0.5, 0.4, 0.6, 100)))
        0.40 [0.29, 0.51]
    """
    wider = NormalDist().inv_cdf(1 - 0.025 / max(looks, 1)) / NormalDist().inv_cdf(0.975)
    value = first.value - second.value
    down = ((first.value - first.low) ** 2 + (second.high - second.value) ** 2) ** 0.5
    up = ((first.high - first.value) ** 2 + (second.value - second.low) ** 2) ** 0.5
    return Fall(value, max(-1.0, value - wider * down), min(1.0, value + wider * up))


def compare_paired(
    first: Mapping[tuple[str, ...], float],
    second: Mapping[tuple[str, ...], float],
    level: float = 0.95,
    weigh: Weigh = "tasks",
) -> Comparison:
    """Compare two runs on the instances both scored.

    Args:
        first: Scores by (task, instance) or, for several seeds, (task, instance, seed).
        second: The same of the other run.
        level: The share of the interval.
        weigh: The estimand: every task counts once, or every instance.

    Of several tasks (or seeds) the test is Student's on their differences: it asks about unseen tasks. Runs on
    one task are compared over its instances (McNemar's exact test for right-or-wrong scores, else sign flips).
    """
    import numpy as np

    cells: dict[tuple[str, str], list[float]] = {}
    for key in sorted(first.keys() & second.keys()):
        cells.setdefault((key[0], key[2] if len(key) > 2 else ""), []).append(second[key] - first[key])
    return compare_cells({key: np.asarray(deltas) for key, deltas in cells.items()}, level, weigh)


def compare_cells(
    cells: Mapping[tuple[str, str], NDArray[np.float64]], level: float = 0.95, weigh: Weigh = "tasks"
) -> Comparison:
    """The comparison behind `compare_paired`, from differences by (task, seed), in the order of the instances."""
    import numpy as np

    if not cells:
        return Comparison(float("nan"), -1.0, 1.0, 1.0, 0, 0, 0, 0, weigh)
    deltas = np.concatenate(list(cells.values()))
    counts = len(deltas), int((deltas > 0).sum()), int((deltas < 0).sum())
    tasks = len({task for task, _ in cells})
    if len(cells) == 1:
        return Comparison(*_over_instances(deltas, counts, level), *counts, 1, weigh, _detectable_instances(deltas))
    means = {key: float(np.mean(values)) for key, values in cells.items()}
    within = {key: _smoothed(values) for key, values in cells.items()}
    spread = spread_of(means, {key: len(values) for key, values in cells.items()}, within, weigh)
    error = spread.variance**0.5
    reach = error * student_quantile(0.5 + level / 2, spread.freedom)
    return Comparison(
        spread.mean, max(-1.0, spread.mean - reach), min(1.0, spread.mean + reach),
        _student_p(spread.mean / error, spread.freedom), *counts, tasks, weigh,
        detectable_difference(error, spread.freedom, level=level),
    )  # fmt: skip


def _smoothed(deltas: NDArray[np.float64]) -> float:
    """The variance of a mean difference that instances alone would cause, never nothing."""
    moved, n = int((deltas != 0).sum()), len(deltas)
    return (moved + 1) / (n + 2) / n


def _student_p(ratio: float, freedom: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(ratio)))


def _over_instances(
    deltas: NDArray[np.float64], counts: tuple[int, int, int], level: float
) -> tuple[float, float, float, float]:
    """Difference, interval and p-value over the instances of one task.

    The interval is Bonett and Price's (2012): one agreement and one disagreement of each kind are added.
    """
    import numpy as np

    n, better, worse = counts
    p_value = _sign_flip_p(deltas, better, worse)
    centre = float(deltas.sum()) / (n + 2)
    squares = (float((deltas**2).sum()) + 2) / (n + 2)
    error = float(np.sqrt((squares - centre**2) / (n + 2)))
    reach = error * NormalDist().inv_cdf(0.5 + level / 2)
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    difference = float(deltas.mean())
    # The exact test is the more careful of the two; an interval must not say more than its test.
    if p_value > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    return difference, min(low, difference), max(high, difference), p_value


def _sign_flip_p(deltas: NDArray[np.float64], better: int, worse: int) -> float:
    import numpy as np

    moved = deltas[deltas != 0]
    if len(moved) == 0:
        return 1.0
    if np.all(np.abs(moved) == 1):
        return _binomial_p(better, worse)
    rng = np.random.default_rng(0)
    observed = abs(moved.sum())
    step = max(1, _CHUNK // len(moved))
    hits = 0
    for at in range(0, _FLIPS, step):
        signs = rng.choice([-1.0, 1.0], size=(min(step, _FLIPS - at), len(moved)))
        hits += int((np.abs(signs @ moved) >= observed - 1e-12).sum())
    return (hits + 1) / (_FLIPS + 1)


def _binomial_p(better: int, worse: int) -> float:
    """The exact two-sided test that improvements are as likely as the opposite (McNemar's)."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(better, worse), better + worse, 0.5)))


def _detectable_instances(deltas: NDArray[np.float64]) -> float:
    n = len(deltas)
    squares = (float((deltas**2).sum()) + 1) / (n + 2)
    return detectable_difference((squares / n) ** 0.5, max(1.0, n - 1.0))


def detectable_difference(error: float, freedom: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """The true difference that a like comparison would find with a given power.

    Args:
        error: The standard error of the difference, estimated from how much two runs disagree.
        freedom: The degrees of freedom behind it.
        level: One minus the level of the two-sided test.
        power: The chance to find such a difference.

    The error is itself an estimate, so the chance is averaged over what the true error may be; with few tasks
    that takes a larger difference than a formula for a known error says. 1.0 is the largest there is.
    """
    return min(1.0, error * _reach(round(min(freedom, 200.0), 1), level, power))


@lru_cache(maxsize=256)
def _reach(freedom: float, level: float, power: float) -> float:
    """How many standard errors, as estimated, a true difference must measure to be found with a given power."""
    import numpy as np
    from scipy.special import gammaincinv, nctdtr

    # An error seen as 1 is 1 / sqrt(chi2 / freedom) in truth.
    ratios = np.sqrt(2 * gammaincinv(freedom / 2, (np.arange(100) + 0.5) / 100) / freedom)
    critical = student_quantile(0.5 + level / 2, freedom)
    low, high = 0.0, 100.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        found = 1 - float(np.nanmean(nctdtr(freedom, middle * ratios, critical)))
        low, high = (middle, high) if found < power else (low, middle)
    return (low + high) / 2


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: those below 0.05 hold together, with a chance of 5 % that any of them is wrong.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    adjusted: dict[int, float] = {}
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return [adjusted[index] for index in range(len(p_values))]


def holm_sentence(pairs: Sequence[tuple[str, str, Comparison]], level: float = 0.95, most: int = 6) -> str:
    """One sentence about which of several differences hold when all are looked at together.

    Args:
        pairs: The names of two runs and how the second compares with the first.
        level: One minus the chance that any of those named is wrong.
        most: How many to name.
    """
    usable = [pair for pair in pairs if pair[2].n]
    if not usable:
        return "No two runs share instances, so none can be compared."
    adjusted = holm([outcome.p_value for _, _, outcome in usable])
    held = [
        (value, f"{second} over {first}" if outcome.difference > 0 else f"{first} over {second}")
        for value, (first, second, outcome) in zip(adjusted, usable, strict=True)
        if value < 1 - level
    ]
    total = "the one difference" if len(usable) == 1 else f"the {len(usable)} differences"
    if not held:
        return f"None of {total} survives Holm's correction at {1 - level:.0%}." if len(usable) > 1 else (
            f"The one difference does not reach significance at {1 - level:.0%}."
        )  # fmt: skip
    named = "; ".join(text for _, text in sorted(held)[:most]) + ("; …" if len(held) > most else "")
    if len(usable) == 1:
        return f"The difference is significant at {1 - level:.0%}: {named}."
    return f"{len(held)} of {total} survive Holm's correction at {1 - level:.0%}: {named}."

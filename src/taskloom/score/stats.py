"""Honest numbers: one estimand, and intervals that contain the truth as often as they say.

The unit of generalisation is the task, not the instance: another suite would have other tasks. So the mean of
a suite weighs every task once (`weigh="tasks"`, the default everywhere) and its interval comes from how much
tasks differ, with Student's quantiles for few of them. Seeds of the data, of drawn examples and of training
are random effects crossed with tasks: the same seed serves every task, so what it does to them is shared.

Differences between runs (`compare_paired`) use the same weights, variances and quantiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import fsum
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from taskloom.core.metric import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from taskloom.core.metric import Values

DRAWS = 2_000  # of the bootstraps that families use for metrics of their own

Weigh: TypeAlias = Literal["tasks", "instances"]
"""The estimand: the mean over tasks, each counted once, or the mean over instances."""


class Doubt(NamedTuple):
    """How far estimates of variance are doubted, found on simulated scores: `python -m benchmarks.coverage`."""

    floor: float = 0.2
    """Tasks may agree by chance: their spread is taken to be at least this share of what instances alone would cause.
    A larger share makes intervals of like tasks too wide, a smaller one those of two or three tasks too narrow."""
    odd_tasks: float = 2.0
    """Tasks differ less evenly than seeds do, so that their variance is known worse than its degrees of freedom say.
    Less makes intervals of three tasks and many seeds too narrow, more those of many tasks and three seeds."""
    few_seeds: float = 2.0
    """Two seeds that happen to agree look as if seeds did not matter. How many times more than its degrees of freedom
    say the variance of two seeds is doubted; three are doubted by an eighth of that, more hardly at all."""
    least: float = 0.05
    """What is left at least of a variance whose part in common with others is taken out, when degrees of freedom are
    counted: an estimate of nothing is no proof of nothing."""
    enough_tasks: int = 50
    """From so many tasks on, intervals cover as often as they say, whatever kinds of tasks there are."""
    most_uneven: float = 4.0
    """The largest kurtosis of tasks that is reckoned with. Less makes intervals of ten low scores too narrow, more
    those of a few tasks close to 1 useless."""
    nothing: float = 1e-24  # variances below this are rounding


DOUBT = Doubt()
MOST_EXACT = 3_000
"""More clusters than this have so many degrees of freedom that their number need not be exact."""


def estimand(weigh: Weigh = "tasks", metric: str = "mean") -> str:
    """What a number is, in the words that stand under every table of scores.

    Example:
        >>> estimand("instances", "ROUGE-L")
        'ROUGE-L, every instance counts once'
    """
    return f"{metric}, every {weigh.removesuffix('s')} counts once"


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
    low, high = _score_interval(successes / n, n, z)
    return (0.0 if successes == 0 else max(0.0, low)), (1.0 if successes == n else min(1.0, high))


def _score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * (share * (1 - share) / n + square / (4 * n * n)) ** 0.5
    return centre - half, centre + half


def mean_estimate(values: Values, level: float = 0.95) -> Estimate:
    """The mean of scores of one task, with Wilson's interval. An empty task is nan in [0, 1]."""
    n = len(values)
    if n == 0:
        return Estimate(float("nan"), 0.0, 1.0, 0)
    total = min(max(fsum(values), 0.0), float(n))
    low, high = wilson(total, n, level)
    return Estimate(total / n, low, high, n)


class Spread(NamedTuple):
    """How far a weighted mean may be from the truth: its variance and the degrees of freedom behind it."""

    mean: float
    variance: float
    freedom: float


def seed_label(**levels: object) -> str:
    """The label of a replicate for `Scored.seed`: `seed_label(data=0, run=3)` is "data=0;run=3"."""
    return ";".join(f"{factor}={level}" for factor, level in levels.items())


def clustered_mean(cells: Mapping[tuple[str, str], Values], level: float = 0.95, weigh: Weigh = "tasks") -> Estimate:
    """The mean over tasks (or instances) with an interval for unseen tasks and seeds.

    Args:
        cells: Scores by (task, seed). The seed is "" where there is one only, else a `seed_label`.
        level: The share of the interval.
        weigh: The estimand.

    The interval is Wilson's, with the number of instances that a simple sample of the same variance would have
    and Student's quantile, so it stays inside [0, 1] and leans away from its ends. One task alone is a sample
    of instances and has Wilson's own.
    """
    import numpy as np

    filled = {key: np.asarray(values, dtype=float) for key, values in cells.items() if len(values)}
    n = sum(len(values) for values in filled.values())
    tasks = len({task for task, _ in filled})
    if not filled:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    alone = all(len(values) == 1 for values in filled.values()) and len(filled) == tasks
    everything = np.concatenate(list(filled.values())) if alone else next(iter(filled.values()))
    if len(filled) == 1 or (alone and np.isin(everything, (0.0, 1.0)).all()):
        # One task is a sample of instances; tasks that are right or wrong as a whole are a sample of tasks.
        return mean_estimate(everything, level)._replace(tasks=tasks)
    means = {key: float(values.mean()) for key, values in filled.items()}
    counts = {key: len(values) for key, values in filled.items()}
    within = {key: smoothed_variance(means[key], counts[key]) for key in filled}
    spread = spread_of(means, counts, within, weigh)
    value = min(max(spread.mean, 0.0), 1.0)
    spread = spread._replace(freedom=_uneven(filled, spread, n, tasks))
    low, high = _interval(value, spread, n, level)
    return Estimate(value, low, high, n, tasks, f"{weigh} weighed, t with {spread.freedom:.1f} degrees of freedom")


def few_tasks(estimates: Iterable[Estimate]) -> str:
    """A warning about intervals over few tasks, which know nothing of kinds that are missing; "" for enough, or one.

    Example:
        >>> few_tasks([Estimate(0.5, 0.3, 0.7, 50, 5)])
        'of 5 tasks: a kind that makes up less than 45 % of all may be missing, and the interval be too narrow'
    """
    few = [one for one in estimates if 1 < one.tasks < DOUBT.enough_tasks and one.value == one.value]
    if not few:
        return ""
    least = min(one.tasks for one in few)
    share = f"{100 * (1 - 0.05 ** (1 / least)):.0f} %"
    close = "; close to 0 or 1 it often is" if any(min(one.value, 1 - one.value) < 0.1 for one in few) else ""
    missing = f"a kind that makes up less than {share} of all may be missing"
    return f"of {least} tasks: {missing}, and the interval be too narrow{close}"


def smoothed_variance(mean: float, n: int) -> float:
    """The variance of a mean of n scores in [0, 1], at most; never nothing, however alike they are."""
    share = (mean * n + 1) / (n + 2)
    return share * (1 - share) / n


def _uneven(cells: Mapping[tuple[str, str], NDArray[np.float64]], spread: Spread, n: int, tasks: int) -> float:
    """The degrees of freedom, fewer where the mean is close to 0 or 1 and tasks differ by more than their instances.

    There most tasks are alike and a few far off, so that their variance is known worse than that of normal numbers: by
    the kurtosis, which is taken from the beta distribution of the same mean and variance.
    """
    instances = fsum(float(values.var()) / len(values) for values in cells.values()) / len(cells) ** 2
    means = [float(values.mean()) for values in cells.values()]
    if (max(means) - min(means)) ** 2 < DOUBT.nothing or instances >= spread.variance:
        return spread.freedom
    share = (spread.mean * n + 1) / (n + 2)
    single = share * (1 - share)
    total = max(single / (spread.variance * tasks) - 1, 1e-3)
    kurtosis = 6 * ((1 - 4 * single) * (total + 1) / single / (total + 2) - 1) / (total + 3)
    doubt = (1 - instances / spread.variance) * min(max(kurtosis, 0.0), DOUBT.most_uneven)
    return max(1.0, 2 / (2 / spread.freedom + doubt / tasks))


def _interval(value: float, spread: Spread, n: int, level: float) -> tuple[float, float]:
    share = (value * n + 1) / (n + 2)
    effective = share * (1 - share) / spread.variance
    low, high = _score_interval(value, effective, student_quantile(0.5 + level / 2, spread.freedom))
    return (0.0 if value == 0 else max(0.0, low)), (1.0 if value == 1 else min(1.0, high))


def student_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's distribution."""
    from scipy.special import stdtrit  # scipy.stats is the same function behind an import of a second

    return float(stdtrit(freedom, share))


def spread_of(
    means: Mapping[tuple[str, str], float],
    counts: Mapping[tuple[str, str], int],
    within: Mapping[tuple[str, str], float],
    weigh: Weigh,
) -> Spread:
    """The weighted mean of cells (task, seed) and its variance over unseen tasks and seeds.

    Args:
        means: The mean of each cell; two cells at least.
        counts: How many instances it is the mean of.
        within: The variance of that mean that instances alone would cause.
        weigh: The estimand.

    Tasks, and each factor of seeds that has several levels, add the variance between their means. What tasks and
    seeds cause only together is contained in both and taken out once, where every task has every seed.
    """
    tasks, seeds = {task for task, _ in means}, sorted({seed for _, seed in means})
    shares = _shares({key: counts[key] for key in means}, weigh)
    # Divided once more, scores of 1 make exactly 1.
    mean = fsum(shares[key] * means[key] for key in means) / fsum(shares.values())
    floor = fsum(shares[key] ** 2 * within[key] for key in means)
    parts = [_factor(means, shares, mean, lambda key: key[0])]
    named = Counter(factor for factor, _ in {item for seed in seeds for item in replicate_levels(seed).items()})
    factors = sorted(factor for factor, levels in named.items() if levels > 1)
    parts += [
        _factor(means, shares, mean, lambda key, f=factor: replicate_levels(key[1]).get(f, "")) for factor in factors
    ]
    known = [part for part in parts if part is not None]
    if not known:
        raise ValueError("a spread needs at least two cells")
    total, common = sum(part[0] for part in known), 0.0
    if len(known) == 2 and len(factors) == 1 and len(means) == len(tasks) * len(seeds):
        common = interaction_variance(means, shares, mean)
        total = max(total - common, *(part[0] for part in known))
    # Equal means may differ in their last digit.
    smallest = floor if total < DOUBT.nothing else DOUBT.floor**2 * floor
    return Spread(mean, max(total, smallest), degrees_of_freedom(known, common, tasks=parts[0] is not None))


def degrees_of_freedom(parts: Sequence[tuple[float, float]], common: float, *, tasks: bool) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances, each share weighed by how little is known of it.

    With few tasks the plain formula is fooled by chance: three tasks that happen to agree would lend the interval the
    certainty of ten seeds, and so it covers too little. The fewer degrees of freedom stand behind a variance, the
    larger its share may be in truth, so shares are divided by them before the formula is applied. What all variances
    contain alike says nothing about which of them matters, and is left out of the shares.

    Args:
        parts: Each variance with its degrees of freedom.
        common: What each of them contains of what tasks and seeds cause only together.
        tasks: Whether the first is that of tasks.
    """
    doubts = [max(variance - common, DOUBT.least * variance) / freedom for variance, freedom in parts]
    for index, (_, freedom) in enumerate(parts):
        doubts[index] *= DOUBT.odd_tasks if tasks and index == 0 else 1 + DOUBT.few_seeds / freedom**3
    total = fsum(doubts)
    if total == 0:
        return max(1.0, min(freedom for _, freedom in parts))
    squares = ((doubt / total) ** 2 / freedom for doubt, (_, freedom) in zip(doubts, parts, strict=True))
    return max(1.0, 1 / fsum(squares))


def _shares(counts: Mapping[tuple[str, str], int], weigh: Weigh) -> dict[tuple[str, str], float]:
    """The weight of each cell. A task's own replicates count alike: a seed with more data does not count more."""
    cells = Counter(task for task, _ in counts)
    weights = Counter(dict.fromkeys(cells, 1 if weigh == "tasks" else 0))
    for (task, _), count in counts.items():
        weights[task] += count if weigh == "instances" else 0
    return {key: weights[key[0]] / weights.total() / cells[key[0]] for key in counts}


def replicate_levels(seed: str) -> dict[str, str]:
    """The factors of a replicate's label: "data=0;run=3"; a plain label is one factor."""
    if not seed:
        return {}
    pairs = [part.partition("=") for part in seed.split(";")]
    return {name if equals else "seed": level if equals else name for name, equals, level in pairs}


def _factor(
    means: Mapping[tuple[str, str], float],
    shares: Mapping[tuple[str, str], float],
    mean: float,
    level_of: Callable[..., str],
) -> tuple[float, float] | None:
    """The variance that the levels of one factor cause in the mean, and its degrees of freedom; None for one level."""
    import numpy as np

    sums: dict[str, list[float]] = {}
    for key in means:
        entry = sums.setdefault(level_of(key), [0.0, 0.0])
        entry[0] += shares[key]
        entry[1] += shares[key] * means[key]
    if len(sums) < 2:
        return None
    weights = np.asarray([weight for weight, _ in sums.values()])
    values = np.asarray([total / weight for weight, total in sums.values()])
    return cluster_robust(values, weights, mean)


def cluster_robust(values: NDArray[np.float64], weights: NDArray[np.float64], mean: float) -> tuple[float, float]:
    """The bias-reduced cluster-robust variance (CR2) of a weighted mean, and Satterthwaite's degrees of freedom.

    With equal weights this is the ordinary variance of a mean with one degree of freedom less than clusters.
    """
    import numpy as np

    scale = weights**2 / (1 - weights)
    variance = float(np.sum(scale * (values - mean) ** 2))
    squares = float(np.sum(weights**2))
    if len(values) > MOST_EXACT:
        return variance, 1 / squares - 1
    cross = np.eye(len(values)) - weights[:, None] - weights[None, :] + squares
    expected = float(np.sum(scale * np.diag(cross)))
    spread = float(np.sum(scale[:, None] * scale[None, :] * cross**2))
    return variance, max(1.0, expected**2 / spread)


def interaction_variance(
    means: Mapping[tuple[str, str], float], shares: Mapping[tuple[str, str], float], mean: float
) -> float:
    """What tasks and seeds cause only together, as it enters the variance of the mean."""
    import numpy as np

    tasks, seeds = sorted({task for task, _ in means}), sorted({seed for _, seed in means})
    grid = np.asarray([[means[task, seed] for seed in seeds] for task in tasks])
    weights = np.asarray([[shares[task, seed] for seed in seeds] for task in tasks])
    of_seeds = (weights * grid).sum(axis=0) / weights.sum(axis=0)
    residuals = grid - grid.mean(axis=1, keepdims=True) - of_seeds[None, :] + mean
    squares = float((residuals**2).sum()) / ((len(tasks) - 1) * (len(seeds) - 1))
    return squares * float((weights**2).sum())


_FLIPS, CHUNK = 4_000, 4_000_000


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
    from scipy.special import stdtr

    if not cells:
        return Comparison(float("nan"), -1.0, 1.0, 1.0, 0, 0, 0, 0, weigh)
    deltas = np.concatenate(list(cells.values()))
    counts = len(deltas), int((deltas > 0).sum()), int((deltas < 0).sum())
    tasks = len({task for task, _ in cells})
    if len(cells) == 1:
        return Comparison(*_over_instances(deltas, counts, level), *counts, 1, weigh, _detectable_instances(deltas))
    means = {key: float(np.mean(values)) for key, values in cells.items()}
    within = {key: smoothed_change(values) for key, values in cells.items()}
    spread = spread_of(means, {key: len(values) for key, values in cells.items()}, within, weigh)
    error = spread.variance**0.5
    reach = error * student_quantile(0.5 + level / 2, spread.freedom)
    return Comparison(
        spread.mean, max(-1.0, spread.mean - reach), min(1.0, spread.mean + reach),
        float(2 * stdtr(spread.freedom, -abs(spread.mean / error))), *counts, tasks, weigh,
        detectable_difference(error, spread.freedom, level=level),
    )  # fmt: skip


def smoothed_change(deltas: NDArray[np.float64]) -> float:
    """The variance of a mean difference that instances alone would cause, never nothing."""
    moved, n = int((deltas != 0).sum()), len(deltas)
    return (moved + 1) / (n + 2) / n


def _over_instances(
    deltas: NDArray[np.float64], counts: tuple[int, int, int], level: float
) -> tuple[float, float, float, float]:
    """Difference, interval and p-value over the instances of one task.

    The interval is Bonett and Price's (2012): one agreement and one disagreement of each kind are added.
    """
    import numpy as np

    n, better, worse = counts
    p_value = sign_flip_p(deltas, better, worse)
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


def sign_flip_p(deltas: NDArray[np.float64], better: int, worse: int) -> float:
    """The two-sided p of the mean difference under exchanged signs."""
    import numpy as np

    moved = deltas[deltas != 0]
    if len(moved) == 0:
        return 1.0
    if np.all(np.abs(moved) == 1):
        return binomial_p(better, worse)
    rng = np.random.default_rng(0)
    observed = abs(moved.sum())
    step = max(1, CHUNK // len(moved))
    hits = 0
    for at in range(0, _FLIPS, step):
        signs = rng.choice([-1.0, 1.0], size=(min(step, _FLIPS - at), len(moved)))
        hits += int((np.abs(signs @ moved) >= observed - 1e-12).sum())
    return (hits + 1) / (_FLIPS + 1)


def binomial_p(better: int, worse: int) -> float:
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
    return min(1.0, error * standard_errors(round(min(freedom, 200.0), 1), level, power))


@lru_cache(maxsize=256)
def standard_errors(freedom: float, level: float, power: float) -> float:
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
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = (min(1.0, (len(order) - rank) * p_values[index]) for rank, index in enumerate(order))
    adjusted = dict(zip(order, accumulate(corrected, max), strict=True))
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
    named = "; ".join(text for _, text in sorted(held)[:most]) + ("; …" if len(held) > most else "")
    share, count = f"{1 - level:.0%}", len(usable)
    if not held:
        none = f"None of the {count} differences survives Holm's correction at {share}."
        return none if count > 1 else f"The one difference does not reach significance at {share}."
    if count == 1:
        return f"The difference is significant at {share}: {named}."
    return f"{len(held)} of the {count} differences survive Holm's correction at {share}: {named}."

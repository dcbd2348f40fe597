"""Evidence that stays valid however often one looks: beta-mixture e-processes and the intervals they give.

For S right and F wrong answers and a bound b, the e-value is the likelihood of the answers under a Beta(½, ½) mixture
of success rates over their likelihood at b. Under "the rate is b" its expectation is at most 1 at every stopping time,
so by Ville's inequality it exceeds K/α with probability at most α/K, whenever and for whatever reason one stops.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Counts", "Verdict", "interval", "log_evidence", "more_to_verdict", "verdict", "verdict_chance"]

Verdict: TypeAlias = Literal["mastered", "failing"]

_START = 2 * lgamma(0.5) - lgamma(1.0)
_STEPS = 60


class Counts(NamedTuple):
    """Right and wrong answers."""

    right: int = 0
    wrong: int = 0

    @property
    def n(self) -> int:
        """How many answers."""
        return self.right + self.wrong

    @property
    def share(self) -> float:
        """The share right; 0.5 where nothing was asked."""
        return self.right / self.n if self.n else 0.5

    def plus(self, right: bool) -> Counts:
        """With one more answer."""
        return Counts(self.right + right, self.wrong + (not right))


def log_evidence(counts: Counts, bound: float) -> float:
    """The natural logarithm of the e-value against "the rate is `bound`"."""
    at_bound = _times(counts.right, bound) + _times(counts.wrong, 1.0 - bound)
    return inf if at_bound == -inf else _log_beta(counts) - _START - at_bound


def _times(count: int, share: float) -> float:
    if not count:
        return 0.0
    return count * log(share) if share > 0 else -inf


def verdict(counts: Counts, low: float, high: float, level: float) -> Verdict | None:
    """Mastered where "the rate is at most `low`" is rejected, failing where "at least `high`" is, else None.

    Args:
        counts: The answers.
        low: A cell is mastered only above this rate.
        high: A cell fails only below this rate.
        level: The logarithm of the e-value that rejects: ln(1/α), or ln(K/α) for K claims at once.
    """
    # A rate beyond the bound is even less likely than the bound itself, so testing the bound is enough.
    if counts.share > low and log_evidence(counts, low) >= level:
        return "mastered"
    if counts.share < high and log_evidence(counts, high) >= level:
        return "failing"
    return None


def more_to_verdict(counts: Counts, low: float, high: float, level: float, most: int = 1_000) -> int | None:
    """How many more answers would lead to a verdict if the share stayed as it is; None for more than `most`."""
    share = (counts.right + 0.5) / (counts.n + 1)
    for more in range(most + 1):
        right = round(more * share)
        if verdict(Counts(counts.right + right, counts.wrong + more - right), low, high, level) is not None:
            return more
    return None


@lru_cache(maxsize=1 << 16)
def verdict_chance(counts: Counts, low: float, high: float, level: float, most: int) -> float:
    """How likely it is that there is a verdict after `most` answers in all, judged by those so far.

    It decides nothing: it only tells where asking on is idle. The rate has the Beta(½, ½) prior of the e-values.
    """
    left = most - counts.n
    if left <= 0:
        return float(verdict(counts, low, high, level) is not None)
    whole = _log_beta(counts)
    chance = 0.0
    for right in range(left + 1):
        later = Counts(counts.right + right, counts.wrong + left - right)
        if verdict(later, low, high, level) is not None:
            ways = lgamma(left + 1.0) - lgamma(right + 1.0) - lgamma(left - right + 1.0)
            chance += exp(ways + _log_beta(later) - whole)
    return chance


def _log_beta(counts: Counts) -> float:
    return lgamma(counts.right + 0.5) + lgamma(counts.wrong + 0.5) - lgamma(counts.n + 1.0)


def interval(counts: Counts, level: float) -> tuple[float, float]:
    """Every rate that the evidence does not reject. With level ln(K/α), K such intervals hold at all times together."""
    if not counts.n:
        return 0.0, 1.0
    share = counts.share
    low = 0.0 if counts.right == 0 else _edge(counts, level, 0.0, share)
    high = 1.0 if counts.wrong == 0 else _edge(counts, level, 1.0, share)
    return low, high


def _edge(counts: Counts, level: float, outside: float, inside: float) -> float:
    """Where the evidence against a rate crosses the level: it falls from the edge of [0, 1] to the share seen."""
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        if log_evidence(counts, middle) >= level:
            outside = middle
        else:
            inside = middle
    return outside

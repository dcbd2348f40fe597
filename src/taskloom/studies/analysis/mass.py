"""The probability mass of a union's two sides: does a model favour the side that it learns more easily?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from taskloom.core.metric import Estimate


class Sides(NamedTuple):
    """The mass on the easier and the harder side of one union, averaged over inputs that both sides answer."""

    union: str
    easier: str
    harder: str
    easier_mass: float
    harder_mass: float
    n: int

    @property
    def share(self) -> float:
        """The easier side's share of the mass on either; one half where both have the same, or none."""
        total = self.easier_mass + self.harder_mass
        return self.easier_mass / total if total else 0.5


def easier_side(scores: Mapping[str, float], first: str, second: str) -> tuple[str, str]:
    """The two sides, the one with the better generalisation of its own first; by name where they are equal."""
    ranked = sorted((first, second), key=lambda side: (-scores[side], side))
    return ranked[0], ranked[1]


def split_sides(
    union: str, sides: tuple[str, str], scores: Mapping[str, float], masses: Sequence[Mapping[str, float]]
) -> Sides:
    """The mass on each side of a union.

    Args:
        union: Its name.
        sides: The two tasks.
        scores: How well the same model generalises, by the same paradigm, on each task alone.
        masses: By input, the probability of each side's answers. An answer of both sides counts for both.
    """
    easier, harder = easier_side(scores, *sides)
    both = [mass for mass in masses if easier in mass and harder in mass]
    n = len(both)
    means = [sum(mass[side] for mass in both) / n if n else 0.0 for side in (easier, harder)]
    return Sides(union, easier, harder, means[0], means[1], n)


def side_shares(found: Sequence[Sides]) -> Estimate:
    """The easier side's mean share over unions, with Student's interval over them."""
    shares = [sides.share for sides in found if sides.n]
    n = len(shares)
    mean = sum(shares) / n if n else float("nan")
    if n < 2:
        return Estimate(mean, 0.0, 1.0, n, n, "too few unions")
    from scipy.stats import t

    half = float(t.ppf(0.975, n - 1)) * (sum((share - mean) ** 2 for share in shares) / (n - 1) / n) ** 0.5
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), n, n, f"t over {n} unions")

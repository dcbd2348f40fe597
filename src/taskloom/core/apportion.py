"""Dividing a whole number by shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum


def apportion(total: int, shares: Sequence[float]) -> list[int]:
    """Divide a total by shares, by largest remainders, so that the parts add up exactly.

    Equal remainders go to the earlier part. Nothing is divided where all shares are 0.
    """
    whole = fsum(shares)
    if whole <= 0:
        return [0] * len(shares)
    exact = [total * share / whole for share in shares]
    counts = [int(part) for part in exact]
    by_rest = sorted(range(len(shares)), key=lambda index: (counts[index] - exact[index], index))
    for index in by_rest[: total - sum(counts)]:
        counts[index] += 1
    return counts

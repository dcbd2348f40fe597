"""Fixed orders of short lists."""

from __future__ import annotations

from functools import cache

from taskloom.core import keyed_random


@cache
def shuffled_list(size: int, salt: int) -> tuple[int, ...]:
    """The numbers below a small size in one of several fixed orders."""
    numbers = list(range(size))
    keyed_random("shuffled-list", size, salt).shuffle(numbers)
    return tuple(numbers)

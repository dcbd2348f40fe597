"""The standard library's generator with fewer calls for a draw. Apart from `core.rng`, which can be compiled."""

from __future__ import annotations

from random import Random
from typing import Any


class QuickRandom(Random):
    """The same numbers as `Random`, with one call where its methods make two or three: makers draw all the time."""

    gauss_next = None

    def choice(self, seq: Any) -> Any:
        size = len(seq)
        if not size:
            return super().choice(seq)
        bits, width = self.getrandbits, size.bit_length()
        while (number := bits(width)) >= size:
            pass
        return seq[number]

    def randint(self, a: int, b: int) -> int:
        size = b - a + 1
        if type(size) is not int or size < 1:
            return super().randint(a, b)
        bits, width = self.getrandbits, size.bit_length()
        while (number := bits(width)) >= size:
            pass
        return a + number

"""Numbers that never meet twice: keyed permutations, and ranges of them for splits, blocks and seeds.

Blocks are drawn without one another, so what keeps their items apart must follow from their numbers alone. A
permutation spreads consecutive numbers over a space; ranges of it belong to splits; seeds begin far from one
another in the same order.
"""

from __future__ import annotations

from hashlib import blake2b

from taskloom.core import Key
from taskloom.core.rng import digest

__all__ = ["Permutation", "seed_offset"]

_ROUNDS = 4
_KEPT_BITS = 11
_GOLDEN = 0x9E3779B97F4A7C15


class Permutation:
    """A keyed permutation of the numbers below a size: a Feistel network, walked until it lands inside.

    Args:
        size: How many numbers there are.
        key: What it is keyed by.
    """

    def __init__(self, size: int, *key: Key) -> None:
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._key = digest("permutation", *key)
        # What the rounds mix in is kept where it fits: small spaces are asked for every story.
        kept = self._half <= _KEPT_BITS
        self._tables: list[dict[int, int]] | None = [{} for _ in range(_ROUNDS)] if kept else None

    def __call__(self, number: int) -> int:
        """Where a number goes."""
        found = self._turn(number)
        while found >= self.size:
            found = self._turn(found)
        return found

    def _turn(self, number: int) -> int:
        left, right = number >> self._half, number & self._mask
        for turn in range(_ROUNDS):
            left, right = right, left ^ self._mix(right, turn)
        return left << self._half | right

    def _mix(self, number: int, turn: int) -> int:
        if self._tables is None:
            return self._hash(number, turn)
        mixed = self._tables[turn].get(number)
        if mixed is None:
            mixed = self._tables[turn][number] = self._hash(number, turn)
        return mixed

    def _hash(self, number: int, turn: int) -> int:
        width = (self._half + 7) // 8
        data = self._key + bytes((turn,)) + number.to_bytes(width, "big")
        return int.from_bytes(blake2b(data, digest_size=width).digest(), "big") & self._mask


def seed_offset(seed: int, size: int) -> int:
    """Where a seed begins in an order of this size: neighbouring seeds begin far from one another."""
    return ((seed * _GOLDEN) % (1 << 64)) * size >> 64

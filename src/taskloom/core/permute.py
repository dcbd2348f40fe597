"""A keyed permutation of the first n whole numbers, found one number at a time.

Splits and blocks that own ranges of a permutation share no key, whatever the seed, and nobody has to hold or shuffle
the whole list.
"""

from __future__ import annotations

import sys
from array import array
from hashlib import blake2b, shake_128
from math import isqrt

from taskloom.core.rng import Key, digest

_ROUNDS = 6
_KEPT_BITS = 11


class Permutation:
    """A one-to-one map of `range(size)` onto itself, decided by the key alone.

    A Feistel network over the next even power of two, walked until the number lies in the range. The walk takes
    fewer than four steps on average.

    Example:
        >>> sorted(Permutation(5, "demo", 7)(n) for n in range(5))
        [0, 1, 2, 3, 4]
    """

    def __init__(self, size: int, *key: Key) -> None:
        self.size = size
        self._half = ((size - 1).bit_length() + 1) // 2
        self._mask = (1 << self._half) - 1
        self._key = digest(*key)
        # What the rounds mix in is kept where it fits: a permutation that is asked often then costs next to nothing.
        kept = self._half <= _KEPT_BITS
        self._tables: list[dict[int, int]] | None = [{} for _ in range(_ROUNDS)] if kept else None

    def _mix(self, number: int, turn: int) -> int:
        if self._tables is None:
            return self._hash(number, turn)
        table = self._tables[turn]
        mixed = table.get(number)
        if mixed is None:
            mixed = table[number] = self._hash(number, turn)
        return mixed

    def _hash(self, number: int, turn: int) -> int:
        state = blake2b(number.to_bytes(16, "big"), digest_size=8, key=self._key, salt=bytes([turn]))
        return int.from_bytes(state.digest(), "big") & self._mask

    def __call__(self, index: int) -> int:
        """Where the number goes."""
        if not 0 <= index < self.size:
            raise IndexError(index)
        while True:
            left, right = index >> self._half, index & self._mask
            for turn in range(_ROUNDS):
                left, right = right, left ^ self._mix(right, turn)
            index = (left << self._half) | right
            if index < self.size:
                return index


class Shuffle:
    """A permutation whose cost does not depend on its size, for orders whose length a user chooses.

    The numbers fill a rectangle, nearly a square; rounds in turn shift each row and each column by an amount drawn for
    it. Hardly a number lies outside, so there is next to no walking, where `Permutation` takes one to four steps.

    Example:
        >>> sorted(Shuffle(5, "demo", 7)(n) for n in range(5))
        [0, 1, 2, 3, 4]
    """

    def __init__(self, size: int, *key: Key) -> None:
        self.size = size
        self._width = isqrt(size - 1) + 1
        self._height = -(-size // self._width)
        root = digest(*key)
        self._rounds = [
            (_shifts(root, 2 * turn, self._width), _shifts(root, 2 * turn + 1, self._height))
            for turn in range(_ROUNDS // 2)
        ]

    def __call__(self, index: int) -> int:
        """Where the number goes."""
        if not 0 <= index < self.size:
            raise IndexError(index)
        width, height = self._width, self._height
        while True:
            row, column = divmod(index, width)
            for down, across in self._rounds:
                row = (row + down[column]) % height
                column = (column + across[row]) % width
            index = row * width + column
            if index < self.size:
                return index


def _shifts(root: bytes, turn: int, count: int) -> array[int]:
    """As many numbers of 64 bits as there are lines, from one stream of random bytes."""
    numbers = array("Q", shake_128(root + bytes([turn])).digest(8 * count))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers

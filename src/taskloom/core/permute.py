"""A keyed permutation of the first n whole numbers, found one number at a time.

Splits and blocks that own ranges of a permutation share no key, whatever the seed, and nobody has to hold or shuffle
the whole list.
"""

from __future__ import annotations

from hashlib import blake2b

from taskloom.core.rng import Key, digest

__all__ = ["Permutation"]

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
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
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

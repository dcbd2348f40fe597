"""Random numbers and permutations keyed by meaning, never by position in a stream.

Every random draw in Taskloom starts from a key such as ``(suite, seed, split, index)``. The key is
hashed with BLAKE2b under an unambiguous encoding and the digest seeds a generator of its own. So an
item never depends on the items before it, two seeds share nothing, and the same key gives the same
draws in every process and on every machine.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b, shake_128
from math import isqrt
from random import Random
from typing import Any, TypeAlias, TypeVar

from taskloom.core.quick_random import QuickRandom

Key: TypeAlias = str | int | bool | bytes | tuple["Key", ...] | None

_DIGEST_BYTES = 16
_new_random, _seed = Random.__new__, super(Random, Random).seed
# `Random.sample` of up to 5 items out of 21, or up to 21 out of 85, draws from a copy of them instead.
_POOLS = ((5, 21), (21, 85))
_WHOLE = _POOLS[0][1]

T = TypeVar("T")

Wheel: TypeAlias = tuple[int, tuple[T | None, ...]]
"""Items to draw from again and again: how many bits a draw takes, and what each number of so many bits stands for."""


def _encode(part: Key) -> bytes:
    """A prefix-free encoding, so that ("ab", "c") and ("a", "bc") are different keys."""
    if isinstance(part, str):
        data = part.encode("utf-8", "surrogatepass")
        return b"s%d:%b" % (len(data), data)
    if isinstance(part, bool) or part is None:
        return b"c%b;" % str(part).encode()
    if isinstance(part, int):
        return b"i%d;" % part
    if isinstance(part, bytes):
        return b"b%d:%b" % (len(part), part)
    if isinstance(part, tuple):
        return b"t%d:%b" % (len(part), b"".join(map(_encode, part)))
    raise TypeError(f"a random key is made of str, int, bool, bytes, None and tuples, not {type(part).__name__}")


def digest(*key: Key) -> bytes:
    """Sixteen bytes that depend on every part of the key."""
    return blake2b(b"".join(map(_encode, key)), digest_size=_DIGEST_BYTES).digest()


class KeyedDigest:
    """Digests that share the first parts of their key, for writers that make one per row."""

    def __init__(self, *prefix: Key) -> None:
        self._prefix = b"".join(map(_encode, prefix))

    def of_bytes(self, data: bytes) -> bytes:
        """The same as `digest(*prefix, data)`."""
        return blake2b(b"%bb%d:%b" % (self._prefix, len(data), data), digest_size=_DIGEST_BYTES).digest()


def keyed_random(*key: Key) -> Random:
    """A generator seeded by the key alone.

    Example:
        >>> keyed_random("demo", 7, "train", 0).random() == keyed_random("demo", 7, "train", 0).random()
        True
    """
    return QuickRandom(int.from_bytes(digest(*key), "big"))


class KeyedRandom:
    """A family of generators that share the first parts of their key.

    Hashing the shared parts once makes `at(index)` cheap enough to call per item.
    """

    def __init__(self, *prefix: Key) -> None:
        self._state = blake2b(b"".join(map(_encode, prefix)), digest_size=_DIGEST_BYTES)

    def at(self, *key: Key) -> Random:
        """The generator of `prefix + key`; equal to `keyed_random(*prefix, *key)`."""
        state = self._state.copy()
        if len(key) == 1 and type(key[0]) is int:  # an index, as nearly always
            state.update(b"i%d;" % key[0])
        else:
            state.update(b"".join(map(_encode, key)))
        # What `Random(number)` does, without the checks that seeds of other kinds need.
        rng = _new_random(QuickRandom)
        _seed(rng, int.from_bytes(state.digest(), "big"))
        return rng


# Generators draw a few of many words millions of times. The functions below draw what the methods of `Random`
# draw, and leave the generator in the same state, without a Python call for every number.


def below(rng: Random, size: int) -> int:
    """The same as `rng.randrange(size)`."""
    width = size.bit_length()
    while (number := rng.getrandbits(width)) >= size:
        pass
    return number


def pick(rng: Random, items: Sequence[T]) -> T:
    """The same as `rng.choice(items)`; there must be one."""
    size = len(items)
    width = size.bit_length()
    while (number := rng.getrandbits(width)) >= size:
        pass
    return items[number]


def wheel(items: Sequence[T]) -> Wheel[T]:
    """The items laid out for drawing: numbers that no item has stand for None, which is to draw again.

    The innermost loops draw without a call: `while (item := places[bits(width)]) is None: pass`.
    """
    width = len(items).bit_length()
    return width, (*items, *[None] * ((1 << width) - len(items)))


def spin(bits: Callable[[int], int], items: Wheel[T]) -> T:
    """The same as `rng.choice` of the items of the wheel; `bits` is `rng.getrandbits`, which callers look up once."""
    width, places = items
    while (item := places[bits(width)]) is None:
        pass
    return item


def shuffle(rng: Random, items: list[Any]) -> None:
    """The same as `rng.shuffle(items)`."""
    bits, size = rng.getrandbits, len(items)
    for last, width in _LASTS[_FEW - size : -1] if size <= _FEW else _lasts(size, 1):
        while (other := bits(width)) > last:
            pass
        items[last], items[other] = items[other], items[last]


def _lasts(size: int, least: int) -> Iterator[tuple[int, int]]:
    """The places from the last to the least, each with the bits of a draw that falls on it or before it."""
    return ((last, (last + 1).bit_length()) for last in range(size - 1, least - 1, -1))


_FEW = 64
_LASTS = tuple(_lasts(_FEW, 0))


def sample(rng: Random, items: Sequence[T], number: int) -> list[T]:
    """The same as `rng.sample(items, number)`."""
    size, bits = len(items), rng.getrandbits
    if number <= size <= _WHOLE:
        pool, found = list(items), []
        for last, width in _LASTS[_FEW - size : _FEW - size + number]:
            while (place := bits(width)) > last:
                pass
            found.append(pool[place])
            pool[place] = pool[last]
        return found
    if not any(number <= most and size > whole for most, whole in _POOLS):
        return rng.sample(items, number)
    width = size.bit_length()
    places: list[int] = []
    while len(places) < number:
        place = bits(width)
        if place < size and place not in places:
            places.append(place)
    return [items[place] for place in places]


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

    def __init__(self, size: int, *key: Key, rounds: int = _ROUNDS) -> None:
        self.size = size
        self._rounds = rounds
        self._half = ((size - 1).bit_length() + 1) // 2
        self._mask = (1 << self._half) - 1
        self._key = digest(*key)
        # What the rounds mix in is kept where it fits: a permutation that is asked often then costs next to nothing.
        kept = self._half <= _KEPT_BITS
        self._tables: list[dict[int, int]] | None = [{} for _ in range(rounds)] if kept else None

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
        if not 0 <= index < self.size:
            raise IndexError(index)
        while True:
            left, right = index >> self._half, index & self._mask
            for turn in range(self._rounds):
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

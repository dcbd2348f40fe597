"""What the first look at a named suite needs, worked out ahead and shipped with Taskloom.

Drawing a world, or opening a lexicon for one relation of it, takes seconds: too long for whoever wants to see one row.
The cache spares the second look that, the primer the first one. It holds what named suites of the usual recipe and
seed need, and nothing else; tests work out every entry anew and compare.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.rng import Key, digest

PRIMER = Path(__file__).with_name("primer.bin")

_log = logging.getLogger(__name__)
_MARK = b"taskloom-primer-1\n"
_WIDTH = 4  # bytes that say how long the index is
_used = [True]


class Primer:
    """A file of values by key. Only its index is read, and then each value that is asked for.

    Args:
        path: The file, as `write_primer` wrote it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            if file.read(len(_MARK)) != _MARK:
                raise ValueError(f"{path} is no primer")
            size = int.from_bytes(file.read(_WIDTH), "big")
            self._index = msgspec.msgpack.decode(file.read(size), type=dict[bytes, tuple[int, int]])
            self._start = file.tell()

    def __len__(self) -> int:
        return len(self._index)

    def body(self, *key: Key) -> bytes | None:
        """The value of a key as it was written; None where there is none."""
        place = self._index.get(digest(*key))
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(self._start + place[0])
            return zlib.decompress(file.read(place[1]))

    def get(self, type_: Any, *key: Key) -> Any:
        """The value of a key, as a value of that type; None where there is none."""
        body = self.body(*key)
        return None if body is None else msgspec.msgpack.decode(body, type=type_)


def write_primer(path: Path, values: Mapping[tuple[Key, ...], Any]) -> None:
    """Write values by key; the same bytes for the same values."""
    index: dict[bytes, tuple[int, int]] = {}
    bodies = []
    start = 0
    for name, value in sorted((digest(*key), value) for key, value in values.items()):
        body = zlib.compress(msgspec.msgpack.encode(value), 9)
        index[name] = (start, len(body))
        bodies.append(body)
        start += len(body)
    head = msgspec.msgpack.encode(index)
    path.write_bytes(b"".join([_MARK, len(head).to_bytes(_WIDTH, "big"), head, *bodies]))


@lru_cache(maxsize=1)
def _opened() -> Primer | None:
    try:
        return Primer(PRIMER)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        _log.warning("the primer of this installation cannot be read, so first looks take longer: %s", error)
        return None


def shipped(type_: Any, *key: Key) -> Any:
    """What is shipped under a key, as a value of that type; None where nothing is, or inside `not_shipped`."""
    primer = _opened() if _used[-1] else None
    try:
        return None if primer is None else primer.get(type_, *key)
    except (OSError, msgspec.MsgspecError, zlib.error) as error:
        _log.warning("%s is damaged, so what it held is worked out again: %s", PRIMER, error)
        return None


@contextmanager
def not_shipped() -> Iterator[None]:
    """Inside, nothing is shipped: everything is worked out, as tests and whoever builds the primer want it."""
    _used.append(False)
    try:
        yield
    finally:
        _used.pop()

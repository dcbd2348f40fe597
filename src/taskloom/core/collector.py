"""The garbage collector of cycles, made to look less often while much is made that has none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (100_000, 50, 100)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Look for cycles a hundred times less often: rows have none, and looking takes a quarter of the time.

    Memory stays bounded, since looking seldom is not looking never.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*map(max, usual, _SELDOM))
    try:
        yield
    finally:
        gc.set_threshold(*usual)

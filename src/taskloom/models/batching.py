"""Batches of similar length, sized by a budget that shrinks when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from taskloom.models.runtime import LOGGER, is_out_of_memory

__all__ = ["BatchSizer", "run_in_batches", "stream_in_batches"]

R = TypeVar("R")

_CPU_TOKENS = 8_192
_GPU_TOKENS = 65_536
_MOST_ROWS = 256


class BatchSizer:
    """How many rows go into one batch.

    A fixed number of rows when the user gave one, otherwise as many as fit a budget of padded
    tokens. When memory runs out the sizer halves and stays there for the rest of its life.

    Args:
        rows: Rows per batch, or 0 for automatic.
        tokens: The budget of padded tokens for automatic batches.
    """

    def __init__(self, rows: int = 0, tokens: int = _CPU_TOKENS) -> None:
        if rows < 0:
            raise ValueError("a batch has 1 row or more (0 sizes it automatically)")
        self.rows = rows or _MOST_ROWS
        self.tokens = 0 if rows else tokens

    @classmethod
    def for_device(cls, rows: int, device_type: str) -> BatchSizer:
        """A sizer with the budget of a CPU or of an accelerator."""
        return cls(rows, _CPU_TOKENS if device_type == "cpu" else _GPU_TOKENS)

    def fit(self, length: int) -> int:
        """How many rows of that length go into a batch; never fewer than one."""
        if not self.tokens:
            return self.rows
        return max(1, min(self.rows, self.tokens // max(length, 1)))

    def shrink(self, rows: int) -> None:
        """Memory ran out with that many rows: allow half as many from now on."""
        self.rows = max(1, min(self.rows, rows // 2))
        self.tokens //= 2
        LOGGER.warning("out of memory with %d rows; continuing with at most %d per batch", rows, self.rows)


def stream_in_batches(
    lengths: Sequence[int],
    work: Callable[[list[int]], Sequence[R]],
    sizer: BatchSizer,
    lost: Callable[[int], R],
    release: Callable[[], None] | None = None,
) -> Iterator[list[tuple[int, R]]]:
    """Do work over all items, longest first, in batches of similar length, and give results as they come.

    The longest go first so that memory runs out at the beginning or not at all.

    Args:
        lengths: The length of each item in tokens.
        work: Takes the indices of one batch and gives one result per index.
        sizer: Decides the size of batches and remembers failures.
        lost: The result of an item that does not fit into memory even alone.
        release: Called after memory ran out, to give back what is cached.

    Yields:
        The indices of a batch with their results.
    """
    waiting = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    at = 0
    while at < len(waiting):
        batch = waiting[at : at + sizer.fit(lengths[waiting[at]])]
        answers = _unless_out_of_memory(work, batch)
        if answers is None:
            # Only here, after the failed call is gone, can what it held be given back.
            if release:
                release()
            if len(batch) > 1:
                sizer.shrink(len(batch))
                continue
            answers = [lost(batch[0])]
        yield list(zip(batch, answers, strict=True))
        at += len(batch)


def _unless_out_of_memory(work: Callable[[list[int]], Sequence[R]], batch: list[int]) -> Sequence[R] | None:
    try:
        return work(batch)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return None


def run_in_batches(
    lengths: Sequence[int],
    work: Callable[[list[int]], Sequence[R]],
    sizer: BatchSizer,
    lost: Callable[[int], R],
    release: Callable[[], None] | None = None,
) -> list[R]:
    """As `stream_in_batches`, but all results at once, one per item in the order of `lengths`."""
    results = dict(pair for group in stream_in_batches(lengths, work, sizer, lost, release) for pair in group)
    return [results[index] for index in range(len(lengths))]

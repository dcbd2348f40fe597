"""Making the rows of a split, packed for writing, in this process or in many with the same bytes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from taskloom.core import Row, Suite, UserError, open_suite, row_digests
from taskloom.core.parallel import WorkEngine, ordered_map
from taskloom.store.disjoint import asked_keys
from taskloom.store.rows import PACK_ROWS, schema, to_batch

if TYPE_CHECKING:
    import pyarrow as pa

PACK_BLOCKS = 4
_CHUNK_ROWS = 1_024
"""Rows handled at a time: few enough that a core's own memory still holds them when the next step looks at them."""


class Pack(NamedTuple):
    """Rows ready to be written, with their hashes and what they ask: sixteen bytes of every row."""

    batch: pa.RecordBatch
    digests: bytes
    asked: bytes


class _Piece(NamedTuple):
    """Which blocks of which split another process should make."""

    origin: bytes
    home: str
    split: str
    numbers: tuple[int, ...]


def packs(
    suite: Suite, split: str, *, jobs: int = 1, engine: WorkEngine = "local", address: str | None = None
) -> Iterator[Pack]:
    """The rows of a split in packs. How many processes make them does not change a byte."""
    blocks = suite.blocks(split)
    if blocks is None:
        rows = suite.rows(split)
        while (made := pack(suite, islice(rows, PACK_ROWS))).batch.num_rows:
            yield made
        return
    if blocks.endless:
        raise UserError("an endless split cannot be written", where=f"{suite.name}: {split}")
    numbers = blocks.numbers()
    groups = iter(lambda: tuple(islice(numbers, PACK_BLOCKS)), ())
    if jobs == 1 and engine == "local":
        for group in groups:
            yield _pack_blocks(suite, split, group)
        return
    origin = msgspec.msgpack.encode(suite.origin)
    pieces = (_Piece(origin, str(Path.cwd()), split, group) for group in groups)
    yield from ordered_map(_make, pieces, jobs=jobs, engine=engine, address=address)


def parallel_problem(suite: Suite, splits: Iterable[str]) -> str:
    """Why several processes cannot share the work of these splits; "" where they can."""
    if suite.origin is None:
        return "the suite was created in this process, so others cannot open it"
    ordered = [split for split in splits if suite.blocks(split) is None]
    return f"the rows of {', '.join(ordered)} can only be drawn in order" if ordered else ""


def _pack_blocks(suite: Suite, split: str, numbers: tuple[int, ...]) -> Pack:
    blocks = suite.blocks(split)
    if blocks is None:
        raise UserError("the rows of this split can only be drawn in order", where=f"{suite.name}: {split}")
    return pack(suite, chain.from_iterable(map(blocks.rows, numbers)))


def pack(suite: Suite, rows: Iterable[Row]) -> Pack:
    """Rows as a pack, each checked to belong to a task of the suite."""
    import pyarrow as pa

    columns, drawn = schema(suite.facets), iter(rows)
    batches, digests, asked = [], bytearray(), bytearray()
    with _no_collection():
        while some := list(islice(drawn, _CHUNK_ROWS)):
            chunk = b"".join(row_digests(some))
            batches.append(to_batch(some, chunk, columns, suite.facets))
            digests += chunk
            asked += asked_keys(suite.apart, some)
    table = pa.Table.from_batches(batches, columns).combine_chunks()
    batch = table.to_batches()[0] if batches else pa.RecordBatch.from_pylist([], columns)
    for task in batch.column("task").dictionary.to_pylist():
        if task not in suite.tasks:
            raise UserError(f"a row names the task {task!r}, which is not in the suite", where=suite.name)
    return Pack(batch, bytes(digests), bytes(asked))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the search for cycles, which looks at every row in memory again and again; rows have none."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@lru_cache(maxsize=2)
def _opened(origin: bytes, home: str) -> Suite:
    """The suite in a worker, opened once for all its pieces."""
    if Path(home).is_dir():  # a worker elsewhere may not see this disk
        os.chdir(home)
    name, seed, options = msgspec.msgpack.decode(origin)
    return open_suite(name, seed=seed, options=options)


def _make(piece: _Piece) -> Pack:
    return _pack_blocks(_opened(piece.origin, piece.home), piece.split, piece.numbers)

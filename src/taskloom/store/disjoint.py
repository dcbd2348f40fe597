"""The proof that splits share nothing, in sixteen bytes per row."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from taskloom.core import Apart, Row, UserError, input_digests
from taskloom.core.rng import KeyedDigest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PIECE = 1 << 18


def asked_keys(apart: Apart, rows: Sequence[Row]) -> bytes:
    """What must not stand in two splits: sixteen bytes of every row, the same in every process."""
    asked = input_digests(instance.input for _, instance in rows)
    if apart == "inputs":
        return b"".join(asked)
    keyed = {task: KeyedDigest(task) for task in {row.task for row in rows}}
    return b"".join([keyed[row.task].of_bytes(asked[place]) for place, row in enumerate(rows)])


class SplitProof:
    """Collects what each split asks and which tasks it holds; `check` raises on the first overlap."""

    def __init__(self, apart: Apart) -> None:
        self._apart = apart
        self._asked: dict[str, bytearray] = {}
        self._ids: dict[str, tuple[array[int], array[int]]] = {}
        self._tasks: dict[str, set[str]] = {}

    def add(self, split: str, row: Row) -> None:
        """Take note of one row."""
        self.extend(split, asked_keys(self._apart, [row]), [row.task], [row.instance.id])

    def extend(self, split: str, asked: bytes, tasks: Sequence[str], ids: Sequence[str]) -> None:
        """Take note of many rows: what they ask (`asked_keys`), their tasks and their ids."""
        self._asked.setdefault(split, bytearray()).extend(asked)
        self._tasks.setdefault(split, set()).update(tasks)
        # Python's own hash is the fastest there is. It differs from process to process, which does no harm within one:
        # two of it make sixteen bytes, and ids whose hashes differ do differ.
        first, second = self._ids.setdefault(split, (array("q"), array("q")))
        first.extend(map(hash, zip(tasks, ids, strict=True)))
        second.extend(map(hash, zip(ids, tasks, strict=True)))

    def repeated_id(self, split: str) -> int:
        """How many rows of a split repeat the id of another row of the same task."""
        first, second = self._ids.get(split, (array("q"), array("q")))
        if all_distinct(first):
            return 0
        return len(first) - len(set(zip(first, second, strict=True)))

    def overlap(self) -> tuple[str, str, bytes | str] | None:
        """Two splits and what they share (a key, or a task's name), None where nothing is shared."""
        names = sorted(self._asked)
        packed = {name: _packed(self._asked[name]) for name in names}
        for index, first in enumerate(names):
            for second in names[index + 1 :]:
                if self._apart == "tasks" and (shared := sorted(self._tasks[first] & self._tasks[second])):
                    return first, second, shared[0]
                both = _shared(packed[first], packed[second])
                if both is not None:
                    return first, second, both
        return None

    def check(self, suite: str) -> None:
        """Raise where an id is repeated within a task or two splits overlap."""
        for split in self._ids:
            if repeated := self.repeated_id(split):
                raise UserError(f"{repeated} rows of split {split!r} repeat an id within their task", where=suite)
        found = self.overlap()
        if found:
            first, second, what = found
            kind = f"task {what!r}" if isinstance(what, str) else f"an input (hash {what.hex()})"
            raise UserError(
                f"splits {first!r} and {second!r} share {kind}; they must keep {self._apart} apart", where=suite
            )


def _packed(data: bytearray) -> NDArray[np.void]:
    import numpy as np

    return np.frombuffer(data, dtype=np.dtype([("a", ">u8"), ("b", ">u8")]))


def all_distinct(hashes: array[int]) -> bool:
    """Whether all numbers differ."""
    import numpy as np

    ordered = np.sort(np.frombuffer(hashes, dtype=np.int64))
    return not bool((ordered[1:] == ordered[:-1]).any())


def _shared(first: NDArray[np.void], second: NDArray[np.void]) -> bytes | None:
    """The smallest key of both. First halves show which keys may be shared, whole ones decide."""
    import numpy as np

    few, many = sorted((first, second), key=len)
    if not len(few):
        return None
    halves = np.unique(few["a"].astype(np.uint64))
    # Piece by piece: a split of many million rows is neither copied nor sorted.
    pieces = (many[start : start + _PIECE] for start in range(0, len(many), _PIECE))
    found = np.concatenate([piece[_held(piece["a"].astype(np.uint64), halves)] for piece in pieces])
    if not len(found):
        return None
    both = np.intersect1d(found, few)
    # Written out number by number: numpy gives the halves back in the machine's own byte order.
    return b"".join(int(half).to_bytes(8, "big") for half in both[0].tolist()) if len(both) else None


def _held(numbers: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of the numbers are among those in order, of which there is at least one."""
    held: NDArray[np.bool_] = ordered[ordered.searchsorted(numbers).clip(max=len(ordered) - 1)] == numbers
    return held

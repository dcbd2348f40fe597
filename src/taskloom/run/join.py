"""Joining the records of runs on what was asked: task, input and targets, never the id.

Everything that pairs, matches, compares or lines up records of two runs goes through `join_runs`. Two questions are the
same where their hash over task, input and targets is (`Record.question`); ids, facets and places do not matter, so a
later version that adds a facet still pairs, and another seed, which repeats ids with other rows, does not. Records of
versions that kept no such hash are joined by the hash of their whole row, and then by prompt and targets.

Example:
    >>> from taskloom import load_run, open_suite, run_suite
    >>> from taskloom.run.join import join_runs
    >>> suite = open_suite("babi/task-1")
    >>> one, two = (run_suite(suite, model=f"mock/{m}", folder=m, limit=5) for m in ("oracle", "majority"))
    >>> joined = join_runs(one, two)
    >>> (joined.first == joined.second).all(), joined.unpaired
    (True, (0, 0))
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from taskloom.core import UserError, digest
from taskloom.run.columns import Columns

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from taskloom.run.results import Run

    Rows = NDArray[np.int64]
    Hashes = NDArray[np.uint64]  # two numbers per record
    Keys = NDArray[np.uint64]  # four: the hash, the sample, and which time of asking it is


class Join(NamedTuple):
    """Which records of two runs answer the same question.

    Attributes:
        first: Rows of the first run's columns, in order.
        second: For each of them, the row of the second run with the same question and sample.
        records: How many records each run has.
    """

    first: Rows
    second: Rows
    records: tuple[int, int]

    @property
    def unpaired(self) -> tuple[int, int]:
        """How many records of either run have no partner in the other."""
        return self.records[0] - len(self.first), self.records[1] - len(self.first)

    @property
    def note(self) -> str:
        """What to say about records without a partner; empty where there are none."""
        if not any(self.unpaired):
            return ""
        return f"{len(self.first):,} of {self.records[0]:,} and {self.records[1]:,} records ask the same question"

    def required(self, first: Run, second: Run) -> Join:
        """This join.

        Raises:
            UserError: No question of one run is asked in the other.
        """
        if len(self.first):
            return self
        one, two = (
            f"{count:,} records of {run.plan.suite}, seed {run.plan.data_seed}"
            for run, count in zip((first, second), self.records, strict=True)
        )
        raise UserError(
            f"these runs share no questions, so nothing can be paired: {one}; {two}",
            where=f"{first.folder} and {second.folder}",
            hint="run both on the same suite, seed and split",
        )


@lru_cache(maxsize=1)
def join_runs(first: Run, second: Run) -> Join:
    """The records of two runs that answer the same question; of the last two the answer is kept.

    A question that a run asks several times is paired in order of appearance, samples by their number.
    """
    import numpy as np

    one, two = first.columns, second.columns
    whole = all(columns.column("question").null_count == 0 for columns in (one, two))
    left, right = np.arange(len(one)), np.arange(len(two))
    if whole and all(one.column(name).equals(two.column(name)) for name in ("question", "sample")):
        return Join(left, right, (len(one), len(two)))  # as a rule: both were asked the same, in the same order
    found: list[tuple[Rows, Rows]] = []
    for hashes in (_questions,) if whole else (_rows, _prompts):
        a, b = _matched(_numbered(hashes(one)[left], one, left), _numbered(hashes(two)[right], two, right))
        found.append((left[a], right[b]))
        left, right = np.delete(left, a), np.delete(right, b)
    starts, ends = (np.concatenate([pair[side] for pair in found]) for side in (0, 1))
    order = np.argsort(starts, kind="stable")
    return Join(starts[order], ends[order], (len(one), len(two)))


def item_numbers(columns: Columns) -> Rows:
    """A number for the question of every record: the samples of a question share it, asking it again does not."""
    import numpy as np

    hashes = _questions if columns.column("question").null_count == 0 else _prompts
    keys = _numbered(hashes(columns), columns, np.arange(len(columns)))
    numbers: Rows = np.unique(keys[:, [0, 1, 3]], axis=0, return_inverse=True)[1].reshape(-1)
    return numbers


def question_numbers(runs: Sequence[Run]) -> list[Rows]:
    """A number for the question and sample of every record, the same in all runs, by first appearance."""
    import numpy as np

    numbers = [np.arange(len(runs[0].columns))]
    known = len(numbers[0])
    for place, run in enumerate(runs[1:], start=1):
        own = np.full(len(run.columns), -1)
        for before in range(place):
            joined = join_runs(runs[before], run)
            fresh = own[joined.second] < 0
            own[joined.second[fresh]] = numbers[before][joined.first[fresh]]
        unseen = own < 0
        own[unseen] = known + np.arange(int(unseen.sum()))
        known += int(unseen.sum())
        numbers.append(own)
    return numbers


def _questions(columns: Columns) -> Hashes:
    """The hash of task, input and targets."""
    return _halves(columns.column("question"))


def _rows(columns: Columns) -> Hashes:
    """The hash of the whole row, where the record has one: the same row asks the same question."""
    import numpy as np

    column = columns.column("row")
    lacking = np.flatnonzero(column.is_null().to_numpy())
    halves = _halves(column.fill_null(bytes(16)))
    halves[lacking, 0], halves[lacking, 1] = lacking, id(columns)  # equal to no other
    return halves


def _prompts(columns: Columns) -> Hashes:
    """A hash of task, prompt and targets: what records of every version carry."""
    import numpy as np
    import pyarrow as pa

    parts = [columns.column(name).cast(pa.string()).to_pylist() for name in ("task", "prompt_hash", "targets")]
    hashes = b"".join(digest("asked", *texts) for texts in zip(*parts, strict=True))
    return np.frombuffer(hashes, np.uint64).reshape(-1, 2)


def _halves(column: pa.ChunkedArray) -> Hashes:
    import numpy as np

    chunks = (chunk.buffers()[1][16 * chunk.offset : 16 * (chunk.offset + len(chunk))] for chunk in column.chunks)
    return np.frombuffer(b"".join(chunks), np.uint64).reshape(-1, 2).copy()


def _numbered(hashes: Hashes, columns: Columns, rows: Rows) -> Keys:
    """Hashes with their sample, and with a count of those before them that are the same: unique within a run."""
    import numpy as np

    samples = columns.whole("sample")[rows].astype(np.uint64)
    keys = np.column_stack([hashes, samples, np.zeros(len(rows), np.uint64)])
    order = np.lexsort((samples, hashes[:, 1], hashes[:, 0]))
    ordered = keys[order]
    again = np.append([False], (ordered[1:] == ordered[:-1]).all(axis=1))[: len(rows)]
    if again.any():
        starts = np.flatnonzero(~again)
        keys[order, 3] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    return keys


def _matched(one: Keys, two: Keys) -> tuple[Rows, Rows]:
    """Where equal keys stand in either list; each key is in a list once."""
    import numpy as np

    both = np.concatenate([one, two])
    order = np.lexsort(both.T[::-1])
    pairs = np.flatnonzero((both[order[1:]] == both[order[:-1]]).all(axis=1))
    return order[pairs], order[pairs + 1] - len(one)

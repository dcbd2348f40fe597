"""The columns of a run, whether it is sealed or still going on: one reader over sealed parts and logs.

`Columns` reads them one by one, on demand: `floats("score")` is a NumPy array with nan for null, `codes("task")` a
small integer per row with the labels it stands for, `column("id")` the Arrow column. Besides the columns of
`run.layout` there are `score`, `answer` and `details` (of the reading that counts) and `target` (the canonical right
answer). Rows are the questions in order, each with its newest record; an answer beats a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload

import msgspec

from taskloom.core import Targets, Task
from taskloom.core.calls import Explained
from taskloom.core.display import counted
from taskloom.core.rng import keyed_random
from taskloom.run.record import Record

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

K = TypeVar("K")
V = TypeVar("V")

_COUNTED = {"score": ("strict", "lenient"), "answer": ("strict_answer", "lenient_answer"),
            "details": ("strict_details", "lenient_details")}  # fmt: skip
_decode_targets = msgspec.json.Decoder(Targets).decode


class Part(Protocol):
    """Some records of a run: a sealed part, or a log."""

    ordered: bool
    """Whether its records stand in the order of the questions, each with one."""

    def __len__(self) -> int: ...

    @property
    def facets(self) -> list[str]:
        """The facets that instances carry."""

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all its records."""

    def records(self, rows: Rows) -> Iterator[Record]:
        """The records of some rows."""

    def blocks(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Columns of all its records, a few thousand rows at a time: for texts, which are too long to be held."""


class Codes(NamedTuple):
    """A column of few different values: a small integer per row (-1 for null) and what each stands for."""

    rows: NDArray[np.integer[Any]]
    labels: list[str]


def newest_rows(index: Rows, sample: Rows, failed: NDArray[np.bool_]) -> Rows:
    """Which of many records count, in the order of the questions: an answer before failures, else the newest.

    Two writers may have answers to one question; the first of them counts, so that what is sealed stays.
    """
    import numpy as np

    sequence = np.arange(len(index))
    if ((index[1:] > index[:-1]) | ((index[1:] == index[:-1]) & (sample[1:] > sample[:-1]))).all():
        return sequence  # in order already, each place once, as a model that answers in order leaves them
    order = np.lexsort((np.where(failed, sequence, -sequence), ~failed, sample, index))
    places = np.stack([index[order], sample[order]])
    last = np.append((places[:, 1:] != places[:, :-1]).any(axis=0), True)[: len(order)]
    chosen: Rows = order[last]
    return chosen


class Columns:
    """The columns of a run's parts, the newest last."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = [part for part in parts if len(part)]
        self._codes: dict[str, Codes] = {}

    @cached_property
    def chosen(self) -> Rows | None:
        """The rows that count of all parts one after the other; None for all of them, as they stand."""
        import numpy as np

        if not self.parts or (len(self.parts) == 1 and self.parts[0].ordered):
            return None
        index, sample = (self._joined(name).to_numpy() for name in ("index", "sample"))
        state = coded(self._joined("state"))
        failed = state.rows == (state.labels.index("errored") if "errored" in state.labels else -2)
        chosen = newest_rows(index, sample, failed)
        return None if len(chosen) == len(index) and (chosen == np.arange(len(index))).all() else chosen

    def __len__(self) -> int:
        return sum(map(len, self.parts)) if self.chosen is None else len(self.chosen)

    @cached_property
    def facets(self) -> list[str]:
        """The facets that instances carry, in order of the alphabet."""
        return sorted({name for part in self.parts for name in part.facets})

    def _joined(self, name: str) -> pa.ChunkedArray:
        import pyarrow as pa

        columns = [part.column(name) for part in self.parts]
        if not columns:
            kind = {"index": pa.int64(), "sample": pa.int64(), "row": pa.binary(16), "question": pa.binary(16),
                    "strict": pa.float64(), "lenient": pa.float64(), "read_twice": pa.bool_()}  # fmt: skip
            return pa.chunked_array([], kind.get(name, pa.string()))
        kinds = {column.type for column in columns}
        if len(kinds) > 1:  # one of them was empty, or keeps codes of another width
            columns = [column.cast(pa.string()) for column in columns]
        return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)

    def column(self, name: str) -> pa.ChunkedArray:
        """One column; `facet:NAME` for a facet."""
        import pyarrow as pa

        if name in _COUNTED:
            headlines, words = self.codes("headline")
            counts = headlines == (words.index("lenient") if "lenient" in words else -2)
            counts &= self.column("read_twice").to_numpy()
            if counts.all() or not counts.any():
                return self.column(_COUNTED[name][int(len(counts) and counts.all())])
            strict, lenient = (self.column(part) for part in _COUNTED[name])
            import pyarrow.compute as pc  # takes long to begin, and few runs mix their readings

            kind = strict.type.value_type if pa.types.is_dictionary(strict.type) else strict.type
            return pc.if_else(pa.array(counts), lenient.cast(kind), strict.cast(kind))
        if name == "target":
            codes, labels = self.codes("targets")
            texts = pa.array([_decode_targets(label).canonical() for label in labels], pa.string())
            return pa.chunked_array(
                [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), texts).cast(pa.string())]
            )
        found = self._joined(name)
        if self.chosen is None:
            return found
        if pa.types.is_dictionary(found.type):
            found = found.unify_dictionaries()
        return found.take(pa.array(self.chosen))

    def floats(self, name: str) -> NDArray[np.float64]:
        """A column of numbers, nan for null."""
        array: NDArray[np.float64] = self.column(name).to_numpy()
        return array

    def whole(self, name: str) -> NDArray[np.int64]:
        """A column of whole numbers."""
        array: NDArray[np.int64] = self.column(name).to_numpy()
        return array

    def codes(self, name: str) -> Codes:
        """A column of few different values; kept, because tables ask for it again and again."""
        import pyarrow as pa

        if name not in self._codes:
            self._codes[name] = coded(self.column(name))
            pa.default_memory_pool().release_unused()  # else what columns took to read adds up to 30 MB per million
        return self._codes[name]

    def present(self, name: str) -> NDArray[np.bool_]:
        """Where a column is not null."""
        import numpy as np

        return np.concatenate([np.empty(0, np.bool_), *map(_valid, self.column(name).chunks)])

    def records(self, rows: Sequence[int] | Rows) -> Iterator[Record]:
        """The records of some rows, read as they are needed."""
        import numpy as np

        wanted = np.asarray(rows, np.int64)
        return self.records_at(wanted if self.chosen is None else self.chosen[wanted])

    def records_at(self, wanted: Rows) -> Iterator[Record]:
        """The records of some rows, counted through all parts; each part is read once, however they take turns."""
        import numpy as np

        if len(self.parts) == 1:
            return self.parts[0].records(wanted)
        starts = np.cumsum([0, *map(len, self.parts)])
        owner = np.searchsorted(starts, wanted, side="right") - 1
        found = [part.records(wanted[owner == number] - starts[number]) for number, part in enumerate(self.parts)]
        return (next(found[number]) for number in owner.tolist())

    def blocks(self, *names: str) -> Iterator[tuple[Rows, pa.Table]]:
        """Columns a few thousand rows at a time, after the number of each row (-1 where it does not count)."""
        import numpy as np

        place: Rows = np.arange(sum(map(len, self.parts)))
        if self.chosen is not None:
            place = np.full(len(place), -1)
            place[self.chosen] = np.arange(len(self.chosen))
        start = 0
        for part in self.parts:
            for table in part.blocks(names):
                yield place[start : start + table.num_rows], table
                start += table.num_rows


def coded(column: pa.ChunkedArray) -> Codes:
    """A column as codes and what they stand for."""
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # no rows at all
        return Codes(np.empty(0, np.int8), [])
    labels = array.dictionary.to_pylist()
    kind = np.int8 if len(labels) < 128 else np.int16 if len(labels) < 32_768 else np.int32
    indices = array.indices
    codes = np.frombuffer(indices.buffers()[1], indices.type.to_pandas_dtype(), len(indices) + indices.offset)
    return Codes(np.where(_valid(indices), codes[indices.offset :], -1).astype(kind), labels)


def _valid(array: pa.Array) -> NDArray[np.bool_]:
    """Where an array is not null."""
    import numpy as np

    if not array.null_count:
        return np.full(len(array), True)
    bits = np.unpackbits(np.frombuffer(array.buffers()[0], np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(np.bool_)


MOST_KEPT = 50_000
"""Records of a run of this size stay in memory once all of them were read; those of a longer one are read again."""


class Records(Explained, Sequence[Record]):
    """The newest record of every question, or of some, in order. Reading one reads its group; iterating streams."""

    def __init__(self, columns: Columns, rows: Rows | None = None) -> None:
        self._columns, self._rows = columns, rows
        self._kept: list[Record] | None = None

    def __len__(self) -> int:
        return len(self._columns if self._rows is None else self._rows)

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'record')}>"

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise IndexError(f"there is no record {index}: there {'is' if len(self) == 1 else 'are'} {len(self):,}")
        rows = range(len(self))[index]
        return self.at(rows) if isinstance(rows, range) else self.at([rows])[0]

    def at(self, rows: Sequence[int]) -> list[Record]:
        """The records of some rows."""
        return list(self.read(rows))

    def __iter__(self) -> Iterator[Record]:
        if self._kept is None and len(self) <= MOST_KEPT:
            self._kept = self.at(range(len(self)))
        return self.read(range(len(self))) if self._kept is None else iter(self._kept)

    def read(self, rows: Sequence[int]) -> Iterator[Record]:
        """The records of some rows, one after the other."""
        return self._columns.records(rows if self._rows is None else [int(self._rows[row]) for row in rows])

    def sample(self, count: int, seed: int = 0) -> list[Record]:
        """Some records, drawn without replacement; the seed decides which."""
        drawn = keyed_random("sample of a run", seed).sample(range(len(self)), min(count, len(self)))
        return self.at(sorted(drawn))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def labels_of(value: Any) -> list[str]:
    """The groups that a facet's value puts a record into."""
    if value is None:
        return ["–"]
    if isinstance(value, list | tuple):
        return [str(item) for item in value] or ["none"]
    return [str(value)]


def natural_order(key: tuple[str, ...]) -> list[tuple[int, float, str]]:
    """Sort numbers as numbers, so that support 10 comes after support 9."""
    parts = []
    for text in key:
        try:
            parts.append((0, float(text), text))
        except ValueError:
            parts.append((1, 0.0, text))
    return parts


def distinct(codes: NDArray[Any]) -> list[int]:
    """The codes that occur, in order."""
    import numpy as np

    found: list[int] = np.flatnonzero(np.bincount(codes)).tolist()
    return found


def split_by_code(codes: NDArray[Any]) -> dict[int, Rows]:
    """The rows of every code, in order; the codes by their first row."""
    import numpy as np

    if not len(codes):
        return {}
    if (codes == codes[0]).all():
        return {int(codes[0]): np.arange(len(codes))}
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    groups = np.split(order, bounds)
    return {int(codes[rows[0]]): rows for rows in sorted(groups, key=lambda rows: int(rows[0]))}


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Values by their keys, both in the order in which they first turn up.

    Example:
        >>> grouped([("a", 1), ("b", 2), ("a", 3)])
        {'a': [1, 3], 'b': [2]}
    """
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def facet_labels(columns: Columns, tasks: Mapping[str, Task], name: str) -> tuple[NDArray[Any], list[list[str]]]:
    """A code per record, and the groups that each code stands for."""
    import numpy as np

    if name in ("task", "wording"):
        rows, labels = columns.codes(name)
        return rows, [[label or "–"] for label in labels]
    of_task, names = columns.codes("task")
    by_task = [labels_of(tasks[task].facets.get(name)) for task in names]
    if name not in columns.facets:
        return of_task, by_task
    rows, texts = columns.codes(f"facet:{name}")
    own = [labels_of(msgspec.json.decode(text)) for text in texts]
    if not (rows < 0).any():
        return rows, own
    # Where the instance does not carry the facet, its task may.
    return np.where(rows < 0, of_task.astype(np.int64) + len(own), rows), own + by_task


def facet_rows(columns: Columns, tasks: Mapping[str, Task], names: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """The rows of every combination of the facets' values."""
    import numpy as np

    coded = [facet_labels(columns, tasks, name) for name in names]
    joint = np.zeros(len(columns), np.int64)
    for rows, labels in coded:
        joint = joint * len(labels) + rows
    groups = grouped(
        (key, members)
        for members in split_by_code(joint).values()
        for key in product(*(labels[rows[members[0]]] for rows, labels in coded))
    )
    return {key: parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts)) for key, parts in groups.items()}

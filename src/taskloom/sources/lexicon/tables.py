"""The bare tables of a lexicon: synsets, what links them, and the words of each language.

Everything is an array of small integers over synset and lemma numbers, so that a whole WordNet loads
in a fraction of a second and is stored without glosses in a few megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from taskloom.core import UserError
from taskloom.core.decode import decoding
from taskloom.core.task import LazyMapping

Ints = npt.NDArray[np.int32]
FORMAT = "taskloom-lexicon-1"


@dataclass(frozen=True, slots=True)
class RaggedArray:
    """Rows of different lengths: row `i` is `values[starts[i] : starts[i + 1]]`."""

    starts: Ints
    values: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, index: int) -> Ints:
        return self.values[self.starts[index] : self.starts[index + 1]]


def ragged(rows: list[list[int]]) -> RaggedArray:
    """Pack lists of numbers."""
    starts = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return RaggedArray(
        starts, np.fromiter((value for row in rows for value in row), dtype=np.int32, count=int(starts[-1]))
    )


def sparse_ragged(rows: Mapping[int, list[int]], size: int) -> RaggedArray:
    """Pack lists of numbers by their place; all other places are empty."""
    starts = np.zeros(size + 1, dtype=np.int32)
    for place, row in rows.items():
        starts[place + 1] = len(row)
    np.cumsum(starts, out=starts)
    values = [value for place in sorted(rows) for value in rows[place]]
    return RaggedArray(starts, np.array(values, dtype=np.int32))


def inverted(rows: RaggedArray, width: int) -> RaggedArray:
    """Value to the rows that hold it, in rising order."""
    holder = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(rows.starts))
    order = np.argsort(rows.values, kind="stable")
    starts = np.zeros(width + 1, dtype=np.int32)
    np.cumsum(np.bincount(rows.values, minlength=width), out=starts[1:])
    return RaggedArray(starts, holder[order])


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language.

    Attributes:
        lemmas: Every lemma once, spelled as its wordnet does, blanks written as `_`; sorted.
        members: Synset number to lemma numbers, in the order of the wordnet.
        senses: Key number to synset numbers, the most usual sense first; a key is a lower-cased lemma, and
            keys are numbered in sorted order. English keys that are inflected forms too ("made") have the senses
            of their base forms after their own.
        common: Keys in falling frequency, for choosing input words; may be empty.
    """

    lemmas: tuple[str, ...]
    members: RaggedArray
    senses: RaggedArray
    common: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tables:
    """Synsets with their links, and the words of each language.

    Attributes:
        pos: One letter per synset: n, v, a, s (satellite adjective) or r.
        offset: The byte offset of the synset in its WordNet 3.0 file, by which other resources name it.
        hypernyms: Synset to its direct hypernyms (of kinds, not of instances).
        entailments: Synset to what it entails directly.
        antonyms: Rows (synset, English lemma, synset, English lemma).
        sentiment: Positive minus negative score per synset in thousandths; -32768 where it has no score.
        words: By language.
        origin: Where each piece came from, for notices and logs.
    """

    pos: npt.NDArray[np.uint8]
    offset: Ints
    hypernyms: RaggedArray
    entailments: RaggedArray
    antonyms: Ints
    sentiment: npt.NDArray[np.int16]
    words: Mapping[str, Words]
    origin: dict[str, str] = field(default_factory=dict)


@lru_cache(maxsize=4)
def keys_of(lemmas: tuple[str, ...]) -> list[str]:
    """The keys of sorted lemmas, sorted.

    They are kept in their order, not in a set: two runs that are in order each, of capital and of small letters, are
    sorted in half the time. The last lists are kept.
    """
    return sorted(dict.fromkeys([lemma.lower() for lemma in lemmas]))


def save(tables: Tables, path: Path) -> None:
    """Write the tables into one file."""
    columns: dict[str, Any] = {
        "pos": tables.pos,
        "offset": tables.offset,
        "antonyms": tables.antonyms.reshape(-1),
        "sentiment": tables.sentiment,
        "hypernyms": tables.hypernyms,
        "entailments": tables.entailments,
    }
    for language, words in tables.words.items():
        number = {key: index for index, key in enumerate(keys_of(words.lemmas))}
        columns[f"{language}.lemmas"] = words.lemmas
        columns[f"{language}.common"] = np.array([number[key] for key in words.common], dtype=np.int32)
        columns |= {f"{language}.members": words.members, f"{language}.senses": words.senses}
    origins = {f"origin.{name}": origin for name, origin in tables.origin.items()}
    write_packed(path, columns, {"format": FORMAT, "languages": " ".join(tables.words), **origins})


def write_packed(path: Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write texts, numbers and rows of numbers as one Parquet row of list columns, compressed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {}
    for name, column in columns.items():
        if isinstance(column, RaggedArray):  # lengths compress far better than starting points
            parts = {f"{name}.lengths": np.diff(column.starts), f"{name}.values": column.values}
        else:
            parts = {name: column}
        for part, values in parts.items():
            kind = pa.string() if isinstance(values, tuple) else pa.from_numpy_dtype(values.dtype)
            arrays[part] = pa.array([list(values)], pa.list_(kind))
    table = pa.table(arrays).replace_schema_metadata(metadata)
    pq.write_table(table, path, compression="zstd", compression_level=19, use_dictionary=False)


class PackedTable:
    """Columns of numbers and texts in one file, as `write_packed` writes them.

    Args:
        path: The file.
        format: The format it must have.
        what: What it is called in errors.
        hint: How it is made.

    Raises:
        UserError: The file is missing or of another format.
    """

    def __init__(self, path: Path, format: str, what: str, hint: str) -> None:
        import pyarrow.parquet as pq

        if not path.is_file():
            raise UserError(f"there is no {what} {path.name}", where=str(path), hint=hint)
        self._path, self._what = path, what
        with decoding(path, f"the {what}"):
            self._file = pq.ParquetFile(path)
            found = self._file.schema_arrow.metadata or {}
        self.metadata = {key.decode(): value.decode() for key, value in found.items()}
        if self.metadata.get("format") != format:
            found = self.metadata.get("format")
            raise UserError(f"this {what} has format {found!r}, not {format!r}", where=str(path))
        self.languages = self.metadata["languages"].split()

    def _column(self, name: str) -> Any:
        """The one row of a column, read when it is asked for."""
        with decoding(self._path, f"the {self._what}"):
            return self._file.read(columns=[name]).column(name).chunk(0).values

    def texts(self, name: str) -> list[str]:
        found: list[str] = self._column(name).to_pylist()
        return found

    def numbers(self, name: str) -> Any:
        return self._column(name).to_numpy(zero_copy_only=False)

    def rows(self, name: str) -> RaggedArray:
        """Rows of unlike length, kept as lengths and values."""
        lengths = self.numbers(f"{name}.lengths")
        starts = np.zeros(len(lengths) + 1, dtype=np.int32)
        np.cumsum(lengths, out=starts[1:])
        return RaggedArray(starts, self.numbers(f"{name}.values"))


def load(path: Path) -> Tables:
    """Read tables written by `save`.

    Raises:
        UserError: The file is missing or of another format.
    """
    table = PackedTable(path, FORMAT, "lexicon", "python scripts/build_lexicon.py")
    ints, rows, metadata = table.numbers, table.rows, table.metadata

    def words_of(language: str) -> Words:
        lemmas = tuple(table.texts(f"{language}.lemmas"))
        keys = keys_of(lemmas)
        common = tuple(keys[number] for number in ints(f"{language}.common").tolist())
        return Words(lemmas, rows(f"{language}.members"), rows(f"{language}.senses"), common)

    return Tables(
        pos=ints("pos"),
        offset=ints("offset"),
        hypernyms=rows("hypernyms"),
        entailments=rows("entailments"),
        antonyms=ints("antonyms").reshape(-1, 4),
        sentiment=ints("sentiment"),
        words=LazyMapping(table.languages, words_of),
        origin={key[len("origin.") :]: value for key, value in metadata.items() if key.startswith("origin.")},
    )

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
from taskloom.core.rng import Key
from taskloom.core.task import LazyMapping
from taskloom.store.derived import Packed, write_packed

Ints = npt.NDArray[np.int32]
FORMAT = "taskloom-lexicon-2"


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
        key_of: Lemma number to the number of its key.
        common: Keys in falling frequency, for choosing input words; may be empty.
    """

    lemmas: tuple[str, ...]
    members: RaggedArray
    senses: RaggedArray
    key_of: Ints
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


def key_numbers(lemmas: tuple[str, ...]) -> Ints:
    """The number of the key of each lemma."""
    numbers = {key: number for number, key in enumerate(keys_of(lemmas))}
    return np.fromiter((numbers[lemma.lower()] for lemma in lemmas), np.int32, len(lemmas))


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
        columns[f"{language}.keys"] = np.diff(words.key_of, prepend=0).astype(np.int32)  # rising but for capitals
        columns |= {f"{language}.members": words.members, f"{language}.senses": words.senses}
    origins = {f"origin.{name}": origin for name, origin in tables.origin.items()}
    write_table(path, columns, {"format": FORMAT, "languages": " ".join(tables.words), **origins})


def write_table(path: Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write texts, numbers and rows of numbers into one file, each column by itself."""
    values: dict[tuple[Key, ...], Any] = {("metadata",): dict(metadata)}
    for name, column in columns.items():
        if isinstance(column, RaggedArray):  # lengths compress far better than starting points
            parts = {f"{name}.lengths": np.diff(column.starts), f"{name}.values": column.values}
        else:
            parts = {name: column}
        for part, found in parts.items():
            values[part,] = found if isinstance(found, tuple) else (found.dtype.str, _planes(found))
    write_packed(path, metadata["format"], values)


def _planes(numbers: npt.NDArray[Any]) -> bytes:
    """The first bytes of all numbers, then the second ones: small numbers compress better so."""
    return numbers.reshape(-1, 1).view(np.uint8).T.tobytes()


class PackedTable:
    """Columns of numbers and texts in one file, as `write_table` writes them; each is read when it is asked for.

    Args:
        path: The file.
        format: The format it must have.
        what: What it is called in errors.
        hint: How it is made.

    Raises:
        UserError: The file is missing or of another format.
    """

    def __init__(self, path: Path, format: str, what: str, hint: str) -> None:
        if not path.is_file():
            raise UserError(f"there is no {what} {path.name}", where=str(path), hint=hint)
        self._path, self._what = path, what
        with decoding(path, f"the {what}"):
            self._file = Packed(path)
        if self._file.head != format:
            raise UserError(f"this {what} has format {self._file.head!r}, not {format!r}", where=str(path))
        self.metadata: dict[str, str] = self._column("metadata", dict[str, str])
        self.languages = self.metadata["languages"].split()

    def _column(self, name: str, type_: Any) -> Any:
        with decoding(self._path, f"the {self._what}"):
            found = self._file.get(type_, name)
            if found is None:
                raise KeyError(name)
            return found

    def texts(self, name: str) -> list[str]:
        found: list[str] = self._column(name, list[str])
        return found

    def numbers(self, name: str) -> Any:
        kind, data = self._column(name, tuple[str, bytes])
        planes = np.frombuffer(data, np.uint8).reshape(np.dtype(kind).itemsize, -1)
        return np.ascontiguousarray(planes.T).view(kind).reshape(-1)

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
        senses, key_of = rows(f"{language}.senses"), np.cumsum(ints(f"{language}.keys"), dtype=np.int32)
        lemma_of = np.empty(len(senses), np.int32)  # any lemma of each key
        lemma_of[key_of] = np.arange(len(lemmas))
        common = tuple(lemmas[number].lower() for number in lemma_of[ints(f"{language}.common")].tolist())
        return Words(lemmas, rows(f"{language}.members"), senses, key_of, common)

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

"""Evaluated word functions: what an expression gives for every input there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Packed", "Predicate", "Relation", "fingerprint", "table"]


class Relation(Protocol):
    """A relation as a table: its inputs, sorted, and the outputs of each, sorted and never empty."""

    @property
    def inputs(self) -> Sequence[str]: ...

    def outputs(self, word: str) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Predicate:
    """The inputs a predicate is true of and those it is false of; all others are unknown. Both sorted."""

    true: tuple[str, ...]
    false: tuple[str, ...]


class Packed:
    """A relation whose outputs are numbers into a shared list of words, so that hundreds fit in memory.

    Args:
        inputs: The inputs, sorted.
        starts: Where the outputs of input `i` start; one longer than `inputs`.
        values: Numbers of output words.
        words: The words, by number.
    """

    def __init__(
        self,
        inputs: tuple[str, ...],
        starts: npt.NDArray[np.int64],
        values: npt.NDArray[np.int32],
        words: Sequence[str],
    ) -> None:
        self._inputs = inputs
        self._place = {word: place for place, word in enumerate(inputs)}
        self._starts = starts
        self._values = values
        self._words = words

    @property
    def inputs(self) -> Sequence[str]:
        """Every word with an output, sorted."""
        return self._inputs

    def outputs(self, word: str) -> tuple[str, ...]:
        """The outputs of one input, sorted; KeyError for a word that is no input."""
        place = self._place[word]
        row = self._values[self._starts[place] : self._starts[place + 1]].tolist()
        return tuple(sorted({self._words[number] for number in row}))


class _Table:
    def __init__(self, rows: Mapping[str, tuple[str, ...]]) -> None:
        self._rows = {word: rows[word] for word in sorted(rows)}
        self._inputs = tuple(self._rows)

    @property
    def inputs(self) -> Sequence[str]:
        return self._inputs

    def outputs(self, word: str) -> tuple[str, ...]:
        return self._rows[word]


def table(rows: Mapping[str, Iterable[str]]) -> Relation:
    """A relation from a mapping; inputs without outputs are left out."""
    return _Table({word: found for word, outputs in rows.items() if (found := tuple(sorted(set(outputs))))})


def fingerprint(function: Relation | Predicate) -> str:
    """Equal for two functions that agree on every input, whatever they are called."""
    state = blake2b(digest_size=16)
    if isinstance(function, Predicate):
        for words in (function.true, function.false):
            state.update(b"p%d;" % len(words))
            state.update("\x00".join(words).encode("utf-8", "surrogatepass"))
    else:
        for word in function.inputs:
            outputs = function.outputs(word)
            state.update(b"r%d;" % len(outputs))
            state.update("\x00".join((word, *outputs)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()

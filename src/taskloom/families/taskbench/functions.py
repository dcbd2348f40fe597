"""Evaluated word functions: what an expression gives for every input there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, Protocol

from taskloom.families.taskbench.lots import one_cycle

__all__ = [
    "PackedRelation",
    "Predicate",
    "Relation",
    "TableRelation",
    "WordFunction",
    "constant",
    "fingerprint",
    "permuted",
    "permuted_truth",
    "table",
]


class Relation(Protocol):
    """A relation as a table: its inputs, sorted, and the outputs of each, never empty, always in the same order."""

    @property
    def inputs(self) -> Sequence[str]: ...

    def outputs(self, word: str) -> tuple[str, ...]: ...

    def typical(self, word: str) -> tuple[str, ...] | None:
        """The outputs that the canonical answer is drawn from, in their order; None where any of them will do."""
        ...


@dataclass(frozen=True, slots=True)
class Predicate:
    """The inputs a predicate is true of and those it is false of; all others are unknown. Both sorted."""

    true: tuple[str, ...]
    false: tuple[str, ...]


class PackedRelation:
    """A relation whose outputs are numbers into a list of words, so that hundreds fit in memory.

    Args:
        inputs: The inputs, sorted.
        starts: Where the outputs of input `i` start; one longer than `inputs`. Numbers of eight bytes.
        values: Numbers of output words, rising within a row. Numbers of four bytes.
        words: Every output word, in the order of its language's list.
        narrow: A relation whose outputs, where it has any, are the typical ones of this one.
    """

    def __init__(
        self,
        inputs: tuple[str, ...],
        starts: memoryview,
        values: memoryview,
        words: Sequence[str],
        narrow: PackedRelation | None = None,
    ) -> None:
        self.inputs = inputs
        self.starts = starts
        self.values = values
        self.words = words
        self.narrow = narrow

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.inputs)}

    def outputs(self, word: str) -> tuple[str, ...]:
        """The outputs of one input in the order of the word list; KeyError for a word that is no input."""
        place = self._place[word]
        words, starts = self.words, self.starts
        return tuple([words[number] for number in self.values[starts[place] : starts[place + 1]].tolist()])

    def typical(self, word: str) -> tuple[str, ...] | None:
        """The outputs that the canonical answer is drawn from; None where any of them will do."""
        narrow = self.narrow
        return narrow.outputs(word) if narrow is not None and word in narrow._place else None

    def print(self) -> bytes:
        """A hash over all of it, without spelling any word twice."""
        state = blake2b(digest_size=16)
        for words in (self.inputs, self.words):
            state.update("\x00".join(words).encode("utf-8", "surrogatepass") + b"\n")
        state.update(self.starts)
        state.update(self.values)
        return state.digest()


class TableRelation:
    """A relation as a mapping.

    Args:
        rows: Outputs by input, never empty, inputs and outputs sorted.
    """

    def __init__(self, rows: Mapping[str, tuple[str, ...]]) -> None:
        self.rows = rows
        self.inputs = tuple(rows)

    def outputs(self, word: str) -> tuple[str, ...]:
        return self.rows[word]

    def typical(self, word: str) -> None:
        return None


def table(rows: Mapping[str, Iterable[str]]) -> Relation:
    """A relation from a mapping; inputs without outputs are left out."""
    return TableRelation({word: found for word in sorted(rows) if (found := tuple(sorted(set(rows[word]))))})


class WordFunction(NamedTuple):
    """A word function with what was left out.

    Attributes:
        function: The relation or predicate.
        domain: How many inputs have an answer, those with too many outputs included.
    """

    function: Relation | Predicate
    domain: int


def fingerprint(function: Relation | Predicate) -> str:
    """Equal for two functions that agree on every input, whatever they are called."""
    state = blake2b(digest_size=16)
    if isinstance(function, PackedRelation):
        state.update(function.print())
    elif isinstance(function, Predicate):
        for words in (function.true, function.false):
            state.update(b"p%d;" % len(words))
            state.update("\x00".join(words).encode("utf-8", "surrogatepass"))
    else:
        for word in function.inputs:
            outputs = function.outputs(word)
            state.update(b"r%d;" % len(outputs))
            state.update("\x00".join((word, *outputs)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def constant(relation: Relation) -> bool:
    """Whether every input has the same outputs, so that there is nothing to learn."""
    inputs = relation.inputs
    return bool(inputs) and all(relation.outputs(word) == relation.outputs(inputs[0]) for word in inputs)


def permuted(relation: Relation, *key: str | int) -> Relation:
    """The relation with its answers exchanged among the inputs; how often each answer occurs stays the same."""
    inputs = list(relation.inputs)
    return _PermutedAnswers(relation, dict(zip(inputs, one_cycle(inputs, *key), strict=True)))


def permuted_truth(truth: Predicate, *key: str | int) -> Predicate:
    """The predicate with its truth values exchanged among the inputs."""
    words = sorted((*truth.true, *truth.false))
    true = set(truth.true)
    pairs = list(zip(words, one_cycle([word in true for word in words], *key), strict=True))
    return Predicate(tuple(w for w, v in pairs if v), tuple(w for w, v in pairs if not v))


class _PermutedAnswers:
    def __init__(self, relation: Relation, moved: Mapping[str, str]) -> None:
        self._relation = relation
        self._moved = moved

    @property
    def inputs(self) -> Sequence[str]:
        return self._relation.inputs

    def outputs(self, word: str) -> tuple[str, ...]:
        return self._relation.outputs(self._moved[word])

    def typical(self, word: str) -> tuple[str, ...] | None:
        return self._relation.typical(self._moved[word])

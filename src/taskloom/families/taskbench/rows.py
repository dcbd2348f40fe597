"""Answers and truth values of many words at once, as sparse matrices: one row per input, one column per lemma."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from taskloom.algebra import Answers, Expression, Rule, Truths, Value
from taskloom.core import UserError
from taskloom.families.taskbench.matrices import FALSE, TRUE, UNKNOWN, Matrix, Numbers, Truth, masked

if TYPE_CHECKING:
    from taskloom.families.taskbench.lexical import LexicalEngine

__all__ = ["WordAnswers", "WordTruths"]

# A complement that stands alone lists nearly the whole range for every input.
_WIDEST_COMPLEMENT = 20_000_000


class WordAnswers(Answers):
    """What a relation gives for some words.

    Args:
        engine: What the words belong to.
        words: The inputs, as lemma numbers of the source language.
        source: The language of the inputs.
        target: The universe of the answers.
        matrix: The answers; None for the inputs themselves.
        node: The expression that gave them.
    """

    def __init__(
        self,
        engine: LexicalEngine,
        words: Numbers,
        source: str,
        target: str,
        matrix: Matrix | None = None,
        node: Expression | None = None,
    ) -> None:
        self.engine = engine
        self.words = words
        self.source = source
        self.target = target
        self.node = node
        self.plain = matrix is None
        self._given = matrix

    @cached_property
    def matrix(self) -> Matrix:
        """The answers, as a matrix."""
        return self.engine.one_each(self.words, self.words, self.source) if self._given is None else self._given

    def _made(self, matrix: Matrix) -> WordAnswers:
        return WordAnswers(self.engine, self.words, self.source, self.target, matrix.tocsr())

    def __or__(self, other: Answers) -> WordAnswers:
        assert isinstance(other, WordAnswers)
        return self._made(self.matrix + other.matrix)

    def __and__(self, other: Answers) -> WordAnswers:
        assert isinstance(other, WordAnswers)
        if isinstance(self, _Outside) and not isinstance(other, _Outside):
            return other & self
        if isinstance(other, _Outside) and not isinstance(self, _Outside):
            return other.kept(self)
        return self._made(self.matrix.multiply(other.matrix))

    def __sub__(self, other: Answers) -> WordAnswers:
        assert isinstance(other, WordAnswers)
        if not self.matrix.nnz:
            return self._made(self.matrix)
        left = (self.matrix - self.matrix.multiply(other.matrix)).tocsr()
        left.eliminate_zeros()
        return self._made(left.astype(bool))

    def others(self) -> WordAnswers:
        return _Outside(self)

    def compare(self, other: Answers, rule: Rule) -> WordTruths:
        assert isinstance(other, WordAnswers)
        shared = self.matrix.multiply(other.matrix).tocsr()
        sizes = np.stack([np.diff(matrix.indptr) for matrix in (self.matrix, other.matrix, shared)], axis=1)
        cases, which = np.unique(sizes, axis=0, return_inverse=True)
        said = [rule(*map(int, case)) for case in cases]
        values = np.array([UNKNOWN if one is None else TRUE if one else FALSE for one in said], dtype=np.int8)
        return WordTruths(self.words, values[which.ravel()] if len(values) else np.empty(0, dtype=np.int8))

    def members(self) -> WordAnswers:
        numbers = np.unique(self.matrix.indices).astype(np.int32)
        return WordAnswers(self.engine, numbers, self.target, self.target)

    def then(self, value: Value) -> Value:
        if isinstance(value, WordTruths):
            return self._unanimous(value)
        assert isinstance(value, WordAnswers)
        found = (self.matrix[:, value.words] @ value.matrix).tocsr()
        return WordAnswers(self.engine, self.words, self.source, value.target, found)

    def _unanimous(self, value: WordTruths) -> WordTruths:
        truth = np.full(self.matrix.shape[1], UNKNOWN, dtype=np.int8)
        truth[value.words] = value.values
        counts = np.diff(self.matrix.indptr)
        numbers = self.matrix.astype(np.int32)
        result = np.full(len(self.words), UNKNOWN, dtype=np.int8)
        for one in (TRUE, FALSE):
            agree = numbers @ (truth == one).astype(np.int32)
            result[(counts > 0) & (agree == counts)] = one
        return WordTruths(self.words, result)


class _Outside(WordAnswers):
    """What a relation gives to other inputs. It is listed only where it stands alone."""

    def __init__(self, taken: WordAnswers) -> None:
        super().__init__(taken.engine, taken.words, taken.source, taken.target)
        self.plain = False
        self._taken = taken

    def kept(self, found: WordAnswers) -> WordAnswers:
        """What another relation gives, without what this one takes away."""
        taken = self._taken
        assert taken.node is not None
        inside = self.engine.reach(taken.node, taken.source)
        known = (np.diff(taken.matrix.indptr) > 0)[:, None]
        return found._made(found.matrix.multiply(known).multiply(inside[None, :])) - taken

    @cached_property
    def matrix(self) -> Matrix:
        from scipy.sparse import csr_matrix

        taken, node = self._taken.matrix, self._taken.node
        assert node is not None
        inside = np.flatnonzero(self.engine.reach(node, self.source)).astype(np.int32)
        known = np.flatnonzero(np.diff(taken.indptr) > 0)
        if len(inside) * len(known) > _WIDEST_COMPLEMENT:
            raise UserError(
                f"this complement lists up to {len(inside):,} words for each of {len(known):,} inputs",
                where="expression",
                hint="subtract it from something: intersection(f, complement(g))",
            )
        rows = []
        for place in range(len(self.words)):
            row = taken.indices[taken.indptr[place] : taken.indptr[place + 1]]
            rows.append(np.setdiff1d(inside, row) if len(row) else np.empty(0, dtype=np.int32))
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        values = np.concatenate(rows) if rows else np.empty(0, dtype=np.int32)
        return csr_matrix((np.ones(len(values), dtype=bool), values, starts), shape=taken.shape)


class WordTruths(Truths):
    """What a predicate says of some words.

    Args:
        words: The inputs, as lemma numbers.
        values: True, false or unknown for each.
    """

    def __init__(self, words: Numbers, values: Truth) -> None:
        self.words = words
        self.values = values

    def _joined(self, other: Truths, both: Truth) -> WordTruths:
        assert isinstance(other, WordTruths)
        unknown = (self.values == UNKNOWN) | (other.values == UNKNOWN)
        return WordTruths(self.words, np.where(unknown, UNKNOWN, both).astype(np.int8))

    def __and__(self, other: Truths) -> WordTruths:
        assert isinstance(other, WordTruths)
        return self._joined(other, np.minimum(self.values, other.values))

    def __or__(self, other: Truths) -> WordTruths:
        assert isinstance(other, WordTruths)
        return self._joined(other, np.maximum(self.values, other.values))

    def __invert__(self) -> WordTruths:
        return WordTruths(self.words, np.where(self.values == UNKNOWN, UNKNOWN, 1 - self.values).astype(np.int8))

    def choose(self, true: Answers, false: Answers) -> WordAnswers:
        assert isinstance(true, WordAnswers) and isinstance(false, WordAnswers)
        yes, no = ((self.values == value)[:, None] for value in (TRUE, FALSE))
        return true._made(masked(true.matrix, yes) + masked(false.matrix, no))

    def unless_denied(self, other: WordTruths) -> WordTruths:
        """The same, but unknown where another says the opposite."""
        denied = (other.values != UNKNOWN) & (other.values != self.values)
        return WordTruths(self.words, np.where(denied, UNKNOWN, self.values).astype(np.int8))

"""Lexical predicates, evaluated for many words at once: true, false, or unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Compare,
    Empty,
    Expression,
    Land,
    Lnot,
    Lor,
    signature,
)
from taskloom.families.taskbench.matrices import FALSE, TRUE, UNKNOWN, Numbers, Truth

if TYPE_CHECKING:
    from taskloom.families.taskbench.lexical import LexicalEngine

__all__ = ["LexicalTruth"]


class LexicalTruth:
    """What predicates say of words.

    Args:
        engine: Evaluates the relations inside them.
    """

    def __init__(self, engine: LexicalEngine) -> None:
        self._engine = engine

    def __call__(self, node: Expression, source: str, words: Numbers) -> Truth:
        """The truth of a predicate for some words of a language."""
        match node:
            case Atom():
                return self._mark(node, source, words)
            case Lnot(part):
                truth = self(part, source, words)
                return np.where(truth == UNKNOWN, UNKNOWN, 1 - truth).astype(np.int8)
            case Land(parts) | Lor(parts):
                stacked = np.stack([self(part, source, words) for part in parts])
                joined = stacked.min(axis=0) if isinstance(node, Land) else stacked.max(axis=0)
                return np.where((stacked == UNKNOWN).any(axis=0), UNKNOWN, joined).astype(np.int8)
            case Chain(outer, inner):
                return self._unanimous(outer, inner, source, words)
            case Compare() | Empty():
                return self._agreed(node, source, words)
            case _:
                raise TypeError(f"{type(node).__name__} is not a predicate")

    def _unanimous(self, outer: Expression, inner: Expression, source: str, words: Numbers) -> Truth:
        """A predicate of a set is true (false) if it is true (false) of every member, else nobody can tell."""
        while isinstance(outer, Chain):
            inner = Chain(outer.inner, inner)
            outer = outer.outer
        given = self._engine.rows(inner, source, words)
        members = np.unique(given.indices).astype(np.int32)
        middle = signature(inner).target
        truth = np.full(given.shape[1], UNKNOWN, dtype=np.int8)
        truth[members] = self(outer, source if middle == "any" else middle, members)
        counts = np.diff(given.indptr)
        numbers = given.astype(np.int32)
        result = np.full(len(words), UNKNOWN, dtype=np.int8)
        for value in (TRUE, FALSE):
            agree = numbers @ (truth == value).astype(np.int32)
            result[(counts > 0) & (agree == counts)] = value
        return result

    def _agreed(self, node: Compare | Empty, source: str, words: Numbers) -> Truth:
        """What sets say, and with clean labels only where the whole lexicon does not say the opposite.

        A clean set leaves out what is doubtful, so that a word is missing from it proves nothing by itself.
        """
        truth = self._sets(node, source, words)
        whole = self._engine.faithful
        if whole is None:
            return truth
        other = LexicalTruth(whole)(node, source, words)
        return np.where((other != UNKNOWN) & (other != truth), UNKNOWN, truth).astype(np.int8)

    def _sets(self, node: Compare | Empty, source: str, words: Numbers) -> Truth:
        rows = self._engine.rows
        if isinstance(node, Empty):
            return np.asarray(np.diff(rows(node.part, source, words).indptr) == 0, dtype=np.int8)
        left, right = rows(node.left, source, words), rows(node.right, source, words)
        shared = np.diff(left.multiply(right).tocsr().indptr)
        first, second = np.diff(left.indptr), np.diff(right.indptr)
        result: Truth = np.asarray(shared == first, dtype=np.int8)
        if node.name == "eq":
            result &= (shared == second).astype(np.int8)
        elif node.name == "in":
            result[(shared > 0) & (shared < first)] = UNKNOWN
        result[(first == 0) | (second == 0)] = UNKNOWN
        return result

    def _mark(self, atom: Atom, source: str, words: Numbers) -> Truth:
        if atom.name in ("acceptall", "rejectall"):
            return np.full(len(words), TRUE if atom.name == "acceptall" else FALSE, dtype=np.int8)
        key, value = atom.features[0]
        found: Truth = self._engine.language(source).marks(key)[value][words]
        return found

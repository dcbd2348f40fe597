"""A language as sparse Boolean matrices: words to senses, senses to words, and what links senses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from taskloom.families.taskbench.language import LANGUAGE
from taskloom.sources.lexicon import PARTS_OF_SPEECH, Lexicon
from taskloom.sources.lexicon.clean import MIXED, CleanWords
from taskloom.sources.lexicon.tables import RaggedArray
from taskloom.sources.lexicon.wordnet import UNSCORED

__all__ = [
    "FALSE",
    "TRUE",
    "UNKNOWN",
    "LanguageMatrices",
    "Matrix",
    "Numbers",
    "TagMatrices",
    "Truth",
    "closure",
    "masked",
    "matrix_of",
    "without_itself",
]

Numbers: TypeAlias = npt.NDArray[np.int32]
Truth: TypeAlias = npt.NDArray[np.int8]
Matrix: TypeAlias = Any
"""A scipy.sparse.csr_matrix of booleans."""

TRUE, FALSE, UNKNOWN = 1, 0, -1


class LanguageMatrices:
    """One language as matrices. Words are lemma numbers; a key is a lemma in lower case.

    Args:
        lexicon: The words.
        code: The language.
        clean: Its clean labels, where those are wanted.
        vulgar: Whether vulgar words may be answers.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        code: str,
        clean: CleanWords | None = None,
        *,
        vulgar: npt.NDArray[np.int8] | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._clean = clean
        self.code = code
        tables = lexicon.words(code)
        self.lemmas = tables.lemmas
        self.shown = tuple(lemma.replace("_", " ") for lemma in tables.lemmas)
        self._number = {lemma: number for number, lemma in enumerate(tables.lemmas)}
        keys = lexicon.keys(code)
        self.key_of = np.fromiter((keys[lemma.lower()] for lemma in tables.lemmas), np.int32, len(tables.lemmas))
        labels = tables if clean is None else clean
        self.members = matrix_of(labels.members, len(tables.lemmas))
        self.senses = matrix_of(labels.senses, len(lexicon.tables.pos))
        if vulgar is not None:
            self.members = masked(self.members, (vulgar == 0)[None, :])
        self._decent = vulgar

    @cached_property
    def listed(self) -> Matrix:
        """Synsets to every decent common word that the lexicon lists, usual or not."""
        common = np.array([lemma == lemma.lower() for lemma in self.lemmas])
        if self._decent is not None:
            common &= self._decent == 0
        return masked(matrix_of(self._lexicon.words(self.code).members, len(self.lemmas)), common[None, :])

    def numbers(self, words: list[str]) -> Numbers:
        """The lemma numbers of some words."""
        return np.array([self._number[word] for word in words], dtype=np.int32)

    def known(self, shown: Iterable[str]) -> Numbers:
        """The lemma numbers of words as they are shown; others are passed over."""
        lemmas = (word.replace(" ", "_") for word in shown)
        return np.array([self._number[lemma] for lemma in lemmas if lemma in self._number], dtype=np.int32)

    def _held(self, flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which lemmas are listed by a synset with the flag."""
        return np.asarray(self.members[np.flatnonzero(flags)].sum(axis=0)).ravel() > 0

    def marks(self, key: str) -> dict[str, Truth]:
        """What is asked about a word, `POS` or `sentiment`: truth per lemma by value."""
        return self.parts_of_speech if key == "POS" else self.signs

    @cached_property
    def parts_of_speech(self) -> dict[str, Truth]:
        if self._clean is not None:
            return self._clean.marks
        named = np.array([PARTS_OF_SPEECH[chr(code)] for code in self._lexicon.tables.pos.tolist()])
        return {name: self._held(named == name).astype(np.int8) for name in sorted(set(PARTS_OF_SPEECH.values()))}

    @cached_property
    def signs(self) -> dict[str, Truth]:
        """A lemma that no scored synset lists is unknown; a clean one has one sign or is unknown."""
        if self._clean is not None:
            sign = self._clean.signs
            clear = {"pos": sign == 1, "neg": sign == -1, "none": sign == 0}
            return {name: np.where(sign == MIXED, UNKNOWN, flag).astype(np.int8) for name, flag in clear.items()}
        scores = self._lexicon.tables.sentiment
        scored = scores != UNSCORED
        heard = self._held(scored)
        by_sign = {"pos": scores > 0, "neg": scores < 0, "none": scores == 0}
        return {
            name: np.where(heard, self._held(flags & scored), UNKNOWN).astype(np.int8)
            for name, flags in by_sign.items()
        }


class TagMatrices:
    """The names of a mark as a small language of their own: parts of speech, or signs.

    Args:
        key: `POS` or `sentiment`.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._names = {spelling: value for value, spelling in LANGUAGE.predicate[key].values.items()}
        self.shown = tuple(sorted(self._names))

    def known(self, shown: Iterable[str]) -> Numbers:
        """The numbers of names."""
        return np.array([self.shown.index(name) for name in shown if name in self.shown], dtype=np.int32)

    def rows(self, language: LanguageMatrices, words: Numbers) -> Matrix:
        """Words to the names that hold of them; nothing for a word of which any of them is unknown."""
        from scipy.sparse import csr_matrix

        marks = language.marks(self._key)
        truth = np.stack([marks[self._names[name]][words] for name in self.shown], axis=1)
        return csr_matrix((truth == TRUE) & (truth != UNKNOWN).all(axis=1)[:, None])


def matrix_of(rows: RaggedArray, width: int) -> Matrix:
    """Rows of numbers as a matrix."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(rows.values), dtype=bool)
    matrix = csr_matrix((ones, rows.values, rows.starts), shape=(len(rows), width), copy=True)
    matrix.sum_duplicates()
    return matrix


def masked(matrix: Matrix, mask: npt.NDArray[np.bool_]) -> Matrix:
    """A matrix with only the rows or columns of a mask; what is masked is not stored either."""
    kept = matrix.multiply(mask).tocsr().astype(bool)
    kept.eliminate_zeros()
    return kept


def closure(step: Matrix) -> Matrix:
    """Everything reachable in one step or more."""
    found = step
    while True:
        wider = (step + step @ found).tocsr()
        if wider.nnz == found.nnz:
            return wider
        found = wider


def without_itself(found: Matrix, words: Numbers, here: LanguageMatrices, there: LanguageMatrices) -> Matrix:
    """No word is its own synonym, nor its own translation, in whatever case it is spelled."""
    from scipy.sparse import csr_matrix

    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    if here is there:
        same = here.key_of[words][rows] == there.key_of[found.indices]
    else:
        named = [here.lemmas[number].lower() for number in words.tolist()]
        same = np.array(
            [named[row] == there.lemmas[column].lower() for row, column in zip(rows, found.indices, strict=True)],
            dtype=bool,
        )
    keep = ~same if len(same) else np.zeros(0, dtype=bool)
    counts = np.bincount(rows[keep], minlength=found.shape[0])
    starts = np.concatenate([[0], np.cumsum(counts)])
    return csr_matrix((np.ones(int(keep.sum()), dtype=bool), found.indices[keep], starts), shape=found.shape)

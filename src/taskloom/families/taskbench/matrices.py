"""Sparse Boolean matrices: a language as words, senses and what links them; answers and truth values of many words.

Rows are inputs, columns are lemmas.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from taskloom.algebra import Answers, Expression, Rule, Truths, Value
from taskloom.core import UserError
from taskloom.families.taskbench.language import LANGUAGE
from taskloom.sources.lexicon import PARTS_OF_SPEECH, Lexicon
from taskloom.sources.lexicon.clean import MIXED, CleanWords
from taskloom.sources.lexicon.tables import RaggedArray
from taskloom.sources.lexicon.wordnet import UNSCORED

if TYPE_CHECKING:
    from taskloom.families.taskbench.lexical import LexicalEngine

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
        self.shown = tuple([lemma.replace("_", " ") for lemma in tables.lemmas])
        self.key_of = tables.key_of
        labels = tables if clean is None else clean
        self.members = matrix_of(labels.members, len(tables.lemmas))
        self.senses = matrix_of(labels.senses, len(lexicon.tables.pos))
        if vulgar is not None:
            self.members = masked(self.members, (vulgar == 0)[None, :])
        self.decent = np.ones(len(self.lemmas), dtype=bool) if vulgar is None else vulgar == 0

    @cached_property
    def listed(self) -> Matrix:
        """Synsets to every decent common word that the lexicon lists, usual or not."""
        common = self.decent & np.array([lemma == lemma.lower() for lemma in self.lemmas])
        return masked(matrix_of(self._lexicon.words(self.code).members, len(self.lemmas)), common[None, :])

    @cached_property
    def own(self) -> Matrix:
        """Lemmas to every synset that lists them."""
        return matrix_of(self._lexicon.words(self.code).members, len(self.lemmas)).T.tocsr()

    @cached_property
    def single(self) -> npt.NDArray[np.bool_]:
        """Which lemmas are single words."""
        return np.array(["_" not in lemma for lemma in self.lemmas])

    def numbers(self, words: list[str]) -> Numbers:
        """The lemma numbers of some words."""
        return np.array([bisect_left(self.lemmas, word) for word in words], dtype=np.int32)

    def known(self, shown: Iterable[str]) -> Numbers:
        """The lemma numbers of words as they are shown; others are passed over."""
        lemmas = [word.replace(" ", "_") for word in shown]
        places = [(bisect_left(self.lemmas, lemma), lemma) for lemma in lemmas]
        return np.array([at for at, lemma in places if self.lemmas[at : at + 1] == (lemma,)], dtype=np.int32)

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


def widened(matrix: Matrix, width: int) -> Matrix:
    """The same with more columns, all empty."""
    from scipy.sparse import csr_matrix

    return csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], width))


def closure(step: Matrix) -> Matrix:
    """Everything reachable in one step or more."""
    found = step
    while True:
        wider = (step + step @ found).tocsr()
        if wider.nnz == found.nnz:
            return wider
        found = wider


def without_itself(found: Matrix, words: Numbers, here: LanguageMatrices, there: LanguageMatrices) -> Matrix:
    """No word is its own synonym, nor its own translation, in any case."""
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


# A complement that stands alone lists nearly the whole range for every input.
_WIDEST_COMPLEMENT = 20_000_000


@dataclass(eq=False)
class WordAnswers(Answers):
    """What a relation gives for some words.

    Attributes:
        engine: What the words belong to.
        words: The inputs, as lemma numbers of the source language.
        source: The language of the inputs.
        target: The universe of the answers.
        given: The answers; None for the inputs themselves.
        node: The expression that gave them.
    """

    engine: LexicalEngine
    words: Numbers
    source: str
    target: str
    given: Matrix | None = None
    node: Expression | None = None

    def __post_init__(self) -> None:
        self.plain = self.given is None

    @cached_property
    def matrix(self) -> Matrix:
        """The answers, as a matrix."""
        return self.engine.one_each(self.words, self.words, self.source) if self.given is None else self.given

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


@dataclass(eq=False)
class WordTruths(Truths):
    """What a predicate says of some words, given as lemma numbers: true, false or unknown for each."""

    words: Numbers
    values: Truth

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

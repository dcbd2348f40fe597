"""Lexical and random expressions, evaluated for all input words at once with sparse matrices.

A relation on a set of words is a Boolean matrix from those words to all lemmas of the output language, so
chaining is a product, union a sum and intersection an element-wise product. Only the rows that are
needed are ever computed: those of the input words, and of what lies between in a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

from taskloom.algebra import (
    TAGS,
    Answers,
    Atom,
    Evaluator,
    Expression,
    PredicateOperator,
    Signature,
    Value,
    atoms,
    signature,
)
from taskloom.core import KeyedRandom, UserError
from taskloom.core.task import LazyMapping
from taskloom.families.taskbench.functions import PackedRelation, Predicate
from taskloom.families.taskbench.matrices import (
    FALSE,
    TRUE,
    LanguageMatrices,
    Matrix,
    Numbers,
    TagMatrices,
    Truth,
    WordAnswers,
    WordTruths,
    closure,
    masked,
    matrix_of,
    widened,
    without_itself,
)
from taskloom.sources.lexicon import Lexicon
from taskloom.sources.lexicon.accepted import accepted_tables
from taskloom.sources.lexicon.clean import CleanTables

_SEVERAL = ("antonyms", "entailments", "hypernyms", "hyponyms", "synonyms", "translate")
"""Relations that accept more than their canonical answers."""


class LexicalEngine(Evaluator):
    """Evaluates lexical expressions over fixed lists of input words.

    Args:
        lexicon: The words and their meanings.
        vocabulary: The input words of each language, each a lemma in exactly its spelling.
        seed: The seed of random relations.
        direct: Take as antonyms only what WordNet opposes to the very word.
        clean: The clean labels, where those are wanted instead of all that the lexicon lists.
        vulgar: Flags per lemma and language; words with the flag are neither inputs nor answers.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        vocabulary: Mapping[str, tuple[str, ...]],
        *,
        seed: int = 0,
        direct: bool = False,
        clean: CleanTables | None = None,
        vulgar: Mapping[str, npt.NDArray[np.int8]] | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.vocabulary = vocabulary
        if vulgar is not None:
            self.vocabulary = LazyMapping(
                vocabulary,
                lambda code: (
                    _decent(lexicon, code, vocabulary[code], vulgar[code]) if code in vulgar else vocabulary[code]
                ),
            )
        self._clean = clean
        self._vulgar = vulgar or {}
        self._seed = seed
        self._direct = direct
        self._languages: dict[str, LanguageMatrices] = {}
        self._links: dict[str, Matrix] = {}
        self._inputs: dict[str, Numbers] = {}
        self._whole: dict[Atom, Matrix] = {}
        self._tables: dict[Atom, Numbers] = {}
        self._strict: LexicalEngine | None = None

    def relation(self, node: Expression, *, most_outputs: int = 0) -> PackedRelation:
        """A relation on all input words.

        Args:
            node: A relation.
            most_outputs: Leave out inputs with more outputs than this; 0 keeps all.
        """
        type_ = signature(node)
        numbers = self._input_numbers(type_.source)
        found = self.rows(node, type_.source, numbers)
        if self._clean is None or not any(atom.name in _SEVERAL for atom in atoms(node)):
            return self._packed(found, numbers, type_, most_outputs)
        narrow = self._canonical(node, type_, numbers, found) if isinstance(node, Atom) else found
        if type_.target not in TAGS:
            narrow = masked(narrow, self.language(type_.target).single[None, :])
        if isinstance(node, Atom):
            found = self._accepted(node, numbers, found)
        else:
            found = self._generous.rows(node, type_.source, numbers)
            narrow = narrow.multiply(found).tocsr()  # what is taken away in any sense of a word is no answer
        found = masked(found, (np.diff(narrow.indptr) > 0)[:, None])
        typical = msgspec.structs.replace(self._packed(narrow, numbers, type_, 0), domain=0)
        return self._packed(found, numbers, type_, most_outputs, typical)

    def _canonical(self, atom: Atom, type_: Signature, numbers: Numbers, found: Matrix) -> Matrix:
        """What the canonical answer of a clean atom is drawn from: one step away, and vouched for."""
        if atom.name in ("hyponyms", "hypernyms"):
            return self._atom(replace(atom, name=f"direct {atom.name}"), type_.source, numbers)
        if atom.name == "translate":
            return found.multiply(self._pairs(type_.source)[numbers, : found.shape[1]]).tocsr()
        if atom.name == "synonyms" and type_.source != "eng":
            here = self.language(type_.source)
            return (found + here.own[numbers] @ here.own.T).multiply(self._alike(type_.source)[numbers]).tocsr()
        return found

    @cached_property
    def _generous(self) -> LexicalEngine:
        """The same, but its relations give, and take away, everything that they accept."""
        other = copy(self)
        other._strict, other._whole = self, {}
        return other

    def _accepted(self, atom: Atom, numbers: Numbers, found: Matrix) -> Matrix:
        """What is accepted of a clean atom: what it gives, and what is right for any other sense of the word.

        English relations hold for every sense that lists the word in its own spelling. Spanish synsets and translations
        were matched by machine, so that they count only where other sources vouch for them.
        """
        here, there = self.language(signature(atom).source), self.language(signature(atom).target)
        if atom.name == "translate":
            pairs = self._pairs(here.code)
            return widened(found, pairs.shape[1]) + pairs[numbers]
        if atom.name == "synonyms":
            found = found + self._alike(here.code)[numbers]
        if here.code == "eng" and atom.name == "antonyms":
            # Opposites of this very word in any sense; words that only share its synset have others in rare ones.
            usual = here.senses[here.key_of[numbers]] @ self._link("all antonyms")
            found = found + self._opposed(self.lexicon.tables.antonyms)[numbers] + usual @ there.listed
            found = found + matrix_of(accepted_tables().antonyms, len(here.lemmas))[numbers]
        elif here.code == "eng":
            # What a rare sense of a verb entails is not what anyone means by it.
            senses = here.senses[here.key_of[numbers]] if atom.name == "entailments" else here.own[numbers]
            linked = senses if atom.name == "synonyms" else senses @ self._link(atom.name)
            found = found + linked @ there.listed
        found = masked(found.tocsr(), there.decent[None, :])
        return without_itself(found, numbers, here, there)

    def _pairs(self, source: str) -> Matrix:
        """Words of one language to accepted translations, those that the lexicon lacks after its own."""
        width = len(self.language("spa").lemmas) + len(accepted_tables().extra["spa"])
        pairs = matrix_of(accepted_tables().translations, width)
        return pairs if source == "eng" else pairs.T.tocsr()

    def _alike(self, code: str) -> Matrix:
        """Words of a language to synonyms that thesauri and dictionaries vouch for."""
        return matrix_of(accepted_tables().synonyms[code], len(self.language(code).lemmas))

    def _packed(
        self,
        matrix: Matrix,
        numbers: Numbers,
        type_: Signature,
        most_outputs: int,
        narrow: PackedRelation | None = None,
    ) -> PackedRelation:
        """A matrix as a table of words."""
        counts = np.diff(matrix.indptr)
        domain = int((counts > 0).sum())
        keep = counts > 0 if not most_outputs else (counts > 0) & (counts <= most_outputs)
        places = np.flatnonzero(keep)
        kept = matrix[places]
        kept.sort_indices()
        shown = self.language(type_.source).shown
        inputs = tuple(shown[number] for number in numbers[places].tolist())
        words = self._target(type_.target).shown
        if matrix.shape[1] > len(words):
            words += accepted_tables().extra[type_.target]
        used = np.zeros(len(words), dtype=bool)
        used[kept.indices] = True
        own = (np.cumsum(used) - 1).astype(np.int32)[kept.indices]  # numbers among the words that are used at all
        answers = tuple(words[number] for number in np.flatnonzero(used).tolist())
        return PackedRelation(inputs, kept.indptr.astype(np.int64).tobytes(), own.tobytes(), answers, domain, narrow)

    def predicate(self, node: Expression) -> Predicate:
        source = signature(node).source
        numbers = self._input_numbers(source)
        truth = self._truth(node, source, numbers)
        shown = self.language(source).shown
        true, false = (tuple(shown[n] for n in numbers[truth == value].tolist()) for value in (TRUE, FALSE))
        return Predicate(true, false)

    def apply(self, node: Expression, word: str) -> tuple[str, ...]:
        """What a relation gives for one word, which need not be an input word; sorted."""
        return self.table(node, (word,)).get(word, ())

    def table(self, node: Expression, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What a relation gives for some words, sorted; words that the lexicon lacks are left out."""
        type_ = signature(node)
        numbers = self.language(type_.source).known(words)
        if not len(numbers):
            return {}
        target = type_.source if type_.target == "any" else type_.target
        inputs, shown = self.language(type_.source).shown, self._target(target).shown
        matrix = self.rows(node, type_.source, numbers)
        rows = np.split(matrix.indices, matrix.indptr[1:-1])
        return {
            inputs[number]: tuple(sorted(shown[one] for one in row.tolist()))
            for number, row in zip(numbers.tolist(), rows, strict=True)
        }

    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """A word that leads from `x` to `y` through a chain, the first in the alphabet."""
        middle = signature(outer).source
        candidates = self.apply(inner, x)
        language = self.language(middle)
        numbers = language.known(candidates)
        rows = self.rows(outer, middle, numbers)
        column = self._target(signature(outer).target).known([y])
        if not len(column) or not len(numbers):
            return None
        places = np.flatnonzero(rows[:, column].toarray().ravel())
        return language.shown[numbers[places[0]]] if len(places) else None

    @cached_property
    def faithful(self) -> LexicalEngine | None:
        """The same words with all that the lexicon lists; None where these labels are not clean."""
        if self._clean is None:
            return None
        return LexicalEngine(self.lexicon, self.vocabulary, seed=self._seed)

    def _target(self, code: str) -> LanguageMatrices | TagMatrices:
        """What outputs are numbers of: words of a language, or the names of a mark."""
        return TagMatrices(code) if code in TAGS else self.language(code)

    def language(self, code: str) -> LanguageMatrices:
        """One language as matrices, made once."""
        if code not in self.lexicon.languages:
            raise UserError(
                f"there is no wordnet for {code!r}; available: {', '.join(self.lexicon.languages)}",
                where=f"[{code}]",
                hint=f"-T resources=DIR with wn-data-{code}.tab or a WN-LMF file of that language",
            )
        if code not in self._languages:
            clean = None if self._clean is None else self._clean.words.get(code)
            if self._clean is not None and clean is None:
                raise UserError(
                    f"there are no clean labels for {code!r}", where="labels=clean", hint="-T labels=faithful"
                )
            self._languages[code] = LanguageMatrices(self.lexicon, code, clean, vulgar=self._vulgar.get(code))
        return self._languages[code]

    def _input_numbers(self, code: str) -> Numbers:
        """The input words of a language, sorted as they are shown."""
        if code not in self._inputs:
            language = self.language(code)
            numbers = language.numbers(sorted(self.vocabulary[code]))
            order = sorted(range(len(numbers)), key=lambda place: language.shown[numbers[place]])
            self._inputs[code] = numbers[order]
        return self._inputs[code]

    def input_words(self, code: str) -> list[str]:
        """The input words of a language as they are shown, sorted."""
        shown = self.language(code).shown
        return [shown[number] for number in self._input_numbers(code).tolist()]

    # ---------------------------------------------------------------- relations

    def rows(self, node: Expression, source: str, words: Numbers) -> Matrix:
        """The relation on some words of the source language: one row per word, one column per lemma."""
        found: WordAnswers = self(node, WordAnswers(self, words, source, source))
        return found.matrix

    def _truth(self, node: Expression, source: str, words: Numbers) -> Truth:
        found: WordTruths = self(node, WordAnswers(self, words, source, source))
        return found.values

    def here(self, node: Expression, x: Answers) -> Value:
        assert isinstance(x, WordAnswers)
        if self._strict is not None and signature(node).predicate:
            # A condition holds where it is true when asked by itself.
            return WordTruths(x.words, self._strict._truth(node, x.source, x.words))
        if isinstance(node, Atom):
            if signature(node).predicate:
                return WordTruths(x.words, self._mark(node, x.source, x.words))
            return WordAnswers(self, x.words, x.source, node.signature.target, self._atom_rows(node, x), node)
        record = node.record
        value = record.value(self, x, node.arguments)
        if isinstance(value, WordAnswers):
            value.node = node
            return value
        assert isinstance(value, WordTruths)
        whole = self.faithful
        # A clean set leaves out what is doubtful, so that a word is missing from it proves nothing by itself: what
        # sets say counts only where the whole lexicon does not say the opposite.
        if whole is None or not isinstance(record, PredicateOperator) or signature(node.arguments[0]).predicate:
            return value
        return value.unless_denied(WordTruths(x.words, whole._truth(node, x.source, x.words)))

    def _atom_rows(self, node: Atom, x: WordAnswers) -> Matrix:
        if x.words is not self._inputs.get(x.source):
            return self._atom(node, x.source, x.words)
        # Atoms on all input words come again in every composition.
        if node not in self._whole:
            self._whole[node] = self._atom(node, x.source, x.words)
        return self._whole[node]

    def _mark(self, atom: Atom, source: str, words: Numbers) -> Truth:
        if atom.name in ("acceptall", "rejectall"):
            return np.full(len(words), TRUE if atom.name == "acceptall" else FALSE, dtype=np.int8)
        key, value = atom.features[0]
        found: Truth = self.language(source).marks(key)[value][words]
        return found

    def _atom(self, atom: Atom, source: str, words: Numbers) -> Matrix:
        if atom.name == "identity":
            return self.one_each(words, words, source)
        if atom.name == "random":
            return self._random(atom, source, words)
        here = self.language(source)
        if atom.name in TAGS:
            return TagMatrices(atom.name).rows(here, words)
        there = self.language(signature(atom).target)
        if atom.name == "antonyms" and source == "eng" and (self._direct or self._clean is not None):
            found = self._opposites[words]
        else:
            senses = here.senses[here.key_of[words]]
            linked = senses if atom.name in ("synonyms", "translate") else senses @ self._link(atom.name)
            found = linked @ there.members
        if self._clean is None or here is there:
            found = without_itself(found, words, here, there)  # but pizza is pizza in Spanish
        if self._strict is not None and atom.name in _SEVERAL:
            return self._accepted(atom, words, found.tocsr())[:, : len(there.lemmas)]
        return found.tocsr()

    def reach(self, node: Expression, source: str) -> npt.NDArray[np.bool_]:
        """Which lemmas the relation gives to any input word."""
        matrix = self.rows(node, source, self._input_numbers(source))
        flags = np.zeros(matrix.shape[1], dtype=bool)
        flags[matrix.indices] = True
        return flags

    def one_each(self, words: Numbers, outputs: Numbers, language: str) -> Matrix:
        """A matrix with one output per row; -1 means none."""
        from scipy.sparse import csr_matrix

        has = outputs >= 0
        starts = np.concatenate([[0], np.cumsum(has)])
        width = len(self.language(language).shown)
        return csr_matrix((np.ones(int(has.sum()), dtype=bool), outputs[has], starts), shape=(len(words), width))

    def _random(self, atom: Atom, source: str, words: Numbers) -> Matrix:
        """Each input word to one other input word, keyed by the word alone; other words have no output."""
        if atom not in self._tables:
            self._tables[atom] = self._random_table(int(atom.features[0][1]), source)
        return self.one_each(words, self._tables[atom][words], source)

    def _random_table(self, relation: int, source: str) -> Numbers:
        language = self.language(source)
        pool = language.numbers(sorted(self.vocabulary[source]))
        if len(pool) < 2:
            raise UserError("a random relation needs at least two input words", where=f"random[{source}]")
        randoms = KeyedRandom("taskbench", "random", self._seed, relation, source)
        outputs = np.full(len(language.lemmas), -1, dtype=np.int32)
        for place, number in enumerate(pool.tolist()):
            drawn = randoms.at(language.lemmas[number]).randrange(len(pool) - 1)
            outputs[number] = pool[drawn if drawn < place else drawn + 1]
        return outputs

    def _link(self, name: str) -> Matrix:
        """Synsets to synsets: opposites, or the transitive closure of a pointer."""
        from scipy.sparse import csr_matrix

        if name not in self._links:
            tables = self.lexicon.tables
            if name.endswith("hyponyms"):
                self._links[name] = self._link(name.replace("hyponyms", "hypernyms")).T.tocsr()
            elif name == "direct hypernyms":
                # Verbs have manners rather than kinds, and people seldom agree on them.
                nouns = (tables.pos == ord("n"))[:, None]
                self._links[name] = masked(matrix_of(tables.hypernyms, len(tables.pos)), nouns)
            elif name == "antonyms" and self._clean is not None:
                rows = tables.antonyms[self._clean.opposites]
                shape = (len(tables.pos), len(tables.pos))
                self._links[name] = csr_matrix((np.ones(len(rows), dtype=bool), (rows[:, 0], rows[:, 2])), shape=shape)
            elif name in ("antonyms", "all antonyms"):
                self._links[name] = matrix_of(self.lexicon.antonym_links, len(tables.pos))
            else:
                steps = tables.hypernyms if name == "hypernyms" else tables.entailments
                self._links[name] = closure(matrix_of(steps, len(tables.pos)))
        return self._links[name]

    @cached_property
    def _opposites(self) -> Matrix:
        links = self.lexicon.tables.antonyms
        return self._opposed(links if self._clean is None else links[self._clean.opposites])

    def _opposed(self, links: Numbers) -> Matrix:
        """English lemmas to the lemmas that WordNet opposes to them directly."""
        from scipy.sparse import csr_matrix

        width = len(self.language("eng").shown)
        ones = np.ones(len(links), dtype=bool)
        return csr_matrix((ones, (links[:, 1], links[:, 3])), shape=(width, width), dtype=bool)


def _decent(lexicon: Lexicon, code: str, words: tuple[str, ...], vulgar: npt.NDArray[np.int8]) -> tuple[str, ...]:
    """Input words without vulgar ones."""
    number = {lemma: place for place, lemma in enumerate(lexicon.words(code).lemmas)}
    return tuple(word for word in words if not vulgar[number[word]])

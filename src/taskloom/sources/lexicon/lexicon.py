"""Look-ups in a lexicon: what the words of a language mean to each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from taskloom.core import ensure_known
from taskloom.sources.lexicon.tables import RaggedArray, Tables, Words, inverted, keys_of, sparse_ragged
from taskloom.sources.lexicon.wordnet import UNSCORED

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}


class Lexicon:
    """Words of one or more languages with their meanings.

    A word is looked up in lower case and written with `_` or a blank, as you like; answers are spelled as in
    the wordnet, with `_` for blanks. Answers come in the order of the word's senses, the most usual first,
    without repeats and without the word itself.

    Example:
        >>> from taskloom.sources.lexicon import default_lexicon
        >>> default_lexicon().antonyms("hot", direct=True)
        ('cold',)
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._keys: dict[str, dict[str, int]] = {}
        self._inverse: dict[str, RaggedArray] = {}

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.tables.words)

    def words(self, language: str) -> Words:
        """The tables of one language.

        Raises:
            UserError: The lexicon lacks it.
        """
        ensure_known("language", language, self.tables.words, where="lexicon")
        return self.tables.words[language]

    def keys(self, language: str) -> dict[str, int]:
        """Every word of a language in lower case, with its number; sorted."""
        if language not in self._keys:
            names = keys_of(self.words(language).lemmas)
            self._keys[language] = {name: number for number, name in enumerate(names)}
        return self._keys[language]

    def common(self, language: str = "eng") -> tuple[str, ...]:
        """Usual words in falling frequency; empty where the lexicon was built without frequencies."""
        return self.words(language).common

    def __contains__(self, word: str) -> bool:
        return any(_key(word) in self.keys(language) for language in self.languages)

    def synsets(self, word: str, language: str = "eng", pos: str | None = None) -> list[int]:
        """The numbers of a word's synsets, the most usual first; `pos` is noun, verb, adj or adv."""
        number = self.keys(language).get(_key(word))
        if number is None:
            return []
        found: list[int] = self.words(language).senses.row(number).tolist()
        if pos is None:
            return found
        return [synset for synset in found if self.pos_of(synset) == pos]

    def lemmas(self, synset: int, language: str = "eng") -> tuple[str, ...]:
        words = self.words(language)
        return tuple(words.lemmas[number] for number in words.members.row(synset).tolist())

    def pos_of(self, synset: int) -> str:
        """The part of speech of a synset: noun, verb, adj or adv."""
        return PARTS_OF_SPEECH[chr(self.tables.pos[synset])]

    def holders(self, word: str, language: str = "eng") -> list[int]:
        """The synsets that list the word in this very spelling, in their own order."""
        words = self.words(language)
        spelled = word.strip().replace(" ", "_")
        number = bisect_left(words.lemmas, spelled)
        if number == len(words.lemmas) or words.lemmas[number] != spelled:
            return []
        found: list[int] = self._holders(language).row(number).tolist()
        return found

    def pos(self, word: str, language: str = "eng", *, inflected: bool = False) -> frozenset[str]:
        """The parts of speech of the synsets that list the word; with `inflected`, of all its readings."""
        return frozenset(map(self.pos_of, self._read(word, language, inflected)))

    def sentiment(self, word: str, language: str = "eng", *, inflected: bool = False) -> frozenset[str]:
        """The signs (pos, neg, none) of the synsets that list the word; with `inflected`, of all its readings."""
        scores = [int(self.tables.sentiment[synset]) for synset in self._read(word, language, inflected)]
        return frozenset("pos" if s > 0 else "neg" if s < 0 else "none" for s in scores if s != UNSCORED)

    def _read(self, word: str, language: str, inflected: bool) -> list[int]:
        return self.synsets(word, language) if inflected else self.holders(word, language)

    def synonyms(self, word: str, language: str = "eng", *, pos: str | None = None) -> tuple[str, ...]:
        """The other words of its synsets."""
        return self._answers(word, self.synsets(word, language, pos), language)

    def translate(self, word: str, source: str = "eng", target: str = "spa") -> tuple[str, ...]:
        """The words of another language in its synsets."""
        return self._answers(word, self.synsets(word, source), target)

    def antonyms(
        self, word: str, language: str = "eng", *, pos: str | None = None, direct: bool = False
    ) -> tuple[str, ...]:
        """Its opposites.

        Args:
            word: The word.
            language: Its language.
            pos: Only senses of this part of speech.
            direct: Only what WordNet opposes to this very word. Otherwise every word of a synset that holds an
                opposite of any word of its synsets, as in the paper.
        """
        senses = self.synsets(word, language, pos)
        if direct and language == "eng":
            found = (lemma for synset in senses for lemma in self._opposites.get((synset, _key(word)), ()))
            return tuple(dict.fromkeys(found))
        return self._answers(word, [other for synset in senses for other in self.antonym_links.row(synset)], language)

    def hypernyms(
        self, word: str, language: str = "eng", *, pos: str | None = None, closure: bool = True
    ) -> tuple[str, ...]:
        """Words for what it is a kind of; with `closure` all the way up, else one step."""
        return self._linked(word, language, pos, closure, self.tables.hypernyms)

    def hyponyms(
        self, word: str, language: str = "eng", *, pos: str | None = None, closure: bool = True
    ) -> tuple[str, ...]:
        """Words for kinds of it; with `closure` all the way down, else one step."""
        return self._linked(word, language, pos, closure, self.inverse_hypernyms)

    def entailments(
        self, word: str, language: str = "eng", *, pos: str | None = None, closure: bool = True
    ) -> tuple[str, ...]:
        """Verbs for what doing it involves."""
        return self._linked(word, language, pos, closure, self.tables.entailments)

    @cached_property
    def inverse_hypernyms(self) -> RaggedArray:
        """Synset to its direct hyponyms."""
        return inverted(self.tables.hypernyms, len(self.tables.pos))

    def _holders(self, language: str) -> RaggedArray:
        if language not in self._inverse:
            words = self.words(language)
            self._inverse[language] = inverted(words.members, len(words.lemmas))
        return self._inverse[language]

    @cached_property
    def antonym_links(self) -> RaggedArray:
        """Synset to the synsets that hold an opposite of one of its English words."""
        rows: dict[int, dict[int, None]] = {}
        for source, _, target, _ in self.tables.antonyms.tolist():
            rows.setdefault(source, {})[target] = None
        return sparse_ragged({source: list(row) for source, row in rows.items()}, len(self.tables.pos))

    @cached_property
    def _opposites(self) -> dict[tuple[int, str], list[str]]:
        lemmas = self.words("eng").lemmas
        found: dict[tuple[int, str], list[str]] = {}
        for synset, left, _, right in self.tables.antonyms.tolist():
            found.setdefault((synset, lemmas[left].lower()), []).append(lemmas[right])
        return found

    def _linked(self, word: str, language: str, pos: str | None, closure: bool, links: RaggedArray) -> tuple[str, ...]:
        """Words of the synsets that can be reached over links in one step, or in one or more, nearest first."""
        found: dict[int, None] = {}
        frontier = self.synsets(word, language, pos)
        while frontier:
            reached = dict.fromkeys(other for synset in frontier for other in links.row(synset).tolist())
            frontier = [synset for synset in reached if synset not in found] if closure else []
            found |= reached
        return self._answers(word, found, language)

    def _answers(self, word: str, synsets: Iterable[int], language: str) -> tuple[str, ...]:
        key = _key(word)
        found = dict.fromkeys(lemma for synset in synsets for lemma in self.lemmas(synset, language))
        return tuple(lemma for lemma in found if lemma.lower() != key)


def _key(word: str) -> str:
    return word.strip().lower().replace(" ", "_")

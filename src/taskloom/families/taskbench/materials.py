"""What tasks are made of: an opened lexicon, input words, a knowledge graph, and evaluated functions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from taskloom.algebra import Expression, normal, signature
from taskloom.core import UserError
from taskloom.families.taskbench.functions import Predicate, Relation, WordFunction
from taskloom.families.taskbench.keep import Keep
from taskloom.families.taskbench.lots import Lots
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import has_own_atoms

if TYPE_CHECKING:
    from taskloom.families.taskbench.factual import FactualEngine
    from taskloom.families.taskbench.lexical import LexicalEngine
    from taskloom.families.taskbench.mixed import MixedEngine
    from taskloom.families.taskbench.openbook import OpenBook
    from taskloom.sources.lexicon import Lexicon

__all__ = ["Materials", "SourceMissingError", "find_resources"]

_NAMES = {
    "wordnet": ("wordnet.zip", "wordnet3.0.zip", "data.noun"),
    "sentiment": ("SentiWordNet*.txt",),
    "words eng": ("brown.zip", "words-eng.*"),
    "words spa": ("cess_esp.zip", "words-spa.*"),
}
_MOST_WORDS = 10_000


class SourceMissingError(UserError):
    """An expression asks for data that the recipe does not provide."""


class Materials:
    """Opens each source when it is first needed and evaluates every word function once."""

    def __init__(self, recipe: TaskBenchRecipe, seed: int) -> None:
        self.recipe = recipe
        self.seed = seed
        self.keep = Keep(recipe, seed)
        self.lots = Lots(seed)  # drawn once for all that ask: the words of a task and those of its facts are the same
        self._evaluated: dict[Expression, WordFunction] = {}

    @cached_property
    def lexical(self) -> LexicalEngine:
        """The engine of lexical and random expressions."""
        from taskloom.families.taskbench.lexical import LexicalEngine
        from taskloom.sources.lexicon import open_lexicon
        from taskloom.sources.lexicon.clean import clean_for, vulgar_flags
        from taskloom.sources.lexicon.omw import find_wordnets

        found = find_resources(self.recipe.resources)
        wordnets = (
            {code: str(path) for code, path in find_wordnets(Path(self.recipe.resources)).items()} if found else {}
        )
        lexicon = open_lexicon(
            wordnet=found.get("wordnet", ""), sentiment=found.get("sentiment", ""), languages=wordnets
        )
        given = {"eng": self.recipe.english_words, "spa": self.recipe.spanish_words}
        vocabulary = {
            code: _words(lexicon, code, given.get(code) or found.get(f"words {code}", "")) for code in lexicon.languages
        }
        clean = self.recipe.labels == "clean"
        return LexicalEngine(
            lexicon,
            vocabulary,
            seed=self.seed,
            direct=self.recipe.antonyms == "direct",
            clean=clean_for(lexicon) if clean else None,
            vulgar=vulgar_flags(lexicon) if clean or not self.recipe.vulgar else None,
        )

    @cached_property
    def factual(self) -> FactualEngine:
        """The engine of factual expressions.

        Raises:
            SourceMissingError: The recipe has no knowledge graph.
        """
        from taskloom.families.taskbench.factual import FactualEngine
        from taskloom.sources.knowledge.open import open_graph

        if self.recipe.knowledge == "none":
            raise SourceMissingError(
                "there is no knowledge graph", where="knowledge=none", hint="-T knowledge=world makes a fictional one"
            )
        recipe = self.recipe
        graph = open_graph(recipe.knowledge, seed=self.seed, timeout=recipe.timeout, page_size=recipe.page_size)
        return FactualEngine(graph, row_limit=recipe.row_limit)

    @cached_property
    def mixed(self) -> MixedEngine:
        """The engine of expressions with atoms of the user's."""
        from taskloom.families.taskbench.mixed import MixedEngine

        return MixedEngine(self)

    def engine(self, node: Expression) -> LexicalEngine | FactualEngine | MixedEngine:
        """What evaluates an expression."""
        if has_own_atoms(node):
            return self.mixed
        return self.factual if signature(node).source == "entity" else self.lexical

    @cached_property
    def open_book(self) -> OpenBook | None:
        """What puts facts into prompts; None where the recipe asks without any."""
        from taskloom.families.taskbench.openbook import OpenBook

        return OpenBook(self) if self.recipe.facts != "none" else None

    def word_function(self, node: Expression) -> WordFunction:
        """A word function on all inputs; expressions that mean the same share one table."""
        key = normal(node)
        if key not in self._evaluated:
            found = self.keep.function(key)
            if found is None:
                found = self._evaluate(node)
                self.keep.keep_function(key, found)
            self._evaluated[key] = found
        return self._evaluated[key]

    def _evaluate(self, node: Expression) -> WordFunction:
        type_ = signature(node)
        engine = self.engine(node)
        if type_.predicate:
            truth = engine.predicate(node)
            return WordFunction(truth, len(truth.true) + len(truth.false))
        return WordFunction(*engine.relation(node, most_outputs=self.recipe.most_outputs))

    def relation(self, node: Expression) -> Relation:
        """The table of a relation."""
        found = self.word_function(node).function
        assert not isinstance(found, Predicate)
        return found

    def predicate(self, node: Expression) -> Predicate:
        """The table of a predicate."""
        found = self.word_function(node).function
        assert isinstance(found, Predicate)
        return found

    def apply(self, node: Expression, word: str) -> tuple[str, ...]:
        """What a relation gives for one word, empty where nothing."""
        if has_own_atoms(node):
            return self.mixed.apply(node, word)
        if signature(node).source != "entity":
            return self.lexical.apply(node, word)
        relation = self.relation(node)
        place = bisect_left(relation.inputs, word)
        found = place < len(relation.inputs) and relation.inputs[place] == word
        return relation.outputs(word) if found else ()

    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """A word that leads from `x` to `y` through a chain, None where names do not tell."""
        if signature(inner).source != "entity" and not has_own_atoms(outer) and not has_own_atoms(inner):
            return self.lexical.between(outer, inner, x, y)
        return next((z for z in self.apply(inner, x) if y in self.apply(outer, z)), None)

    def truth(self, node: Expression, word: str) -> bool | None:
        """What a predicate says of one input, None where it does not know."""
        predicate = self.predicate(node)
        for value, words in ((True, predicate.true), (False, predicate.false)):
            place = bisect_left(words, word)
            if place < len(words) and words[place] == word:
                return value
        return None

    def identity(self, words: Sequence[str]) -> Relation:
        """The identity on some words, for sequences that are only filtered."""
        return _SameWord(tuple(sorted(words)))


class _SameWord:
    def __init__(self, inputs: tuple[str, ...]) -> None:
        self._inputs = inputs

    @property
    def inputs(self) -> Sequence[str]:
        return self._inputs

    def outputs(self, word: str) -> tuple[str, ...]:
        return (word,)

    def typical(self, word: str) -> None:
        return None


def find_resources(folder: str) -> dict[str, str]:
    """The full resources in a folder, by what they are; empty where no folder is named.

    Raises:
        UserError: There is no such folder, or it holds none of them.
    """
    if not folder:
        return {}
    from taskloom.sources.lexicon.omw import find_wordnets

    root = Path(folder)
    if not root.is_dir():
        raise UserError("there is no such folder", where=f"resources={folder}")
    found: dict[str, str] = {}
    for kind, patterns in _NAMES.items():
        paths = [path for pattern in patterns for path in sorted(root.rglob(pattern))]
        if paths:
            found[kind] = str(paths[0].parent if paths[0].name == "data.noun" else paths[0])
    for code, path in find_wordnets(root).items():
        found[code] = str(path)
        if lists := sorted(root.rglob(f"words-{code}.*")):
            found.setdefault(f"words {code}", str(lists[0]))
    if not found:
        wanted = ", ".join(name for names in (*_NAMES.values(), ("wn-data-*.tab", "WN-LMF *.xml")) for name in names)
        raise UserError("this folder holds none of the known resources", where=str(root), hint=f"looked for {wanted}")
    return found


def _words(lexicon: Lexicon, language: str, path: str) -> tuple[str, ...]:
    from taskloom.sources.lexicon.wordlists import input_words

    if path:
        words = input_words(Path(path), lexicon.words(language).lemmas)
        if not words:
            raise UserError(f"none of these words is in the {language} lexicon", where=path)
        return words
    common = lexicon.common(language)
    if common:
        return common
    from taskloom.sources.lexicon import default_lexicon

    known = default_lexicon()
    if language not in known.languages:
        return _richest(lexicon, language)
    lemmas = set(lexicon.words(language).lemmas)
    return tuple(word for word in known.common(language) if word in lemmas)


def _richest(lexicon: Lexicon, language: str) -> tuple[str, ...]:
    """Single words with the most senses: where nobody counted words, usual ones are those of many meanings."""
    words = lexicon.words(language)
    senses = dict(
        zip(lexicon.keys(language), (words.senses.starts[1:] - words.senses.starts[:-1]).tolist(), strict=True)
    )
    single = [word for word in words.lemmas if word == word.lower() and "_" not in word]
    return tuple(sorted(sorted(single, key=lambda word: (-senses[word], word))[:_MOST_WORDS]))
